"""The clock of the machine is set forward and back while a pipeline runs.

If facts alone move time, nothing may change. If a source counts as idle after some silence, time must still go on
without it after the clock was set back, and each row must be in the results or among the late facts.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

from lasing.pipeline.local.checkpoints import Checkpoints
from lasing.timeline.clock import TurnedClock
from tests.campaign.cases import LOCAL, Fault, SkippedError, chance_of
from tests.campaign.processes import finish, steps
from tests.campaign.workloads import check_equal, undisturbed, workload
from tests.unit.pipeline.local.pipelines import InThread, json_rows

NAME = "clock jumps"
FILES = 10
SECOND = 1_000_000
HOUR = 3600 * SECOND
MOST_SECONDS = 20
"""How long, by the clock, time may stand still at most; a source counts as silent after two seconds."""
TEXT = """
program = "echo.lars"
engine = "local"
checkpoint = "state"
checkpoint_every = "0 ms"
delay = 1
idle = "2 sec"
[sources.p]
format = "csv"
path = "p.csv"
schema = "time bigint, x bigint"
[sources.r]
format = "csv"
path = "r.csv"
schema = "time bigint, x bigint"
[sinks.echo]
format = "json"
path = "echo"
[late]
format = "json"
path = "late"
"""


def run(folder: Path, engine: str, seed: int) -> str:
    if engine != LOCAL:
        raise SkippedError("Spark reads the clock of the machine, which stays as it is; it runs the same shards")
    chance = chance_of(NAME, engine, seed)
    _facts_move_time(folder / "facts", chance)
    _silence(folder / "silence", chance)
    return "an injected clock, set forward and back by hours"


def _facts_move_time(folder: Path, chance: Random) -> None:
    work = workload(LOCAL, chance, FILES)
    wanted = undisturbed(work, folder / "whole")
    mine, clock = folder / "mine", TurnedClock(1_000 * HOUR)
    path = work.prepare(mine, files=0)
    with InThread(path.with_name("live.toml"), clock) as running:
        for number in range(FILES):
            before = steps(mine, LOCAL)
            work.bring(mine, number)
            clock.turn_to(clock.now() + chance.choice((SECOND, HOUR, -HOUR, -24 * HOUR)))
            running.wait_until(partial(_went_on, mine, before))
    finish(path, LOCAL)
    check_equal(mine, work, wanted)


def _went_on(folder: Path, before: int) -> bool:
    return steps(folder, LOCAL) > before


def _silence(folder: Path, chance: Random) -> None:
    folder.mkdir()
    (folder / "echo.lars").write_text("echo(X) :- p(X). echo(X) :- r(X).")
    for name in "pr":
        (folder / f"{name}.csv").write_text("time,x\n")
    path, clock, now, rows = folder / "echo.toml", TurnedClock(1_000 * HOUR), 0, 0
    path.write_text(TEXT)

    def bring(source: str, number: int) -> None:
        nonlocal rows
        rows += 1
        with (folder / f"{source}.csv").open("a") as file:
            file.write(f"{now},{number}\n")

    jumps = [0, HOUR, -2 * HOUR, -HOUR, 5 * HOUR]
    chance.shuffle(jumps)
    with InThread(path, clock) as running:
        for jump in jumps:
            now += 1
            both = rows
            for source in "pr":
                bring(source, rows)
            running.wait_until(partial(_has_taken, folder, "r"))
            clock.turn_to(clock.now() + jump)
            for _ in range(MOST_SECONDS):  # r is silent from now on, and time has to go on without it
                now += 1
                before = steps(folder, LOCAL)
                bring("p", rows)
                clock.turn_to(clock.now() + SECOND)
                running.wait_until(partial(_went_on, folder, before))
                if any(_number(row) > both + 1 for row in json_rows(folder / "echo")):
                    break
            else:
                raise AssertionError(f"time stands still after a jump of {jump / HOUR:.0f} hours")
    path.write_text(f'trigger = "available now"\n{TEXT}')
    finish(path, LOCAL)
    facts = {row["fact"].partition("(")[2].partition(")")[0] for row in json_rows(folder / "late")}
    found = {str(_number(row)) for row in json_rows(folder / "echo")} | facts
    assert found == {str(number) for number in range(rows)}, f"of {rows} rows, {len(found)} are known"


def _has_taken(folder: Path, source: str) -> bool:
    """Whether a checkpoint has everything that a source has brought."""
    newest = Checkpoints(folder / "state").newest()
    size = (folder / f"{source}.csv").stat().st_size
    return newest is not None and newest.sources.get(source, {}).get(f"{source}.csv", [0])[0] == size


def _number(row: dict[str, int]) -> int:
    """The argument of an echo, which is in the last column."""
    return list(row.values())[-1]


FAULT = Fault(NAME, run)
