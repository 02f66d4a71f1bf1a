"""The cost of a windowed GROUP BY in SQL, compared with DuckDB, which evaluates each window from scratch.

A thousand keys, 10,000 rows a second, and a window of a minute that slides by a second.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import lasing
from lasing.bench.costs.medians import medians

KEYS, RATE, WINDOW, SECONDS = 1_000, 10_000, 60, 30
QUERY = f"""
CREATE STREAM s (k BIGINT NOT NULL, v DOUBLE NOT NULL);
SELECT k, COUNT(*) AS n, AVG(v) AS mean FROM s [RANGE {WINDOW} SLIDE 1] GROUP BY k;
"""
_BEGIN = 1_000_000


def rows(seconds: int) -> pa.Table:
    """Rows of keys and values in quarters."""
    draw, size = np.random.default_rng(1), seconds * RATE
    stamps = _BEGIN + np.repeat(np.arange(seconds), RATE)
    return pa.table({"time": stamps, "k": draw.integers(0, KEYS, size), "v": draw.integers(0, 4_000, size) / 4})


def sql() -> list[tuple[str, str, str]]:
    """The cost of a row, with all seconds in one batch and with a batch for each second, and how many times longer
    DuckDB takes in the processor: as rows arrive, and with all of them in its table before the clock starts.

    DuckDB does what a user would do each second: insert the new rows, delete the old ones, ask. One thread is its best
    setup here: two take less time on the clock, and more of the processor.
    """
    data, warm = rows(WINDOW + SECONDS), WINDOW * RATE
    contenders = {
        "lasing": partial(_by_engine, data, warm, SECONDS),
        "by seconds": partial(_by_engine, data, warm, 1),
        "arriving": partial(_by_duckdb, data, True),
        "loaded": partial(_by_duckdb, data, False),
    }
    cost = {result.name: result.median for result in medians(contenders, 3)}
    return [
        (
            f"GROUP BY in [RANGE 60 SLIDE 1], {what}",
            f"{cost[name] / (SECONDS * RATE) * 1e6:.2f} µs a row",
            f"DuckDB {cost['arriving'] / cost[name]:.1f}x, with rows loaded before {cost['loaded'] / cost[name]:.1f}x",
        )
        for name, what in (("lasing", "one batch"), ("by seconds", "a batch a second"))
    ]


def _by_engine(data: pa.Table, warm: int, seconds: int) -> float:
    engine = lasing.Engine(lasing.parse(QUERY, language="cql"), start=_BEGIN)
    engine.push_batch({"s": data.slice(0, warm)})
    parts = [data.slice(at, seconds * RATE) for at in range(warm, len(data), seconds * RATE)]
    begun = time.process_time()
    for part in parts:
        engine.push_batch({"s": part})
    return time.process_time() - begun


def _by_duckdb(data: pa.Table, arriving: bool) -> float:
    import duckdb

    connection: Any = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute("CREATE TABLE s (time BIGINT, k BIGINT, v DOUBLE)")
    _insert(connection, data.slice(0, WINDOW * RATE) if arriving else data)
    begun = time.process_time()
    for second in range(SECONDS):
        now = _BEGIN + WINDOW + second
        if arriving:
            _insert(connection, data.slice((WINDOW + second) * RATE, RATE))
            connection.execute(f"DELETE FROM s WHERE time < {now - WINDOW}")
        window = f"WHERE time BETWEEN {now - WINDOW} AND {now}"
        connection.execute(f"SELECT k, COUNT(*), AVG(v) FROM s {window} GROUP BY k").fetchall()
    return time.process_time() - begun


def _insert(connection: Any, part: pa.Table) -> None:
    connection.register("given", part)
    connection.execute("INSERT INTO s SELECT * FROM given")
    connection.unregister("given")
