"""Warn about inputs that keep others waiting: without a warning, a stalled stream looks like one without facts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from lasing.errors import Diagnostic, LasingWarning, render

PATIENCE = 3
"""How many batches in a row an input may keep others waiting before there is a warning."""


class Waiting:
    """Counts the batches in which an input kept others waiting, and warns about it once."""

    def __init__(self, kind: str, note: str) -> None:
        self._kind = kind
        self._note = note
        self._batches: dict[str, int] = {}
        self._warned: set[str] = set()

    def batch(self, events: int, waiting_for: Iterable[str], until: object) -> None:
        """A batch with this many events is done."""
        if not events:  # at the end of a stream nothing waits
            return
        self._batches = {name: self._batches.get(name, 0) + 1 for name in waiting_for}
        for name, batches in self._batches.items():
            if batches >= PATIENCE and name not in self._warned:
                self._warned.add(name)
                since = "at all" if until in (None, "") else f"since {until}"
                message = f"everything waits for {self._kind} {name}, which has brought no fact {since}"
                found = Diagnostic("W603", message, note=self._note.format(name=name))
                warnings.warn(render([found]), LasingWarning, stacklevel=3)
