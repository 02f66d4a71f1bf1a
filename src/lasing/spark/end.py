"""The end of a stream, and the clock, as a Spark source: it stays silent until there is something to say to all shards.

A query that reads everything available (`availableNow`) leaves the newest facts unevaluated, because more facts of the
same time might come. When no more will come, the driver writes a word to a file. This source then asks every shard to
evaluate the rest, in an ordinary batch of the query, so Spark's checkpoint records whether that has happened.

Where time follows the clock, the source speaks whenever another time point is over. The instant is part of the offset,
which Spark logs before it runs a batch. So there is a batch although no fact comes, and a batch that runs again after
a failure sees the same time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark import cloudpickle
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from lasing.spark.packing import CLOCK, NO_INPUT, PACKED

Rows = Iterator[tuple[Any, ...]]
Offset = dict[str, str]


def register(spark: Any) -> None:
    """Make the source known to Spark.

    Spark starts a process for it with every query. It gets the code itself, not its name, so that it need not load the
    whole package, with the kernels, which takes a second.
    """
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    try:
        spark.dataSource.register(EndOfStream)
    finally:
        cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]


class EndOfStream(DataSource):
    """Options: `word`, the file; `places`, the numbers of the shards; `work`, which identifies the query. For a query
    that follows the clock also `tick`, the microseconds of a time point, `delay`, which the clock is behind by, and
    `clock`, a file with the time for tests.

    A checkpoint holds the window of one program, divided in one way. So the source's offset, which Spark stores in the
    checkpoint, names the work, and a query that tries to continue from another query's checkpoint is refused.
    """

    @classmethod
    def name(cls) -> str:
        return "lasing_end_of_stream"

    def schema(self) -> str:
        return PACKED

    def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:  # noqa: ARG002, N802 -- Spark's names
        given = self.options
        places = [int(place) for place in given["places"].split(",")]
        ticks = None
        if "tick" in given:
            ticks = Ticks(int(given["tick"]), int(given["delay"]), Path(given["clock"]) if given.get("clock") else None)
        return _Reader(Path(given["word"]), given["work"], places, ticks)


class Ticks:
    """Says what time it is whenever another time point is over: by the clock of the machine, or by a file."""

    def __init__(self, tick: int, delay: int, file: Path | None) -> None:
        self._tick = tick
        self._delay = delay
        self._file = file

    def after(self, before: str) -> str:
        """The time, or what it was `before` if no time point has ended since then. It never goes back."""
        if self._file is None:
            now = time.time_ns() // 1000
        elif text := self._file.read_text().strip() if self._file.exists() else "":
            now = int(text)
        else:
            return before
        return str(now) if not before or self._over(now) > self._over(int(before)) else before

    def _over(self, now: int) -> int:
        return (now - self._delay) // self._tick


class _Reader(SimpleDataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, word: Path, work: str, places: list[int], ticks: Ticks | None) -> None:
        self._word = word
        self._work = work
        self._places = places
        self._ticks = ticks

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """A query that reads what is there and stops does not wait for the clock. Without this method, Spark would put
        all files of the query into one batch."""
        self._ticks = None

    def initialOffset(self) -> Offset:  # noqa: N802
        return {"word": "", "work": self._work}

    def read(self, start: Offset) -> tuple[Rows, Offset]:
        if start["work"] != self._work:
            from lasing.errors import fault  # only now, because it loads the package

            note = "use a new checkpoint, or the program, view and number of shards that this one started with"
            raise fault("E608", "the checkpoint belongs to another program, or to one with other shards", note=note)
        word = self._word.read_text() if self._word.exists() else ""
        end = {**start, "word": word or start["word"]}
        if self._ticks is not None and (now := self._ticks.after(start.get("clock", ""))):
            end["clock"] = now
        return self.readBetweenOffsets(start, end), end

    def readBetweenOffsets(self, start: Offset, end: Offset) -> Rows:  # noqa: N802
        said = []
        if end["word"] != start["word"]:
            said.append((NO_INPUT, 0))
        if end.get("clock", "") != start.get("clock", ""):
            said.append((CLOCK, int(end["clock"])))
        return iter([(place, kind, number, None, None, None, None) for place in self._places for kind, number in said])
