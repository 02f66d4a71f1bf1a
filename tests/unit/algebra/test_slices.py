"""slice(S, order, offset, limit): some of the rows, in an order in which missing values are first."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from lasing.algebra.nodes import OrderKey, Slice, Table
from tests.unit.algebra.bags import SEEDS, A, B, Row, bag, lowered, rows_in, tables


def key(*directions: int) -> Callable[[Row], list[int]]:
    def places(row: Row) -> list[int]:
        values = [row.get(column, 0) for column in (A, B)]
        return [way * value for value, way in zip(values, directions, strict=True) if isinstance(value, int)]

    return places


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("directions", [(1, 1), (-1, -1), (1, -1), (-1, 1)])
def test_the_first_rows_of_a_total_order(seed: int, directions: tuple[int, int]) -> None:
    chance = random.Random(seed)
    (table,) = tables(seed, (A, B))
    offset, limit = chance.randint(0, 3), chance.choice((None, 0, 1, 2, 9))
    order = tuple(OrderKey(column, way < 0) for column, way in zip((A, B), directions, strict=True))
    rows = sorted(rows_in(table), key=key(*directions))[offset:]
    assert lowered(Slice(table, order, offset, limit)) == bag(rows if limit is None else rows[:limit])


def test_equal_rows_count_one_by_one() -> None:
    table = Table((A,), ((1,), (1,), (1,)))
    assert lowered(Slice(table, (), 1, 1)) == bag([{A: 1}])


def test_a_row_without_columns() -> None:
    table = Table((), ((),))
    assert lowered(Slice(table, (), 0, 1)) == bag([{}])
    assert not lowered(Slice(table, (), 1, 1))


def test_a_slice_for_each_scope() -> None:
    table = Table((A, B), ((1, 1), (1, 2), (2, 5), (2, 4)))
    first = Slice(table, (OrderKey(B),), 0, 1, scope=(A,))
    assert lowered(first) == bag([{A: 1, B: 1}, {A: 2, B: 4}])
