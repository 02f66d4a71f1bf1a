"""Facts that come out of order: which of them are too late, and when the others can be put in order.

Lateness concerns one source. Once a fact has come, its source has closed all time points that are more than its delay
before it; a fact is late if its time point is closed when it comes. Time moves with the slowest source: a time point is
over once all sources have closed it, and then everything that came in time for it is known.

Nothing here reads a clock. A source that has been silent for too long is said to be `idle`, and time goes on without
it until it speaks again; a source that has `ended` never holds time up. Facts for time points that are over are late,
whichever source they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Instants = TypeVar("Instants", bound=Any)


def closed_by(instant: Instants, delay: int, unit: int | None) -> Instants:
    """The last time point that a fact at an instant closes, given how late other facts may be; also for arrays.

    With a unit, instants and delays are in microseconds, and a time point has that many.

    >>> closed_by(10, 3, None), closed_by(119, 60, 60), closed_by(120, 60, 60)
    (6, -1, 0)
    """
    before = instant - delay
    return (before if unit is None else before // unit) - 1  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Late(Generic[Item]):
    """What came after its time point was closed."""

    source: str
    time: int
    closed_until: int
    facts: Item

    @property
    def late_by(self) -> int:
        """How many time points earlier it should have come."""
        return self.closed_until + 1 - self.time


@dataclass(slots=True)
class Closing:
    """Which time points each source has closed, and up to which time point everything is over.

    `delays` has the delays of sources that differ from `delay`. A source is known from its first fact on; one that is
    `expected` holds time up from the beginning.
    """

    delay: int = 0
    unit: int | None = None
    delays: Mapping[str, int] = field(default_factory=dict)
    over: int | None = None
    """The last time point that is over: closed to all sources."""
    _closed: dict[str, int | None] = field(default_factory=dict)
    _resting: set[str] = field(default_factory=set)
    _places: dict[str, int] = field(default_factory=dict)

    def expect(self, sources: Iterable[str]) -> None:
        """Let time wait for these sources, whether or not a fact of theirs has come."""
        for source in sources:
            self.place(source)
            self._closed.setdefault(source, None)

    def known(self) -> list[str]:
        """The sources that have not ended."""
        return list(self._closed)

    def place(self, source: str) -> int:
        """Where a source comes in the order in which sources became known."""
        return self._places.setdefault(source, len(self._places))

    def closed(self, source: str) -> int | None:
        """The last time point that is closed to a source."""
        own, over = self._closed.get(source), self.over
        return own if over is None or (own is not None and own > over) else over

    def came(self, source: str, instant: int) -> int | None:
        """Take note that a fact came, which closes time points, and that its source is not idle. Returns what `closed`
        was before. This is called for each push, so it calls little itself.

        >>> closing = Closing(delay=2)
        >>> closing.came("gate", 7), closing.came("gate", 9), closing.closed("gate")
        (None, 4, 6)
        """
        delay, unit = self.delays.get(source, self.delay) if self.delays else self.delay, self.unit
        before = instant - delay
        closing = (before if unit is None else before // unit) - 1  # as `closed_by` says
        own, over = self._closed.get(source), self.over
        if own is None or closing > own:
            if own is None:
                self.place(source)
            self._closed[source] = closing
        if self._resting:
            self._resting.discard(source)
        return own if over is None or (own is not None and own > over) else over

    def passed(self, source: str, instant: int) -> None:
        """Take note that the clock shows an instant and no fact has come: that closes time points as a fact does."""
        closing = closed_by(instant, self.delays.get(source, self.delay), self.unit)
        known = self._closed.get(source)
        self._closed[source] = closing if known is None else max(closing, known)

    def longest_delay(self) -> int:
        """The longest delay of the sources."""
        return max([self.delays.get(source, self.delay) for source in self._closed] or [self.delay])

    def next_tick(self) -> int | None:
        """The instant at which the clock closes the next time point for all sources; None if none is closed yet."""
        if self.over is None or self.unit is None:
            return None
        return (self.over + 2) * self.unit + self.longest_delay()

    def all_closed(self) -> dict[str, int | None]:
        """The last time point that each source has closed by itself."""
        return dict(self._closed)

    def close(self, source: str, point: int | None) -> None:
        """Continue with a source that had closed this time point."""
        self.place(source)
        self._closed[source] = point

    def idle(self, source: str) -> None:
        """Go on without a source until it speaks again."""
        self._resting.add(source)

    def resting(self) -> list[str]:
        """The sources that are idle."""
        return [source for source in self._closed if source in self._resting]

    def ended(self, source: str) -> None:
        """Go on without a source for good."""
        self._closed.pop(source, None)
        self._resting.discard(source)

    def waits_for(self) -> list[str]:
        """The sources that hold time up: those that never spoke, or otherwise those that have closed the least."""
        if len(self._closed) == 1:
            return [source for source in self._closed if source not in self._resting]
        active = {source: closed for source, closed in self._closed.items() if source not in self._resting}
        least = min((closed for closed in active.values() if closed is not None), default=None)
        silent = [source for source, closed in active.items() if closed is None]
        return silent or [source for source, closed in active.items() if closed == least]

    def reached(self) -> int | None:
        """The last time point that all sources have closed, apart from idle ones; None if there is none."""
        if len(self._closed) == 1 and not self._resting:
            return next(iter(self._closed.values()))
        if self._resting:
            closed = [point for source, point in self._closed.items() if source not in self._resting]
        else:
            closed = list(self._closed.values())
        return None if not closed or None in closed else min(closed)  # type: ignore[type-var]  # None was excluded

    def move(self, point: int | None) -> bool:
        """Let time points be over up to this one; whether that is new."""
        if point is None or (self.over is not None and point <= self.over):
            return False
        self.over = point
        return True


class Reorder(Generic[Item]):
    """Keeps what came until it can be in order.

    >>> waiting = Reorder[str](Closing(delay=2))
    >>> for time, item in [(5, "a"), (4, "b"), (7, "c"), (1, "d"), (8, "e")]:
    ...     late = waiting.add("gate", time, time, item)
    ...     print(waiting.release() if late is None else f"{late.facts} is late by {late.late_by}")
    []
    []
    [(4, ['b'])]
    d is late by 4
    [(5, ['a'])]
    >>> waiting.drain()
    [(7, ['c']), (8, ['e'])]
    """

    def __init__(self, closing: Closing) -> None:
        self.closing = closing
        self._waiting: dict[int, dict[str, list[Item]]] = {}
        self._times: list[int] = []  # a heap

    def __len__(self) -> int:
        """How many time points wait."""
        return len(self._times)

    def add(self, source: str, time: int, instant: int, item: Item) -> Late[Item] | None:
        """Take something in, or return it if it is too late."""
        closed = self.closing.came(source, instant)
        if closed is not None and time <= closed:
            return Late(source, time, closed, item)
        self.keep(source, time, item)
        return None

    def keep(self, source: str, time: int, item: Item) -> None:
        """Take something in that is known beforehand, and so is never late and closes nothing."""
        known = self._waiting.get(time)
        if known is None:
            heappush(self._times, time)
            self._waiting[time] = {source: [item]}
        elif source in known:
            known[source].append(item)
        else:
            known[source] = [item]

    def release(self) -> list[tuple[int, list[Item]]]:
        """What is over and has not been released: time points in order, at each the sources in the order in which they
        became known, and of each source what came first."""
        reached = self.closing.reached()
        return self.release_up_to(reached) if reached is not None else []

    def release_up_to(self, point: int) -> list[tuple[int, list[Item]]]:
        """The same up to a time point, whatever the sources say: afterwards it is over."""
        closing = self.closing
        if closing.over is None or point > closing.over:
            closing.over = point
        found: list[tuple[int, list[Item]]] = []
        times, waiting = self._times, self._waiting
        while times and times[0] <= point:
            time = heappop(times)
            of_time = waiting.pop(time)
            items = next(iter(of_time.values())) if len(of_time) == 1 else self._in_order(of_time)
            found.append((time, items))
        return found

    def items(self) -> Iterator[tuple[str, int, Item]]:
        """Everything that waits, by time, with its source."""
        for time in sorted(self._times):
            for source, items in self._waiting[time].items():
                yield from ((source, time, item) for item in items)

    def newest(self) -> int | None:
        """The latest time point that waits."""
        return max(self._times, default=None)

    def drain(self) -> list[tuple[int, list[Item]]]:
        """Everything that is left."""
        newest = self.newest()
        return [] if newest is None else self.release_up_to(newest)

    def _in_order(self, by_source: dict[str, list[Item]]) -> list[Item]:
        return [item for source in sorted(by_source, key=self.closing.place) for item in by_source[source]]
