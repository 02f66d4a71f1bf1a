"""Which tuples are selected, if it is not known which exist: for every combination, by definition."""

from __future__ import annotations

from itertools import product

import pytest

from lasing.engines.asp.conditions import Condition, Literal, TimedAtom, holds_in
from lasing.engines.asp.selections import condition, possible
from lasing.logic.formulas import End, Select
from lasing.logic.functions import selected
from lasing.logic.values import Value

ROWS: list[tuple[Value, ...]] = [(3, "b"), (1, "a"), (3, "a"), ("x", 1)]


@pytest.mark.parametrize("end", ["first", "last"])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("certain", [0, 1, 2, 4])
def test_a_tuple_is_selected_in_exactly_the_right_answers(end: End, count: int, certain: int) -> None:
    atoms = [TimedAtom(0, "p", row) for row in ROWS]
    elements: dict[tuple[Value, ...], Condition] = {
        row: True if i < certain else Literal(atom) for i, (row, atom) in enumerate(zip(ROWS, atoms, strict=True))
    }
    formula = Select(end, count, (), (), ())
    ever = set()
    for chosen in product((False, True), repeat=len(ROWS)):
        there = [row for i, row in enumerate(ROWS) if chosen[i] or i < certain]
        held = {atom for i, atom in enumerate(atoms) if chosen[i]}
        best = selected(end == "last", count, there)
        ever |= set(best)
        for row in [*ROWS, (9, 9)]:
            assert holds_in(condition(formula, row, elements), held) == (row in best), (row, there)
    assert ever <= set(possible(formula, elements))
