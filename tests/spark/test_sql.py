"""SQL over streams on Spark: the rows of a windowed query are those of Spark SQL on the rows of each window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lasing.spark import reason
from tests.spark.expected import rows_of

QUERY = """
CREATE STREAM readings (sensor VARCHAR NOT NULL, celsius DOUBLE NOT NULL, ts TIMESTAMP, TIME ts);
CREATE TABLE rooms (sensor VARCHAR NOT NULL, room VARCHAR);
INSERT INTO rooms VALUES ('s0', 'r1'), ('s1', 'r1'), ('s2', NULL);
SELECT r.sensor, room, COUNT(*) AS n, AVG(celsius) AS mean
FROM readings [RANGE 4 SECONDS] AS r LEFT JOIN rooms ON r.sensor = rooms.sensor
WHERE celsius > 16
GROUP BY r.sensor, room HAVING COUNT(*) > 1
"""
SPARK = """
SELECT r.sensor, room, COUNT(*) AS n, AVG(celsius) AS mean
FROM w AS r LEFT JOIN rooms ON r.sensor = rooms.sensor
WHERE celsius > 16
GROUP BY r.sensor, room HAVING COUNT(*) > 1
"""
START = datetime(2026, 5, 1, tzinfo=UTC)
SECONDS = 12


def test_a_windowed_query_equals_spark_sql_on_each_window(spark: Any, tmp_path: Path) -> None:
    given = [(START + timedelta(seconds=i // 4), f"s{i * 7 % 4}", 15 + i % 9 / 2) for i in range(4 * SECONDS)]
    frame = spark.createDataFrame(given, "ts timestamp, sensor string, celsius double")
    rooms = [("s0", "r1"), ("s1", "r1"), ("s2", None)]
    spark.createDataFrame(rooms, "sensor string, room string").createOrReplaceTempView("rooms")
    (tmp_path / "q.sql").write_text(QUERY)
    found = rows_of(reason(tmp_path / "q.sql", output="result", slices=3, shards=2)({"readings": frame}))
    wanted = []
    for second in range(SECONDS):
        now = START + timedelta(seconds=second)
        window = [row for row in given if now - timedelta(seconds=4) <= row[0] <= now]
        spark.createDataFrame(window, "ts timestamp, sensor string, celsius double").createOrReplaceTempView("w")
        wanted += [(now.replace(tzinfo=None), *row) for row in spark.sql(SPARK).collect()]
    assert sorted(found, key=repr) == sorted(wanted, key=repr)
    assert any(row[2] is None for row in found)
