"""union(L, R) = the rows of both, each as often as it occurs."""

from __future__ import annotations

import pytest

from lasing.algebra.nodes import Join, Union
from tests.unit.algebra.bags import SEEDS, A, B, C, bag, lowered, rows_in, tables


@pytest.mark.parametrize("seed", SEEDS)
def test_adds_up(seed: int) -> None:
    one, two = tables(seed, (A, B), (B, C))
    assert lowered(Union((one, two))) == bag(rows_in(one)) + bag(rows_in(two))


def test_many_parts() -> None:
    parts = tuple(tables(1, *[(A, B)] * 9))
    assert lowered(Union(parts)) == sum((bag(rows_in(part)) for part in parts), start=bag(()))


@pytest.mark.parametrize("seed", SEEDS)
def test_joins_distribute_over_it(seed: int) -> None:
    one, two, other = tables(seed, (A, B), (A, C), (B, C))
    assert lowered(Join(Union((one, two)), other)) == lowered(Union((Join(one, other), Join(two, other))))
