"""Streams on Spark: reasoning, compared with pipelines that do not reason and with Spark's own join.

The identity is the same pipeline with the reasoner replaced: the same packing, shards, state store and files, but a
shard returns its input. Plain Spark copies the files. Each rate is over all batches but a run's first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lasing.bench.measuring.records import Cell
from lasing.bench.spark.cells import IDENTITY, JOIN, OURS, PLAIN, Settings, rated
from lasing.bench.spark.session import WINDOW, Bench, rule, shared

NAME = "spark-stream"


@dataclass(frozen=True)
class Streams:
    """The events in a batch, and the batches in a run; numbers of shards; turns.

    The main setting gets more batches, more turns, and a comparison with Spark's own join.
    """

    batches: Mapping[int, int]
    shards: tuple[int, ...]
    turns: int
    main: tuple[int, int]
    main_batches: int
    main_turns: int
    join_batches: int
    contenders: tuple[str, ...] = (OURS, IDENTITY, PLAIN, JOIN)

    @property
    def settings(self) -> Settings:
        return {"batch": self.main[0], "shards": self.main[1]}

    def count(self) -> int:
        return 3 * len(self.batches) * len(self.shards) + (self.main[0] in self.batches)

    def cells(self) -> Iterator[Cell]:
        bench = shared()
        warm_up(bench)
        for batch, batches in self.batches.items():
            others = tuple(shards for shards in self.shards if (batch, shards) != self.main)
            if others:
                yield from self._of_a_batch(bench, batch, batches, others, self.turns)
            if batch == self.main[0]:
                yield from self._of_a_batch(bench, batch, self.main_batches, self.main[1:], self.main_turns)
                yield self._join(bench)

    def _of_a_batch(
        self, bench: Bench, batch: int, batches: int, shards: tuple[int, ...], turns: int
    ) -> Iterator[Cell]:
        """All contenders in turns. A copy has no shards, so it runs once per turn."""
        folder = bench.events(batch, batches)
        copied: list[float] = []
        rates: dict[tuple[str, int], list[float]] = {}
        results: dict[int, tuple[int, int]] = {}
        for _ in range(turns):
            copied.append(_rate(bench, batch, bench.stream(folder)))
            for number in shards:
                bench.partitions(number)
                same = rates.setdefault((IDENTITY, number), [])
                same.append(_rate(bench, batch, identity(bench, folder, number)))
                ours = rates.setdefault((OURS, number), [])
                ours.append(_rate(bench, batch, reasoned(bench, folder, number)))
                results[number] = _results(bench)
        for number in shards:
            settings = {"batch": batch, "shards": number}
            ours = rates[OURS, number]
            begun, holding = results[number]
            note = f"{begun / (batch * batches):.2f} results for each event"
            yield rated(NAME, OURS, settings, ours, ours, holding, note)
            yield rated(NAME, IDENTITY, settings, rates[IDENTITY, number], ours)
            yield rated(NAME, PLAIN, settings, copied, ours, note="a copy, without shards")

    def _join(self, bench: Bench) -> Cell:
        """Spark's own join, which is slow, and one more run of ours."""
        batch, shards = self.main
        folder = bench.events(batch, self.join_batches)
        bench.partitions(shards)
        ours = _rate(bench, batch, reasoned(bench, folder, shards))
        join = _rate(bench, batch, spark_join(bench, folder))
        note = "pairs of events, without the times at which they begin and cease to hold"
        return rated(NAME, JOIN, self.settings, [join], [ours], note=note)


def warm_up(bench: Bench) -> None:
    """Let the JVM and the workers load what they need."""
    folder = bench.events(2_000, 2)
    bench.partitions(2)
    for frame in (bench.stream(folder), reasoned(bench, folder, 2)):
        bench.run(frame)


def _rate(bench: Bench, batch: int, frame: Any) -> float:
    seconds = bench.run(frame)
    return batch * len(seconds) / sum(seconds) / 1000


def _results(bench: Bench) -> tuple[int, int]:
    """The number of results that began to hold in the last run, and the number that hold at its end."""
    import pyarrow.dataset as ds

    changes = np.asarray(ds.dataset(bench.out, exclude_invalid_files=True).to_table(["change"])["change"])
    return int((changes > 0).sum()), int(changes.sum(dtype=np.int64))


def reasoned(bench: Bench, folder: str, shards: int) -> Any:
    """The stream of the rule's changes."""
    import lasing.spark

    return bench.stream(folder).transform(lasing.spark.reason(rule(), "p", "q", view="changes", shards=shards))


def identity(bench: Bench, folder: str, shards: int) -> Any:
    """The pipeline of `reasoned`, but a shard returns its input."""
    from lasing.spark import streaming

    real = streaming.shard_function

    def replaced(task: Any, places: Any) -> Callable[..., Iterator[Any]]:
        return real(task, places, _input_as_output)

    streaming.shard_function = replaced  # type: ignore[assignment]
    try:
        return reasoned(bench, folder, shards)
    finally:
        streaming.shard_function = real


def _input_as_output(_task: Any, _shard: int, _state: Any, arrived: list[Any], *_when: Any) -> Any:
    import pyarrow as pa

    from lasing.spark.shard import BatchResult
    from lasing.spark.state import ShardState

    output = BatchResult(ShardState(0, 0, 0, token="identity"))
    facts = [part.facts for part in arrived if part.facts is not None]
    if facts:
        table = pa.concat_tables(facts).rename_columns(["time", "K", "A", "C"])
        output.tables["q"] = table.append_column("change", pa.array(np.ones(table.num_rows, np.int8)))
    return output


def spark_join(bench: Bench, folder: str) -> Any:
    """Spark's own stream-stream join of the events with themselves, within the window."""
    from pyspark.sql import functions as f

    def side(name: str) -> Any:
        stream = bench.stream(folder).withColumn("ts", f.timestamp_seconds("time")).withWatermark("ts", "0 seconds")
        return stream.select(*(f.col(c).alias(f"{name}_{c}") for c in ("ts", "k", "a", "b")))

    within = f"interval {WINDOW} seconds"
    apart = f.expr(f"l_ts >= r_ts - {within} AND l_ts <= r_ts + {within}")
    keys = (f.col("l_k") == f.col("r_k")) & (f.col("l_b") == f.col("r_a")) & apart
    return side("l").join(side("r"), keys).select("l_ts", "r_ts", "l_k", "l_a", "r_b")
