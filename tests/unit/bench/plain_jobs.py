"""The jobs of `lasing bench peers` by their definitions, in plain Python: the judge of the programs, and a fake peer.

As a script, it is called like those of the peers.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

Readings = dict[str, dict[int, float]]
"""The value of each sensor, by time."""
Found = Iterator[tuple[str | int | float, ...]]


def readings(path: Path) -> Readings:
    """The readings of a file."""
    found: Readings = {}
    with path.open(newline="") as file:
        for time, sensor, value in list(csv.reader(file))[1:]:
            found.setdefault(sensor, {})[int(time)] = float(value)
    return found


def _mean(values: dict[int, float], time: int) -> float | None:
    window = [values[second] for second in range(time - 59, time + 1) if second in values]
    return sum(window) / len(window) if window else None


def average(temp: Readings, _: Readings, last: int) -> Found:
    for sensor, values in temp.items():
        for time in range(min(values), last + 1):
            mean = _mean(values, time)
            if mean is not None:
                yield sensor, time, mean


def latest(temp: Readings, _: Readings, __: int) -> Found:
    for sensor, values in temp.items():
        for time in values:
            mean = _mean(values, time)
            assert mean is not None
            yield sensor, time, mean


def join(temp: Readings, smoke: Readings, _: int) -> Found:
    for sensor, values in temp.items():
        for time, value in values.items():
            for other, density in smoke.get(sensor, {}).items():
                if abs(time - other) <= 20:
                    yield sensor, time, value, other, density


def silent(temp: Readings, _: Readings, last: int) -> Found:
    for sensor, values in temp.items():
        for time in values:
            if time + 10 <= last and not any(time + apart in values for apart in range(1, 11)):
                yield sensor, time + 10


def rising(temp: Readings, _: Readings, __: int) -> Found:
    for sensor, values in temp.items():
        times = sorted(values)
        for a, b, c in zip(times, times[1:], times[2:], strict=False):
            if values[a] < values[b] < values[c]:
                yield sensor, c


JOBS = {"average": average, "latest": latest, "join": join, "silent": silent, "rising": rising}


def main(job: str, folder: str, out: str) -> None:
    """Write the result of a job."""
    temp, smoke = readings(Path(folder) / "temp.csv"), readings(Path(folder) / "smoke.csv")
    last = max(time for values in (*temp.values(), *smoke.values()) for time in values)
    with Path(out).open("w", newline="") as file:
        csv.writer(file).writerows(JOBS[job](temp, smoke, last))


if __name__ == "__main__":
    main(*sys.argv[1:])
