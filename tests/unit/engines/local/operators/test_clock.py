"""A time point u is present at t  ⇔  start <= u, and u is in the window of t."""

from __future__ import annotations

import pytest

from lasing.plan.nodes import Clock
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, present, window


@pytest.mark.parametrize("span", [Span(0), Span(3), Span(None), Span(2, 1), Span(3, 0, 4)], ids=str)
@pytest.mark.parametrize("start", [0, 5])
def test_the_rows_are_the_time_points_of_the_window(span: Span, start: int) -> None:
    target = Relation("times", 1)
    found = present(target, clocks=[Clock(target, span)], start=start)
    assert found == {t: {(u,) for u in window(span, t, start)} for t in range(start, END)}
