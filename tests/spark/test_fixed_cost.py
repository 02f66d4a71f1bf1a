"""What a batch costs whatever it brings: nothing is compiled, engines stay, and what is loaded is not searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from lasing.spark import reason
from tests.spark.conftest import Files, parts
from tests.spark.test_batch import JOIN, stream
from tests.spark.test_streaming import SCHEMA, writer


def test_batches_after_the_first_compile_nothing(spark: Any, files: Files, tmp_path: Path) -> None:
    compiled = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
    folder = files("in", parts(stream(), 100, 200, 300))
    counts = []
    for name in ("first", "second"):
        frame = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
        changes = frame.transform(reason(JOIN, "p", "q", view="changes", shards=2))
        query = writer(changes, tmp_path / name).start()
        query.awaitTermination()
        assert len([p for p in query.recentProgress if p["numInputRows"]]) == 4
        counts.append(compiled.getCount())
    assert counts[1] == counts[0], "no code has a constant that differs from batch to batch"


def test_an_engine_finds_its_worker_again(spark: Any, files: Files, tmp_path: Path) -> None:
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", 1)
    try:
        folder = files("in", parts(stream(), 60, 120, 180, 240, 300))
        frame = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
        query = writer(frame.transform(reason(JOIN, "p", "q", view="changes", shards=1)), tmp_path).start()
        query.awaitTermination()
        rebuilt = [p["observedMetrics"]["lasing"]["rebuilt"] for p in query.recentProgress if p["numInputRows"]]
        assert len(rebuilt) == 6
        assert sum(rebuilt) == 0, "the only worker for shards has the engine"
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", partitions)


def test_workers_do_not_look_through_what_the_daemon_has_loaded(spark: Any) -> None:
    def frozen(batches: Iterable[Any]) -> Iterator[Any]:
        import gc

        assert list(batches)
        yield pa.record_batch([pa.array([gc.get_freeze_count()])], ["frozen"])

    (found,) = spark.range(0, 1, 1, 1).mapInArrow(frozen, "frozen bigint").collect()
    assert found.frozen > 50_000
