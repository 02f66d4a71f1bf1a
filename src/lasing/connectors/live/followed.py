"""What following a file and following a folder have in common: look, wait a moment, look again."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod

from lasing.connectors.live.protocol import Arrivals, Position
from lasing.errors import Diagnostic, warn
from lasing.timeline.clock import Clock, WallClock

QUIET = 5.0
"""After how many seconds without a change a file that was replaced is taken to be finished."""
_LOOKS_EVERY = 0.1


class FollowedSource(ABC):
    """A source that is its own journal: its position says how far the files were read."""

    def __init__(self, follow: bool, quiet: float, clock: Clock | None) -> None:
        self._follow = follow
        self._quiet = int(quiet * 1e6)
        self._clock = clock or WallClock()
        self._done = False
        self._closed = threading.Event()

    @abstractmethod
    def start(self, position: Position | None) -> None: ...

    def take(self, most: int, wait: float) -> Arrivals | None:
        until = time.monotonic() + wait
        while True:
            if self._done:
                return None
            if (found := self.look(most)) is not None:
                return found
            left = until - time.monotonic()
            if left <= 0 or self._closed.wait(min(_LOOKS_EVERY, left)):
                return None

    def finished(self) -> bool:
        return self._done

    def settled(self, position: Position) -> None:  # noqa: B027 -- for all of these
        """Nothing is forgotten: files are not deleted by those who read them."""

    @abstractmethod
    def look(self, most: int) -> Arrivals | None:
        """What there is now."""

    @abstractmethod
    def close(self) -> None: ...

    def report(self, message: str, note: str = "") -> None:
        warn([Diagnostic("W212", message, note=note)])
