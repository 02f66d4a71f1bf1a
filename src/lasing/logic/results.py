"""The atoms of an output as a reader wants them: rows in order, with duplicates, and without helper columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lasing.logic.formulas import Atom
from lasing.logic.functions.sorting import sort_class
from lasing.logic.program import Output
from lasing.logic.values import UNBOUND, Value, order_key

Row = tuple[Value | None, ...]
"""A row; None is a missing value."""


def shown_columns(output: Output) -> tuple[str, ...]:
    """The names of the columns that a reader sees."""
    return output.columns[: output.arity - len(output.order) - output.counted]


def rows_of(output: Output, atoms: Iterable[Atom]) -> list[Row]:
    """The rows of an output, in its order; without one, in that of their values, so that they are the same each time.

    >>> atoms = [Atom("r", ("b", 1, 2)), Atom("r", ("a", 5, 1))]
    >>> rows_of(Output("r", ("x", "", ""), form="rows", order=(True,), counted=True), atoms)
    [('a',), ('b',), ('b',)]
    """
    width = len(shown_columns(output))
    found = sorted(
        (atom.values for atom in atoms if atom.predicate == output.predicate), key=lambda v: _keys(v[:width])
    )
    for place, descending in reversed(list(enumerate(output.order, start=width))):
        found.sort(key=lambda values: _key(values[place]), reverse=descending)
    rows: list[Row] = []
    for values in found:
        times = values[-1] if output.counted else 1
        assert isinstance(times, int), "a count is a number"
        rows += [tuple(None if value == UNBOUND else value for value in values[:width])] * times
    return rows


def _key(value: Value) -> tuple[Any, ...]:
    return sort_class(value), order_key(value)


def _keys(values: tuple[Value, ...]) -> tuple[Any, ...]:
    return tuple(map(_key, values))
