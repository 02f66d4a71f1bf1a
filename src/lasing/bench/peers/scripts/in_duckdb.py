"""The jobs in DuckDB's SQL, over the whole files: batch."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

JOBS = {
    # Windows end at every second, so the seconds without a reading are added to each sensor's.
    "average": """
        WITH seconds AS (SELECT unnest(generate_series(min(time), max(time))) AS time FROM temp),
        every AS (
            SELECT sensors.sensor, seconds.time, temp.value FROM seconds
            CROSS JOIN (SELECT DISTINCT sensor FROM temp) AS sensors
            LEFT JOIN temp ON temp.sensor = sensors.sensor AND temp.time = seconds.time),
        averages AS (
            SELECT sensor, time, avg(value) OVER (
                PARTITION BY sensor ORDER BY time RANGE BETWEEN 59 PRECEDING AND CURRENT ROW) AS average
            FROM every)
        SELECT sensor, time, average FROM averages WHERE average IS NOT NULL
        """,
    "latest": """
        SELECT sensor, time, avg(value) OVER (
            PARTITION BY sensor ORDER BY time RANGE BETWEEN 59 PRECEDING AND CURRENT ROW) AS average
        FROM temp
        """,
    # An equi-join on blocks of 20 seconds, of which a pair can be at most one apart.
    "join": """
        WITH near AS (SELECT *, unnest([time // 20 - 1, time // 20, time // 20 + 1]) AS block FROM smoke)
        SELECT temp.sensor, temp.time, temp.value, near.time AS smoke, near.density FROM temp
        JOIN near ON near.sensor = temp.sensor AND near.block = temp.time // 20
        WHERE abs(temp.time - near.time) <= 20
        """,
    "silent": """
        SELECT sensor, time + 10 AS time FROM (
            SELECT sensor, time, lead(time) OVER (PARTITION BY sensor ORDER BY time) AS following FROM temp)
        WHERE coalesce(following, (SELECT max(time) + 1 FROM temp)) > time + 10
        """,
    "rising": """
        SELECT sensor, time FROM (
            SELECT sensor, time, value, lag(value) OVER by_time AS b, lag(value, 2) OVER by_time AS a FROM temp
            WINDOW by_time AS (PARTITION BY sensor ORDER BY time))
        WHERE a < b AND b < value
        """,
}


def main(job: str, folder: str, out: str) -> None:
    """Run a job."""
    connection = duckdb.connect()
    for name, column in (("temp", "value"), ("smoke", "density")):
        columns = f"{{'time': 'BIGINT', 'sensor': 'VARCHAR', '{column}': 'DOUBLE'}}"
        path = Path(folder) / f"{name}.csv"
        connection.execute(f"CREATE VIEW {name} AS FROM read_csv('{path}', header = true, columns = {columns})")
    connection.execute(f"COPY ({JOBS[job]}) TO '{out}' (FORMAT csv, HEADER)")


if __name__ == "__main__":
    main(*sys.argv[1:])
