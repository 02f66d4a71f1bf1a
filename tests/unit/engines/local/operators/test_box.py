"""□a at t  ⇔  the window has a time point, and a holds at all of its time points."""

from __future__ import annotations

import pytest

from lasing.plan.nodes import Feed
from lasing.plan.operators import Box
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, present, random_facts, window


@pytest.mark.parametrize("span", [Span(0), Span(2), Span(3, 0, 2), Span(2, 0, 3)], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_a_row_is_present_if_it_holds_at_every_time_point_of_the_window(span: Span, seed: int) -> None:
    facts = random_facts(seed, density=0.9, values=2)
    source, target = Relation("p at T", 2), Relation("box", 1, counted=True)
    found = present(
        target,
        facts,
        relations=[source],
        feeds=[Feed("p", source, span, timed=True)],
        stages=[Box(source, target, span)],
    )
    assert any(found.values())
    assert found == {
        t: {(v,) for v in range(2) if all((v,) in facts.get(u, ()) for u in window(span, t))} for t in range(END)
    }
