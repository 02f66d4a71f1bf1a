"""Progress on standard error: a bar on a terminal, otherwise a line for each experiment."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self


class ProgressBar:
    """Counts from 0 to `total` cells. As a context manager, it removes the bar at the end."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._before = 0  # the cells of all experiments before the current one
        self._done = 0
        self._begun = time.monotonic()
        self._bar: Any = _bar(total) if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, name: str, count: int) -> None:
        """Begin an experiment of `count` cells."""
        self._name, self._count, self._done = name, count, 0
        self._begun = time.monotonic()
        if self._bar is None:
            print(f"measuring {name} …", end="", file=sys.stderr, flush=True)
        self._show("")

    def advance(self, what: str) -> None:
        """Count a measured cell; `what` names it."""
        self._done += 1
        self._show(what)

    def end(self) -> float:
        """End the experiment and return its seconds. It may have had fewer cells than announced."""
        seconds = time.monotonic() - self._begun
        self._before += self._count
        self._done = 0
        if self._bar is None:
            print(f" {seconds:.0f} s", file=sys.stderr, flush=True)
        return seconds

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hide the bar while something else is printed."""
        if self._bar is not None:
            self._bar.stop()
        yield
        if self._bar is not None:
            self._bar.start()

    def _show(self, what: str) -> None:
        if self._bar is None:
            return
        now = f"{self._name}, {min(self._done + 1, self._count)} of {self._count}"
        done = self._before + min(self._done, self._count)
        self._bar.update(self._bar.task_ids[0], completed=done, description=now, what=f"after {what}" if what else "")


def _bar(total: int) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[what]}", style="dim", markup=False, table_column=Column(ratio=1, no_wrap=True)),
    )
    # Costs differ from cell to cell: estimate the time left from the last minutes, not the last seconds.
    bar = Bar(*columns, console=Console(stderr=True), transient=True, expand=True, speed_estimate_period=600)
    bar.add_task("", total=total, what="")
    return bar
