"""The end of a stream, as a Spark source: it stays silent until the driver announces that the stream has ended.

It also carries the change from one program to another: with the first batch of the new program, every shard is asked
to go on with the state that the old one left behind.

A query that reads everything available (`availableNow`) leaves the newest facts unevaluated, because more facts of the
same time might come. When no more will come, the driver writes a word to a file. This source then asks every shard to
evaluate the rest, in an ordinary batch of the query, so Spark's checkpoint records whether that has happened.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark import cloudpickle
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from lasing.spark.packing import NO_INPUT, PACKED, REPLACED


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
    """Options: `word`, the file; `places`, the numbers of the shards; `work`, which identifies the query; `replaces`,
    which identifies the query whose checkpoint it may continue from, empty if there is none.

    A checkpoint holds the window of one program, divided in one way. So the source's offset, which Spark stores in the
    checkpoint, names the work, and a query that tries to continue from another query's checkpoint is refused.
    """

    @classmethod
    def name(cls) -> str:
        return "lasing_end_of_stream"

    def schema(self) -> str:
        return PACKED

    def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:  # noqa: ARG002, N802 -- Spark's names
        places = [int(place) for place in self.options["places"].split(",")]
        return _Reader(Path(self.options["word"]), self.options["work"], self.options["replaces"], places)


class _Reader(SimpleDataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, word: Path, work: str, replaces: str, places: list[int]) -> None:
        self._word = word
        self._work = work
        self._replaces = replaces
        self._rows = [(place, NO_INPUT, 0, None, None, None) for place in places]
        self._changed = [(place, REPLACED, 0, None, None, None) for place in places]

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Nothing to prepare, but without this method Spark would put all files of the query into one batch."""

    def initialOffset(self) -> dict[str, str]:  # noqa: N802
        return {"word": "", "work": self._work}

    def read(self, start: dict[str, str]) -> tuple[Iterator[tuple[Any, ...]], dict[str, str]]:
        if start["work"] != self._work:
            if start["work"] == self._replaces:
                return iter(self._changed), {"word": start["word"], "work": self._work}
            from lasing.errors import fault  # only now, because it loads the package

            note = (
                "use a new checkpoint, or the program, view and number of shards that this one started with; to change "
                "the program, give the old one in the pipeline's file and the new one with --replace, or with "
                "replaces= in Python"
            )
            raise fault("E608", "the checkpoint belongs to another program, or to one with other shards", note=note)
        word = self._word.read_text() if self._word.exists() else ""
        if word in ("", start["word"]):
            return iter(()), start
        return iter(self._rows), {"word": word, "work": self._work}

    def readBetweenOffsets(self, start: dict[str, str], end: dict[str, str]) -> Iterator[tuple[Any, ...]]:  # noqa: N802
        if start["work"] != end["work"]:
            return iter(self._changed)
        return iter(self._rows if start != end else ())
