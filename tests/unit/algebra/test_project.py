"""project(S, columns): as many rows as before. distinct(S): each row once."""

from __future__ import annotations

from collections import Counter

import pytest

from lasing.algebra.nodes import Distinct, Pattern, Project
from lasing.logic.formulas import Atom
from tests.unit.algebra.bags import SEEDS, A, B, C, bag, lowered, rows_in, tables


@pytest.mark.parametrize("seed", SEEDS)
def test_keeps_duplicates(seed: int) -> None:
    (table,) = tables(seed, (A, B))
    shown = bag({column: value for column, value in row.items() if column == A} for row in rows_in(table))
    assert lowered(Project(table, (A,))) == lowered(Project(table, (A, C))) == shown


@pytest.mark.parametrize("seed", SEEDS)
def test_distinct_rows(seed: int) -> None:
    (table,) = tables(seed, (A, B))
    assert lowered(Distinct(table)) == Counter(bag(rows_in(table)).keys())
    assert lowered(Distinct(Project(table, (A,)))) == Counter(lowered(Project(table, (A,))).keys())


def test_variables_that_are_no_columns_count() -> None:
    facts = [Atom("p", (1, 1)), Atom("p", (1, 2))]
    assert lowered(Pattern((Atom("p", (A, B)),), (A,)), facts) == bag([{A: 1}, {A: 1}])
