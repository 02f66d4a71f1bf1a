"""(group, terms) at t  ⇔  it is present at t, and fewer than `most` present tuples of the group are better."""

from __future__ import annotations

import random

import pytest

from lasing.engines.local.engine import LocalEngine
from lasing.logic.formulas import Atom
from lasing.logic.functions import tuple_key
from lasing.logic.program import Program
from lasing.logic.terms import Variable
from lasing.logic.values import Iri, Value
from lasing.plan.nodes import Derive, Feed, Lookup, Plan, PlanOutput, PlanRule
from lasing.plan.operators import Extremes
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, Facts, Row, present, random_facts, window

X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")


def best(rows: set[Row], groups: int, most: int, greatest: bool) -> set[Row]:
    """The law, executed."""
    found = set()
    for group in {row[:groups] for row in rows}:
        tuples = sorted((row for row in rows if row[:groups] == group), key=tuple_key, reverse=greatest)
        found |= set(tuples[:most])
    return found


def expected(facts: Facts, span: Span, groups: int, most: int, greatest: bool) -> dict[int, set[Row]]:
    return {
        t: best({row for u in window(span, t) for row in facts.get(u, ())}, groups, most, greatest) for t in range(END)
    }


def chosen(facts: Facts, span: Span, groups: int, most: int, greatest: bool) -> dict[int, set[Row]]:
    p, rows, target = Relation("p", 3), Relation("rows", 3, counted=True), Relation("best", 3, counted=True)
    return present(
        target,
        facts,
        relations=[p, rows],
        feeds=[Feed("p", p, span, timed=False)],
        stages=[
            Derive((PlanRule(rows, (X, Y, Z), (Lookup(p, (X, Y, Z)),)),), (rows,)),
            Extremes(greatest, most, rows, target, groups, origin=0),
        ],
    )


@pytest.mark.parametrize("greatest", [True, False])
@pytest.mark.parametrize("most", [1, 2, 7])
@pytest.mark.parametrize("groups", [0, 1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_the_best_rows_of_each_group(seed: int, groups: int, most: int, greatest: bool) -> None:
    facts = random_facts(seed, columns=3, density=0.8, values=4)
    found = chosen(facts, Span(3), groups, most, greatest)
    assert any(found.values())
    assert found == expected(facts, Span(3), groups, most, greatest)


def test_values_of_all_kinds_are_in_order() -> None:
    kinds: list[Value] = [3, -2, 2.5, 2**61, -(2**62), 1e300, "a", "b", "a longer text", "", Iri("x:a"), Iri("x:b")]
    chance = random.Random(1)
    facts = {t: [(0, chance.choice(kinds), chance.choice(kinds)) for _ in range(2)] for t in range(END)}
    for greatest in (True, False):
        assert chosen(facts, Span(8), 1, 3, greatest) == expected(facts, Span(8), 1, 3, greatest)


def test_a_large_group_in_any_order() -> None:
    chance = random.Random(2)
    p, rows, target = Relation("p", 2), Relation("rows", 2, counted=True), Relation("best", 2, counted=True)
    plan = Plan(
        (p, rows, target),
        frozenset([p]),
        (Feed("p", p, Span(5), timed=False),),
        (),
        (),
        (
            Derive((PlanRule(rows, (X, Y), (Lookup(p, (X, Y)),)),), (rows,)),
            Extremes(True, 20, rows, target, 1, origin=0),
        ),
        (PlanOutput("out", target),),
        (),
        0,
    )
    engine, held, found = LocalEngine(Program(()), 0, plan), list[set[Row]](), set[Row]()
    for time in range(30):
        held.append({(group, chance.randrange(100_000)) for group in range(2) for _ in range(200)})
        for changes in engine.advance(time, [Atom("p", row) for row in sorted(held[-1])]):
            found -= {atom.values for atom in changes.removed}
            found |= {atom.values for atom in changes.added}
        assert found == best(set.union(*held[-6:]), 1, 20, True), time
