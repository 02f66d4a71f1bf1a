"""The jobs in Bytewax: its windows where they fit, its stateful operators elsewhere."""

from __future__ import annotations

import csv
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any

import bytewax.operators as op
import bytewax.operators.windowing as win
from bytewax.connectors.files import FileSink
from bytewax.dataflow import Dataflow
from bytewax.inputs import DynamicSource, StatelessSourcePartition
from bytewax.operators.windowing import EventClock, SessionWindower, SlidingWindower
from bytewax.testing import run_main

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
BATCH = 1000

Reading = tuple[int, str, float]
"""A time, the stream's name, and the value."""
Keyed = tuple[str, Reading]


def rows(path: Path) -> Iterator[tuple[int, str, str, float]]:
    """The readings of a file, in the order of time."""
    with path.open(newline="") as file:
        lines = csv.reader(file)
        next(lines)
        for time, sensor, value in lines:
            yield int(time), path.stem, sensor, float(value)


class Part(StatelessSourcePartition[Keyed]):
    """The files, merged by time: two sources would come in no certain order."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._rows = merge(*map(rows, paths))

    def next_batch(self) -> list[Keyed]:
        found = [(sensor, (time, name, value)) for time, name, sensor, value in islice(self._rows, BATCH)]
        if not found:
            raise StopIteration
        return found


@dataclass
class Files(DynamicSource[Keyed]):
    """The source of the job."""

    paths: list[Path]

    def build(self, step_id: str, worker_index: int, worker_count: int) -> Part:  # noqa: ARG002
        return Part(self.paths if worker_index == 0 else [])


def clock() -> EventClock[Reading]:
    """Event time. Rows come in order."""
    return EventClock(ts_getter=lambda row: EPOCH + row[0] * SECOND, wait_for_system_duration=timedelta(0))


def average(stream: Any) -> Any:
    """A window starts every second and has sixty. Its result is an average at its last second."""
    windower = SlidingWindower(length=60 * SECOND, offset=SECOND, align_to=EPOCH)
    folded = win.fold_window(
        "average",
        stream,
        clock(),
        windower,
        builder=lambda: (0.0, 0),
        folder=lambda sums, row: (sums[0] + row[2], sums[1] + 1),
        merger=lambda a, b: (a[0] + b[0], a[1] + b[1]),
    )
    return op.map("line", folded.down, lambda x: (x[0], f"{x[0]},{x[1][0] + 59},{x[1][1][0] / x[1][1][1]}"))


@dataclass
class Last:
    """The readings of the last minute, and their sum."""

    rows: deque[tuple[int, float]] = field(default_factory=deque)
    total: float = 0.0


def latest(stream: Any) -> Any:
    """No window of Bytewax ends with a reading, so a state keeps those of the last minute."""

    def add(state: Last | None, row: Reading) -> tuple[Last, tuple[int, float]]:
        state = state or Last()
        time, _, value = row
        state.rows.append((time, value))
        state.total += value
        while state.rows[0][0] < time - 59:
            state.total -= state.rows.popleft()[1]
        return state, (time, state.total / len(state.rows))

    found = op.stateful_map("latest", stream, add)
    return op.map("line", found, lambda x: (x[0], f"{x[0]},{x[1][0]},{x[1][1]}"))


Sides = dict[str, deque[Reading]]


def join(stream: Any) -> Any:
    """A window join would have fixed windows, so a state keeps the last twenty seconds of both streams."""

    def add(state: Sides | None, row: Reading) -> tuple[Sides, list[tuple[Reading, Reading]]]:
        state = state or {"temp": deque(), "smoke": deque()}
        time, name, _ = row
        for side in state.values():
            while side and side[0][0] < time - 20:
                side.popleft()
        state[name].append(row)
        if name == "temp":
            return state, [(row, other) for other in state["smoke"]]
        return state, [(other, row) for other in state["temp"]]

    found = op.stateful_flat_map("join", stream, add)
    return op.map("line", found, lambda x: (x[0], f"{x[0]},{x[1][0][0]},{x[1][0][2]},{x[1][1][0]},{x[1][1][2]}"))


def silent(stream: Any) -> Any:
    """A session ends when its gap is over. Readings exactly the gap apart are one session."""
    folded = win.fold_window(
        "silent",
        stream,
        clock(),
        SessionWindower(gap=10 * SECOND),
        builder=lambda: 0,
        folder=lambda last, row: max(last, row[0]),
        merger=max,
    )
    return op.map("line", folded.down, lambda x: (x[0], f"{x[0]},{x[1][1] + 10}"))


def rising(stream: Any) -> Any:
    """A state keeps the last reading, and how many in a row have risen."""

    def add(state: tuple[float, int] | None, row: Reading) -> tuple[tuple[float, int], list[int]]:
        time, _, value = row
        rises = state[1] + 1 if state is not None and value > state[0] else 0
        return (value, rises), [time] if rises >= 2 else []

    found = op.stateful_flat_map("rising", stream, add)
    return op.map("line", found, lambda x: (x[0], f"{x[0]},{x[1]}"))


JOBS = {"average": average, "latest": latest, "join": join, "silent": silent, "rising": rising}


def main(job: str, folder: str, out: str) -> None:
    """Run a job in this process."""
    flow = Dataflow(job)
    names = ("temp", "smoke") if job == "join" else ("temp",)
    stream = op.input("read", flow, Files([Path(folder) / f"{name}.csv" for name in names]))
    op.output("write", JOBS[job](stream), FileSink(Path(out)))
    run_main(flow)


if __name__ == "__main__":
    main(*sys.argv[1:])
