"""Whether a stream satisfies a formula at a time point, and whether any does: both by the definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

from lasing.engines.reference.entailment import instances
from lasing.engines.reference.stream import NOTHING, Facts, Stream
from lasing.engines.reference.structure import Background, Structure
from lasing.errors import fault
from lasing.logic.formulas import Formula
from lasing.logic.program import Fact
from lasing.timeline.intervals import Interval

MOST_FACTS = 16
"""How many facts are tried in all combinations: each one doubles the number of streams."""

Body = tuple[Formula, ...]


def satisfies(
    facts: Facts,
    timeline: Interval,
    background: Background,
    t: int,
    formula: Body,
    orders: dict[object, Body] | None = None,
) -> bool:
    """Whether M, t ⊨ φ for some values of the variables of φ, if the whole stream is known."""
    assert timeline.hi is not None
    m = Structure(Stream(timeline, facts, NOTHING), background, timeline.hi, {} if orders is None else orders)
    return any(True for _ in instances(m, m.stream, t, formula, {}))


def try_all(
    facts: Sequence[Fact], timeline: Interval, background: Background, t: int, formula: Body
) -> tuple[Fact, ...] | None:
    """The smallest set of the facts, given in order, that satisfies a formula; None if there is none."""
    if len(facts) > MOST_FACTS:
        raise fault(
            "E313",
            f"{len(facts):,} facts are possible, which makes too many streams to try",
            note=f"a window that counts facts depends on all of them: there can be at most {MOST_FACTS}, "
            "and their number is the number of atoms times the number of time points",
        )
    orders: dict[object, Body] = {}
    for chosen in chain.from_iterable(combinations(facts, n) for n in range(len(facts) + 1)):
        if satisfies(Facts(chosen), timeline, background, t, formula, orders):
            return chosen
    return None
