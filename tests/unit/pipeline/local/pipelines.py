"""Small pipelines for tests: files with a random stream, a run in this process, and what it wrote."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any, BinaryIO, Self

import pyarrow.dataset as ds

import lasing
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.local.disk import Disk
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress
from lasing.timeline.clock import Clock

JOIN = "q(K, A, C) :- p(K, A, B) in [4], p(K, B, C) in [4]."
HEAD = """
program = "join.lars"
engine = "local"
checkpoint = "state"
trigger = "available now"
checkpoint_every = "0 ms"
"""
LIVE = HEAD.replace('trigger = "available now"\n', "")
SOURCE = """
[sources.p]
format = "{format}"
path = "{path}"
schema = "time bigint, k bigint, a bigint, b bigint"
files_per_batch = 1
"""
Row = tuple[int, int, int, int]
PATIENCE = 900
"""Ends a test that hangs, in seconds."""


class KilledError(BaseException):
    """The process has died, as far as a pipeline can see."""


class DyingDisk(Disk):
    """Dies before the n-th change to the disk; if that is a write, half of it is done."""

    def __init__(self, last: int | None = None) -> None:
        self.changes = 0
        self._last = last

    def about_to(self, what: str, path: Path) -> None:
        self.changes += 1
        if self.changes == self._last and what not in ("write", "append"):
            raise KilledError(f"{what} {path}")

    def put(self, file: BinaryIO, data: bytes) -> None:
        if self.changes == self._last:
            super().put(file, data[: len(data) // 2])
            raise KilledError("half a write")
        super().put(file, data)


def stream(seed: int, rows: int = 60, late: float = 0.1) -> list[Row]:
    """Rows in the order of time, except for some that come later than they should."""
    chance = random.Random(seed)
    found: list[Row] = []
    time = 0
    for _ in range(rows):
        time += chance.choice((0, 0, 1, 1, 3))
        back = chance.randint(1, 6) if chance.random() < late else 0
        found.append((max(0, time - back), chance.randint(0, 2), chance.randint(0, 2), chance.randint(0, 2)))
    return found


def csv_text(rows: list[Row]) -> str:
    return "time,k,a,b\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)


def written(folder: Path, text: str, program: str = JOIN) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "join.lars").write_text(program)
    (folder / "join.toml").write_text(text)
    return folder / "join.toml"


def run(path: Path, disk: Disk | None = None, stop: Event | None = None, clock: Clock | None = None) -> Progress:
    described = read_pipeline(path)
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        run_local(described, progress, stop, disk, clock)
    return progress


def found(folder: Path, form: str) -> list[tuple[Any, ...]]:
    """The rows in a folder of results, sorted."""
    if not folder.exists():
        return []
    table = ds.dataset(folder, format=form).to_table()
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True), key=repr)


def json_rows(path: Path) -> list[dict[str, Any]]:
    files = sorted(path.iterdir()) if path.is_dir() else [path] if path.exists() else []
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def expected(program: str, facts: Mapping[str, list[tuple[Any, ...]]], output: str) -> set[tuple[Any, ...]]:
    """What `lasing.run` answers: (time, arguments…)."""
    rows = sorted(((t, p, *args) for p, given in facts.items() for t, *args in given), key=lambda row: row[0])
    answers = lasing.run(program, rows)
    return {(a.time, *atom.args) for a in answers for atom in a.atoms if atom.predicate == output}


class InThread:
    """A pipeline that runs in a thread until it is stopped."""

    def __init__(self, path: Path, clock: Clock | None = None) -> None:
        self.stop = threading.Event()
        self.failed: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, args=(path, clock))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def _run(self, path: Path, clock: Clock | None) -> None:
        try:
            run(path, stop=self.stop, clock=clock)
        except BaseException as error:  # the test will see it
            self.failed.append(error)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        until = monotonic() + PATIENCE
        while not holds():
            assert self._thread.is_alive(), f"it has ended: {self.failed}"
            assert monotonic() < until, "it hangs"
            sleep(0.01)

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self._thread.join(PATIENCE)
        assert not self.failed, self.failed
