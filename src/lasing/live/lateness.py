"""Facts that are pushed out of order: a buffer in front of an engine that puts them in order, source by source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lasing.connectors.arrow import table_of
from lasing.connectors.rows import time_of
from lasing.errors import fault, similar
from lasing.live.cores import Facts
from lasing.live.reference import atoms_of
from lasing.live.snapshots import WaitingState
from lasing.logic.program import Fact, Program
from lasing.timeline.reorder import Late, Reorder
from lasing.timeline.ticks import Instant
from lasing.timeline.timing import Timing

ONLY = ""
"""The name of the source of a push that names none."""


@dataclass(slots=True)
class Waiting:
    """Facts that wait; `encoded` if the engine has begun, so that they are encoded only once."""

    facts: Facts
    encoded: Any = None


class Lateness:
    """Says which pushes are too late, and releases the others in order."""

    def __init__(self, timing: Timing, program: Program) -> None:
        tick = program.tick
        self._last = Instant()
        self._tick = None if tick is None else replace(tick, last=self._last)
        self.unit = None if tick is None else tick.microseconds
        self._clock = timing.clock
        self._idle = timing.silence()
        self._heard: dict[str, int] = {}
        self.is_named = isinstance(timing.delay, Mapping)
        """Whether sources are known by name."""
        self.closing = timing.closing(self.unit)
        self.closing.expect(self.closing.delays)
        self.buffer = Reorder[Waiting](self.closing)

    def point(self, time: Any) -> tuple[int, int]:
        """The time point and the instant of a push."""
        point = time_of(time, self._tick)
        return point, point if self.unit is None else self._last.within(point, self.unit)

    def check_source(self, source: str) -> None:
        """Fail if the sources are known by name, and this is none of them."""
        if not self.is_named or source in self.closing.delays:
            return
        names = list(self.closing.delays)
        what = f"there is no source {source!r}" if source else "this push does not say which source it is from"
        note = similar(source, names) or f"the engine's delay= names {', '.join(names)}: push(…, source={names[0]!r})"
        raise fault("E510", what, note=note)

    def add(self, source: str, point: int, instant: int, waiting: Waiting) -> Late[Facts] | None:
        """Take facts in, or return them if they are too late."""
        if self._idle is not None:
            self._hear(source)
        closed = self.closing.came(source, instant)
        if not waiting.facts:  # only the time of the source
            return None
        if closed is not None and point <= closed:
            return Late(source, point, closed, waiting.facts)
        self.buffer.keep(source, point, waiting)
        return None

    def waits_up_to(self, point: int) -> bool:
        """Whether a fact waits for a time point up to this one."""
        return next((time <= point for _, time, _ in self.buffer.items()), False)

    def judge(self, source: str, point: int, instant: int, facts: Facts) -> Late[Facts] | None:
        """Return facts if they are too late; those that are in time do not wait."""
        if self._idle is not None:
            self._hear(source)
        closed = self.closing.came(source, instant)
        is_late = closed is not None and point <= closed and len_of(facts)
        return Late(source, point, closed, facts) if is_late and closed is not None else None

    def add_together(
        self, source: str, parts: Mapping[int, list[tuple[object, ...]]], instant: int | None
    ) -> list[Late[Facts]]:
        """Take in facts that came together, by time point: none of them is late because of another."""
        if self._idle is not None:
            self._hear(source)
        closed, late = self.closing.closed(source), list[Late[Facts]]()
        for point, facts in parts.items():
            if closed is not None and point <= closed:
                late.append(Late(source, point, closed, facts))
            else:
                self.buffer.keep(source, point, Waiting(facts))
        if instant is not None:
            self.closing.came(source, instant)
        return late

    def put(self, waiting: Iterable[tuple[str, int, Waiting]]) -> None:
        """Put facts in the place of all that wait: those of sources, at time points."""
        self.buffer = Reorder[Waiting](self.closing)
        for source, time, facts in waiting:
            self.buffer.keep(source, time, facts)

    def state(self, arity: Mapping[str, int]) -> WaitingState:
        """What waits, and what is closed, for a snapshot."""
        facts = [
            (source, Fact(time, atom))
            for source, time, waiting in self.buffer.items()
            for atom in atoms_of(waiting.facts, arity)
        ]
        return WaitingState(self.closing.over, self.closing.all_closed(), facts)

    def restore(self, state: WaitingState) -> None:
        """Continue from a snapshot."""
        self.closing.move(state.over)
        for source, closed in state.closed.items():
            self.check_source(source)
            self.closing.close(source, closed)
        for source, (time, atom) in state.facts:
            self.buffer.keep(source, time, Waiting([(atom.predicate, *atom.args)]))

    def _hear(self, source: str) -> None:
        """Note that a source speaks, and which others have been silent for too long."""
        now = self._clock.now()
        self._heard[source] = now
        for other in self.closing.known():
            self._heard[other] = min(self._heard.get(other, now), now)  # the clock may have been set back
            if self._idle is not None and now - self._heard[other] >= self._idle:
                self.closing.idle(other)


def len_of(facts: Facts) -> int:
    """How many facts there are, as tuples or in data frames."""
    if isinstance(facts, list):
        return len(facts)
    if isinstance(facts, Mapping):
        return sum(table_of(frame, str(name)).num_rows for name, frame in facts.items())
    return len(facts)  # type: ignore[arg-type]  # they have been checked
