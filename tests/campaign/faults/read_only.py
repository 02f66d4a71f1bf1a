"""The folder with the checkpoint of a pipeline becomes read-only while it runs, and writable again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.campaign.cases import LOCAL, Fault, chance_of
from tests.campaign.disks import ReadOnly
from tests.campaign.processes import Pipe, check_clear, finish, has_begun
from tests.campaign.workloads import check_equal, undisturbed, workload

NAME = "read-only"
FILES = {LOCAL: 8, "spark": 4}


def run(folder: Path, engine: str, seed: int) -> str:
    work = workload(engine, chance_of(NAME, engine, seed), FILES[engine])
    wanted = undisturbed(work, folder / "whole")
    mine = folder / "mine"
    half = len(work.files) // 2
    path = work.prepare(mine, files=half)
    with Pipe(path.with_name("live.toml"), engine) as running:
        running.wait_until(partial(has_begun, mine, engine))
        with ReadOnly(mine / "state"):
            for number in range(half, len(work.files)):
                work.bring(mine, number)
            assert running.end() == 1, running.said()
            check_clear(running.said(), "E617")
            with Pipe(path, engine) as again:
                assert again.end() == 1, again.said()
                check_clear(again.said(), "E617")
    finish(path, engine)
    check_equal(mine, work, wanted)
    return "a mount that became read-only while the pipeline ran"


FAULT = Fault(NAME, run)
