"""The whole model of a time point, by the reference: every derived atom with its time, not only what is output."""

from __future__ import annotations

from collections.abc import Iterator

import lasing
from lasing.engines.reference.engine import ReferenceEngine
from lasing.engines.reference.model import derive
from lasing.engines.reference.stream import Derived, Facts, Stream
from lasing.engines.reference.structure import Structure, background_of
from lasing.logic.dependencies import stratify
from lasing.logic.program import Fact
from lasing.logic.runs import Run, runs_of
from lasing.timeline.intervals import Interval


def models(
    program: lasing.Program, facts: list[Fact], start: int, end: int
) -> Iterator[tuple[int, Structure, list[Run]]]:
    """The structure of each time point after everything is derived, and what derived streams remembered before it."""
    engine, strata = ReferenceEngine(program, start), stratify(program)
    background = background_of(program.all_background())
    for now in range(start, end + 1):
        engine.step(now, [fact.atom for fact in facts if fact.time == now])
        remembered = Derived()
        for time, predicate, args in engine.remembered_before(now).all():
            remembered.add(time, predicate, args)
        runs = list(runs_of(remembered.all(), now - 1))
        data = Facts(fact for fact in facts if start <= fact.time <= now)
        m = Structure(Stream(Interval(start, None), data, Derived(), remembered=remembered), background, now)
        derive(program, strata, m)
        yield now, m, runs
        engine.step(now, ())  # it forgot what it had remembered of this time point
