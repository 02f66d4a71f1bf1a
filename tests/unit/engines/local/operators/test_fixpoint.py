"""heads = the least fixpoint of the rules over what is guaranteed."""

from __future__ import annotations

import pytest

from lasing.logic.terms import Variable
from lasing.plan.nodes import Feed, Lookup, PlanRule
from lasing.plan.nodes import Test as Comparing
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, Facts, Row, present, random_facts, window

X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")
P, Q = Relation("p", 2), Relation("q", 2)
SPAN = Span(1)


def held(facts: Facts, t: int) -> set[Row]:
    return {row for u in window(SPAN, t) for row in facts.get(u, ())}


def derived(facts: Facts, *rules: PlanRule) -> dict[int, set[Row]]:
    return present(Q, facts, relations=[P], feeds=[Feed("p", P, SPAN, timed=False)], rules=rules)


COPY = PlanRule(Q, (Y, X), (Lookup(P, (X, Y)),))
JOIN = PlanRule(Q, (X, Z), (Lookup(P, (X, Y)), Lookup(P, (Y, Z))))
TEST = PlanRule(Q, (X, Y), (Lookup(P, (X, Y)),), (Comparing("<", X, Y),))
BASE = PlanRule(Q, (X, Y), (Lookup(P, (X, Y)),))
STEP = PlanRule(Q, (X, Z), (Lookup(P, (X, Y)), Lookup(Q, (Y, Z))))


@pytest.mark.parametrize("seed", range(4))
def test_a_rule_of_one_literal_copies_rows(seed: int) -> None:
    facts = random_facts(seed, columns=2, values=4)
    assert derived(facts, COPY) == {t: {(y, x) for x, y in held(facts, t)} for t in range(END)}


@pytest.mark.parametrize("seed", range(4))
def test_a_rule_of_two_literals_joins_rows(seed: int) -> None:
    facts = random_facts(seed, columns=2, values=4)
    expected = {t: {(x, z) for x, y in held(facts, t) for v, z in held(facts, t) if y == v} for t in range(END)}
    assert derived(facts, JOIN) == expected


@pytest.mark.parametrize("seed", range(4))
def test_a_rule_with_a_test_joins_what_passes(seed: int) -> None:
    facts = random_facts(seed, columns=2, values=4)
    assert derived(facts, TEST) == {t: {(x, y) for x, y in held(facts, t) if x < y} for t in range(END)}  # type: ignore[operator]


@pytest.mark.parametrize("seed", range(4))
def test_a_recursion_reaches_its_fixpoint(seed: int) -> None:
    facts = random_facts(seed, columns=2, values=5)
    found = derived(facts, BASE, STEP)
    for t in range(END):
        closure = held(facts, t)
        while more := {(x, z) for x, y in closure for v, z in closure if y == v} - closure:
            closure |= more
        assert found[t] == closure, t
