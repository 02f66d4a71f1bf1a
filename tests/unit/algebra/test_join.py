"""join(L, R) = the pairs of compatible rows."""

from __future__ import annotations

import pytest

from lasing.algebra.nodes import UNIT, Join, Table
from tests.unit.algebra.bags import SEEDS, A, B, C, D, bag, lowered, pairs, rows_in, tables


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_of_compatible_rows(seed: int) -> None:
    left, right = tables(seed, (A, B, C), (B, C, D))
    assert lowered(Join(left, right)) == bag(pairs(rows_in(left), rows_in(right)))


@pytest.mark.parametrize("seed", SEEDS)
def test_does_not_depend_on_the_order(seed: int) -> None:
    one, two, three = tables(seed, (A, B), (B, C), (A, C))
    assert lowered(Join(Join(one, two), three)) == lowered(Join(three, Join(two, one)))


def test_one_row_without_columns_is_neutral() -> None:
    table = Table((A,), ((1,), (1,), (None,)))
    assert lowered(Join(UNIT, table)) == lowered(table) == bag(rows_in(table))


def test_no_rows_have_no_pairs() -> None:
    assert not lowered(Join(Table((A,), ()), Table((A,), ((1,), (2,)))))
