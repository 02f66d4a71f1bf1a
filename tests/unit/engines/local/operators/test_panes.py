"""(group, values) at t  ⇔  values = the aggregates of {(fact, u) : fact at u, u in the window}, if there are any."""

from __future__ import annotations

import random

import pytest

from lasing.engines.local.engine import LocalEngine
from lasing.logic.formulas import Atom
from lasing.logic.functions import AggregateFunction
from lasing.logic.functions.aggregates import aggregate
from lasing.logic.program import Program
from lasing.logic.terms import Variable
from lasing.logic.values import Undefined, Value
from lasing.plan.nodes import Feed, Plan, PlanOutput
from lasing.plan.operators import Panes
from lasing.plan.relations import POINT, Relation, Span
from tests.unit.engines.local.operators.laws import END, Row, present, window

FUNCTIONS: tuple[AggregateFunction, ...] = ("count", "sum", "avg")
SPANS = [Span(0), Span(3), Span(2, 1), Span(5, -2), Span(4, 0, 3), Span(1, 0, 4), Span(6, -1, 2), Span(2, 2, 3)]
NUMBERS: tuple[Value, ...] = (1, 2, 5, -3, 0.5, 0.1, 1e300, -1e300, 2**62, 2**63 - 1)


def panes(span: Span, functions: tuple[AggregateFunction, ...]) -> tuple[Relation, Relation, Panes]:
    """The aggregates of the second column of p in a window, by the first column."""
    p, target = Relation("p", 2), Relation("sums", 1 + len(functions), counted=True)
    return p, target, Panes(functions, p, target, (0,), 1, span, (Variable("X"),), 0)


def random_rows(chance: random.Random, values: tuple[Value, ...]) -> dict[int, list[Row]]:
    times = [time for time in range(END) if chance.random() < 0.6]
    return {
        time: [(chance.randrange(2), chance.choice(values)) for _ in range(chance.randrange(1, 6))] for time in times
    }


def expected(facts: dict[int, list[Row]], span: Span, t: int, functions: tuple[AggregateFunction, ...]) -> set[Row]:
    """What the law says."""
    groups: dict[Value, set[Row]] = {}
    for u in window(span, t):
        for group, value in facts.get(u, ()) if u <= t else ():
            groups.setdefault(group, set()).add((value, u))
    found: set[Row] = set()
    for group, rows in groups.items():
        try:
            found.add((group, *(aggregate(function, rows) for function in functions)))  # type: ignore[arg-type]
        except Undefined:
            continue
    return found


@pytest.mark.parametrize("span", SPANS, ids=str)
@pytest.mark.parametrize("values", [NUMBERS, (*NUMBERS, "a", "b")], ids=["numbers", "names too"])
def test_the_values_of_a_group_are_the_aggregates_of_its_facts(span: Span, values: tuple[Value, ...]) -> None:
    some = 0
    for seed in range(3):
        facts = random_rows(random.Random(seed), values)
        p, target, node = panes(span, FUNCTIONS)
        found = present(target, facts, relations=[p], feeds=[Feed("p", p, POINT, timed=False)], stages=[node])
        for t in range(END):
            assert found[t] == expected(facts, span, t, FUNCTIONS), (seed, t)
            some += len(found[t])
    assert some > 20


@pytest.mark.parametrize("span", SPANS, ids=str)
def test_facts_that_come_one_by_one_count_once_each(span: Span) -> None:
    """Several ticks at one time point, and every fact twice."""
    facts = random_rows(random.Random(7), NUMBERS)
    p, target, node = panes(span, FUNCTIONS)
    plan = Plan(
        (p, target),
        frozenset(),
        (Feed("p", p, POINT, timed=False),),
        (),
        (),
        (node,),
        (PlanOutput("out", target),),
        (),
        0,
    )
    engine = LocalEngine(Program(()), 0, plan)
    rows: set[Row] = set()
    for t in range(END):
        come = facts.get(t, [])
        for atoms in ([], *([row] for row in (*come, *come))):
            for changes in engine.advance(t, [Atom("p", row) for row in atoms]):
                rows -= {atom.args for atom in changes.removed}  # they are ground
                rows |= {atom.args for atom in changes.added}  # type: ignore[misc]
        assert rows == expected(facts, span, t, FUNCTIONS), t


def test_facts_are_counted_without_a_column_of_values() -> None:
    facts = random_rows(random.Random(3), NUMBERS)
    p, target = Relation("p", 2), Relation("numbers", 1, counted=True)
    node = Panes(("count",), p, target, (), None, Span(3), (), 0)
    found = present(target, facts, relations=[p], feeds=[Feed("p", p, POINT, timed=False)], stages=[node])
    for t in range(END):
        number = len({(row, u) for u in window(Span(3), t) if u <= t for row in facts.get(u, ())})
        assert found[t] == ({(number,)} if number else set())
