"""table(rows) = those rows, each as often as it is given."""

from __future__ import annotations

import pytest

from lasing.algebra.nodes import Table
from tests.unit.algebra.bags import SEEDS, A, B, bag, lowered, rows_in, tables


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_as_they_are_given(seed: int) -> None:
    (table,) = tables(seed, (A, B))
    assert lowered(table) == bag(rows_in(table))


def test_rows_without_columns() -> None:
    assert lowered(Table((), ((), ()))) == bag([{}, {}])
    assert not lowered(Table((), ()))
