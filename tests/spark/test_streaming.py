"""Streams on Spark: the answers of one machine, batch by batch, and nothing lost on the way."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import lasing
from lasing.spark import reason
from tests.spark.conftest import Files, parts
from tests.spark.expected import expected, rows_of
from tests.spark.test_batch import JOIN, stream

SCHEMA = "time long, k long, a long, b long"


def writer(frame: Any, tmp_path: Path) -> Any:
    return (
        frame.writeStream.format("parquet")
        .option("path", str(tmp_path / "out"))
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
    )


@pytest.mark.parametrize("view", ["answers", "intervals"])
def test_a_join_in_batches_and_shards(spark: Any, files: Files, tmp_path: Path, view: Any) -> None:
    table = stream()
    folder = files("in", parts(table, 100, 210, 305))  # cut within time points
    reasoning = reason(JOIN, "p", "q", view=view, shards=2)
    frame = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
    query = reasoning.drain(writer(frame.transform(reasoning), tmp_path))
    assert query.exception() is None
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == expected(JOIN, {"p": table}, "q", view)


def test_a_query_continues_only_from_its_own_checkpoint(spark: Any, files: Files, tmp_path: Path) -> None:
    table = stream(200, 40)
    first, second = parts(table, 120)
    folder = files("in", [first])
    frame = spark.readStream.schema(SCHEMA).parquet(str(folder))
    reasoning = reason(JOIN, "p", "q", view="changes", shards=2)
    writer(frame.transform(reasoning), tmp_path).start().awaitTermination()
    files("more", [first, second])
    (tmp_path / "more" / "001.parquet").rename(folder / "001.parquet")
    other = reason(JOIN.replace("3", "4"), "p", "q", view="changes", shards=2)
    with pytest.raises(Exception, match=r"E608.*belongs to another program"):
        writer(frame.transform(other), tmp_path).start().awaitTermination()
    again = reason(JOIN, "p", "q", view="changes", shards=2)
    again.drain(writer(frame.transform(again), tmp_path))
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == expected(JOIN, {"p": table}, "q", "changes")


def test_rows_that_lack_a_value_are_left_out_and_counted_once(spark: Any, files: Files, tmp_path: Path) -> None:
    table = stream(200, 40)
    gap = pa.table({"time": [5, 99], "k": [None, 1], "a": [1, None], "b": [2, 2]}, table.schema)
    first, second, third = parts(table, 70, 120)
    folder = files("in", [pa.concat_tables([gap, first]), gap, pa.concat_tables([second, gap]), third])
    frame = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
    reasoning = reason(JOIN, "p", "q", view="changes", shards=2)

    def drain() -> None:
        reasoning.drain(writer(frame.transform(reasoning), tmp_path))
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()

    with pytest.warns(lasing.LasingWarning) as warned:
        drain()
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == expected(JOIN, {"p": table}, "q", "changes")
    words = [str(warning.message).splitlines()[0].removeprefix("warning[W206]: ") for warning in warned]
    counts = [(1, "a"), (1, "k"), (3, "a"), (3, "k")]  # of the first batch, and in the end
    assert words == [f"{n} row{'s'[: n != 1]} of p left out: no value in the column {column}" for n, column in counts]


def test_late_facts_are_reported_with_their_lateness(spark: Any, files: Files, tmp_path: Path) -> None:
    program = "#tick 1 min.  seen(S) :- temp(S, _) in [2 min]."
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)

    def readings(*rows: tuple[int, str]) -> pa.Table:
        times = [noon + timedelta(minutes=minute) for minute, _ in rows]
        columns = {"ts": pa.array(times, pa.timestamp("us", "UTC")), "s": [s for _, s in rows], "v": [1.5] * len(rows)}
        return pa.table(columns)

    folder = files(
        "in", [readings((0, "s1"), (5, "s2")), readings((4, "s3"), (2, "s4"), (6, "s1")), readings((9, "s1"))]
    )
    frame = spark.readStream.schema("ts timestamp, s string, v double").option("maxFilesPerTrigger", 1)
    reasoning = reason(program, time="ts", view="answers", delay="1 min", shards=1)
    outputs = reasoning({"temp": frame.parquet(str(folder))})
    writer(outputs.late, tmp_path).start().awaitTermination()
    query = reasoning.drain(writer(outputs.late, tmp_path))
    assert query.lastProgress["observedMetrics"]["lasing"]["until"] == int(noon.timestamp()) // 60 + 9
    naive = noon.replace(tzinfo=None)
    two, three = naive + timedelta(minutes=2), naive + timedelta(minutes=3)
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == [
        ("temp", two, three, 2, 'temp(s4,1.5) at "2026-03-02T12:02:00Z".'),
    ]


def test_draining_gives_a_writer_the_trigger_that_ends(spark: Any, files: Files, tmp_path: Path) -> None:
    table = stream(60, 20)
    frame = spark.readStream.schema(SCHEMA).parquet(str(files("in", parts(table, 30))))
    reasoning = reason(JOIN, "p", "q", view="changes", shards=2)
    written = frame.transform(reasoning).writeStream.format("parquet").option("path", str(tmp_path / "out"))
    reasoning.drain(written.option("checkpointLocation", str(tmp_path / "checkpoint")))
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == expected(JOIN, {"p": table}, "q", "changes")


SEVERAL = "seen(S) :- temp(S) in [2], door(S) in [5].  quiet(S) :- temp(S), not door(S) in [3]."


def test_several_inputs_give_the_same_however_they_are_batched(spark: Any, files: Files, tmp_path: Path) -> None:
    chance = np.random.default_rng(3)
    folders, tables = {}, {}
    for name, rows, disorder in (("temp", 300, 0), ("door", 90, 3)):
        times = np.sort(chance.integers(0, 60, rows))
        order = np.argsort(times + chance.integers(0, disorder + 1, rows), kind="stable")
        tables[name] = pa.table({"time": times, "s": chance.integers(0, 4, rows)}).take(pa.array(order))
        folders[name] = files(name, parts(tables[name], *range(rows // 10, rows, rows // 10)))
    found = []
    for sizes in ({"temp": 1, "door": 1}, {"temp": 1, "door": 4}, {"temp": 5, "door": 1}):
        frames = {
            name: spark.readStream.schema("time long, s long")
            .option("maxFilesPerTrigger", sizes[name])
            .parquet(str(folders[name]))
            for name in folders
        }
        reasoning = reason(SEVERAL, view="changes", delay={"door": 1}, shards=2)
        outputs = reasoning(frames)
        taken: list[Any] = []

        def keep(batch: Any, _number: int, outputs: Any = outputs, taken: list[Any] = taken) -> None:
            taken.extend(("seen", *row) for row in outputs.take(batch, "seen").collect())
            taken.extend(("quiet", *row) for row in outputs.take(batch, "quiet").collect())
            taken.extend(tuple(row) for row in outputs.take_late(batch).collect())

        state = str(tmp_path / f"state{sizes['temp']}{sizes['door']}")
        reasoning.drain(outputs.results.writeStream.foreachBatch(keep).option("checkpointLocation", state))
        found.append(sorted(map(repr, taken)))
    assert any("'door'" in row for row in found[0])  # some are late
    assert found[1] == found[0]
    assert found[2] == found[0]


def test_every_shard_goes_through_time_also_without_facts(spark: Any, files: Files, tmp_path: Path) -> None:
    program = "silent(S) :- sensor(S), not beat(S) in [2].  " + " ".join(f"sensor({i})." for i in range(8))
    beats = pa.table({"time": [0, 0, 1, 2, 3, 4, 5, 6, 7], "s": [1, 2, 1, 1, 1, 1, 1, 1, 1]})
    folder = files("in", parts(beats, 3, 6))
    frame = spark.readStream.schema("time long, s long").option("maxFilesPerTrigger", 1).parquet(str(folder))
    reasoning = reason(program, "beat", "silent", view="intervals", shards=2)
    reasoning.drain(writer(frame.transform(reasoning), tmp_path))
    found = rows_of(spark.read.parquet(str(tmp_path / "out")))
    assert found == expected(program, {"beat": beats}, "silent", "intervals")
    assert (3, 7, 2) in found
    assert (0, 7, 5) in found


def test_too_many_partitions_give_a_warning(spark: Any, files: Files) -> None:
    folder = files("in", [stream(10)])
    frame = spark.readStream.schema(SCHEMA).parquet(str(folder))
    spark.conf.set("spark.sql.shuffle.partitions", "200")
    try:
        with pytest.warns(lasing.LasingWarning, match="W601"):
            frame.transform(reason(JOIN, "p", "q", shards=2))
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", "2")
    with pytest.warns(lasing.LasingWarning, match=r"W602.*one shard does all the work"):
        frame.transform(reason("n :- p(_, _, _).", "p", "n"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame.transform(reason(JOIN, "p", "q"))


def test_a_stream_and_a_table_do_not_mix(spark: Any, files: Files) -> None:
    table = stream(10)
    streamed = spark.readStream.schema(SCHEMA).parquet(str(files("in", [table])))
    frames = {"p": streamed, "r": spark.createDataFrame(table)}
    with pytest.raises(lasing.LasingError, match=r"E604.*some inputs are streams"):
        reason("q(K) :- p(K, _, _), r(K, _, _).")(frames)
    with pytest.raises(lasing.LasingError, match="E606"):
        reason(JOIN, "p", "q").drain(None)
