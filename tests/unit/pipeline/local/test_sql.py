"""SQL in a pipeline: the rows that it writes are those of the query, with the query's types, NULLs included."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.dataset as ds
import pytest

from lasing.pipeline.config import read_pipeline
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress

START = datetime(2026, 1, 1, tzinfo=UTC)
PROGRAM = """
CREATE STREAM sales (shop VARCHAR, price DECIMAL(10,2), online BOOLEAN, ts TIMESTAMP NOT NULL, TIME ts);
CREATE TABLE towns (shop VARCHAR NOT NULL, town VARCHAR);
INSERT INTO towns VALUES ('a', 'Ulm'), ('b', NULL);
SELECT town, online, SUM(price) AS total, COUNT(*) AS n, AVG(price) AS mean
FROM sales [RANGE 3 SECONDS] LEFT JOIN towns USING (shop)
GROUP BY town, online;
"""
JUDGED = """
SELECT town, online, SUM(price), COUNT(*), AVG(price) FROM sales LEFT JOIN towns USING (shop)
WHERE ts BETWEEN ?::TIMESTAMP - INTERVAL 3 SECONDS AND ?::TIMESTAMP GROUP BY town, online
"""
PIPELINE = """
program = "sales.sql"
mode = "{mode}"
engine = "local"
view = "answers"
{more}
[sources.sales]
format = "csv"
path = "in"
time = "ts"
schema = "ts timestamp, shop string, price decimal(10,2), online boolean"

[sinks.result]
format = "parquet"
path = "out"
"""


def sales() -> list[tuple[Any, ...]]:
    return [
        (
            START + timedelta(seconds=i // 3),
            None if i % 5 == 2 else "ab"[i % 2],
            None if i % 7 == 3 else Decimal(i * 37 % 1000) / 100,
            None if i % 4 == 1 else i % 3 == 0,
        )
        for i in range(30)
    ]


def csv(rows: list[tuple[Any, ...]]) -> str:
    cells = [
        (f"{time:%Y-%m-%dT%H:%M:%SZ}", shop or "", "" if price is None else str(price), _truth(online))
        for time, shop, price, online in rows
    ]
    return "ts,shop,price,online\n" + "".join(",".join(row) + "\n" for row in cells)


def _truth(value: bool | None) -> str:
    return "" if value is None else str(value).lower()


def by_duckdb(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows of the query on the content of each window."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE sales (ts TIMESTAMP, shop VARCHAR, price DECIMAL(10,2), online BOOLEAN)")
    connection.execute("CREATE TABLE towns (shop VARCHAR, town VARCHAR)")
    connection.execute("INSERT INTO towns VALUES ('a', 'Ulm'), ('b', NULL)")
    plain = [(time.replace(tzinfo=None), *rest) for time, *rest in rows]
    connection.executemany("INSERT INTO sales VALUES (?, ?, ?, ?)", plain)
    found = []
    for now in sorted({row[0] for row in plain}):
        found += [(now.replace(tzinfo=UTC), *row) for row in connection.execute(JUDGED, [now, now]).fetchall()]
    return found


def written(folder: Path, mode: str, parts: list[list[tuple[Any, ...]]]) -> Path:
    (folder / "in").mkdir()
    for number, part in enumerate(parts):
        (folder / "in" / f"{number}.csv").write_text(csv(part))
    (folder / "sales.sql").write_text(PROGRAM)
    more = "" if mode == "batch" else 'checkpoint = "state"\ntrigger = "available now"\n'
    (folder / "sales.toml").write_text(PIPELINE.format(mode=mode, more=more))
    return folder / "sales.toml"


@pytest.mark.parametrize("mode", ["batch", "stream"])
def test_a_pipeline_writes_what_duckdb_gives_on_each_window(tmp_path: Path, mode: str) -> None:
    rows = sales()
    described = read_pipeline(written(tmp_path, mode, [rows[:14], rows[14:]]))
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        run_local(described, progress)
    table = ds.dataset(tmp_path / "out").to_table()
    found = [tuple(row.values()) for row in table.to_pylist()]
    last = max(row[0] for row in found)
    wanted = [row for row in by_duckdb(rows) if row[0] <= last]
    assert sorted(map(_plain, found)) == sorted(map(_plain, wanted))
    assert last >= START + timedelta(seconds=8)
    types = {field.name: str(field.type) for field in table.schema}
    assert types == {
        "time": "timestamp[us, tz=UTC]",
        "town": "string",
        "online": "bool",
        "total": "decimal128(38, 2)",
        "n": "int64",
        "mean": "double",
    }


@pytest.mark.parametrize("form", ["json", "csv"])
def test_text_files_have_numbers_and_truth_values(tmp_path: Path, form: str) -> None:
    path = written(tmp_path, "batch", [sales()])
    path.write_text(path.read_text().replace('format = "parquet"', f'format = "{form}"'))
    described = read_pipeline(path)
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        run_local(described, progress)
    (file,) = (one for one in (tmp_path / "out").iterdir() if one.suffix == f".{form}")
    first = file.read_text().splitlines()
    if form == "csv":
        assert first[0] == "time,town,online,total,n,mean"
        assert "2026-01-01T00:00:00.000Z,Ulm,true,0.00,1,0.0" in first
    else:
        rows = [json.loads(line) for line in first]
        assert any(row.get("online") is True and row.get("town") == "Ulm" and row["total"] == 0 for row in rows)


def _plain(row: tuple[Any, ...]) -> str:
    time, *cells = row
    plain = [round(float(cell), 9) if isinstance(cell, float | Decimal) else cell for cell in cells]
    return repr([time.isoformat(), *plain])
