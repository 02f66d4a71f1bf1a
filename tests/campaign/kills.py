"""Pipelines that are killed again and again write what they would have written without that.

Half of the kills come at random moments, the others between writes: before a change to the disk that is chosen at
random, or in the middle of a write (local), or right after an entry of one of Spark's logs has appeared.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from tests.campaign.cases import LOCAL, chance_of
from tests.campaign.processes import LOGS, Pipe, finish, steps
from tests.campaign.workloads import check_equal, undisturbed, workload

NAME = "kills"
FILES = {LOCAL: 60, "spark": 40}
MOST_IN_ONE = 12
"""After so many kills, a pipeline may end."""


@dataclass(slots=True)
class Killed:
    """How many kills there were, and where."""

    at_random: int = 0
    between_writes: int = 0

    @property
    def number(self) -> int:
        return self.at_random + self.between_writes

    def __str__(self) -> str:
        return f"{self.number} kills: {self.at_random} at random moments, {self.between_writes} between writes"


def run_killed(folder: Path, engine: str, seed: int, kills: int, files: int | None = None) -> Killed:
    """Run a pipeline to its end, and kill it at most so many times on the way."""
    chance = chance_of(NAME, engine, seed)
    work = workload(engine, chance, files or FILES[engine])
    wanted = undisturbed(work, folder / "whole")
    mine = folder / "killed"
    path = work.prepare(mine)
    killed = Killed()
    while killed.number < min(kills, MOST_IN_ONE):
        at_random = chance.random() < 0.5
        end = _kill_local if engine == LOCAL else _kill_spark
        if not end(mine, path, chance, at_random):
            break
        if at_random:
            killed.at_random += 1
        else:
            killed.between_writes += 1
    finish(path, engine)
    check_equal(mine, work, wanted)
    if engine == LOCAL:  # there is nothing left to do
        finish(path, engine)
        check_equal(mine, work, wanted)
    return killed


def _grown(folder: Path, engine: str, log: str, past: int) -> bool:
    return steps(folder, engine, log) > past


def _kill_local(folder: Path, path: Path, chance: Random, at_random: bool) -> bool:
    """Whether a pipeline was killed before it came to its end."""
    if not at_random:
        with Pipe(path, LOCAL, dies=chance.randint(1, 40)) as running:
            code = running.end()
            assert code in (0, -9), running.said()
            return code == -9
    past = steps(folder, LOCAL) + chance.choice((-1, 0, 0, 1, 3))
    with Pipe(path, LOCAL) as running:
        running.wait_until(partial(_grown, folder, LOCAL, "", past), or_ended=True)
        time.sleep(chance.choice((0, 0, 0.002, 0.01, 0.03)))
        return _was_killed(running)


def _kill_spark(folder: Path, path: Path, chance: Random, at_random: bool) -> bool:
    log = chance.choice(LOGS)
    past = steps(folder, "spark", log) + chance.choice((0, 0, 1))
    with Pipe(path, "spark") as running:
        if at_random and chance.random() < 0.2:
            time.sleep(chance.uniform(0, 8))  # while Spark is starting, or a little later
        else:
            running.wait_until(partial(_grown, folder, "spark", log, past), or_ended=True)
            time.sleep(chance.uniform(0, 0.6) if at_random else 0.0)
        return _was_killed(running)


def _was_killed(running: Pipe) -> bool:
    was_running = running.kill()
    assert was_running or running.code() == 0, running.said()
    return was_running
