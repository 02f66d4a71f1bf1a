"""The atoms of an output as a reader wants them: rows in order, with duplicates, and without helper columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import Any

from lasing.logic.answers import Changes, Expiry
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
    """The rows of an output, in its order; without one, in that of their values, so that results never vary.

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
        row, times = seen(output, values)
        rows += [row_of(row)] * times
    return rows


def formed(outputs: Iterable[Output] | None) -> dict[str, Output]:
    """The outputs that are more than atoms to a reader, by predicate."""
    return {output.predicate: output for output in outputs or () if output.form != "atoms"}


def labels(output: Output, reserved: Collection[str] = ()) -> tuple[str, ...]:
    """The names of the columns that a reader sees, changed where they are the same as a reserved one."""
    return tuple(f"{name}_" if name in reserved else name for name in shown_columns(output))


def seen(output: Output, values: tuple[Value, ...]) -> tuple[tuple[Value, ...], int]:
    """What a reader sees of an atom with these arguments: the row, and how often; UNBOUND is a missing value."""
    times = values[-1] if output.counted else 1
    assert isinstance(times, int), "a count is a number"
    return values[: len(shown_columns(output))], times


def row_of(values: Iterable[Value]) -> Row:
    """A row with None for missing values."""
    return tuple(None if value == UNBOUND else value for value in values)


def by_copy(moments: Iterable[Changes], outputs: Mapping[str, Output]) -> Iterator[Changes]:
    """Changes of what a reader sees: an atom for each copy of a row, with its number as the last argument.

    Other predicates stay as they are. If only order keys change, nothing does.
    """
    copies = Counter[Atom]()
    for change in moments:
        difference = Counter[Atom]()
        expiries: dict[Atom, Expiry] = {}
        for sign, atoms in ((1, change.added), (-1, change.removed)):
            for atom in atoms:
                if atom.predicate in outputs:
                    row, times = seen(outputs[atom.predicate], atom.values)
                    shown = Atom(atom.predicate, row)
                    difference[shown] += sign * times
                    if sign > 0:
                        expiries[shown] = earliest(expiries.get(shown, inf), change.expires_at(atom))
        added = {atom for atom in change.added if atom.predicate not in outputs}
        removed = {atom for atom in change.removed if atom.predicate not in outputs}
        until = {atom: expiry for atom, expiry in change.expiries.items() if atom.predicate not in outputs}
        for atom, number in difference.items():
            known = copies[atom]
            copies[atom] = known + number
            if not copies[atom]:
                del copies[atom]
            for copy in range(known, known + number):
                one = Atom(atom.predicate, (*atom.args, copy))
                added.add(one)
                until[one] = expiries[atom]
            removed.update(Atom(atom.predicate, (*atom.args, copy)) for copy in range(known + number, known))
        yield replace(change, added=frozenset(added), removed=frozenset(removed), expiries=until)


def earliest(one: Expiry, other: Expiry) -> Expiry:
    """Until when two atoms are both guaranteed."""
    return None if one is None or other is None else min(one, other)


def _key(value: Value) -> tuple[Any, ...]:
    return sort_class(value), order_key(value)


def _keys(values: tuple[Value, ...]) -> tuple[Any, ...]:
    return tuple(map(_key, values))
