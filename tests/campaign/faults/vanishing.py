"""The folder of a source vanishes while a pipeline runs, and returns: an unmounted share, a folder that someone moved.

The pipeline may wait for it or stop with an error; once it is back, everything goes on.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from tests.campaign.cases import LOCAL, Fault, chance_of
from tests.campaign.processes import Pipe, check_clear, finish, has_begun, steps
from tests.campaign.workloads import check_equal, undisturbed, workload

NAME = "vanishing source"
FILES = {LOCAL: 12, "spark": 6}


def run(folder: Path, engine: str, seed: int) -> str:
    chance = chance_of(NAME, engine, seed)
    work = workload(engine, chance, FILES[engine])
    wanted = undisturbed(work, folder / "whole")
    mine = folder / "mine"
    half = len(work.files) // 2
    path = work.prepare(mine, files=half)
    source, away = mine / "in", mine / "away"
    with Pipe(path.with_name("live.toml"), engine) as running:
        running.wait_until(partial(has_begun, mine, engine))
        time.sleep(chance.choice((0, 0.05, 0.3)))
        source.rename(away)
        time.sleep(chance.choice((0.2, 0.5)) * (1 if engine == LOCAL else 6))
        ended = running.code() is not None
        if ended:
            check_clear(running.said(), "E613", "E614")
        else:
            away.rename(source)
            for number in range(half, len(work.files)):
                work.bring(mine, number)
            before = steps(mine, engine)
            running.wait_until(lambda: steps(mine, engine) > before, or_ended=True)
            ended = running.code() is not None
            if ended:
                check_clear(running.said(), "E613", "E614")
            else:
                running.stop()
    if away.exists():
        with Pipe(path, engine) as without:
            assert without.end() == 1, f"it ran without its source: {without.said()}"
            check_clear(without.said(), "E613", "E614")
        away.rename(source)
    for number in range(half, len(work.files)):
        if not (source / f"{number:04}.csv").exists():
            work.bring(mine, number)
    finish(path, engine)
    check_equal(mine, work, wanted)
    return "it stopped with an error, and went on" if ended else "it waited, and went on by itself"


FAULT = Fault(NAME, run)
