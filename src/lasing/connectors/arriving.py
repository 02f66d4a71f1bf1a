"""The facts of several streams in order of time, as soon as they can be in order (see `timeline.reorder`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lasing.connectors.feeds import Feed, Feeds
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.timeline.reorder import Closing, Late, Reorder
from lasing.timeline.timing import LateCount, Timing

OnLateAtom = Callable[[Late[Atom]], None]

CLOCK = "the clock"
"""The source of a run without streams that follows the clock."""

MOMENT = 200_000
"""A source that has brought nothing for so many microseconds is quiet; a backlog is read before the clock goes on."""

PROGRAM = "the program"
"""The source of the data in the program's own text."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """The facts of time points, in order, and the time point up to which everything is over; whether others wait."""

    until: int
    facts: list[tuple[int, list[Atom]]]
    others: bool = field(default=False, compare=False)


def arriving(
    feeds: Iterable[Feed], own: Iterable[Fact], timing: Timing, unit: int | None, on_late: OnLateAtom
) -> Iterator[Arrived]:
    """What arrives, step by step. `own` are the facts of the program's own text, in order."""
    streams = list(feeds)
    closing = timing.closing(unit)
    buffer = Reorder[Atom](closing)
    closing.place(PROGRAM)
    for time, atom in own:
        buffer.keep(PROGRAM, time, atom)
    closing.expect(feed.name for feed in streams)
    timing.check_clock(unit)
    silence = timing.silence()
    source = Feeds(streams, timing.clock, in_threads=silence is not None or timing.follows_clock)
    silent = _Silence(silence, timing.clock.now(), source.running())
    if timing.follows_clock and not streams:  # nothing but the clock
        closing.expect([CLOCK])
    while (names := source.running()) or CLOCK in closing.known():
        awaited = names if timing.follows_clock else closing.waits_for() or names
        if silence is None and not timing.follows_clock:
            rows = source.take(awaited, None, closing.ended)
        else:
            due = [silent.next(closing.waits_for()), silent.tick(closing) if timing.follows_clock else None]
            wanted = list(dict.fromkeys([*awaited, *closing.resting()]))
            rows = source.take(wanted, min((d for d in due if d is not None), default=None), closing.ended)
            now = timing.clock.now()
            silent.heard(now, (name for name, _ in rows))
            if not rows and silence is not None:
                for name in silent.too_long(now, closing.waits_for()):
                    closing.idle(name)
        for name, (time, instant, atom) in rows:
            late = buffer.add(name, time, instant, atom)
            if late is not None:
                on_late(late)
        if timing.follows_clock and not source.lasting():
            now = timing.clock.now()
            for name in silent.quiet(now, closing):
                closing.passed(name, now)
        reached = closing.reached()
        if reached is not None and (closing.over is None or reached > closing.over):
            released = buffer.release()
            yield Arrived(reached, released, len(buffer) > 0)
    newest = buffer.newest()
    if newest is not None:
        yield Arrived(newest, buffer.release_up_to(newest))


def counting(count: LateCount, on_late: OnLateAtom | None) -> OnLateAtom:
    """A function that counts late facts, and hands them on."""

    def take(late: Late[Atom]) -> None:
        count.add(late, 1)
        if on_late is not None:
            on_late(late)

    return take


class _Silence:
    """How long sources have been silent, by the clock; `longest` is how long they may be."""

    def __init__(self, longest: int | None, now: int, sources: Iterable[str]) -> None:
        self._longest = longest
        self._begun = now
        self._heard = dict.fromkeys(sources, now)

    def heard(self, now: int, sources: Iterable[str]) -> None:
        for source in sources:
            self._heard[source] = now

    def next(self, sources: Iterable[str]) -> int | None:
        """When the first of these sources will have been silent for too long."""
        if self._longest is None:
            return None
        return min((self._heard[source] + self._longest for source in sources), default=None)

    def too_long(self, now: int, sources: Iterable[str]) -> list[str]:
        return [s for s in sources if self._longest is not None and now - self._heard[s] >= self._longest]

    def tick(self, closing: Closing) -> int:
        """When the clock closes the next time point, unless a fact comes shortly before."""
        following = closing.next_tick()
        quiet = max(self._heard.values()) + _pause(closing) if self._heard else self._begun
        return quiet if following is None else max(following, quiet)

    def quiet(self, now: int, closing: Closing) -> list[str]:
        """The sources for which the clock speaks: those that have brought nothing for a moment."""
        return [s for s in closing.known() if s == CLOCK or now - self._heard[s] >= _pause(closing)]


def _pause(closing: Closing) -> int:
    return min(closing.unit or 0, MOMENT)
