"""A second pipeline is started on the checkpoint of one that runs: it is refused, and the first one does not notice."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.campaign.cases import LOCAL, Fault, chance_of
from tests.campaign.processes import Pipe, check_clear, finish, has_begun, steps
from tests.campaign.workloads import check_equal, undisturbed, workload

NAME = "two on one checkpoint"
FILES = {LOCAL: 12, "spark": 6}


def run(folder: Path, engine: str, seed: int) -> str:
    chance = chance_of(NAME, engine, seed)
    work = workload(engine, chance, FILES[engine])
    wanted = undisturbed(work, folder / "whole")
    mine = folder / "mine"
    half = len(work.files) // 2
    path = work.prepare(mine, files=half)
    with Pipe(path.with_name("live.toml"), engine) as first:
        first.wait_until(partial(has_begun, mine, engine))
        for number in range(half, len(work.files)):
            with Pipe(path, engine) as second:
                assert second.end() == 1, second.said()
                check_clear(second.said(), "E616")
            before = steps(mine, engine)
            work.bring(mine, number)
            first.wait_until(partial(_went_on, mine, engine, before))
        first.stop()
    finish(path, engine)
    check_equal(mine, work, wanted)
    return f"{len(work.files) - half} attempts were refused"


def _went_on(folder: Path, engine: str, before: int) -> bool:
    return steps(folder, engine) > before


FAULT = Fault(NAME, run)
