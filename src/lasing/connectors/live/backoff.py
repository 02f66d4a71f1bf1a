"""Waiting between attempts: longer each time, and never exactly as long as everyone else."""

from __future__ import annotations

import random
from collections.abc import Callable
from threading import Condition

from lasing.timeline.clock import Clock, WallClock

FIRST = 0.5
LONGEST = 60.0


class Backoff:
    """Pauses of about 0.5 s, 1 s, 2 s, … up to a minute, each shortened by chance by up to a half.

    Chance keeps a thousand clients of a server that was down from all coming back at the same moment. `stop`, from
    another thread, ends a pause and all later ones.

    >>> backoff = Backoff(chance=lambda: 0.0)
    >>> [backoff.next_pause() for _ in range(9)]
    [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    >>> backoff.succeeded()
    >>> backoff.next_pause()
    0.5
    """

    def __init__(
        self,
        clock: Clock | None = None,
        first: float = FIRST,
        longest: float = LONGEST,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._clock = clock or WallClock()
        self._first, self._longest, self._chance = first, longest, chance
        self._failures = 0
        self._stopped = False
        self._changed = Condition()

    @property
    def failures(self) -> int:
        """How many attempts in a row have failed."""
        return self._failures

    @property
    def stopped(self) -> bool:
        return self._stopped

    def next_pause(self) -> float:
        """After another failure: how many seconds to wait."""
        whole: float = min(self._longest, self._first * 2.0 ** min(self._failures, 60))
        self._failures += 1
        return whole * (1 - self._chance() / 2)

    def succeeded(self) -> None:
        """The next pause is short again."""
        self._failures = 0

    def pause(self, least: float = 0.0) -> bool:
        """Wait after a failure, at least for some seconds; whether to try again."""
        return self.wait(max(least, self.next_pause()))

    def wait(self, seconds: float) -> bool:
        """Wait for some seconds, unless stopped; whether to go on."""
        with self._changed:
            begun = self._clock.now()
            while not self._stopped:
                now = self._clock.now()
                begun = min(begun, now)  # the clock may be set back
                until = begun + int(seconds * 1e6)
                if now >= until:
                    return True
                self._clock.wait(self._changed, until)
            return False

    def stop(self) -> None:
        """Do not try again."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
