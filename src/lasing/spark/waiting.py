"""Warn of inputs for which others wait: without that, a stream that stands still looks like one without facts."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

from lasing.errors import Diagnostic, LasingWarning, render

PATIENCE = 3
"""For how many batches in a row an input may keep others waiting before there is a warning."""

_listening: WeakSet[Any] = WeakSet()
"""The sessions that have a listener."""


class Waiting:
    """Counts the batches in which an input kept others waiting, and warns of it once."""

    def __init__(self, kind: str, note: str) -> None:
        self._kind = kind
        self._note = note
        self._batches: dict[str, int] = {}
        self._warned: set[str] = set()

    def batch(self, events: int, waiting_for: Iterable[str], until: object) -> None:
        """A batch of some events is done."""
        if not events:  # the end of a stream waits for nobody
            return
        self._batches = {name: self._batches.get(name, 0) + 1 for name in waiting_for}
        for name, batches in self._batches.items():
            if batches >= PATIENCE and name not in self._warned:
                self._warned.add(name)
                since = "at all" if until in (None, "") else f"since {until}"
                message = f"everything waits for {self._kind} {name}, which has brought no fact {since}"
                found = Diagnostic("W603", message, note=self._note.format(name=name))
                warnings.warn(render([found]), LasingWarning, stacklevel=3)


def warn_of_waiting(spark: Any) -> None:
    """Let the queries of a session warn of inputs for which others wait."""
    if spark in _listening:
        return
    from pyspark.sql.streaming.listener import StreamingQueryListener

    queries: dict[str, Waiting] = {}

    class Listener(StreamingQueryListener):
        def onQueryStarted(self, event: Any) -> None:  # noqa: N802 -- Spark's names
            queries[str(event.runId)] = Waiting("input", 'if it may be silent, say so: idle={{"{name}": "5 min"}}')

        def onQueryProgress(self, event: Any) -> None:  # noqa: N802
            figures = event.progress.observedMetrics.get("lasing")
            if figures is not None:
                names = json.loads(figures["waiting_for"] or "[]")
                queries[str(event.progress.runId)].batch(figures["events"] or 0, names, figures["until"])

        def onQueryIdle(self, event: Any) -> None:  # noqa: N802
            pass

        def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
            queries.pop(str(event.runId), None)

    spark.streams.addListener(Listener())
    _listening.add(spark)
