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
    """One row of a table: the cost of a row, and how many times longer DuckDB takes."""
    data, warm = rows(WINDOW + SECONDS), WINDOW * RATE
    found = medians({"lasing": partial(_by_engine, data, warm), "duckdb": partial(_by_duckdb, data)}, 3)
    cost = {result.name: result.median for result in found}
    per_row = cost["lasing"] / (SECONDS * RATE) * 1e6
    return [
        ("GROUP BY in [RANGE 60 SLIDE 1]", f"{per_row:.2f} µs a row", f"DuckDB {cost['duckdb'] / cost['lasing']:.1f}x")
    ]


def _by_engine(data: pa.Table, warm: int) -> float:
    engine = lasing.Engine(lasing.parse(QUERY, language="cql"), start=_BEGIN)
    engine.push_batch({"s": data.slice(0, warm)})
    begun = time.process_time()
    engine.push_batch({"s": data.slice(warm)})
    return time.process_time() - begun


def _by_duckdb(data: pa.Table) -> float:
    import duckdb

    connection: Any = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("given", data)
    connection.execute("CREATE TABLE s AS SELECT * FROM given")
    begun = time.process_time()
    for now in range(_BEGIN + WINDOW, _BEGIN + WINDOW + SECONDS):
        window = f"WHERE time BETWEEN {now - WINDOW} AND {now}"
        connection.execute(f"SELECT k, COUNT(*), AVG(v) FROM s {window} GROUP BY k").fetchall()
    return time.process_time() - begun
