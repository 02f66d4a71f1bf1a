"""One Spark session for all experiments, with files of events, and queries that are timed batch by batch."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from lasing.engine_choice import load_kernels
from lasing.errors import LasingError

WINDOW = 20
A_POINT = 1_000
"""The number of events at a time point."""
KEYS_A_POINT = 250
VALUES = 8
FILES_A_BATCH = 2
SCHEMA = "time bigint, k bigint, a bigint, b bigint"


def rule(window: int = WINDOW) -> str:
    """The join with a key."""
    return f"q(K, A, C) :- p(K, A, B) in [{window}], p(K, B, C) in [{window}]."


@cache
def missing() -> str:
    """Why Spark cannot be measured here; empty if it can."""
    absent = [name for name in ("pyspark", "pandas") if find_spec(name) is None]
    if absent:
        return f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not installed"
    from lasing.spark.java import provide_java

    try:
        provide_java()
    except LasingError as error:
        return error.diagnostics[0].message
    return ""


@dataclass
class Bench:
    """A session, and a folder for events, outputs and checkpoints."""

    spark: Any
    folder: Path
    close: Callable[[], None] = field(default=lambda: None)

    def events(self, batch: int, batches: int, window: int = WINDOW) -> str:
        """A folder with files of events in the order of time: `batches` files of `batch` events.

        The number of keys is such that each event yields about one result, whatever the window.
        """
        folder = self.folder / f"events-{batch}-{batches}-{window}"
        if not folder.exists():
            write_events(folder, batch, batches, KEYS_A_POINT * window)
        return str(folder)

    def stream(self, folder: str) -> Any:
        """The events as they arrive, a batch at a time."""
        return self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", FILES_A_BATCH).parquet(folder)

    @property
    def out(self) -> str:
        """The folder for outputs."""
        return str(self.folder / "out")

    def partitions(self, number: int) -> None:
        """Set the number of shuffle partitions."""
        self.spark.conf.set("spark.sql.shuffle.partitions", number)

    def run(self, frame: Any) -> list[float]:
        """Run a stream from files to files: the seconds of each batch but the first, in which everything starts."""
        checkpoint = self.folder / "checkpoint"
        for written in (self.out, checkpoint):
            shutil.rmtree(written, ignore_errors=True)
        writer = frame.writeStream.format("parquet").option("path", self.out)
        query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
        try:
            query.awaitTermination()
            progress = [p for p in query.recentProgress if p["numInputRows"]]
        finally:
            query.stop()
        return [p["batchDuration"] / 1000 for p in progress[1:]]


def write_events(folder: Path, batch: int, batches: int, keys: int) -> None:
    """Write files of events in the order of time, `FILES_A_BATCH` for each batch."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    chance = np.random.default_rng(1)
    a_file = batch // FILES_A_BATCH
    for i in range(batches * FILES_A_BATCH):
        columns = {
            "time": np.arange(i * a_file, (i + 1) * a_file) // A_POINT,
            "k": chance.integers(0, keys, a_file),
            "a": chance.integers(0, VALUES, a_file),
            "b": chance.integers(0, VALUES, a_file),
        }
        path = folder / f"{i:04}.parquet"
        pq.write_table(pa.table(columns), path)
        os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))  # Spark takes files in the order of their times


_open: list[Bench] = []


def shared() -> Bench:
    """The bench of all experiments: opened on first use, closed by `close` or at the end of the process."""
    if not _open:
        _open.append(_opened())
        atexit.register(close)
    return _open[0]


def close() -> None:
    """Stop Spark, if it runs for experiments, and remove everything they wrote."""
    while _open:
        _open.pop().close()
    atexit.unregister(close)


def _opened() -> Bench:
    """Our own session, or the one that is running, which is then left running and unchanged."""
    from pyspark.sql import SparkSession

    import lasing
    import lasing.spark

    load_kernels()  # otherwise each worker would compile the kernels
    running = SparkSession.getActiveSession()
    session = running or lasing.spark.session("local[*]", "lasing bench", {"spark.driver.memory": "3g"})
    setting = int(session.conf.get("spark.sql.shuffle.partitions") or 0)
    folder = tempfile.TemporaryDirectory(prefix="lasing-bench-", ignore_cleanup_errors=True)

    def closed() -> None:
        if running is None:
            session.stop()
        else:
            session.conf.set("spark.sql.shuffle.partitions", setting)
        folder.cleanup()

    return Bench(session, Path(folder.name), closed)
