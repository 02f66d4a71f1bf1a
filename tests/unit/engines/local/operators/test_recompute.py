"""outcome at t  =  the least fixpoint of the rules over what is present at t."""

from __future__ import annotations

import pytest

from lasing.logic.terms import Variable
from lasing.plan.nodes import Derive, Feed, Lookup, PlanRule, Recompute, Stage
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, present, random_facts, window

X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_a_cycle_go_when_their_support_from_outside_goes(seed: int) -> None:
    """edge(X,Y) :- p(X,Y) in [1], not p(Y,X) in [1]. The outcome is its transitive closure."""
    facts, span = random_facts(seed, columns=2, values=4), Span(1)
    p, edge = Relation("p", 2), Relation("edge", 2, counted=True)
    copy, scratch, target = Relation("copy", 2), Relation("scratch", 2), Relation("path", 2, counted=True)
    one_way = PlanRule(edge, (X, Y), (Lookup(p, (X, Y)), Lookup(p, (Y, X), negated=True)))
    rules = (
        PlanRule(scratch, (X, Y), (Lookup(copy, (X, Y)),)),
        PlanRule(scratch, (X, Z), (Lookup(copy, (X, Y)), Lookup(scratch, (Y, Z)))),
    )
    relations = [p, edge, target, copy, scratch]
    stages: list[Stage] = [
        Derive((one_way,), (edge,)),
        Recompute(((edge, copy),), rules, (), ((target, scratch),), False),
    ]
    found = present(target, facts, relations=relations, feeds=[Feed("p", p, span, timed=False)], stages=stages)
    assert any(found.values())
    for t in range(END):
        rows = {row for u in window(span, t) for row in facts.get(u, ())}
        closure = {(x, y) for x, y in rows if (y, x) not in rows}
        while more := {(x, z) for x, y in closure for v, z in closure if y == v} - closure:
            closure |= more
        assert found[t] == closure, t
