"""A tracked row is present at t  ⇔  some row of its key has H >= t; each change is listed once."""

from __future__ import annotations

import pytest

from lasing.logic.terms import Variable
from lasing.plan.nodes import Derive, Feed, Lookup, PlanRule
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, present, random_facts, window

X = Variable("X")


@pytest.mark.parametrize("span", [Span(0), Span(3), Span(None), Span(3, 0, 4), Span(1, 0, 3)], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_changes_of_guaranteed_rows_reach_the_counted_plane(span: Span, seed: int) -> None:
    """Rows that come again are guaranteed for longer, which is not a change; those of windows with steps wait."""
    facts = random_facts(seed)
    p, target = Relation("p", 1), Relation("q", 1, counted=True)
    rule = PlanRule(target, (X,), (Lookup(p, (X,)),))
    found = present(
        target,
        facts,
        relations=[p],
        feeds=[Feed("p", p, span, timed=False)],
        stages=[Derive((rule,), (target,))],
    )
    assert found == {t: {row for u in window(span, t) for row in facts.get(u, ())} for t in range(END)}
