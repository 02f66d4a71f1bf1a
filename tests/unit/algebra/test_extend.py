"""extend(S, column, term): one more column, missing where the term has no value."""

from __future__ import annotations

import pytest

from lasing.algebra.nodes import Condition, Exists, Extend, Table
from lasing.algebra.terms import call
from lasing.logic.terms import Variable
from lasing.logic.values import UNBOUND, Truth
from tests.unit.algebra.bags import SEEDS, A, B, C, Row, bag, lowered, rows_in, tables


@pytest.mark.parametrize("seed", SEEDS)
def test_a_term_without_a_value_is_missing(seed: int) -> None:
    def extended(row: Row) -> Row:
        return {**row, C: row[A] + row[B]} if A in row and B in row else row  # type: ignore[operator]

    (table,) = tables(seed, (A, B))
    assert lowered(Extend(table, C, Condition(call("+", A, B)))) == bag(map(extended, rows_in(table)))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_copy_of_a_column(seed: int) -> None:
    (table,) = tables(seed, (A, B))
    copied = ({**row, **({C: row[A]} if A in row else {})} for row in rows_in(table))
    assert lowered(Extend(table, C, Condition(A))) == bag(copied)


def test_a_constant_and_nothing() -> None:
    table = Table((A,), ((1,), (2,)))
    assert lowered(Extend(table, B, Condition("x"))) == bag([{A: 1, B: "x"}, {A: 2, B: "x"}])
    assert lowered(Extend(table, B, Condition(UNBOUND))) == bag([{A: 1}, {A: 2}])


def test_exists_is_a_value() -> None:
    found = Variable("Found")
    table, inner = Table((A,), ((1,), (2,))), Table((A,), ((2,), (3,)))
    asked = Condition(found, (Exists(inner, found),))
    assert lowered(Extend(table, B, asked)) == bag([{A: 1, B: Truth(False)}, {A: 2, B: Truth(True)}])
