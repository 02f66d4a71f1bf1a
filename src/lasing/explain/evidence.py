"""What an explanation rests on: the raw window, what derived streams remember, and the background, at a time point.

Rows are looked up by the arguments that are known. An index for some positions is made when it is first asked for, so
an explanation pays for what it looks at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run
from lasing.logic.values import Value
from lasing.timeline.intervals import Interval

Args = tuple[Value, ...]
Positions = tuple[int, ...]
Entry = tuple[int, str, Args]
"""A fact: its time, predicate and arguments."""
Numbers = np.ndarray[Any, np.dtype[np.int64]]
Decode = Callable[[Numbers], Sequence[Value]]

_AT_ONCE = 64
"""How many rows become values at once."""


class Rows:
    """The rows of a predicate, each with its time, in order of time."""

    __slots__ = ("_indexes", "_rows", "_times")

    def __init__(self) -> None:
        self._times: list[int] = []
        self._rows: list[Args] = []
        self._indexes: dict[Positions, dict[Args, tuple[list[int], list[Args]]]] = {}

    def add(self, time: int, args: Args) -> None:
        """Append a row that is not older than the last one."""
        self._times.append(time)
        self._rows.append(args)

    def matching(self, positions: Positions, values: Args, span: Interval) -> Iterator[tuple[int, Args]]:
        """The rows of an interval that have these values at these positions, the newest first."""
        times, rows = self._bucket(positions, values)
        begin = bisect_left(times, span.lo)
        end = len(times) if span.hi is None else bisect_right(times, span.hi)
        return ((times[i], rows[i]) for i in range(end - 1, begin - 1, -1))

    def count(self, positions: Positions, values: Args) -> int:
        """How many rows have these values at these positions."""
        return len(self._bucket(positions, values)[0])

    def times(self) -> Sequence[int]:
        return self._times

    def _bucket(self, positions: Positions, values: Args) -> tuple[list[int], list[Args]]:
        if not positions:
            return self._times, self._rows
        index = self._indexes.get(positions)
        if index is None:
            index = self._indexes[positions] = {}
            for time, args in zip(self._times, self._rows, strict=True):
                times, rows = index.setdefault(tuple([args[i] for i in positions]), ([], []))
                times.append(time)
                rows.append(args)
        return index.get(values, ([], []))


class Coded:
    """Rows in columns of codes: only what is looked at becomes values. In order of time, like `Rows`."""

    __slots__ = ("_args", "_code", "_orders", "_times", "_values")

    def __init__(self, times: Numbers, args: Numbers, code: Callable[[Value], int], values: Decode) -> None:
        self._times, self._args, self._code, self._values = times, args, code, values
        self._orders: dict[int, tuple[Numbers, Numbers]] = {}

    def matching(self, positions: Positions, values: Args, span: Interval) -> Iterator[tuple[int, Args]]:
        found = self._where(positions, values)
        times = self._times[found]
        begin = int(np.searchsorted(times, span.lo))
        end = len(times) if span.hi is None else int(np.searchsorted(times, span.hi, side="right"))
        return self._rows(found[begin:end][::-1])

    def count(self, positions: Positions, values: Args) -> int:
        return len(self._where(positions, values))

    def times(self) -> Sequence[int]:
        return self._times.tolist()  # type: ignore[no-any-return]

    def _where(self, positions: Positions, values: Args) -> Numbers:
        """The places of the rows with these values, in order of time."""
        if not positions:
            return np.arange(len(self._times))
        codes = [self._code(value) for value in values]
        found = self._with(positions[0], codes[0])
        for position, code in zip(positions[1:], codes[1:], strict=True):
            found = found[self._args[found, position] == code]
        return found

    def _with(self, position: int, code: int) -> Numbers:
        """The places of the rows with a code at a position, by an order of them that is made once."""
        if position not in self._orders:
            order = np.argsort(self._args[:, position], kind="stable")
            self._orders[position] = order, self._args[order, position]
        order, codes = self._orders[position]
        return order[np.searchsorted(codes, code) : np.searchsorted(codes, code, side="right")]

    def _rows(self, places: Numbers) -> Iterator[tuple[int, Args]]:
        for begin in range(0, len(places), _AT_ONCE):  # a first row is often enough
            some = places[begin : begin + _AT_ONCE]
            columns = [self._values(self._args[some, i]) for i in range(self._args.shape[1])]
            rows = zip(*columns, strict=True) if columns else iter([()] * len(some))
            yield from zip(self._times[some].tolist(), rows, strict=True)


class Facts:
    """Facts in their order of arrival, by predicate. The same fact twice at one time point counts once."""

    __slots__ = ("_by_predicate", "_log")

    def __init__(self, facts: Iterable[Entry] = ()) -> None:
        self._by_predicate: dict[str, Rows | Coded] = {}
        log: list[Entry] = []
        self._log: Callable[[], list[Entry]] = lambda: log
        made: dict[str, Rows] = {}
        seen: set[tuple[str, Args]] = set()
        latest: int | None = None
        for fact in facts:
            time, predicate, args = fact
            if time != latest:
                seen, latest = set(), time
            if (predicate, args) in seen:
                continue
            seen.add((predicate, args))
            log.append(fact)
            if predicate not in made:
                made[predicate] = Rows()
            made[predicate].add(time, args)
        self._by_predicate.update(made)

    @classmethod
    def in_columns(cls, by_predicate: Mapping[str, Coded], log: Callable[[], list[Entry]]) -> Facts:
        """Facts in columns; `log` makes all of them, in their order, for windows that count them."""
        found = cls()
        found._by_predicate.update(by_predicate)
        found._log = cache(log)
        return found

    @property
    def log(self) -> list[Entry]:
        """All facts, in their order of arrival."""
        return self._log()

    def of(self, predicate: str) -> Rows | Coded:
        return self._by_predicate.get(predicate, NO_ROWS)

    def holds(self, time: int, predicate: str, args: Args) -> bool:
        """Whether a fact is there at a time point."""
        rows = self._by_predicate.get(predicate)
        if rows is None:
            return False
        return any(True for _ in rows.matching(tuple(range(len(args))), args, Interval(time, time)))


NO_ROWS = Rows()
NO_FACTS = Facts()


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A part of the stream, as a window selects it: its time points, and which facts are in it.

    Windows that count facts see no derived atoms. `ahead` means that background holds at all of its time points, not
    only up to now.
    """

    timeline: Interval
    data: Facts
    sees_derived: bool = True
    ahead: bool = False

    def narrowed(self, timeline: Interval, ahead: bool) -> View:
        return View(timeline, self.data, self.sees_derived, ahead)


@dataclass(slots=True)
class Evidence:
    """Everything that the answer of a program at `now` rests on."""

    program: Program
    start: int
    now: int
    data: Facts
    remembered: Facts
    background: Facts = field(init=False)
    counted: dict[object, tuple[Interval, Facts]] = field(default_factory=dict)
    """The windows that count facts, which are made once."""

    def __post_init__(self) -> None:
        rows = ((self.start, atom.predicate, atom.values) for atom in self.program.all_background())
        self.background = Facts(rows)

    def whole(self) -> View:
        """The whole stream."""
        return View(Interval(self.start, None), self.data)


def evidence_of(program: Program, start: int, now: int, facts: Iterable[Fact], runs: Iterable[Run] = ()) -> Evidence:
    """The evidence at a time point: data facts in order, and what derived streams remember from before."""
    data = Facts((time, atom.predicate, atom.values) for time, atom in facts if start <= time <= now)
    return Evidence(program, start, now, data, remembered_facts(runs, start, now))


def remembered_facts(runs: Iterable[Run], start: int, now: int) -> Facts:
    """What derived streams remember from before a time point, as facts."""
    points = [
        (time, run.predicate, run.args)
        for run in runs
        for time in range(max(run.begin, start), now if run.end is None else min(run.end, now - 1) + 1)
    ]
    return Facts(sorted(points, key=lambda point: point[0]))
