"""The states of a stream on Spark, read from its checkpoint by Spark's own reader of state stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lasing.errors import fault
from lasing.pipeline.config import Pipeline
from lasing.pipeline.kept import task_among
from lasing.pipeline.run import open_session, reasoning_of
from lasing.pipeline.sources import frames_of
from lasing.spark.hashing import spread_ids
from lasing.spark.state import ShardState
from lasing.spark.task import Task
from lasing.spark.travel import Shards


class SparkStates:
    """The batches of a stream on Spark, as far as Spark keeps them."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._spark = open_session(pipeline)
        self._checkpoint = pipeline.checkpoint
        reasoning = reasoning_of(pipeline)
        reasoning.warns = False
        self.now: Task = reasoning(frames_of(self._spark, pipeline)).task
        partitions = int(self._spark.conf.get("spark.sql.shuffle.partitions"))
        self._shards = {place: shard for shard, place in enumerate(spread_ids(self.now.shards, partitions))}

    def numbers(self) -> Sequence[int]:
        """The batches whose states are complete and still there."""
        jvm = self._spark._jvm
        commits = jvm.org.apache.hadoop.fs.Path(f"{self._checkpoint}/commits")
        files = commits.getFileSystem(self._spark._jsc.hadoopConfiguration())
        if not files.exists(commits):
            return []
        names = [status.getPath().getName() for status in files.listStatus(commits)]
        return sorted(int(name) for name in names if name.isdigit())

    def states(self, number: int) -> Shards:
        from py4j.protocol import Py4JError  # type: ignore[import-untyped]
        from pyspark.errors import PySparkException

        reader = self._spark.read.format("statestore").option("path", self._checkpoint).option("batchId", number)
        try:
            rows: Any = reader.load().select("key.place", "value.groupState.state").collect()
        except (PySparkException, Py4JError) as error:
            reason = str(error).strip().partition("\n")[0][:300]
            note = "Spark keeps the states of the last spark.sql.streaming.minBatchesToRetain batches"
            raise fault("E625", f"the states after batch {number} cannot be read: {reason}", note=note) from None
        return {self._shards[int(row.place)]: ShardState.from_bytes(bytes(row.state)) for row in rows}

    def task(self, states: Shards) -> Task:
        known = [self.now] if self.now.replaces is None else [self.now, self.now.replaces]
        return task_among(known, states)
