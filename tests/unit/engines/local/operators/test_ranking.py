"""(group, terms, bounds) at t  ⇔  (group, terms) is the best present tuple of the group that satisfies the tests."""

from __future__ import annotations

import random

import pytest

from lasing.logic.functions import tuple_key
from lasing.logic.terms import Variable
from lasing.plan.nodes import Derive, Feed, Lookup, PlanRule, Walk
from lasing.plan.operators import Ranking, WithBound
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, Facts, Row, present, random_facts, window

X, Y, Z, C = Variable("X"), Variable("Y"), Variable("Z"), Variable("C")
LONG, SHORT = Span(6), Span(2)


def expected(facts: Facts, greatest: bool) -> dict[int, set[Row]]:
    """The law, executed: for each (X, C) in the short window, the best (Y, Z) of X in the long one with Z > C."""
    found: dict[int, set[Row]] = {}
    for t in range(END):
        asked = {(row[0], row[1]) for u in window(SHORT, t) for row in facts.get(u, ())}
        kept = {row for u in window(LONG, t) for row in facts.get(u, ())}
        found[t] = set()
        for x, c in asked:
            fitting = [(y, z) for other, y, z in kept if other == x and z > c]  # type: ignore[operator]
            if fitting:
                found[t].add((x, c, *sorted(fitting, key=tuple_key, reverse=greatest)[0]))
    return found


def chosen(facts: Facts, greatest: bool, tested: WithBound, walked_first: bool) -> dict[int, set[Row]]:
    p, asked, rows = Relation("p", 3), Relation("asked", 3), Relation("rows", 3, counted=True)
    ranked, target = Relation("ranked", 4, counted=True), Relation("best", 4, counted=True)
    lookups = [Lookup(asked, (X, C, Variable("_"))), Lookup(ranked, (X, Y, Z, C), walk=Walk(1, 1))]
    return present(
        target,
        facts,
        relations=[p, asked, rows, ranked],
        feeds=[Feed("p", p, LONG, timed=False), Feed("p", asked, SHORT, timed=False)],
        stages=[
            Derive((PlanRule(rows, (X, Y, Z), (Lookup(p, (X, Y, Z)),)),), (rows,)),
            Ranking(greatest, rows, ranked, 1, (tested,), origin=0),
            Derive((PlanRule(target, (X, C, Y, Z), tuple(lookups[::-1] if walked_first else lookups)),), (target,)),
        ],
    )


@pytest.mark.parametrize(
    "tested", [WithBound(2, ">"), WithBound(2, "<", reversed=True), WithBound(2, "<=", negated=True)]
)
@pytest.mark.parametrize("greatest", [True, False])
@pytest.mark.parametrize("walked_first", [True, False])
def test_the_best_tuple_that_satisfies_a_test(greatest: bool, tested: WithBound, walked_first: bool) -> None:
    facts = random_facts(1, columns=3, density=0.8, values=4)
    found = chosen(facts, greatest, tested, walked_first)
    assert sum(map(len, found.values())) > END
    assert found == expected(facts, greatest)


@pytest.mark.parametrize("seed", range(4))
def test_many_tuples_that_come_and_go_at_once(seed: int) -> None:
    chance = random.Random(seed)
    facts: Facts = {
        t: [(chance.randrange(2), chance.randrange(5), chance.randrange(5)) for _ in range(12)]
        for t in range(END)
        if chance.random() < 0.3
    }
    assert chosen(facts, True, WithBound(2, ">"), seed % 2 == 0) == expected(facts, True)


@pytest.mark.parametrize("column", [0, 3])
def test_tests_are_about_terms(column: int) -> None:
    rows, ranked = Relation("rows", 3, counted=True), Relation("ranked", 4, counted=True)
    with pytest.raises(ValueError, match="tests are about the terms of rows"):
        Ranking(True, rows, ranked, 1, (WithBound(column, ">"),), origin=0)
