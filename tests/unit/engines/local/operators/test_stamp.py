"""(args, u) at t  ⇔  args present at t and u = t."""

from __future__ import annotations

import pytest

from lasing.logic.terms import Variable
from lasing.plan.nodes import Derive, Feed, Lookup, PlanRule
from lasing.plan.operators import Stamp
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, present, random_facts, window


@pytest.mark.parametrize("seed", range(4))
def test_what_is_present_is_stamped_with_the_time_of_now(seed: int) -> None:
    facts, span, x = random_facts(seed), Span(2), Variable("X")
    p, counted, target = Relation("p", 1), Relation("q", 1, counted=True), Relation("stamped", 2, counted=True)
    found = present(
        target,
        facts,
        relations=[p, counted],
        feeds=[Feed("p", p, span, timed=False)],
        stages=[Derive((PlanRule(counted, (x,), (Lookup(p, (x,)),)),), (counted,)), Stamp(counted, target)],
    )
    assert any(found.values())
    assert found == {t: {(*row, t) for u in window(span, t) for row in facts.get(u, ())} for t in range(END)}
