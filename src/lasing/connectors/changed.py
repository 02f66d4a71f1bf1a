"""Changes in columns, as an engine reports them, without an object for each atom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.connectors.batches import Numbers
from lasing.logic.answers import Changes, Expiry
from lasing.logic.formulas import Atom
from lasing.logic.values import Value, value_text

NEVER = np.iinfo(np.int64).max
"""In a column of expiry times: the atom holds for ever."""


@dataclass(frozen=True, slots=True)
class Values:
    """A column by its distinct values: the value of a row is `distinct[numbers[row]]`, or none if the number is -1."""

    distinct: Sequence[Value]
    numbers: Numbers

    def taken(self, order: Numbers) -> Values:
        return Values(self.distinct, self.numbers[order])

    def mapped(self, text: Callable[[Any], str], absent: str | None = None) -> Any:
        """An Arrow column of texts, one for each value."""
        texts = pa.array([*map(text, self.distinct), absent], pa.string())
        return texts.take(pa.array(np.where(self.numbers < 0, len(self.distinct), self.numbers)))


@dataclass(frozen=True, slots=True)
class ChangedColumns:
    """Changes of whole time points, in order of time. Signs are 1 and -1, and 0 if an atom is guaranteed for longer.

    `guaranteed` says until when an added atom is guaranteed; if there is no guarantee, it is `provisional`. `numbers`
    are indices into `predicates`; `args` has as many columns as the widest predicate.
    """

    times: Numbers
    signs: Numbers
    guaranteed: Numbers
    provisional: np.ndarray[Any, np.dtype[np.bool_]]
    predicates: Sequence[tuple[str, int]]
    numbers: Numbers
    args: tuple[Values, ...]

    def __len__(self) -> int:
        return len(self.times)

    def taken(self, order: Numbers) -> ChangedColumns:
        """The rows in another order."""
        return ChangedColumns(
            self.times[order],
            self.signs[order],
            self.guaranteed[order],
            self.provisional[order],
            self.predicates,
            self.numbers[order],
            tuple(column.taken(order) for column in self.args),
        )

    def by_text(self) -> ChangedColumns:
        """The rows sorted by time, with added atoms before removed ones, and then by the text of the atoms.

        This is the order of the lines as text: every constant ends at a comma or a parenthesis, so texts compare part
        by part.
        """
        keys = [self.times - self.times[0], (1 - self.signs) // 2] if len(self) else []
        names = [name + ("(" if arity else " ") for name, arity in self.predicates]
        keys.append(_places(names)[self.numbers])
        for position, column in enumerate(self.args):
            last = np.array([arity == position + 1 for _, arity in self.predicates])[self.numbers]
            ends = [")", ","] if last.any() and not last.all() else [")" if last.all() else ","]
            texts = [text for value in column.distinct for text in (value_text(value) + end for end in ends)]
            place = np.append(_places(texts) + 1, 0)  # the last one is for rows without such an argument
            number = column.numbers if len(ends) == 1 else 2 * column.numbers + ~last
            keys.append(place[np.where(column.numbers < 0, len(texts), number)])
        return self.taken(_order(keys)) if len(self) else self

    def changes(self) -> Iterator[Changes]:
        """The same as atoms, time point by time point."""
        atoms = self.atoms()
        cuts = [0, *(np.flatnonzero(np.diff(self.times)) + 1).tolist(), len(self)]
        signs = self.signs.tolist()
        for first, last in pairwise(cuts):
            if first == last:
                continue
            mine = range(first, last)
            expiries = {atoms[i]: self.expiry(i) for i in mine if signs[i] >= 0}
            added = frozenset(atoms[i] for i in mine if signs[i] > 0)
            yield Changes(int(self.times[first]), added, frozenset(atoms[i] for i in mine if signs[i] < 0), expiries)

    def atoms(self) -> list[Atom]:
        """The atom of each row."""
        columns = [
            [None if n < 0 else column.distinct[n] for n in column.numbers.tolist()] for column in self.args
        ] or [[None] * len(self)]
        made = []
        for number, *args in zip(self.numbers.tolist(), *columns, strict=True):
            name, arity = self.predicates[number]
            made.append(Atom(name, tuple(args[:arity])))
        return made

    def expiry(self, row: int) -> Expiry:
        """Until when the atom of a row is guaranteed."""
        if self.provisional[row]:
            return None
        return float("inf") if self.guaranteed[row] == NEVER else int(self.guaranteed[row])


def _places(texts: Sequence[str]) -> Numbers:
    """The position of each text in sorted order; equal texts have the same position."""
    order = {text: place for place, text in enumerate(sorted(set(texts)))}
    return np.array([order[text] for text in texts], np.int64)


def _order(keys: list[Numbers]) -> Numbers:
    """The order of rows by several non-negative keys, the first key first."""
    spans = [int(key.max()) + 1 for key in keys]
    product = 1
    for span in spans:
        product *= span
    if product >= 2**63:
        return np.lexsort(keys[::-1])
    combined = np.zeros(len(keys[0]), np.int64)
    for key, span in zip(keys, spans, strict=True):
        if span > 1:
            combined = combined * span + key
    order: Numbers = np.argsort(combined, kind="stable")
    return order
