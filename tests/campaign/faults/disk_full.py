"""The disk with the checkpoint of a pipeline, and sometimes its results, fills up, again and again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.campaign.cases import LOCAL, Fault, chance_of
from tests.campaign.disks import SmallDisk
from tests.campaign.processes import Pipe, check_clear, finish, steps
from tests.campaign.workloads import check_equal, undisturbed, workload

NAME = "disk full"
FILES = {LOCAL: 16, "spark": 6}
ROUNDS = {LOCAL: 3, "spark": 1}
MOST_AT_ONCE = 4
"""How many files may arrive until the disk is full."""


def run(folder: Path, engine: str, seed: int) -> str:
    chance = chance_of(NAME, engine, seed)
    work = workload(engine, chance, FILES[engine])
    wanted = undisturbed(work, folder / "whole")
    mine, full, number = folder / "mine", 0, 0
    mine.mkdir()
    with SmallDisk(mine / "disk") as disk:
        has_results = chance.random() < 0.5
        checkpoint, out = "disk/state", "disk/out" if has_results else "out"
        path = work.prepare(mine, files=0, checkpoint=checkpoint, out=out)
        for round_ in range(ROUNDS[engine]):
            disk.fill(leave=chance.choice((4096, 8192)) if round_ else 0)
            with Pipe(path.with_name("live.toml"), engine) as running:
                for _ in range(MOST_AT_ONCE):
                    before = steps(mine, engine, checkpoint=checkpoint)
                    work.bring(mine, number)
                    number += 1
                    running.wait_until(partial(_went_on, mine, engine, checkpoint, before), or_ended=True)
                if running.code() is not None:
                    full += 1
                    assert running.code() == 1, running.said()
                    check_clear(running.said(), "E615")
            disk.free()
        for rest in range(number, len(work.files)):
            work.bring(mine, rest)
        finish(path, engine)
        check_equal(mine, work, wanted, out=out)
    assert full, "the disk was never full"
    what = "checkpoint and results" if has_results else "checkpoint"
    return f"a real disk of 4 MB with {what}, full {full} times"


def _went_on(folder: Path, engine: str, checkpoint: str, before: int) -> bool:
    return steps(folder, engine, checkpoint=checkpoint) > before


FAULT = Fault(NAME, run)
