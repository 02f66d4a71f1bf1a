"""Tables of background facts as rows of codes, in bulk.

A table is gone through once for each set of positions at which literals have constants, however many constants there
are. Only values of facts that some literal may match get a code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lasing.engines.local.dictionary import Codes, Dictionary
from lasing.engines.local.execute import IN_ARGS, IN_PREDICATE, IN_TIME
from lasing.logic.tables import FactTable
from lasing.logic.values import Value
from lasing.plan.nodes import Load
from lasing.plan.relations import Where

Places = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class _Part:
    """The facts of a load: their number among inputs, their table, their positions in it, the columns of their rows."""

    number: int
    table: FactTable
    where: Places | slice
    columns: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.table) if isinstance(self.where, slice) else len(self.where)

    def values(self, column: int) -> Places:
        """The numbers of the values in a column."""
        found: Places = _numbers(self.table, column)[self.where]
        return found


def load(dictionary: Dictionary, loads: Sequence[tuple[int, Load]], start: int, width: int) -> Codes:
    """The facts of all tables, as rows of input at the start; each load comes with the number of its rows."""
    tables = {id(one.table): one.table for _, one in loads}
    parts = [part for table in tables.values() for part in _parts(table, [x for x in loads if x[1].table is table])]
    found = np.zeros((sum(map(len, parts)), width), np.int64)
    found[:, IN_TIME] = start
    codes = {}
    for values in {id(table.values): table.values for table in tables.values()}.values():
        codes[id(values)] = _codes(dictionary, values, [part for part in parts if part.table.values is values])
    at = 0
    for part in parts:
        rows = found[at : at + len(part)]
        rows[:, IN_PREDICATE] = part.number
        for i, column in enumerate(part.columns):
            rows[:, IN_ARGS + i] = codes[id(part.table.values)][part.values(column)]
        at += len(part)
    if len(found):
        dictionary.settle()
    return found


def _parts(table: FactTable, loads: Sequence[tuple[int, Load]]) -> Iterator[_Part]:
    every = tuple(range(table.arity))
    yield from (_Part(number, table, slice(None), every) for number, one in loads if not one.where)
    for columns in dict.fromkeys(_columns(one.where) for _, one in loads if one.where):
        alike = [(number, one.where) for number, one in loads if _columns(one.where) == columns]
        kept = tuple(column for column in every if column not in columns)
        which, places = _matches(table, list(dict.fromkeys(where for _, where in alike)))
        matched = np.flatnonzero(which >= 0)
        order = matched[np.argsort(which[matched], kind="stable")]
        ends = np.searchsorted(which[order], np.arange(len(places) + 1))
        for number, where in alike:
            place = places[_constants(where)]
            yield _Part(number, table, order[ends[place] : ends[place + 1]], kept)


def _matches(table: FactTable, wanted: Sequence[Where]) -> tuple[Places, dict[tuple[Value, ...], int]]:
    """For each fact, the number of the constants that it has, or -1; and these numbers. All have the same positions."""
    which = np.zeros(len(table), np.int64)
    numbers: dict[tuple[Value, ...], int] = {(): 0}
    for place, column in enumerate(_columns(wanted[0])):
        constants: dict[Value, int] = {}
        for where in wanted:
            constants.setdefault(where[place][1], len(constants))
        known = np.fromiter((constants.get(value, -1) for value in table.values), np.int64, len(table.values))
        ids = known[_numbers(table, column)]
        begun = dict.fromkeys(_constants(where)[: place + 1] for where in wanted)
        keys = {begin: numbers[begin[:-1]] * len(constants) + constants[begin[-1]] for begin in begun}
        ordered = np.array(sorted(keys.values()), np.int64)
        numbers = {begin: int(np.searchsorted(ordered, key)) for begin, key in keys.items()}
        mine = which * len(constants) + ids
        found = np.minimum(np.searchsorted(ordered, mine), len(ordered) - 1)
        which = np.where((which >= 0) & (ids >= 0) & (ordered[found] == mine), found, -1)
    return which, numbers


def _codes(dictionary: Dictionary, values: Sequence[Value], parts: Sequence[_Part]) -> Codes:
    """The codes of the values of some facts, by their numbers."""
    used = np.zeros(len(values), bool)
    for part in parts:
        for column in part.columns:
            used[part.values(column)] = True
    codes: Codes = np.zeros(len(values), np.int64)
    places = np.flatnonzero(used)
    codes[places] = dictionary.codes(map(values.__getitem__, places.tolist()))
    return codes


def _numbers(table: FactTable, column: int) -> Any:
    return np.frombuffer(table.columns[column], np.intc)


def _columns(where: Where) -> tuple[int, ...]:
    return tuple(column for column, _ in where)


def _constants(where: Where) -> tuple[Value, ...]:
    return tuple(value for _, value in where)
