"""The facts of several streams in order of time, as soon as they can be in order (see `timeline.reorder`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lasing.connectors.feeds import Feed, Feeds
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.timeline.reorder import Late, Reorder
from lasing.timeline.timing import Timing

OnLateAtom = Callable[[Late[Atom]], None]

PROGRAM = "the program"
"""The source of the data in the program's own text."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """The facts of time points, in order, and the time point up to which everything is over."""

    until: int
    facts: list[tuple[int, list[Atom]]]


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
    silence = timing.silence()
    source = Feeds(streams, timing.clock, in_threads=silence is not None)
    silent = None if silence is None else _Silence(silence, timing.clock.now(), source.running())
    while names := source.running():
        awaited = closing.waits_for() or names
        if silent is None:
            rows = source.take(awaited, None, closing.ended)
        else:
            rows = source.take(list(dict.fromkeys([*awaited, *closing.resting()])), silent.next(awaited), closing.ended)
            now = timing.clock.now()
            silent.heard(now, (name for name, _ in rows))
            if not rows:
                for name in silent.too_long(now, closing.waits_for()):
                    closing.idle(name)
        for name, (time, instant, atom) in rows:
            late = buffer.add(name, time, instant, atom)
            if late is not None:
                on_late(late)
        reached = closing.reached()
        if reached is not None and (closing.over is None or reached > closing.over):
            yield Arrived(reached, buffer.release())
    newest = buffer.newest()
    if newest is not None:
        yield Arrived(newest, buffer.release_up_to(newest))


class _Silence:
    """How long sources have been silent, by the clock."""

    def __init__(self, longest: int, now: int, sources: Iterable[str]) -> None:
        self._longest = longest
        self._heard = dict.fromkeys(sources, now)

    def heard(self, now: int, sources: Iterable[str]) -> None:
        for source in sources:
            self._heard[source] = now

    def next(self, sources: Iterable[str]) -> int | None:
        """When the first of these sources will have been silent for too long."""
        return min((self._heard[source] + self._longest for source in sources), default=None)

    def too_long(self, now: int, sources: Iterable[str]) -> list[str]:
        return [source for source in sources if now - self._heard[source] >= self._longest]
