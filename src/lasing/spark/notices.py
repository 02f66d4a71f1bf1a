"""Warnings of running queries: about inputs that keep others waiting, rows that lack a value, and inconsistent data."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

from lasing.connectors.bad_rows import BadRow
from lasing.connectors.missing import warnings_of
from lasing.entailment.contradictions import Contradiction
from lasing.errors import LasingWarning, render
from lasing.spark.bad_rows import first_of, warning
from lasing.spark.waiting import Waiting

TO_CHOOSE = 'to stop there, missing="error"; to use a value instead, missing=VALUE'

TO_SEE_BAD = "the result's `bad` has them; to stop there, bad_rows='stop'"

_listening: WeakSet[Any] = WeakSet()
"""The sessions that have a listener."""


class LeftOut:
    """Counts the rows of a query that lack a value. It warns about the first ones, and about all of them at the end."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._warned: Counter[tuple[str, str]] = Counter()
        self._bad: dict[str, tuple[BadRow, int]] = {}
        self._warned_of_bad: Counter[str] = Counter()

    def batch(self, missing: str | None, bad: str | None = None) -> None:
        """A batch is done; `missing` has the number of rows that lacked a value, as JSON by input and column, and `bad`
        that of bad rows, by input."""
        for predicate, about in json.loads(bad or "{}").items():
            first, number = self._bad.get(predicate, (first_of(about), 0))
            self._bad[predicate] = first, number + about["number"]
            if not number:
                self._warn_of_bad([predicate])
        for predicate, columns in json.loads(missing or "{}").items():
            self._counts.update({(predicate, column): count for column, count in columns.items()})
        self._warn({key: count for key, count in self._counts.items() if key not in self._warned})

    def end(self) -> None:
        """The query has ended."""
        self._warn_of_bad([p for p, (_, number) in self._bad.items() if number != self._warned_of_bad[p]])
        self._warn({key: count for key, count in self._counts.items() if count != self._warned[key]})

    def _warn_of_bad(self, predicates: Iterable[str]) -> None:
        for predicate in predicates:
            first, number = self._bad[predicate]
            self._warned_of_bad[predicate] = number
            warnings.warn(render([warning(predicate, number, first, TO_SEE_BAD)]), LasingWarning, stacklevel=3)

    def _warn(self, counts: dict[tuple[str, str], int]) -> None:
        self._warned.update({key: count - self._warned[key] for key, count in counts.items()})
        for found in warnings_of(counts, TO_CHOOSE):
            warnings.warn(render([found]), LasingWarning, stacklevel=3)


class Inconsistencies:
    """Warns once about inconsistent data that a query has met."""

    def __init__(self) -> None:
        self._warned = False

    def batch(self, found: str | None) -> None:
        """A batch is done; `found` is the inconsistent data that it met, as JSON."""
        if found is not None and not self._warned:
            self._warned = True
            warnings.warn(render([*Contradiction.from_json(found).findings()]), LasingWarning, stacklevel=3)


def listen(spark: Any) -> None:
    """Issue warnings for the queries of a session."""
    if spark in _listening:
        return
    from pyspark.sql.streaming.listener import StreamingQueryListener

    queries: dict[str, tuple[Waiting, LeftOut, Inconsistencies]] = {}

    class Listener(StreamingQueryListener):
        def onQueryStarted(self, event: Any) -> None:  # noqa: N802 -- Spark's names
            waiting = Waiting("input", 'if it may be silent, say so: idle={{"{name}": "5 min"}}')
            queries[str(event.runId)] = waiting, LeftOut(), Inconsistencies()

        def onQueryProgress(self, event: Any) -> None:  # noqa: N802
            figures = event.progress.observedMetrics.get("lasing")
            if figures is not None and figures["warns"]:  # a pipeline in the same session warns by itself
                waiting, left_out, inconsistencies = queries[str(event.progress.runId)]
                names = json.loads(figures["waiting_for"] or "[]")
                waiting.batch(figures["events"] or 0, names, figures["reached"])
                left_out.batch(figures["missing"], figures["bad"])
                inconsistencies.batch(figures["inconsistent"])

        def onQueryIdle(self, event: Any) -> None:  # noqa: N802
            pass

        def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
            if ended := queries.pop(str(event.runId), None):
                ended[1].end()

    spark.streams.addListener(Listener())
    _listening.add(spark)
