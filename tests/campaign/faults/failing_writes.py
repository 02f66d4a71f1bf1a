"""Any write of a pipeline fails, or half of it: the disk is full, or has become read-only. Where nobody may mount a
small disk, and at every single write, the error is injected in the one place that writes (`Disk`)."""

from __future__ import annotations

import os
from errno import ENOSPC, EROFS
from pathlib import Path
from typing import BinaryIO

import pytest

from lasing.errors import LasingError
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.local.disk import Disk
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress
from tests.campaign.cases import LOCAL, Fault, chance_of
from tests.campaign.workloads import check_equal, undisturbed, workload

NAME = "failing writes"
CODES = {ENOSPC: "E615", EROFS: "E617"}
FILES = 5


class FailingDisk(Disk):
    """Refuses everything from the n-th change on; if that is a write, half of it is done."""

    def __init__(self, last: int, number: int) -> None:
        self.changes = 0
        self._last = last
        self._number = number

    def about_to(self, what: str, path: Path) -> None:
        self.changes += 1
        if self.changes > self._last or (self.changes == self._last and what not in ("write", "append")):
            raise OSError(self._number, os.strerror(self._number), str(path))

    def put(self, file: BinaryIO, data: bytes) -> None:
        if self.changes >= self._last:
            super().put(file, data[: len(data) // 2])
            raise OSError(self._number, os.strerror(self._number))
        super().put(file, data)


def _run(path: Path, disk: Disk) -> None:
    described = read_pipeline(path)
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        run_local(described, progress, disk=disk)


def run(folder: Path, engine: str, seed: int) -> str:
    chance = chance_of(NAME, engine, seed)
    work = workload(engine, chance, FILES)
    wanted = undisturbed(work, folder / "whole")
    counting = FailingDisk(10**9, ENOSPC)
    _run(work.prepare(folder / "counted"), counting)
    for last in range(1, counting.changes + 1):
        number = chance.choice(list(CODES))
        mine = folder / f"failing{last}"
        path = work.prepare(mine)
        with pytest.raises(LasingError, match=f"{CODES[number]}(.|\n)*run it again"):
            _run(path, FailingDisk(last, number))
        _run(path, Disk())
        check_equal(mine, work, wanted)
    return f"each of {counting.changes} changes to the disk failed once, with an injected ENOSPC or EROFS"


FAULT = Fault(NAME, run, (LOCAL,))
