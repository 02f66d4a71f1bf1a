"""The jobs, the streams that they read, and lasing's program for each.

>>> JOBS["silent"].streams
('temp',)
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from lasing.bench.measuring.workloads import Array

SENSORS = 50
BEGIN = 1_767_225_600
"""The first second: 2026-01-01 in Unix time, because some peers know only instants."""
PRESENT, SILENCES, SMOKES = 0.95, 1 / 300, 1 / 20
"""The odds, each second and for each sensor, that it reports, begins a silence of 10 to 40 s, and reports smoke."""
COLUMNS = {"temp": "value", "smoke": "density"}
"""The streams, and the column of each that is not its time or its sensor."""

Value = str | int | float
Rows = Counter[tuple[Value, ...]]
"""A result, in no order. A Counter, so that a row returned twice does not pass for one."""


@dataclass(frozen=True)
class Job:
    """A question about the streams. A row of its result has these columns, in this order.

    `timed` is the column with the time point at which a row is known, if it has one: rows after the end of the
    stream, which some peers add when their input ends, do not count.
    """

    name: str
    title: str
    program: str
    columns: tuple[str, ...]
    streams: tuple[str, ...] = ("temp",)
    timed: int | None = 1


JOBS: dict[str, Job] = {
    job.name: job
    for job in (
        Job(
            "average",
            "average of a minute, each second",
            "average(S, X) :- temp(S, _) in [59], X = #avg{V, T : temp(S, V) at T in [59]}.\n",
            ("sensor", "time", "average"),
        ),
        Job(
            "latest",
            "average of a minute, each reading",
            "latest(S, X) :- temp(S, _), X = #avg{V, T : temp(S, V) at T in [59]}.\n",
            ("sensor", "time", "average"),
        ),
        Job(
            "join",
            "join within 20 s",
            "near(S, #now, V, U, D) :- temp(S, V), smoke(S, D) at U in [20].\n"
            "near(S, T, V, #now, D) :- smoke(S, D), temp(S, V) at T in [20].\n",
            ("sensor", "time", "value", "smoke", "density"),
            ("temp", "smoke"),
            None,
        ),
        Job(
            "silent",
            "silent for 10 s",
            "silent(S) :- temp(S, _) in [10,-10], not temp(S, _) in [9].\n",
            ("sensor", "time"),
        ),
        Job(
            "rising",
            "three rising values",
            "rising(S) :- temp(S, C), temp(S, B) at U in [#2 by S], temp(S, A) at T in [#3 by S],\n"
            "             T < U, U < #now, A < B, B < C.\n",
            ("sensor", "time"),
        ),
    )
}
"""All jobs. `lasing run` prints a line for each atom at each time point, so these programs report each row once."""


def write_streams(folder: Path, seconds: int) -> dict[str, int]:
    """Write the streams of so many seconds as CSV files with headers; returns how many rows each has.

    Each sensor reports at most once a second, so that sets of facts and bags of rows are the same. Values are quarters:
    their sums are exact in whatever order they are taken.
    """
    draw = np.random.default_rng(1)
    present = draw.random((seconds, SENSORS)) < PRESENT
    for second, sensor in zip(*np.nonzero(draw.random((seconds, SENSORS)) < SILENCES), strict=True):
        present[second : second + draw.integers(10, 41), sensor] = False
    temp = _readings(present, "value", draw.integers(0, 4000, int(present.sum())))
    smoke = draw.random((seconds, SENSORS)) < SMOKES
    streams = {"temp": temp, "smoke": _readings(smoke, "density", draw.integers(0, 400, int(smoke.sum())))}
    plain = arrow_csv.WriteOptions(quoting_style="none")
    for name, table in streams.items():
        arrow_csv.write_csv(table, folder / f"{name}.csv", plain)
    return {name: len(table) for name, table in streams.items()}


def _readings(where: np.ndarray[Any, np.dtype[np.bool_]], column: str, values: Array) -> pa.Table:
    seconds, sensors = np.nonzero(where)
    names = pa.array([f"s{number}" for number in range(SENSORS)])
    return pa.table({"time": BEGIN + seconds, "sensor": names.take(pa.array(sensors)), column: values / 4})


def rows_of(job: Job, found: Path, columns: Sequence[str], seconds: int) -> Rows:
    """A contender's result: of a CSV file, or a folder of them, whose first columns are these, with a header or not."""
    places = [columns.index(column) for column in job.columns]
    last = BEGIN + seconds - 1
    rows: Rows = Counter()
    for row in _lines(found):
        if len(row) > max(places) and row[places[1]].strip('"').lstrip("-").isdigit():  # what is not is a header
            values = tuple(_value(row[place]) for place in places)
            if job.timed is None or int(values[job.timed]) <= last:
                rows[values] += 1
    return rows


def rows_of_changes(job: Job, found: Path, columns: Sequence[str], seconds: int) -> Rows:
    """The rows of a job from what `lasing run --as changes` prints: an atom holds until it is removed, or to the end.

    The columns are those of an atom's arguments.
    """
    places = [columns.index(column) if column in columns else None for column in job.columns]
    since: dict[tuple[str, ...], int] = {}
    rows: Rows = Counter()

    def hold(arguments: tuple[str, ...], first: int, end: int) -> None:
        for time in range(first, end):
            rows[tuple(time if place is None else _value(arguments[place]) for place in places)] += 1

    with found.open(newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        next(lines)
        for time, change, _expires, _predicate, *arguments in lines:
            atom = tuple(arguments)
            if change == "+":
                since[atom] = int(time)
            else:
                hold(atom, since.pop(atom), int(time))
    for atom, first in since.items():
        hold(atom, first, BEGIN + seconds)
    return rows


def _lines(found: Path) -> Iterator[list[str]]:
    """The lines of a file or of all files in a folder; names that begin with a dot are not results."""
    files = [found] if found.is_file() else sorted(p for p in found.rglob("*") if p.is_file())
    for path in files:
        if path == found or path.suffix != ".crc":
            with path.open(newline="", encoding="utf-8") as file:
                yield from csv.reader(file)


def _value(text: str) -> Value:
    """A cell as a value; averages are the same to the twelfth digit, whatever wrote them.

    >>> _value("s1"), _value("18.50"), _value("1E2")
    ('s1', 18.5, 100)
    """
    try:
        number = float(f"{float(text):.12g}")
    except ValueError:
        return text
    return int(number) if number.is_integer() else number
