"""What the sources that cannot be asked twice have in common: they receive into a journal, and are read from there."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from time import monotonic

from lasing.connectors.live.journal import Received
from lasing.connectors.live.protocol import Arrivals, Position
from lasing.errors import Diagnostic, LasingError, fault, warn

_PATIENCE = 10.0
"""How many seconds to wait for threads that end."""


class ReceivingSource(ABC):
    """A source whose threads receive messages.

    The threads call `receive`, and acknowledge messages when it returns; `wait_for_room` before they take in more; and
    `report`, `fail` and `end`. Warnings and errors come out of `take`, in the thread that runs everything.
    """

    def __init__(self, place: str, journal: Received) -> None:
        self.place = place
        """What a message is called: its number follows. Such as "mqtt message "."""
        self._journal = journal
        self._failure: LasingError | None = None
        self._ended = False
        self._closed = threading.Event()
        self._findings: deque[Diagnostic] = deque()
        self._threads: list[threading.Thread] = []

    def start(self, position: Position | None) -> None:
        if position is not None and not isinstance(position, int):
            raise fault("E523", f"{position!r} is not a position of this source", note="was its format changed?")
        self._journal.seek(position)
        self.connect()
        self._warn()

    def take(self, most: int, wait: float) -> Arrivals | None:
        self._warn()
        until = monotonic() + wait
        while True:
            over = self._ended or self._failure is not None
            left = until - monotonic()
            first, found = self._journal.read(most, 0 if over else max(0.0, left))
            if found:
                places = [f"{self.place}{number + 1}" for number in range(first, first + len(found))]
                payloads = [entry.payload for entry in found]
                return Arrivals(payloads, first + len(found), places, [entry.arrived for entry in found])
            self._warn()
            if over and not self._journal.waiting():
                if self._failure is not None:
                    raise self._failure
                return None
            if monotonic() >= until:
                return None

    def finished(self) -> bool:
        return self._ended and self._failure is None and not self._journal.waiting()

    def settled(self, position: Position) -> None:
        if isinstance(position, int):
            self._journal.forget(position)

    def close(self) -> None:
        self._closed.set()
        self.disconnect()
        self._journal.wake()
        for thread in self._threads:
            thread.join(_PATIENCE)
        self._journal.close()
        self._warn()

    @abstractmethod
    def connect(self) -> None:
        """Start to receive, in threads (`in_thread`). Does not wait for the other side."""

    @abstractmethod
    def disconnect(self) -> None:
        """End what `connect` has started."""

    def in_thread(self, work: object, name: str) -> None:
        """Do something in a thread of its own. An error in it is the end of the source."""
        assert callable(work)

        def guarded() -> None:
            try:
                work()
            except LasingError as error:
                self.fail(error)
            except Exception as error:  # the runner must hear of a mistake of ours, or it would wait for ever
                if not self._closed.is_set():
                    self.fail(fault("E520", f"{name} stopped: {type(error).__name__}: {error}"))

        thread = threading.Thread(target=guarded, daemon=True, name=name)
        self._threads = [t for t in self._threads if t.is_alive()] + [thread]
        thread.start()

    def receive(self, payloads: list[bytes]) -> None:
        """Keep messages. When this returns, they may be acknowledged."""
        self._journal.append(payloads)

    def wait_for_room(self) -> bool:
        """Wait while too much has not been taken; False if the source was closed."""
        while not self._closed.is_set():
            if self._journal.has_room(0.2):
                return True
        return False

    def report(self, code: str, message: str, note: str = "") -> None:
        """Give a warning, with the next `take`."""
        self._findings.append(Diagnostic(code, message, note=note))

    def fail(self, error: LasingError) -> None:
        """Nothing more can come; `take` raises this after what has come."""
        if self._failure is None:
            self._failure = error
        self._journal.wake()

    def end(self) -> None:
        """Nothing more will come."""
        self._ended = True
        self._journal.wake()

    def _warn(self) -> None:
        found = []
        while self._findings:
            found.append(self._findings.popleft())
        warn(found)
