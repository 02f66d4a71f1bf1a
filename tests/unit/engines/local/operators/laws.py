"""One operator at a time: a plan made by hand, facts in, and which rows are present at each time point."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from lasing.engines.local.engine import LocalEngine
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.values import Value
from lasing.plan.nodes import Clock, Feed, Plan, PlanOutput, PlanRule, Stage
from lasing.plan.relations import Relation, Span

Row = tuple[Value, ...]
Facts = Mapping[int, Sequence[Row]]
END = 40


def present(
    target: Relation,
    facts: Facts = {},  # noqa: B006 -- it is only read
    *,
    relations: Sequence[Relation] = (),
    feeds: Sequence[Feed] = (),
    stages: Sequence[Stage] = (),
    rules: Sequence[PlanRule] = (),
    clocks: Sequence[Clock] = (),
    counts_facts: int = 0,
    start: int = 0,
) -> dict[int, set[Row]]:
    """The rows of a relation at each time point up to END, given facts of the predicate p by their times.

    All relations of the guaranteed plane are tracked, so that the stages see what changes in them.
    """
    known = tuple(dict.fromkeys([*relations, target]))
    tracked = frozenset(relation for relation in known if not relation.counted)
    outputs = (PlanOutput("out", target),)
    plan = Plan(known, tracked, tuple(feeds), tuple(clocks), tuple(rules), tuple(stages), outputs, (), counts_facts)
    engine = LocalEngine(Program(()), start, plan)
    rows: set[Row] = set()
    found = {}
    for time in range(start, END):
        for changes in engine.advance(time, [Atom("p", row) for row in facts.get(time, ())]):
            rows -= {atom.args for atom in changes.removed}  # they are ground
            rows |= {atom.args for atom in changes.added}  # type: ignore[misc]
        found[time] = set(rows)
    return found


def random_facts(seed: int, columns: int = 1, density: float = 0.5, values: int = 3) -> dict[int, list[Row]]:
    """Some facts at some time points."""
    chance = random.Random(seed)
    times = [time for time in range(END) if chance.random() < density]
    return {
        time: sorted({tuple(chance.randrange(values) for _ in range(columns)) for _ in range(chance.randrange(1, 4))})
        for time in times
    }


def window(span: Span, now: int, start: int = 0) -> range:
    """The time points of a window."""
    pivot = now // span.step * span.step
    low = start if span.back is None else max(start, pivot - span.back)
    return range(low, pivot + span.ahead + 1)
