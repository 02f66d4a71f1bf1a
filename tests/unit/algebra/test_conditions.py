"""filter(S, condition): the rows for which it is true. EXISTS: whether a pattern has a row beside the current one."""

from __future__ import annotations

import pytest

from lasing.algebra.nodes import Condition, Exists, Filter, Node, OptionalJoin, Table
from lasing.algebra.terms import call
from lasing.logic.terms import Variable
from tests.unit.algebra.bags import SEEDS, A, B, C, D, Row, bag, lowered, pairs, rows_in, tables

FOUND = Variable("Found")
NEXT = Condition(call("less", A, B))


def less(row: Row) -> bool:
    return A in row and B in row and row[A] < row[B]  # type: ignore[operator]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_condition_without_a_value_is_not_true(seed: int) -> None:
    (table,) = tables(seed, (A, B))
    assert lowered(Filter(table, NEXT)) == bag(row for row in rows_in(table) if less(row))


def exists(node: Node, negated: bool = False) -> Condition:
    return Condition(call("opposite", FOUND) if negated else FOUND, (Exists(node, FOUND),))


@pytest.mark.parametrize("seed", SEEDS)
def test_exists(seed: int) -> None:
    table, inner = tables(seed, (A, B), (B, C))
    with_partner = [row for row in rows_in(table) if pairs([row], rows_in(inner))]
    assert lowered(Filter(table, exists(inner))) == bag(with_partner)
    assert lowered(Filter(table, exists(inner, negated=True))) == bag(rows_in(table)) - bag(with_partner)


@pytest.mark.parametrize("seed", SEEDS)
def test_exists_inside_of_a_condition(seed: int) -> None:
    table, inner = tables(seed, (A, B), (B, C))
    either = Condition(call("any_of", FOUND, call("less", A, B)), (Exists(inner, FOUND),))
    kept = [row for row in rows_in(table) if less(row) or pairs([row], rows_in(inner))]
    assert lowered(Filter(table, either)) == bag(kept)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_filter_in_exists_reads_the_outer_row(seed: int) -> None:
    table, inner = tables(seed, (A,), (B, C))
    kept = [row for row in rows_in(table) if pairs([row], rows_in(inner), less)]
    assert lowered(Filter(table, exists(Filter(inner, NEXT)))) == bag(kept)


def test_an_optional_part_in_exists_gets_the_values_of_the_outer_row() -> None:
    """With A = 1, the optional part has no partner; joined afterwards, A = 2 would not fit."""
    outer, inner = Table((A,), ((1,), (3,))), Table((D,), ((5,),))
    optional = OptionalJoin(inner, Table((A, B), ((2, 2),)))
    assert lowered(Filter(outer, exists(optional))) == bag(rows_in(outer))
