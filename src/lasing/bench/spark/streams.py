"""Streams on Spark: reasoning beside pipelines that do not reason, and beside Spark's own join.

The identity is the same pipeline with the reasoner replaced: the same packing, shards, state store and files, and what
a shard is given is what it tells. Plain Spark copies the files. Each rate is that of all batches but a run's first.
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
    """Batches of so many events, and how many of them a run has; numbers of shards; turns.

    The main one of the settings is given more batches, more turns, and Spark's own join beside it.
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
        """All contenders in turns. A copy has no shards: it is made once in a turn."""
        folder = bench.events(batch, batches)
        copied: list[float] = []
        rates: dict[tuple[str, int], list[float]] = {}
        told: dict[int, tuple[int, int]] = {}
        for _ in range(turns):
            copied.append(_rate(bench, batch, bench.stream(folder)))
            for number in shards:
                bench.partitions(number)
                same = rates.setdefault((IDENTITY, number), [])
                same.append(_rate(bench, batch, identity(bench, folder, number)))
                ours = rates.setdefault((OURS, number), [])
                ours.append(_rate(bench, batch, reasoned(bench, folder, number)))
                told[number] = _told(bench)
        for number in shards:
            settings = {"batch": batch, "shards": number}
            ours = rates[OURS, number]
            begun, standing = told[number]
            note = f"{begun / (batch * batches):.2f} results for each event"
            yield rated(NAME, OURS, settings, ours, ours, standing, note)
            yield rated(NAME, IDENTITY, settings, rates[IDENTITY, number], ours)
            yield rated(NAME, PLAIN, settings, copied, ours, note="a copy, without shards")

    def _join(self, bench: Bench) -> Cell:
        """Spark's own join, which is slow, beside us once more."""
        batch, shards = self.main
        folder = bench.events(batch, self.join_batches)
        bench.partitions(shards)
        ours = _rate(bench, batch, reasoned(bench, folder, shards))
        join = _rate(bench, batch, spark_join(bench, folder))
        note = "pairs of events, without when they begin and cease to hold"
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


def _told(bench: Bench) -> tuple[int, int]:
    """How many results have come to hold in the last run, and how many hold at its end."""
    import pyarrow.dataset as ds

    changes = np.asarray(ds.dataset(bench.out, exclude_invalid_files=True).to_table(["change"])["change"])
    return int((changes > 0).sum()), int(changes.sum(dtype=np.int64))


def reasoned(bench: Bench, folder: str, shards: int) -> Any:
    """The stream of what the rule changes."""
    import lasing.spark

    return bench.stream(folder).transform(lasing.spark.reason(rule(), "p", "q", view="changes", shards=shards))


def identity(bench: Bench, folder: str, shards: int) -> Any:
    """The pipeline of `reasoned`, but a shard tells what it is given."""
    from lasing.spark import streaming

    real = streaming.shard_function

    def replaced(task: Any, places: Any) -> Callable[..., Iterator[Any]]:
        return real(task, places, _given_is_told)

    streaming.shard_function = replaced  # type: ignore[assignment]
    try:
        return reasoned(bench, folder, shards)
    finally:
        streaming.shard_function = real


def _given_is_told(
    _task: Any, _shard: int, _state: Any, arrived: list[Any], _drain: bool = False, _clock: int | None = None
) -> Any:
    import pyarrow as pa

    from lasing.spark.shard import BatchResult
    from lasing.spark.state import State

    told = BatchResult(State(0, 0, 0, token="identity"))
    facts = [part.facts for part in arrived if part.facts is not None]
    if facts:
        table = pa.concat_tables(facts).rename_columns(["time", "K", "A", "C"])
        told.tables["q"] = table.append_column("change", pa.array(np.ones(table.num_rows, np.int8)))
    return told


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
