"""`lasing run` on a file, compared with the least possible: Arrow reads the same file, and `push_batch` takes it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

import lasing
from lasing.bench.costs.medians import Result, medians

ROWS = 1_000_000
PROGRAM = "#tick 1 sec.\nhot(S) :- temp(S, V) in [5], V > 30.\n"
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


CHILD = """
import sys, time
from typer.testing import CliRunner
from lasing.cli import app
for _ in range(2):
    begun = time.perf_counter()
    done = CliRunner().invoke(app, sys.argv[1:])
    seconds = time.perf_counter() - begun
    if done.exit_code:
        sys.exit(done.output)
print(seconds)
"""
"""The command line in its own process: the first run loads what it needs, and the second one counts."""


def running() -> list[tuple[str, str, str]]:
    """Rows of a table: the case, facts per second, and the ratio of its time to the baseline's."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_files(folder)
        contenders: dict[str, Callable[[], float]] = {
            "baseline: Parquet by Arrow, push_batch, Parquet": partial(_by_hand, folder, pq.read_table, "parquet"),
            "lasing run, Parquet to Parquet": partial(_run, folder, "temp.parquet"),
            "baseline: CSV by Arrow, push_batch, Parquet": partial(_by_hand, folder, arrow_csv.read_csv, "csv"),
            "lasing run, CSV to Parquet": partial(_run, folder, "temp.csv"),
            "lasing run, .facts to Parquet": partial(_run, folder, "temp.facts"),
            "lasing run, .facts with dates to Parquet": partial(_run, folder, "dates.facts"),
        }
        results: list[Result] = medians(contenders, 5)
    rows, base = [], 0.0
    for result in results:
        base = result.median if result.name.startswith("baseline") else base
        beside = results[0].median if ".facts" in result.name else base
        rows.append((result.name, f"{ROWS / result.median:,.0f}/s", f"{result.median / beside:.2f}x"))
    return rows


def _write_files(folder: Path) -> None:
    draw = np.random.default_rng(1)
    times, values = np.arange(ROWS) // 100, draw.integers(0, 40, ROWS)
    sensors = np.array([f"s{i}" for i in range(500)])[draw.integers(0, 500, ROWS)]
    table = pa.table({"time": times, "sensor": sensors, "value": values})
    pq.write_table(table, folder / "temp.parquet")
    arrow_csv.write_csv(table, folder / "temp.csv")
    dates = [(_BEGIN + timedelta(seconds=i)).strftime("%Y-%m-%dT%H:%M:%SZ") for i in range(int(times[-1]) + 1)]
    with (folder / "temp.facts").open("w") as plain, (folder / "dates.facts").open("w") as dated:
        for point, sensor, value in zip(times.tolist(), sensors.tolist(), values.tolist(), strict=True):
            plain.write(f"temp({sensor}, {value}) at {point}.\n")
            dated.write(f'temp({sensor}, {value}) at "{dates[point]}".\n')
    (folder / "hot.lars").write_text(PROGRAM)


def _by_hand(folder: Path, read: Callable[[Path], Any], ending: str) -> float:
    begun = time.perf_counter()
    changed = lasing.Engine(PROGRAM, start=0).push_batch({"temp": read(folder / f"temp.{ending}")})
    pq.write_table(changed["hot"], folder / "by-hand.parquet")
    return time.perf_counter() - begun


def _run(folder: Path, stream: str) -> float:
    source = str(folder / stream) if stream.endswith(".facts") else f"temp={folder / stream}"
    out = str(folder / "out.parquet")
    command = [sys.executable, "-c", CHILD, "run", str(folder / "hot.lars"), source, "--as", "changes", "-o", out]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
