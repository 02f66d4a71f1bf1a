"""optional(L, R, C) = filter(join(L, R), C), and the rows of L that have no partner in it."""

from __future__ import annotations

import pytest

from lasing.algebra.nodes import Condition, OptionalJoin
from lasing.algebra.terms import call
from tests.unit.algebra.bags import SEEDS, A, B, C, D, Row, bag, lowered, pairs, rows_in, tables

LESS = Condition(call("less", A, D))


def less(row: Row) -> bool:
    return A in row and D in row and row[A] < row[D]  # type: ignore[operator]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_without_a_partner_stay(seed: int) -> None:
    left, right = tables(seed, (A, B, C), (B, C, D))
    found = [pairs([row], rows_in(right)) or [row] for row in rows_in(left)]
    assert lowered(OptionalJoin(left, right)) == bag(row for rows in found for row in rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_condition_reads_both_sides(seed: int) -> None:
    left, right = tables(seed, (A, B), (B, D))
    found = [pairs([row], rows_in(right), less) or [row] for row in rows_in(left)]
    assert lowered(OptionalJoin(left, right, LESS)) == bag(row for rows in found for row in rows)
