"""SQL over streams on Spark: the rows of a windowed query are those of Spark SQL on the rows of each window."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lasing.pipeline.config import read_pipeline
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress
from lasing.spark import reason
from tests.spark.conftest import Files, parts
from tests.spark.expected import rows_of
from tests.spark.test_pipeline import run
from tests.spark.test_streaming import writer
from tests.unit.pipeline.local.test_sql import by_duckdb, sales, written

EXAMPLES = Path(__file__).parents[2] / "examples"

START = datetime(2026, 5, 1, tzinfo=UTC)
SECONDS = 8
SETUP = """
CREATE STREAM readings
    (sensor VARCHAR NOT NULL, celsius DOUBLE, price DECIMAL(10,2), ok BOOLEAN, ts TIMESTAMP, TIME ts);
CREATE TABLE rooms (sensor VARCHAR NOT NULL, room VARCHAR);
INSERT INTO rooms VALUES ('s0', 'r1'), ('s1', 'r1'), ('s2', NULL), ('s9', 'r2');
"""
SCHEMA = "ts timestamp, sensor string, celsius double, price decimal(10,2), ok boolean"
ROOMS = [("s0", "r1"), ("s1", "r1"), ("s2", None), ("s9", "r2")]

QUERIES = {
    "a join with groups": """
        SELECT r.sensor, room, COUNT(*) AS n, AVG(celsius) AS mean
        FROM readings {range} AS r LEFT JOIN rooms ON r.sensor = rooms.sensor
        WHERE celsius > 16
        GROUP BY r.sensor, room HAVING COUNT(*) > 1""",
    "NULLs in groups and aggregates": """
        SELECT celsius, COUNT(*) AS n, COUNT(celsius) AS known, MAX(sensor) AS sensor
        FROM readings {range} GROUP BY celsius""",
    "a full join": """
        SELECT r.sensor AS reading, rooms.sensor AS known, celsius
        FROM readings {range} AS r FULL JOIN rooms ON r.sensor = rooms.sensor AND celsius > 17""",
    "decimals": """
        SELECT sensor, SUM(price) AS total, MIN(price) AS least, COUNT(DISTINCT price) AS n
        FROM readings {range} GROUP BY sensor""",
    "a query inside a condition": """
        SELECT sensor, celsius FROM readings {range} AS a
        WHERE celsius >= (SELECT AVG(celsius) FROM readings {range} AS b WHERE b.sensor = a.sensor)
          AND sensor IN (SELECT sensor FROM rooms WHERE room IS NOT NULL)""",
    "NOT IN with NULLs": """
        SELECT DISTINCT sensor FROM readings {range} WHERE celsius NOT IN (SELECT celsius FROM readings {range} AS b
        WHERE b.celsius > 18 OR b.sensor = 's3')""",
    "truth values": """
        SELECT sensor, CASE WHEN ok THEN 'yes' WHEN NOT ok THEN 'no' ELSE 'unknown' END AS said, COUNT(*) AS n
        FROM readings {range} GROUP BY sensor, ok""",
    "set operations": """
        SELECT sensor FROM readings {range} WHERE ok EXCEPT ALL SELECT sensor FROM rooms
        UNION ALL SELECT room FROM rooms WHERE room IS NOT NULL""",
}


def readings() -> list[tuple[Any, ...]]:
    """Four rows a second; each column but the first two has NULLs."""
    return [
        (
            START + timedelta(seconds=i // 4),
            f"s{i * 7 % 4}",
            None if i % 5 == 3 else 15 + i % 9 / 2,
            None if i % 7 == 2 else Decimal(i * 37 % 11) / 10,
            None if i % 3 == 1 else i % 4 < 2,
        )
        for i in range(4 * SECONDS)
    ]


def by_windows(spark: Any, query: str, given: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What Spark SQL says about the rows of each window of four seconds."""
    spark.createDataFrame(ROOMS, "sensor string, room string").createOrReplaceTempView("rooms")
    found = []
    for second in range(SECONDS):
        now = START + timedelta(seconds=second)
        window = [row for row in given if now - timedelta(seconds=4) <= row[0] <= now]
        spark.createDataFrame(window, SCHEMA).createOrReplaceTempView("readings")
        found += [(now.replace(tzinfo=None), *row) for row in spark.sql(query.format(range="")).collect()]
    return found


def plain(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows in an order of their own, with numbers as texts that do not depend on their type."""

    def shown(value: Any) -> Any:
        return f"{float(value):.9g}" if isinstance(value, int | float | Decimal) else value

    return sorted((tuple(map(shown, row)) for row in rows), key=repr)


@pytest.mark.parametrize("name", QUERIES)
def test_a_windowed_query_equals_spark_sql_on_each_window(spark: Any, tmp_path: Path, name: str) -> None:
    given = readings()
    frame = spark.createDataFrame(given, SCHEMA)
    (tmp_path / "q.sql").write_text(SETUP + QUERIES[name].format(range="[RANGE 4 SECONDS]"))
    found = rows_of(reason(tmp_path / "q.sql", output="result", slices=3)({"readings": frame}))
    wanted = by_windows(spark, QUERIES[name], given)
    assert plain(found) == plain(wanted)
    assert wanted


TYPES = {
    "ts": pa.timestamp("us", "UTC"),
    "sensor": pa.string(),
    "celsius": pa.float64(),
    "price": pa.decimal128(10, 2),
    "ok": pa.bool_(),
}


SHARDS = {"a full join": 1, "decimals": 2}
"""Rows without a partner have no key."""


@pytest.mark.parametrize("name", SHARDS)
def test_a_query_on_a_stream_equals_spark_sql_on_each_window_also_after_a_restart(
    spark: Any, files: Files, tmp_path: Path, name: str
) -> None:
    given = readings()
    table = pa.table(
        {column: pa.array(cells, TYPES[column]) for column, cells in zip(TYPES, zip(*given, strict=True), strict=True)}
    )
    first, second, third = parts(table, 9, 21)  # cut within seconds
    folder = files("in", [first, second])
    (tmp_path / "q.sql").write_text(SETUP + QUERIES[name].format(range="[RANGE 4 SECONDS]"))
    frame = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
    started = reason(tmp_path / "q.sql", "readings", "result", shards=SHARDS[name])
    writer(frame.transform(started), tmp_path).start().awaitTermination()
    (files("more", [third]) / "000.parquet").rename(folder / "002.parquet")
    again = reason(tmp_path / "q.sql", "readings", "result", shards=SHARDS[name])
    again.drain(writer(frame.transform(again), tmp_path))
    found = rows_of(spark.read.parquet(str(tmp_path / "out")))
    wanted = by_windows(spark, QUERIES[name], given)
    assert plain(found) == plain(wanted)
    assert wanted


def test_a_pipeline_of_a_query_writes_what_duckdb_gives_on_each_window(spark: Any, tmp_path: Path) -> None:
    rows = sales()
    path = written(tmp_path, "stream", [rows[:14], rows[14:]])
    for number in range(2):  # Spark takes files by their time
        os.utime(tmp_path / "in" / f"{number}.csv", (1_700_000_000 + number, 1_700_000_000 + number))
    path.write_text(path.read_text().replace('engine = "local"', "shards = 1"))
    run(path)
    frame = spark.read.parquet(str(tmp_path / "out")).drop("batch")
    assert dict(frame.dtypes) == {
        "time": "timestamp",
        "town": "string",
        "online": "boolean",
        "total": "decimal(38,2)",
        "n": "bigint",
        "mean": "double",
    }
    wanted = [(time.replace(tzinfo=None), *row) for time, *row in by_duckdb(rows)]
    assert plain(rows_of(frame)) == plain(wanted)
    assert wanted


@pytest.mark.usefixtures("spark")
def test_the_pipeline_of_the_example_prints_the_same_here_and_in_one_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "sql"
    shutil.copytree(EXAMPLES / "sql", folder)
    path = folder / "hot_rooms.toml"
    described = read_pipeline(path)
    assert described.engine == "local"
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        run_local(described, progress)
    here = capsys.readouterr().out
    assert "result(kitchen,3,31.5)" in here
    assert "result(hall,2,33)" in here
    path.write_text(path.read_text().replace('engine = "local"\n', ""))
    run(path)
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(here.splitlines())
