"""(args, u) passes at t  ⇔  it is present at t, and u is in the window of t."""

from __future__ import annotations

import pytest

from lasing.logic.terms import Arithmetic, Variable
from lasing.plan.nodes import Derive, Feed, Lookup, PlanRule
from lasing.plan.nodes import Test as Comparing
from lasing.plan.operators import Gate
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, present, random_facts, window


@pytest.mark.parametrize("span", [Span(0), Span(3), Span(2, 2), Span(3, 0, 4)], ids=str)
@pytest.mark.parametrize("ahead", [-2, 0, 3])
def test_rows_pass_while_their_time_lies_in_the_window(span: Span, ahead: int) -> None:
    """The rows say p(X) at u + ahead, for as long as u is one of the last six time points."""
    facts, kept = random_facts(ahead), Span(6)
    x, u, at = Variable("X"), Variable("U"), Variable("At")
    p, rows = Relation("p at T", 2), Relation("rows", 2, counted=True)
    target = Relation("gate", 2, counted=True)
    rule = PlanRule(rows, (x, at), (Lookup(p, (x, u)),), (Comparing("=", at, Arithmetic("+", (u, ahead))),))
    found = present(
        target,
        facts,
        relations=[p, rows],
        feeds=[Feed("p", p, kept, timed=True)],
        stages=[Derive((rule,), (rows,)), Gate(rows, target, span)],
    )
    assert any(found.values()) or span == Span(0), "a window of one point has rows of no other time"
    for t in range(END):
        held = {(*row, u + ahead) for u in window(kept, t) for row in facts.get(u, ())}
        pivot = t // span.step * span.step
        assert span.back is not None
        wanted = range(pivot - span.back, pivot + span.ahead + 1)
        assert found[t] == {row for row in held if row[-1] in wanted}, t
