"""Reasoning on Spark beside pipelines that do not reason: `python -m benchmarks spark`.

The rule is a join with a key, `q(K,A,C) :- p(K,A,B) in [20], p(K,B,C) in [20].`, with about one result for each event,
told as two changes, or as an interval. The identity is the same pipeline with the reasoner replaced: the same packing,
shards, state and files, and what a shard is given is what it tells. Contenders take turns, and medians count.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import lasing.spark
from lasing.spark import streaming
from lasing.spark.shard import Arrived, Told
from lasing.spark.state import State

RULE = "q(K, A, C) :- p(K, A, B) in [{n}], p(K, B, C) in [{n}]."
SCHEMA = "time bigint, k bigint, a bigint, b bigint"
EVENTS = 2_000_000
KEYS = 5_000
VALUES = 8  # of a and b: about one result for each event
A_POINT = 1_000  # events
TURNS = 3
FILES_A_BATCH = 2  # one for each core
SPARKS_JOIN = "spark's join"


class Row(NamedTuple):
    """What was measured, what it costs, and how it compares."""

    what: str
    cost: str
    ratio: str


@dataclass
class Bench:
    """Files, a session, and the times of each contender."""

    spark: Any
    folder: Path
    times: dict[str, list[float]] = field(default_factory=dict)
    batches: dict[str, list[float]] = field(default_factory=dict)

    def events(self, number: int, a_file: int, a_point: int = A_POINT, keys: int = KEYS) -> str:
        """A folder of files with events, in the order of time."""
        folder = self.folder / f"{number}-{a_file}-{a_point}-{keys}"
        if not folder.exists():
            folder.mkdir(parents=True)
            chance = np.random.default_rng(1)
            for i in range(number // a_file):
                columns = {
                    "time": np.arange(i * a_file, (i + 1) * a_file) // a_point,
                    "k": chance.integers(0, keys, a_file),
                    "a": chance.integers(0, VALUES, a_file),
                    "b": chance.integers(0, VALUES, a_file),
                }
                path = folder / f"{i:04}.parquet"
                pq.write_table(pa.table(columns), path)
                os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))
        return str(folder)

    def stream(self, folder: str) -> Any:
        return self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", FILES_A_BATCH).parquet(folder)

    def run(self, name: str, frame: Any) -> Any:
        """Run a stream from files to files; all but the first batch count as batches."""
        for part in ("out", "checkpoint"):
            shutil.rmtree(self.folder / part, ignore_errors=True)
        writer = frame.writeStream.format("parquet").option("path", str(self.folder / "out"))
        writer = writer.option("checkpointLocation", str(self.folder / "checkpoint")).trigger(availableNow=True)
        begun = time.perf_counter()
        query = writer.start()
        query.awaitTermination()
        self.times.setdefault(name, []).append(time.perf_counter() - begun)
        durations = [p["batchDuration"] / 1000 for p in query.recentProgress][1:]
        self.batches.setdefault(name, []).append(statistics.median(durations))
        return query

    def median(self, name: str) -> float:
        return statistics.median(self.times[name])

    def batch(self, name: str) -> float:
        return statistics.median(self.batches[name])


def reasoned(bench: Bench, folder: str, view: Any = "changes", n: int = 20) -> Any:
    reasoning = lasing.spark.reason(RULE.format(n=n), "p", "q", view=view, shards=2)
    return bench.stream(folder).transform(reasoning)


def identity(bench: Bench, folder: str) -> Any:
    """The pipeline of `reasoned`, but a shard tells what it is given."""
    real = streaming.shard_function

    def replaced(task: Any, places: Any) -> Callable[..., Iterator[Any]]:
        return real(task, places, _given_is_told)

    streaming.shard_function = replaced  # type: ignore[assignment]
    try:
        return reasoned(bench, folder)
    finally:
        streaming.shard_function = real


def _given_is_told(_task: Any, _shard: int, _state: State, arrived: list[Arrived], _drain: bool = False) -> Told:
    told = Told(State(0, 0, 0, "identity"))
    facts = [part.facts for part in arrived if part.facts is not None]
    if facts:
        table = pa.concat_tables(facts).rename_columns(["time", "K", "A", "C"])
        told.tables["q"] = table.append_column("change", pa.array(np.ones(table.num_rows, np.int8)))
    return told


def spark_join(bench: Bench, folder: str, n: int = 20) -> Any:
    """Spark's own stream-stream join of the events with themselves, within the window."""
    from pyspark.sql import functions as f

    def side(name: str) -> Any:
        stream = bench.stream(folder).withColumn("ts", f.timestamp_seconds("time")).withWatermark("ts", "0 seconds")
        return stream.select(*(f.col(c).alias(f"{name}_{c}") for c in ("ts", "k", "a", "b")))

    apart = f.expr(f"l_ts >= r_ts - interval {n} seconds AND l_ts <= r_ts + interval {n} seconds")
    keys = (f.col("l_k") == f.col("r_k")) & (f.col("l_b") == f.col("r_a")) & apart
    return side("l").join(side("r"), keys).select("l_ts", "r_ts", "l_k", "l_a", "r_b")


def spark(turns: int = TURNS) -> list[Row]:
    """All rows."""
    with tempfile.TemporaryDirectory() as folder:
        session = lasing.spark.session(
            "local[2]", "bench", {"spark.sql.shuffle.partitions": 2, "spark.driver.memory": "3g"}
        )
        lasing.run("ready :- go.").prepare()
        bench = Bench(session, Path(folder))
        rows = [*_streams(bench, turns), *_small_batches(bench, turns), *_state(bench), *_replay(bench, turns)]
        session.stop()
    return rows


def _streams(bench: Bench, turns: int) -> Iterator[Row]:
    folder = bench.events(EVENTS, 100_000)
    for turn in range(turns + 1):
        bench.run("copy", bench.stream(folder))
        bench.run("identity", identity(bench, folder))
        bench.run("changes", reasoned(bench, folder))
        bench.run("intervals", reasoned(bench, folder, "intervals"))
        if turn == 0:  # workers and the JVM are warm now
            bench.times.clear()
            bench.batches.clear()
    results = bench.spark.read.parquet(str(bench.folder / "out")).count()
    bench.run(SPARKS_JOIN, spark_join(bench, folder))
    for name in ("copy", "identity", "changes", "intervals"):
        rate = EVENTS / bench.median(name)
        yield Row(
            f"stream, 200k a batch: {name}",
            f"{rate:,.0f} events/s",
            f"{bench.median('identity') / bench.median(name):.2f}x identity",
        )
    yield Row("  (results for each event)", f"{results / EVENTS:.2f}", "")
    yield Row("  identity / changes: bar 0.5x", "", f"{bench.median('identity') / bench.median('changes'):.2f}x")
    join = bench.median(SPARKS_JOIN) / bench.median("intervals")
    yield Row(
        "  Spark's own self-join: bar 10x",
        f"{EVENTS / bench.median(SPARKS_JOIN):,.0f} events/s",
        f"ours is {join:.1f}x faster",
    )


def _small_batches(bench: Bench, turns: int) -> Iterator[Row]:
    folder = bench.events(600_000, 25_000)
    for _ in range(turns):
        bench.run("identity 50k", identity(bench, folder))
        bench.run("changes 50k", reasoned(bench, folder))
    more = bench.batch("changes 50k") / bench.batch("identity 50k") - 1
    yield Row(
        "a batch of 50k, over the identity: bar 30 %", f"{bench.batch('changes 50k') * 1000:.0f} ms", f"{more:+.0%}"
    )


def _state(bench: Bench) -> Iterator[Row]:
    """Windows of 100,000 rows in each shard: 200 time points of 1,000 events."""
    folder = bench.events(1_000_000, 50_000, keys=200_000)
    seconds: list[tuple[float, int]] = []
    outputs = lasing.spark.reason(RULE.format(n=200), output=["q"], view="changes", shards=2)(
        {"p": bench.stream(folder)}
    )

    def note(told: Any, _number: int) -> None:
        rows = told.where(told["kind"] == streaming.STATUS).drop("told").collect()
        seconds.append((max(r.state_seconds for r in rows), sum(r.state_bytes for r in rows)))

    shutil.rmtree(bench.folder / "checkpoint", ignore_errors=True)
    writer = outputs.told.writeStream.foreachBatch(note).option("checkpointLocation", str(bench.folder / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    durations = [p["batchDuration"] / 1000 for p in query.recentProgress]
    steady = list(zip(seconds, durations, strict=True))[3:]
    share = sum(state for (state, _), _ in steady) / sum(spent for _, spent in steady)
    size = statistics.median(size for (_, size), _ in steady)
    yield Row("state, 100k rows a shard: bar 10 %", f"{size / 1e6:.1f} MB", f"{share:.1%} of a batch")


def _replay(bench: Bench, turns: int) -> Iterator[Row]:
    folder = bench.events(EVENTS, 100_000)
    for turn in range(turns + 1):
        for name, frame in (("replay", _replayed(bench, folder)), ("apply", _applied(bench, folder))):
            begun = time.perf_counter()
            frame.write.mode("overwrite").parquet(str(bench.folder / "out"))
            if turn:
                bench.times.setdefault(name, []).append(time.perf_counter() - begun)
    ratio = bench.median("apply") / bench.median("replay")
    yield Row(
        "replay in slices",
        f"{EVENTS / bench.median('replay'):,.0f} events/s",
        f"{ratio:.2f}x an applyInArrow identity: bar 0.5x",
    )
    one = float(
        subprocess.run(
            [sys.executable, "-m", "benchmarks.spark", folder], capture_output=True, text=True, check=True
        ).stdout.split()[-1]
    )
    yield Row(
        "replay on one core",
        f"{EVENTS / one:,.0f} events/s",
        f"two cores are {one / bench.median('replay'):.2f}x: bar 1.6x",
    )


def _replayed(bench: Bench, folder: str) -> Any:
    return bench.spark.read.parquet(folder).transform(
        lasing.spark.reason(RULE.format(n=20), "p", "q", view="changes", start=0, end=EVENTS // A_POINT - 1, slices=8)
    )


def _applied(bench: Bench, folder: str) -> Any:
    frame = bench.spark.read.parquet(folder).selectExpr("*", "k % 8 AS part")
    return frame.groupBy("part").applyInArrow(lambda table: table.select(["time", "k", "a", "b"]), SCHEMA)


def one_core(folder: str) -> float:
    """The median time of a replay on one core."""
    session = lasing.spark.session(
        "local[1]", "bench", {"spark.sql.shuffle.partitions": 2, "spark.driver.memory": "3g"}
    )
    with tempfile.TemporaryDirectory() as out:
        bench = Bench(session, Path(out))
        times = []
        for _ in range(TURNS + 1):
            frame = _replayed(bench, folder)
            begun = time.perf_counter()
            frame.write.mode("overwrite").parquet(f"{out}/out")
            times.append(time.perf_counter() - begun)
    session.stop()
    return statistics.median(times[1:])


if __name__ == "__main__":
    print(json.dumps(one_core(sys.argv[1])))
