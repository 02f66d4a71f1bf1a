"""How a run treats time: how late facts may be, how long a source may be silent, and what the clock is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from lasing.errors import Diagnostic, LasingError, fault
from lasing.timeline.clock import Clock, WallClock
from lasing.timeline.delay import Delay, delay_of, silence_of
from lasing.timeline.reorder import Closing, Late

F = TypeVar("F")

Delays = Delay | Mapping[str, Delay]
"""How late a fact may be: the same for all sources, or for each source by its name."""


@dataclass(frozen=True, slots=True)
class Timing:
    """As the user gives it. `others` is the delay of sources that a dictionary of delays does not name."""

    delay: Delays
    idle: str | timedelta | None = None
    clock: Clock = field(default_factory=WallClock)
    others: Delay = 0
    follows_clock: bool = False
    """Whether time passes by the clock when no fact comes."""

    def closing(self, unit: int | None) -> Closing:
        """How sources close time points, if a time point has `unit` microseconds."""
        if isinstance(self.delay, Mapping):
            named = {name: delay_of(delay, unit) for name, delay in self.delay.items()}
            return Closing(delay_of(self.others, unit), unit, named)
        return Closing(delay_of(self.delay, unit), unit)

    def check_clock(self, unit: int | None) -> None:
        """Fail if the clock cannot be followed: it shows dates, so a time point must have a length."""
        if self.follows_clock and unit is None:
            raise no_tick()

    def silence(self) -> int | None:
        """How many microseconds a source may be silent before time goes on without it."""
        return None if self.idle is None else silence_of(self.idle)


def no_tick() -> LasingError:
    """The error for a clock in a program whose time points have no length."""
    message = "time cannot follow the clock: the program does not say how long a time point is"
    return fault("E503", message, note="add a tick to the program, such as: #tick 1 sec.")


def timing_of(delay: Delays | None, idle: str | timedelta | None, clock: Clock | None) -> Timing | None:
    """How late facts may be; None if they must come in order."""
    if delay is None and idle is not None:
        raise fault("E510", "idle= is about sources that facts wait for", note="give a delay=, such as 0, with it")
    return None if delay is None else Timing(delay, idle, clock or WallClock())


def called_with_late(on_late: F) -> F:
    """What is called with late facts, or None. Fails if it cannot be called, before anything is late."""
    if on_late is not None and not callable(on_late):
        raise fault("E510", f"on_late={on_late!r} cannot be called", note="such as: on_late=print")
    return on_late


@dataclass(slots=True)
class LateCount:
    """How many facts came too late, and by how much at most."""

    facts: int = 0
    most: int = 0

    def add(self, late: Late[Any], facts: int) -> None:
        self.facts += facts
        self.most = max(self.most, late.late_by)

    def warnings(self, note: str) -> list[Diagnostic]:
        """The numbers as a warning, if there are any."""
        if not self.facts:
            return []
        facts, points = (
            f"{n:,} {what}{'s'[: n != 1]}" for n, what in ((self.facts, "fact"), (self.most, "time point"))
        )
        return [Diagnostic("W208", f"left out: {facts} that came too late, by up to {points}", note=note)]
