"""A counted head is present while some instance of a rule derives it."""

from __future__ import annotations

import pytest

from lasing.logic.terms import Variable
from lasing.plan.nodes import Derive, Feed, Lookup, PlanRule
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, present, random_facts, window

X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")


@pytest.mark.parametrize("seed", range(6))
def test_a_row_comes_with_its_first_derivation_and_goes_with_its_last(seed: int) -> None:
    """q(X,Z) :- p(X,Y) in [2], p(Y,Z) in [1], not p(Z,X) in [1]."""
    facts = random_facts(seed, columns=2, values=4)
    long, short = Relation("p in [2]", 2), Relation("p in [1]", 2)
    target = Relation("q", 2, counted=True)
    lookups = (Lookup(long, (X, Y)), Lookup(short, (Y, Z)), Lookup(short, (Z, X), negated=True))
    found = present(
        target,
        facts,
        relations=[long, short],
        feeds=[Feed("p", long, Span(2), timed=False), Feed("p", short, Span(1), timed=False)],
        stages=[Derive((PlanRule(target, (X, Z), lookups),), (target,))],
    )
    assert any(found.values())
    for t in range(END):
        two, one = ({row for u in window(Span(n), t) for row in facts.get(u, ())} for n in (2, 1))
        assert found[t] == {(x, z) for x, y in two for v, z in one if y == v and (z, x) not in one}, t
