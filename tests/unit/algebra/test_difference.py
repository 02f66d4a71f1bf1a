"""difference(L, R): the rows of L for which no row of R is compatible and shares a value."""

from __future__ import annotations

import pytest

from lasing.algebra.nodes import Difference
from tests.unit.algebra.bags import SEEDS, A, B, C, D, Row, bag, compatible, lowered, rows_in, tables


def removes(other: Row, row: Row) -> bool:
    return compatible(other, row) and bool(other.keys() & row.keys())


@pytest.mark.parametrize("seed", SEEDS)
def test_removes_rows_that_share_a_value(seed: int) -> None:
    left, right = tables(seed, (A, B, C), (B, C, D))
    kept = [row for row in rows_in(left) if not any(removes(other, row) for other in rows_in(right))]
    assert lowered(Difference(left, right)) == bag(kept)


@pytest.mark.parametrize("seed", SEEDS)
def test_removes_nothing_without_common_columns(seed: int) -> None:
    left, right = tables(seed, (A, B), (C, D))
    assert lowered(Difference(left, right)) == bag(rows_in(left))
