"""present at t  =  among the last n facts of the stream, or of the atom's predicate and key."""

from __future__ import annotations

import pytest

from lasing.plan.operators import LastFacts
from lasing.plan.relations import Relation
from tests.unit.engines.local.operators.laws import END, present, random_facts


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_a_tuple_window_has_the_last_facts(n: int, seed: int) -> None:
    facts = random_facts(seed)
    target = Relation("p in [#n]", 2, counted=True)
    found = present(target, facts, stages=[LastFacts("p", target, n, None)], counts_facts=n)
    for t in range(END):
        so_far = [(*row, u) for u in range(t + 1) for row in facts.get(u, ())]
        assert found[t] == set(so_far[-n:]), t


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_a_partition_window_has_the_last_facts_of_each_key(n: int, seed: int) -> None:
    facts = random_facts(seed, columns=2)
    target = Relation("p in [#n by X]", 3, counted=True)
    found = present(target, facts, stages=[LastFacts("p", target, n, (0,))])
    for t in range(END):
        so_far = [(*row, u) for u in range(t + 1) for row in facts.get(u, ())]
        assert found[t] == {row for key in range(3) for row in [r for r in so_far if r[0] == key][-n:]}, t
