"""Standard input as a live source: lines, as they come."""

from __future__ import annotations

import os
import select
import sys

from lasing.connectors.live.journal import Received
from lasing.connectors.live.lines import Lines
from lasing.connectors.live.received import ReceivingSource

_BLOCK = 1 << 16


class StandardInput(ReceivingSource):
    """Ends with its input. Here a last line without an end is a line, as in a file."""

    def __init__(self, journal: Received, descriptor: int | None = None) -> None:
        super().__init__("standard input:", journal)
        self._descriptor = descriptor

    def connect(self) -> None:
        if self._descriptor is None:
            self._descriptor = sys.stdin.fileno()
        self.in_thread(self._read, "reads standard input")

    def disconnect(self) -> None:
        """The thread notices by itself."""

    def _read(self) -> None:
        assert self._descriptor is not None
        lines = Lines("standard input")
        while self.wait_for_room():
            if not select.select([self._descriptor], [], [], 0.2)[0]:
                continue
            raw = os.read(self._descriptor, _BLOCK)
            if not raw:
                break
            if found := lines.add(raw):
                self.receive(found)
        if not self._closed.is_set():
            if rest := lines.rest():
                self.receive([rest])
            self.end()
