"""The sources of a pipeline in one process: files, messages from the network or standard input, and a steady rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.live.protocol import Arrivals, KnowsItsEnd, LiveSource
from lasing.pipeline.described import SourceConfig
from lasing.pipeline.formats import FILE_FORMATS, RATE_COLUMNS
from lasing.pipeline.local.checkpoints import Position
from lasing.pipeline.local.files import file_source
from lasing.pipeline.local.parts import Part, RowSource
from lasing.pipeline.local.reading import LineReader
from lasing.pipeline.local.wires import wired_source
from lasing.pipeline.schema import columns_of
from lasing.spark.tables import Numbers
from lasing.timeline.clock import Clock

ARRIVED = "timestamp"
"""The column that says when a message came, unless the message has a column of that name."""


def source_of(source: SourceConfig, journal: Path, clock: Clock, bad: BadRows) -> RowSource:
    """The source that a table of a pipeline's file describes; `journal` is the folder for what it receives."""
    if source.format in FILE_FORMATS:
        return file_source(source, bad)
    if source.format == "rate":
        return Rate(source.given.get("rows_per_second", 1), clock)
    return Messages(source, wired_source(source, journal), bad)


class Rate:
    """A steady number of rows per second: when each came, and its number from 0."""

    def __init__(self, rows_per_second: int, clock: Clock) -> None:
        self._every = 1_000_000 / rows_per_second
        self._clock = clock
        self._begun = 0
        self._number = 0
        self._live = True

    def columns(self) -> dict[str, str]:
        return RATE_COLUMNS

    def start(self, position: Position | None, live: bool) -> None:
        self._begun, self._number = position or (self._clock.now(), 0)
        self._live = live

    def take(self, most: int) -> Part | None:
        due = math.floor((self._clock.now() - self._begun) / self._every)
        until = min(due, self._number + most)
        if until <= self._number or not self._live:
            return None
        numbers = np.arange(self._number, until)
        instants = self._begun + np.floor((numbers + 1) * self._every).astype(np.int64)
        self._number = until
        times = pa.array(instants).cast(pa.timestamp("us", "UTC"))
        return Part(pa.table({"timestamp": times, "value": numbers}), [self._begun, until])

    def finished(self) -> bool:
        return not self._live

    def settled(self, position: Position) -> None:
        pass

    def close(self) -> None:
        pass


class Messages:
    """Messages of a live source, each with one row in JSON or CSV."""

    def __init__(self, source: SourceConfig, live: LiveSource, bad: BadRows) -> None:
        self._columns = columns_of(source.schema or "")
        self._payload = str(source.given.get("payload", "json"))
        self._reader = LineReader(source.name, self._columns, self._payload, bad)
        self._live = live
        self._stamped = source.time == ARRIVED and ARRIVED not in self._columns
        self._lasting = True
        self._guesses_end = False
        self._ended = False

    def columns(self) -> dict[str, str]:
        return {**({ARRIVED: "timestamp"} if self._stamped else {}), **self._columns}

    def start(self, position: Position | None, live: bool) -> None:
        self._lasting = live
        self._guesses_end = not live and not isinstance(self._live, KnowsItsEnd)
        if not live and isinstance(self._live, KnowsItsEnd):
            self._live.until_now()
        self._live.start(position)

    def take(self, most: int) -> Part | None:
        arrivals = self._live.take(most, 0.0 if self._lasting else 1.0)
        if arrivals is None:
            self._ended = self._guesses_end  # nothing came for a moment, so this is all that is there now
            return None
        payloads = arrivals.payloads
        if self._payload == "json":  # a message may be laid out over several lines
            payloads = [p.replace(b"\n", b" ") if b"\n" in p else p for p in payloads]
        else:
            payloads = [p.rstrip(b"\r\n").replace(b"\n", b"\\n") for p in payloads]
        places = arrivals.places
        table, kept = self._reader.read(payloads, lambda at: (places[at], 0))
        if self._stamped:
            table = table.add_column(0, ARRIVED, self._instants(arrivals, payloads, kept))
        return Part(table, arrivals.position)

    def _instants(self, arrivals: Arrivals, payloads: Sequence[bytes], kept: Numbers | None) -> Any:
        """When the messages of the rows came."""
        assert arrivals.arrived is not None, "sources of messages know that"
        given = [at for at, payload in enumerate(payloads) if payload.strip()]
        rows = given if kept is None else np.asarray(given)[kept]
        instants = np.asarray(arrivals.arrived, np.int64)[rows]
        return pa.array(instants).cast(pa.timestamp("us", "UTC"))

    def finished(self) -> bool:
        return self._ended or self._live.finished()

    def settled(self, position: Position) -> None:
        self._live.settled(position)

    def close(self) -> None:
        self._live.close()
