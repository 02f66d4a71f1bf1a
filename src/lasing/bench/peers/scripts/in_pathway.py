"""The jobs in Pathway, on static tables: its temporal windows and joins, in batch."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pathway as pw


class Temp(pw.Schema):
    """A reading."""

    time: int
    sensor: str
    value: float


class Smoke(pw.Schema):
    """A reading of smoke."""

    time: int
    sensor: str
    density: float


def average(temp: pw.Table, _: pw.Table) -> pw.Table:
    """A window starts every second and has sixty."""
    windows = temp.windowby(pw.this.time, window=pw.temporal.sliding(hop=1, duration=60), instance=pw.this.sensor)
    return windows.reduce(
        sensor=pw.this._pw_instance, time=pw.this._pw_window_end - 1, average=pw.reducers.avg(pw.this.value)
    )


def latest(temp: pw.Table, _: pw.Table) -> pw.Table:
    """The windows that end with a reading: those of the sliding ones in which its second is the last."""
    found = average(temp, _)
    return found.join(temp, pw.left.sensor == pw.right.sensor, pw.left.time == pw.right.time).select(
        pw.left.sensor, pw.left.time, pw.left.average
    )


def join(temp: pw.Table, smoke: pw.Table) -> pw.Table:
    """An interval join."""
    near = pw.temporal.interval(-20, 20)
    pairs = temp.interval_join(smoke, temp.time, smoke.time, near, temp.sensor == smoke.sensor)
    return pairs.select(temp.sensor, temp.time, temp.value, smoke=smoke.time, density=smoke.density)


def silent(temp: pw.Table, _: pw.Table) -> pw.Table:
    """A session ends when its gap is over: readings less than `max_gap` apart are one session."""
    session = pw.temporal.session(max_gap=11)
    windows = temp.windowby(pw.this.time, window=session, instance=pw.this.sensor)
    return windows.reduce(sensor=pw.this._pw_instance, time=pw.reducers.max(pw.this.time) + 10)


def rising(temp: pw.Table, _: pw.Table) -> pw.Table:
    """Each reading with the one before it, and the one before that."""
    ordered = temp + temp.sort(key=pw.this.time, instance=pw.this.sensor)
    later = ordered.filter(ordered.prev.is_not_none())
    before = ordered.ix(later.prev)
    steps = later.select(later.time, later.sensor, later.value, below=before.value, earlier=before.prev)
    known = steps.filter(steps.earlier.is_not_none())
    least = temp.ix(known.earlier)
    return known.filter((least.value < known.below) & (known.below < known.value)).select(pw.this.sensor, pw.this.time)


JOBS: dict[str, Callable[[pw.Table, pw.Table], pw.Table]] = {
    "average": average,
    "latest": latest,
    "join": join,
    "silent": silent,
    "rising": rising,
}


def main(job: str, folder: str, out: str) -> None:
    """Run a job in this process."""
    at = Path(folder)
    temp = pw.io.csv.read(at / "temp.csv", schema=Temp, mode="static")
    smoke = pw.io.csv.read(at / "smoke.csv", schema=Smoke, mode="static")
    found = JOBS[job](temp, smoke)
    # The writer adds two columns, of Pathway's own time and of the difference; the last is always 1 here.
    pw.io.csv.write(found, out)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)


if __name__ == "__main__":
    main(*sys.argv[1:])
