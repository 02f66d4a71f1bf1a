"""Tables as streams: which column is the time, which predicate a row is about, and which columns are its arguments.

A table is either about one predicate, with a column per argument, or has a column `predicate` and the arguments in
`arg1`, `arg2`, … or in a list `args`, which is the form of written answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lasing.connectors.missing import Gaps, Missing
from lasing.connectors.rows import Arity, check_arity, late, time_of, value_of
from lasing.errors import LasingError, Place, fault, similar
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.values import Value, is_name
from lasing.timeline.ticks import Tick

TIME = "time"


@dataclass(frozen=True, slots=True)
class Columns:
    """How a table's columns make atoms: `args` None takes every column but the time, in the table's order."""

    predicate: str | None = None
    args: tuple[str, ...] | None = None
    time: str = TIME
    declared: bool = False
    """Whether the program declares `args` as the attributes of an event: a record may lack one, and is left out."""

    def __post_init__(self) -> None:
        if self.predicate is not None and not is_name(self.predicate):
            note = (
                "a predicate is a name that starts with a lower-case letter; name one: temp=FILE, or Table(predicate=…)"
            )
            raise fault("E509", f"{self.predicate!r} is not a predicate's name", note=note)


@dataclass(frozen=True, slots=True)
class Table:
    """A data frame, or anything else that speaks Arrow, as a stream of one predicate.

    `missing` says what a missing value means: `skip`, `error`, or the value to use instead; None leaves it to the run.

    >>> table = Table(frame, "temp", args=("sensor", "celsius"), time="ts")  # doctest: +SKIP
    """

    frame: Any
    predicate: str | None = None
    args: Sequence[str] | None = None
    time: str = TIME
    missing: Missing | None = None
    declared: bool = False
    """Whether the program declares `args` as the attributes of an event."""

    def columns(self) -> Columns:
        names = [self.time, *(self.args or ()), *([] if self.predicate is None else [self.predicate])]
        if any(not isinstance(name, str) for name in names) or isinstance(self.args, str):
            note = "such as: Table(frame, 'temp', args=['sensor', 'value'])"
            raise fault("E510", "the names of a table's columns are text", note=note)
        return Columns(self.predicate, None if self.args is None else tuple(self.args), self.time, self.declared)


@dataclass(slots=True)
class RowMaker:
    """Turns the records of one table into rows, and watches their order."""

    name: str
    columns: Columns
    tick: Tick | None
    ordered: bool
    arity: Arity | None = None
    gaps: Gaps = field(default_factory=Gaps)
    newest: int | None = None
    header: tuple[str, ...] | None = None

    def check(self, header: Iterable[str], record: bool = False) -> None:
        """Fail if the table lacks a required column. A single record may lack an attribute of an event."""
        names = list(header)
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            raise fault("E505", f"{self.name} has two columns {twice}")
        optional = record and self.columns.declared and self.gaps.skips
        wanted = [self.columns.time, *(() if optional else self.columns.args or ())]
        for column in wanted:
            if column not in names:
                hint = similar(column, names)
                note = "\n".join(filter(None, (hint, f"the columns are {', '.join(names) or 'none at all'}")))
                if column == self.columns.time:
                    note += "\nname the time column: --time ts on the command line, Table(time='ts') in Python"
                raise fault("E505", f"{self.name} has no column {column}", note=note)
        if self.columns.predicate is None and "predicate" not in names:
            note = "name it: temp=FILE on the command line, Table(frame, predicate='temp') in Python"
            raise fault("E505", f"{self.name} does not say which predicate its rows are about", note=note)

    def row(self, record: Mapping[str, object], place: Place | None) -> Fact | None:
        """The row for a record; None if a value is missing and the record is left out."""
        written = record.get(self.columns.time)
        if written is None and self.gaps.skips:
            self._leave_out(self.columns.time)
            return None
        try:
            time = time_of(written, self.tick, place)
            if self.newest is not None and time < self.newest and self.ordered:
                raise late(time, self.newest, place or Place(self.name, 0, 0), self.tick)
        except LasingError as error:
            raise _in_column(error, self.columns.time) from None
        self.newest = time if self.newest is None else max(time, self.newest)
        atom = self._atom(record, place)
        if atom is None:
            return None
        if not check_arity(atom, self.arity, lambda: place):
            return None
        self.gaps.bad.rows += 1
        return Fact(time, atom)

    def follow(self, times: Any) -> None:
        """Take the times of many rows, as an array; raise `Unusual` if they are not in order but should be."""
        if not len(times):
            return
        if self.ordered and ((times[1:] < times[:-1]).any() or (self.newest is not None and times[0] < self.newest)):
            raise Unusual
        self.gaps.bad.rows += len(times)
        newest = int(times.max())
        self.newest = newest if self.newest is None else max(newest, self.newest)

    def _leave_out(self, column: str) -> None:
        self.gaps.left_out[self.name, column] += 1

    def _all_columns(self, record: Mapping[str, object], place: Place | None) -> tuple[str, ...]:
        """All columns but the time, in the order of the first record; later records must have the same columns."""
        if self.header is None:
            self.header = tuple(name for name in record if name != self.columns.time)
        extra = next((name for name in record if name != self.columns.time and name not in self.header), None)
        if extra is not None:
            names = ",".join(self.header)
            note = f"the first row has {names}; to use only these, name them: p({names})=FILE"
            raise _in_column(fault("E505", f"the column {extra} is new here", place, note), extra)
        return self.header

    def _atom(self, record: Mapping[str, object], place: Place | None) -> Atom | None:
        predicate = self.columns.predicate
        if predicate is not None:
            names = self.columns.args
            if names is None:
                names = self._all_columns(record, place)
            absent = next((name for name in names if name not in record), None)
            if absent is not None and self.columns.declared and self.gaps.skips:
                self._leave_out(absent)
                return None
            if absent is not None:
                note = f"the record has {', '.join(record) or 'nothing'}"
                raise _in_column(fault("E505", f"the column {absent} is missing", place, note), absent)
            things, what = [record[name] for name in names], [f"the value of {name}" for name in names]
        else:
            named = record.get("predicate")
            if named is None and self.gaps.skips:
                self._leave_out("predicate")
                return None
            predicate = str(value_of(named, place, "the predicate"))
            if not is_name(predicate):
                raise fault("E509", f"{predicate!r} is not a predicate's name", place)
            names, things = _listed(record, place)
            what = [f"argument {i}" for i in range(1, len(things) + 1)]
        if None in things and self.gaps.skips:
            self._leave_out(names[things.index(None)])
            return None
        filler = self.gaps.filler
        values: list[Value] = []
        try:
            for thing, said in zip(things, what, strict=True):
                values.append(value_of(filler if thing is None and filler is not None else thing, place, said))
        except LasingError as error:
            raise _in_column(error, names[len(values)]) from None
        return Atom(predicate, tuple(values))


def _in_column(error: LasingError, name: str) -> LasingError:
    """The error, with the column that it is about."""
    found = error.diagnostics[0]
    return error if found.place is None else LasingError([replace(found, place=replace(found.place, cell=name))])


class Unusual(Exception):  # noqa: N818 -- no error: the exact reader takes it from here
    """Something does not have the common form, or is wrong: the rows must be read one by one."""


def _listed(record: Mapping[str, object], place: Place | None) -> tuple[tuple[str, ...], list[object]]:
    """The arguments in `args`, or in `arg1`, `arg2`, …, with their names; missing values at the end are dropped."""
    args = record.get("args")
    if args is None:
        last = max((int(n[3:]) for n in record if re.fullmatch(r"arg[0-9]{1,4}", n)), default=0)
        numbered = [record.get(f"arg{i}") for i in range(1, last + 1)]
        while numbered and numbered[-1] is None:
            numbered.pop()
        return tuple(f"arg{i}" for i in range(1, len(numbered) + 1)), numbered
    if not isinstance(args, list | tuple):
        raise fault(
            "E506",
            "args is not a list",
            place,
            'such as: {"time": 5, "predicate": "temp", "args": ["s1", 70]}',
        )
    return tuple(f"argument {i} of args" for i in range(1, len(args) + 1)), list(args)
