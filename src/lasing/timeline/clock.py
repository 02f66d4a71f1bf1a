"""Clocks: the wall clock, and one that is turned by hand, for tests."""

from __future__ import annotations

import time
from threading import Condition
from typing import Protocol
from weakref import WeakSet


class Clock(Protocol):
    """Says what time it is, in microseconds from 1970-01-01 UTC, and waits."""

    def now(self) -> int: ...

    def wait(self, changed: Condition, until: int | None) -> None:
        """Wait until someone notifies the condition, which the caller holds, or until the clock shows a time. It may
        return early."""


class WallClock:
    """The clock of the machine."""

    def now(self) -> int:
        return time.time_ns() // 1_000

    def wait(self, changed: Condition, until: int | None) -> None:
        changed.wait(None if until is None else max(0.0, (until - self.now()) / 1e6))


class TurnedClock:
    """A clock that stands still until someone turns it.

    >>> clock = TurnedClock(5)
    >>> clock.turn_to(7)
    >>> clock.now()
    7
    """

    def __init__(self, now: int = 0) -> None:
        self._now = now
        self._waiting: WeakSet[Condition] = WeakSet()

    def now(self) -> int:
        return self._now

    def wait(self, changed: Condition, until: int | None) -> None:
        self._waiting.add(changed)
        if until is None or self._now < until:
            changed.wait()

    def turn_to(self, now: int) -> None:
        """Let the clock show another time, and wake up everyone who waits for it."""
        self._now = now
        for changed in list(self._waiting):
            with changed:
                changed.notify_all()
