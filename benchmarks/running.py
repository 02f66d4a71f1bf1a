"""`lasing run` on a file, beside what cannot be undercut: Arrow reads the same file, and `push_batch` takes it."""

from __future__ import annotations

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
from typer.testing import CliRunner

import lasing
from benchmarks.measure import interleaved
from lasing.cli import app

ROWS = 1_000_000
PROGRAM = "#tick 1 sec.\nhot(S) :- temp(S, V) in [5], V > 30.\n"
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def running() -> list[tuple[str, str, str]]:
    """Rows of a table: what, how many facts a second, and as a multiple of the baseline's time."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_files(folder)
        contenders: dict[str, Callable[[], object]] = {
            "baseline: Parquet by Arrow, push_batch, Parquet": partial(_by_hand, folder, pq.read_table, "parquet"),
            "lasing run, Parquet to Parquet": partial(_run, folder, "temp.parquet"),
            "baseline: CSV by Arrow, push_batch, Parquet": partial(_by_hand, folder, arrow_csv.read_csv, "csv"),
            "lasing run, CSV to Parquet": partial(_run, folder, "temp.csv"),
            "lasing run, .facts to Parquet": partial(_run, folder, "temp.facts"),
            "lasing run, .facts with dates to Parquet": partial(_run, folder, "dates.facts"),
        }
        results = {result.name: result.median for result in interleaved(contenders, 5)}
    rows, base = [], 0.0
    first = next(iter(results.values()))
    for what, seconds in results.items():
        base = seconds if what.startswith("baseline") else base
        beside = first if ".facts" in what else base
        rows.append((what, f"{ROWS / seconds:,.0f}/s", f"{seconds / beside:.2f}x"))
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
        for time, sensor, value in zip(times.tolist(), sensors.tolist(), values.tolist(), strict=True):
            plain.write(f"temp({sensor}, {value}) at {time}.\n")
            dated.write(f'temp({sensor}, {value}) at "{dates[time]}".\n')
    (folder / "hot.lars").write_text(PROGRAM)


def _by_hand(folder: Path, read: Callable[[Path], Any], ending: str) -> None:
    changed = lasing.Engine(PROGRAM, start=0).push_batch({"temp": read(folder / f"temp.{ending}")})
    pq.write_table(changed["hot"], folder / "by-hand.parquet")


def _run(folder: Path, stream: str) -> None:
    source = str(folder / stream) if stream.endswith(".facts") else f"temp={folder / stream}"
    out = str(folder / "out.parquet")
    done = CliRunner().invoke(app, ["run", str(folder / "hot.lars"), source, "--as", "changes", "-o", out])
    if done.exit_code:
        raise AssertionError(done.output)
