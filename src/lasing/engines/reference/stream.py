"""Streams (LARS, Definition 1): a timeline T and, for each of its time points, the set v(t) of atoms there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from lasing.logic.program import Fact
from lasing.logic.values import Value
from lasing.timeline.intervals import Interval

Args = tuple[Value, ...]


class Facts:
    """Data facts in their order of arrival. The same fact twice at one time point counts once."""

    __slots__ = ("_at", "_log", "_points", "_times")

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self._log: list[Fact] = []
        self._times: list[int] = []
        self._points: list[int] = []
        self._at: dict[int, dict[str, dict[Args, None]]] = {}
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        """Append a fact that is not older than the last one."""
        time, atom = fact
        here, args = self._at.setdefault(time, {}).setdefault(atom.predicate, {}), atom.values
        if args not in here:
            here[args] = None
            self._log.append(fact)
            self._times.append(time)
            if self._points[-1:] != [time]:
                self._points.append(time)

    def at(self, time: int, predicate: str) -> Collection[Args]:
        return self._at.get(time, {}).get(predicate, ())

    def within(self, timeline: Interval) -> list[Fact]:
        """The facts of an interval, in order."""
        return self._log[_places(self._times, timeline)]

    def times(self, timeline: Interval) -> set[int]:
        """The time points of an interval that have a fact."""
        return set(self._points[_places(self._points, timeline)])


def _places(times: list[int], timeline: Interval) -> slice:
    """Where the time points of an interval are in a sorted list."""
    return slice(
        bisect_left(times, timeline.lo), len(times) if timeline.hi is None else bisect_right(times, timeline.hi)
    )


class Derived:
    """The atoms derived so far, and their time points."""

    __slots__ = ("_at", "last", "size")

    def __init__(self) -> None:
        self._at: dict[int, dict[str, dict[Args, None]]] = {}  # dictionaries, for their order: the same in every run
        self.last: int | None = None
        self.size = 0

    def add(self, time: int, predicate: str, args: Args) -> bool:
        """Whether the atom is new at that time point."""
        here = self._at.setdefault(time, {}).setdefault(predicate, {})
        if args in here:
            return False
        here[args] = None
        self.size += 1
        self.last = time if self.last is None else max(self.last, time)
        return True

    def at(self, time: int, predicate: str) -> Collection[Args]:
        return self._at.get(time, {}).get(predicate, ())

    def times(self, timeline: Interval) -> set[int]:
        return {time for time in self._at if time in timeline}

    def all(self) -> Iterator[tuple[int, str, Args]]:
        """All atoms, in order of time."""
        for time in sorted(self._at):
            for predicate, rows in self._at[time].items():
                yield from ((time, predicate, args) for args in rows)

    def first(self, default: int) -> int:
        """The first time point of an atom."""
        return min(self._at, default=default)

    def forget(self, times: Interval) -> None:
        """Drop the atoms of some time points."""
        for time in [time for time in self._at if time in times]:
            self.size -= sum(map(len, self._at.pop(time).values()))
        self.last = max(self._at, default=None)


NOTHING = Derived()
"""Nothing derived: what a tuple window holds in addition to its facts. Never added to."""


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """S = (T, v), where v(t) is the data and the derived atoms at t. A substream shares them and narrows T.

    `remembered` are the atoms of derived streams that held at earlier evaluation times: they hold like data, but no
    tuple window counts them. `ahead` means that background holds at all of T, not only up to now, as it does in windows
    opened up to now.
    """

    timeline: Interval
    data: Facts
    derived: Derived
    ahead: bool = False
    windows: dict[object, Stream] = field(default_factory=dict)
    remembered: Derived = NOTHING

    def at(self, time: int, predicate: str) -> Iterator[Args]:
        """The atoms of a predicate in v(time)."""
        if time in self.timeline:
            known = self.data.at(time, predicate)
            yield from known
            yield from (args for args in self.remembered.at(time, predicate) if args not in known)
            yield from self.derived.at(time, predicate)

    def holds(self, time: int, predicate: str, args: Args) -> bool:
        """Whether an atom is in v(time)."""
        return time in self.timeline and (
            args in self.data.at(time, predicate)
            or args in self.derived.at(time, predicate)
            or args in self.remembered.at(time, predicate)
        )

    def occupied(self) -> list[int]:
        """The time points t of the timeline with a non-empty v(t)."""
        sources = (self.data, self.remembered, self.derived)
        return sorted(set[int]().union(*(source.times(self.timeline) for source in sources)))

    def narrowed(self, timeline: Interval, ahead: bool) -> Stream:
        """The restriction S|T'."""
        return Stream(timeline, self.data, self.derived, ahead, remembered=self.remembered)
