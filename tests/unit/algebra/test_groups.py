"""group(S, keys): a row for each value of the keys, with aggregates over all rows of the group."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

import pytest

from lasing.algebra.nodes import Aggregated, AggregateName, Group, Table
from lasing.logic.values import ExactDecimal, Value
from tests.unit.algebra.bags import SEEDS, A, B, C, D, Row, bag, lowered, rows_in, tables


def grouped(table: Table) -> dict[Value | None, list[Value | None]]:
    """The values of B for each value of A."""
    groups: dict[Value | None, list[Value | None]] = defaultdict(list)
    for row in rows_in(table):
        groups[row.get(A)].append(row.get(B))
    return groups


def row_of(key: Value | None, **values: Value | None) -> Row:
    columns = {A: key, **{{"C": C, "D": D}[name]: value for name, value in values.items()}}
    return {column: value for column, value in columns.items() if value is not None}


@pytest.mark.parametrize("seed", SEEDS)
def test_counts(seed: int) -> None:
    (table,) = tables(seed, (A, B))
    node = Group(table, (A,), (Aggregated("count", C), Aggregated("count", D, B, distinct=True)))
    rows = [row_of(k, C=len(vs), D=len({v for v in vs if v is not None})) for k, vs in grouped(table).items()]
    assert lowered(node) == bag(rows)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "function"), [("sum", sum), ("min", min), ("max", max)])
def test_an_aggregate_of_a_missing_value_is_missing(seed: int, name: AggregateName, function: Any) -> None:
    (table,) = tables(seed, (A, B))
    rows = [row_of(k, C=None if None in vs else function(vs)) for k, vs in grouped(table).items()]
    assert lowered(Group(table, (A,), (Aggregated(name, C, B),))) == bag(rows)


def test_distinct_values_are_added_once() -> None:
    table = Table((B,), ((2,), (2,), (3,)))
    assert lowered(Group(table, (), (Aggregated("sum", C, B), Aggregated("sum", D, B, distinct=True)))) == bag(
        [{C: 7, D: 5}]
    )


def test_the_average_of_whole_numbers_is_exact() -> None:
    table = Table((B,), ((1,), (2,)))
    assert lowered(Group(table, (), (Aggregated("avg", C, B),))) == bag([{C: ExactDecimal(Decimal("1.5"))}])


def test_texts_are_joined_in_their_order() -> None:
    table = Table((B,), (("b",), ("a",), ("b",)))
    node = Group(table, (), (Aggregated("concat", C, B, separator="-"), Aggregated("concat", D, B, distinct=True)))
    assert lowered(node) == bag([{C: "a-b-b", D: "a b"}])


def test_nothing_is_one_group_if_there_are_no_keys() -> None:
    none = Table((A, B), ())
    assert lowered(Group(none, (), (Aggregated("count", C), Aggregated("min", D, B)))) == bag([{C: 0}])
    assert not lowered(Group(none, (A,), (Aggregated("count", C),)))


def test_a_key_that_no_row_has() -> None:
    table = Table((B,), ((1,), (2,)))
    assert lowered(Group(table, (A,), (Aggregated("sum", C, B),))) == bag([{C: 3}])


def test_a_sample_is_one_of_the_values() -> None:
    table = Table((B,), ((None,), (2,), (3,)))
    assert lowered(Group(table, (), (Aggregated("sample", C, B),))) in [bag([{C: 2}]), bag([{C: 3}])]
