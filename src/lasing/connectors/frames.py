"""Results as Arrow tables: for each predicate a table of its answers, changes or intervals.

| table | columns | a row is |
|---|---|---|
| answers | `time`, arguments | an atom that holds at a time point |
| changes | `time`, `change`, arguments | an atom that a time point adds (1) or removes (-1) |
| intervals | `from`, `until`, arguments | the longest interval in which an atom holds |

Times are timestamps in UTC if they came in as dates, and time points otherwise. Rows are sorted by time, and then by
their arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.connectors.arrow import column_of, table_with
from lasing.connectors.changed import ChangedColumns
from lasing.errors import fault
from lasing.logic.answers import Answer, Changes
from lasing.logic.formulas import Atom
from lasing.logic.outputs import column_names, outputs_of
from lasing.logic.program import Program
from lasing.logic.results import by_copy, formed, labels, row_of
from lasing.logic.values import Instant, Value, order_key
from lasing.timeline.ticks import Tick

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Tables = dict[str, Any]
"""Arrow tables by predicate."""

MOST_ROWS = 100_000_000
"""The most rows that a table of answers may have."""


@dataclass(slots=True)
class Arguments:
    """A column of arguments: its distinct values, and the number of the value in each row."""

    places: dict[Value, int] = field(default_factory=dict)
    parts: list[Numbers] = field(default_factory=list)

    def add(self, distinct: Iterable[Value], numbers: Numbers) -> None:
        """Add rows, given by values and the numbers of these."""
        known = [self.places.setdefault(value, len(self.places)) for value in distinct]
        self.parts.append(np.array(known, np.int64)[numbers])

    def numbers(self) -> Numbers:
        return _joined(self.parts)

    def ranks(self) -> Numbers:
        """The place of each distinct value among all of them, in order."""
        ordered = sorted(self.places.items(), key=lambda item: order_key(item[0]))
        ranks = np.zeros(len(ordered), np.int64)
        ranks[[place for _, place in ordered]] = np.arange(len(ordered))
        return ranks

    def column(self, rows: Numbers) -> tuple[Any, bool]:
        """Some rows as an Arrow column, and whether it has terms (see `column_of`)."""
        values = row_of(self.places)
        moments = [value.microseconds if isinstance(value, Instant) else None for value in values]
        only_instants = all(isinstance(value, Instant | None) for value in values) and any(moments)
        distinct, terms = (pa.array(moments, pa.timestamp("us", "UTC")), False) if only_instants else column_of(values)
        return distinct.take(pa.array(self.numbers()[rows])), terms


@dataclass(slots=True)
class ChangesOf:
    """The changes of one predicate, collected as they come."""

    names: tuple[str, ...]
    arguments: tuple[Arguments, ...]
    times: list[Numbers] = field(default_factory=list)
    signs: list[Numbers] = field(default_factory=list)

    def add(self, times: Numbers, signs: Numbers) -> None:
        self.times.append(times)
        self.signs.append(signs)

    def add_atoms(self, time: int, sign: int, atoms: Sequence[Atom]) -> None:
        """Add the atoms that a time point adds or removes; their last arguments may be more than there are columns."""
        self.add(np.full(len(atoms), time, np.int64), np.full(len(atoms), sign, np.int64))
        for position, column in enumerate(self.arguments):
            column.add((atom.values[position] for atom in atoms), np.arange(len(atoms)))

    def intervals(self, end: int) -> tuple[Numbers, Numbers, Numbers]:
        """The longest intervals in which atoms hold: a row of each atom, from, until. Open ones last until `end`."""
        times, signs = _joined(self.times), _joined(self.signs)
        columns = [np.zeros(len(times), np.int64), *(column.numbers() for column in self.arguments)]
        _, atoms = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
        order = np.lexsort((times, atoms.reshape(-1)))
        begins = signs[order] > 0
        ended = np.append(~begins[1:], False)[: len(order)]  # the next change is the end of this interval
        following = np.append(times[order][1:], 0)[: len(order)]
        until: Numbers = np.where(ended, following - 1, end)
        return order[begins], times[order][begins], until[begins]

    def table(self, leading: dict[str, Numbers], rows: Numbers, tick: Tick | None) -> Any:
        """A table of some rows after their leading columns, sorted by time, answer and arguments."""
        keys = [column.ranks()[column.numbers()[rows]] for column in self.arguments]
        first = [column for name, column in leading.items() if name in ("time", "from", "answer")]
        order = np.lexsort((*reversed(keys), *reversed(first)))
        shown = {name: _leading(name, column[order], tick) for name, column in leading.items()}
        others = [column.column(rows[order]) for column in self.arguments]
        return table_with(shown, dict(zip(self.names, others, strict=True)))


class Collector:
    """Collects the changes of a run, by predicate."""

    def __init__(self, program: Program, reserved: Sequence[str]) -> None:
        self._queries = formed(program.outputs)
        self._found: dict[str, ChangesOf] = {}
        for output in outputs_of(program):
            if output.predicate in self._queries:
                names = labels(output, reserved)
            else:
                names = column_names(program, output, reserved)
            self._found[output.predicate] = ChangesOf(names, tuple(Arguments() for _ in names))
        self.end = 0

    @property
    def takes_columns(self) -> bool:
        """Whether changes may come in columns. Those of queries come as atoms, since equal rows are counted."""
        return not self._queries

    def add_columns(self, block: ChangedColumns) -> None:
        """Add changes in columns."""
        for number, (predicate, _) in enumerate(block.predicates):
            rows = np.flatnonzero(block.numbers == number)
            mine = self._found[predicate]
            mine.add(block.times[rows], block.signs[rows])
            for column, values in zip(mine.arguments, block.args, strict=False):  # other predicates may be wider
                used, numbers = np.unique(values.numbers[rows], return_inverse=True)
                column.add((values.distinct[place] for place in used.tolist()), numbers)

    def add_changes(self, moments: Iterable[Changes]) -> None:
        """Add changes as atoms, and note the last time point."""
        for change in by_copy(moments, self._queries) if self._queries else moments:
            self.end = change.time
            for sign, atoms in ((1, change.added), (-1, change.removed)):
                self._add_atoms(change.time, sign, atoms)

    def add_answer(self, answer: Answer, model: int) -> None:
        """Add the atoms of one of several answers at a time point as additions."""
        self._add_atoms(answer.time, model + 1, answer.models[model])

    def _add_atoms(self, time: int, sign: int, atoms: Iterable[Atom]) -> None:
        by_predicate: dict[str, list[Atom]] = {}
        for atom in atoms:
            by_predicate.setdefault(atom.predicate, []).append(atom)
        for predicate, mine in by_predicate.items():
            self._found[predicate].add_atoms(time, sign, mine)

    def changes(self, tick: Tick | None) -> Tables:
        """Tables of changes."""
        return {name: _signed(of, "change", tick) for name, of in self._found.items()}

    def models(self, tick: Tick | None) -> Tables:
        """Tables of several answers, numbered from 1 at each time point; only if `add_answer` has added everything."""
        return {name: _signed(of, "answer", tick) for name, of in self._found.items()}

    def intervals(self, tick: Tick | None) -> Tables:
        """Tables of intervals."""
        tables = {}
        for name, of in self._found.items():
            rows, first, until = of.intervals(self.end)
            tables[name] = of.table({"from": first, "until": until}, rows, tick)
        return tables

    def answers(self, tick: Tick | None) -> Tables:
        """Tables of answers."""
        tables = {}
        for name, of in self._found.items():
            rows, first, until = of.intervals(self.end)
            lengths = until - first + 1
            if int(lengths.sum()) > MOST_ROWS:
                note = "ask for intervals() or changes(), or for a shorter part of the timeline: start=, end="
                raise fault("E322", f"the answers of {name} are {int(lengths.sum()):,} rows", note=note)
            times = np.repeat(first, lengths) + _counted(lengths)
            tables[name] = of.table({"time": times}, np.repeat(rows, lengths), tick)
        return tables


def _signed(of: ChangesOf, name: str, tick: Tick | None) -> Any:
    times = _joined(of.times)
    return of.table({"time": times, name: _joined(of.signs)}, np.arange(len(times)), tick)


def _counted(lengths: Numbers) -> Numbers:
    """0, 1, … for each length, one after the other.

    >>> _counted(np.array([2, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)


def _joined(parts: list[Numbers]) -> Numbers:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _leading(name: str, column: Numbers, tick: Tick | None) -> Any:
    if name == "change":
        return pa.array(column.astype(np.int8))
    if name == "answer" or tick is None:
        return pa.array(column)
    for time in (column.min(), column.max()) if len(column) else ():
        tick.instant(int(time))  # an error if it has no date
    return pa.array(column * tick.milliseconds, pa.timestamp("ms", "UTC"))
