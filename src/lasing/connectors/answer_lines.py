"""Whole answers as lines of text, from changes in columns.

Most atoms hold at many time points. So the part of a line that does not depend on the time is made once, when the atom
comes; the lines of an answer are these parts, joined by what depends on the time.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from lasing.connectors.changed import ChangedColumns
from lasing.connectors.column_sinks import csv_cells, json_atoms, json_text, text_atoms
from lasing.connectors.sinks import ShowTime, Time, time_text

LineFormat = Literal["text", "jsonl", "csv"]
Step = tuple[ChangedColumns | None, int]
"""Changes, if there are any, and the time point up to which all changes are known."""

ENOUGH = 1 << 16
"""About as many characters are written at once."""
FEW = 1 / 16
"""If a smaller part of the atoms changes, the others are not sorted again."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A line is `before(time)`, a rest that depends on the atom alone, and `after(time)`."""

    before: Callable[[Time], str]
    rests: Callable[[ChangedColumns, int], list[str]]
    after: Callable[[Time], str]


_FORMS: dict[LineFormat, _Form] = {
    "text": _Form(lambda _: "", lambda changed, _: text_atoms(changed), lambda time: f" at {time_text(time)}.\n"),
    "jsonl": _Form(
        lambda time: f'{{"time": {json_text(time)}', lambda changed, _: json_atoms(changed), lambda _: "}\n"
    ),
    "csv": _Form(lambda time: f"{time},", csv_cells, lambda _: "\n"),
}


def answer_lines(steps: Iterable[Step], show_time: ShowTime, form: LineFormat, width: int) -> Iterator[str]:
    """The lines of the answer at each time point, sorted by time and then by text; tables have this many columns."""
    lines = _Lines(_FORMS[form], show_time, width)
    for changed, until in steps:
        for time, change in () if changed is None else lines.changes(changed):
            yield from lines.up_to(time - 1)
            lines.apply(change)
        yield from lines.up_to(until)
        yield lines.taken()


@dataclass(frozen=True, slots=True)
class _Change:
    """What comes and goes at a time point, in the order in which text is sorted."""

    added: list[str]
    removed: list[str]


class _Lines:
    """The atoms that hold, and lines that are not written yet.

    An atom is known by its text, which ends as it does in a line of text, so that both are sorted alike.
    """

    def __init__(self, form: _Form, show_time: ShowTime, width: int) -> None:
        self._form, self._show_time, self._width = form, show_time, width
        self._order: list[str] = []
        self._rests: dict[str, str] = {}
        self._in_order: list[str] | None = None
        """The rests in the order of the atoms, until the atoms change."""
        self._written: int | None = None
        self._lines: list[str] = []
        self._size = 0

    def changes(self, changed: ChangedColumns) -> Iterator[tuple[int, _Change]]:
        """The changes at each time point. Rests of what is added are made for all of them together."""
        if self._written is None and len(changed):
            self._written = int(changed.times[0]) - 1
        atoms = [f"{atom} at" for atom in text_atoms(changed)]
        rests = self._form.rests(changed, self._width)
        signs = changed.signs.tolist()
        cuts = [0, *(np.flatnonzero(np.diff(changed.times)) + 1).tolist(), len(changed)]
        for first, last in pairwise(cuts):
            added = [i for i in range(first, last) if signs[i] > 0]
            self._rests.update((atoms[i], rests[i]) for i in added)
            removed = [atoms[i] for i in range(first, last) if signs[i] < 0]
            yield int(changed.times[first]), _Change([atoms[i] for i in added], removed)

    def apply(self, change: _Change) -> None:
        """Let atoms come and go."""
        order = self._order
        for atom in change.removed:
            del self._rests[atom]
        if len(change.added) + len(change.removed) < FEW * len(order):
            for atom in change.removed:
                del order[bisect_left(order, atom)]
            for atom in change.added:
                insort(order, atom)
        else:
            self._order = sorted(self._rests)
        self._in_order = None

    def up_to(self, last: int) -> Iterator[str]:
        """Add the lines of the time points up to one; hand them out as soon as there are enough."""
        if self._written is None:
            return
        if self._in_order is None:
            self._in_order = [self._rests[atom] for atom in self._order]
        for time in range(self._written + 1, last + 1 if self._order else 0):
            shown = self._show_time(time)
            before, after = self._form.before(shown), self._form.after(shown)
            self._lines.append(before + (after + before).join(self._in_order) + after)
            self._size += len(self._lines[-1])
            if self._size > ENOUGH:
                yield self.taken()
        self._written = max(self._written, last)

    def taken(self) -> str:
        """The lines that were added since they were last taken."""
        text = "".join(self._lines)
        self._lines, self._size = [], 0
        return text
