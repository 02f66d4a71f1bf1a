"""A time point u is present at t  ⇔  the time of the n-th last fact (the start, where there are fewer) <= u <= t."""

from __future__ import annotations

import pytest

from lasing.plan.nodes import Stage
from lasing.plan.operators import FactPoints, LastFacts
from lasing.plan.relations import Relation
from tests.unit.engines.local.operators.laws import END, present, random_facts


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_the_rows_are_the_time_points_from_the_oldest_of_the_last_facts_on(n: int, seed: int) -> None:
    facts = random_facts(seed)
    target, last = Relation("times", 1, counted=True), Relation("p in [#n]", 2, counted=True)
    stages: list[Stage] = [LastFacts("p", last, n, None), FactPoints(target, n)]
    found = present(target, facts, relations=[last], stages=stages, counts_facts=n)
    for t in range(END):
        times = [u for u in range(t + 1) for _ in facts.get(u, ())]
        oldest = times[-n] if len(times) >= n else 0
        assert found[t] == {(u,) for u in range(oldest, t + 1)}, t
