"""Everything is delivered more than once: files that a producer writes again under other names, at once and much later.

A fact that is there twice is there; one that comes again too late is set aside with the late ones, as any other.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.campaign.cases import LOCAL, Fault, chance_of
from tests.campaign.processes import Pipe, finish, steps
from tests.campaign.workloads import undisturbed, workload, written

NAME = "duplicates"
FILES = {LOCAL: 12, "spark": 6}


def run(folder: Path, engine: str, seed: int) -> str:
    chance = chance_of(NAME, engine, seed)
    work = workload(engine, chance, FILES[engine])
    wanted = undisturbed(work, folder / "whole")
    mine = folder / "mine"
    path = work.prepare(mine, files=0)
    again = 0
    for number in range(len(work.files)):
        work.bring(mine, number)
        for copy in range(chance.choice((0, 1, 2))):
            again += 1
            work.bring(mine, number, name=f"{number:04}-again{copy}.csv")
        if number and chance.random() < 0.5:
            again += 1
            earlier = chance.randrange(number)
            work.bring(mine, earlier, name=f"{number:04}-from{earlier:04}.csv")
        if number == len(work.files) // 2:
            before = steps(mine, engine)
            with Pipe(path.with_name("live.toml"), engine) as running:
                running.wait_until(lambda at=before: steps(mine, engine) > at + 3)  # type: ignore[misc]
                running.kill()  # what comes again afterwards is known from the checkpoint alone
    finish(path, engine)
    found = written(mine, work.form)
    assert found.results == wanted.results, found.difference(wanted)
    assert not wanted.late - found.late, found.difference(wanted)
    known = {_fact(row) for row in _given(work.files)}
    assert {dict(row)["fact"] for row in found.late} <= known, "a late fact is none that was delivered"
    return f"{len(work.files)} files, {again} of them delivered again"


def _given(files: tuple[str, ...]) -> Counter[tuple[str, ...]]:
    lines = (line for text in files for line in text.splitlines()[1:] if not line.startswith("bad"))
    return Counter(tuple(line.split(",")) for line in lines)


def _fact(row: tuple[str, ...]) -> str:
    time, *args = row
    return f"p({','.join(args)}) at {time}."


FAULT = Fault(NAME, run)
