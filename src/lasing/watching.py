"""How far a long run has got: a bar on a terminal, or a function that hears of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lasing.connectors.sources import FileSource, Streams, recognized
from lasing.errors import LasingError, fault
from lasing.reports import Report

_PACE = 0.1
"""At most so often, in seconds, is progress reported."""
_PATIENCE = 1.0
"""Seconds before a bar appears."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has got. `size` is the number of bytes of the files to read, 0 if that is not known; `read` says
    how many of them have been read. Facts are read a little before they are evaluated."""

    seconds: float
    read: int
    size: int
    facts: int
    time_points: int
    finished: bool = False


OnProgress = Callable[[Progress], object]


class Watched:
    """Follows a run and reports its progress, now and then and at its end."""

    def __init__(self, on_progress: OnProgress, size: int) -> None:
        self._on_progress = on_progress
        self._size = size
        self._read = 0
        self._begun = self._last = time.monotonic()

    def read(self, size: int) -> None:
        """Take note of bytes that were read."""
        self._read += size

    def through(self, items: Iterator[Item], report: Report) -> Iterator[Item]:
        """The same items, while progress is reported; also if a consumer leaves, or an error ends it."""
        self._begun = self._last = time.monotonic()
        try:
            for item in items:
                yield item
                if time.monotonic() - self._last >= _PACE:
                    self._last = time.monotonic()
                    self._report(report, False)
        finally:
            self._report(report, True)

    def _report(self, report: Report, finished: bool) -> None:
        seconds = time.monotonic() - self._begun
        progress = Progress(seconds, self._read, self._size, report.facts, report.time_points, finished)
        self._on_progress(progress)


def watched(progress: bool | OnProgress, stream: Any) -> Watched | None:
    """What follows a run, if anybody wants to know: True stands for a bar, if standard error is a terminal."""
    if progress is False:
        return None
    if progress is True:
        if sys.stderr is None or not sys.stderr.isatty():
            return None
        return Watched(_Bar(), size_of(stream))
    if not callable(progress):
        note = "progress= takes True, for a bar on a terminal, or a function"
        raise fault("E510", f"{progress!r} cannot be called", note=note)
    return Watched(progress, size_of(stream))


def size_of(stream: Any) -> int:
    """The bytes of the files of a stream; 0 if some part of it is no file."""
    try:
        known = recognized(stream)
    except LasingError:  # the run itself says what is wrong
        return 0
    if isinstance(known, Streams):
        sizes = [size_of(one) for one in known.streams]
        return sum(sizes) if all(sizes) else 0
    source = getattr(known, "source", known)  # of a mapping
    path = source.path if isinstance(source, FileSource) else Path("-")
    return path.stat().st_size if path.is_file() else 0


class _Bar:
    """A bar on standard error, once a run takes a while."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, progress: Progress) -> None:
        if self._bar is None and not progress.finished and progress.seconds >= _PATIENCE:
            self._start(progress.size)
        if self._bar is not None:
            said = f"{progress.facts:,} facts, {progress.time_points:,} time points"
            self._bar.update(self._task, completed=progress.read, description=said)
            if progress.finished:
                self._bar.stop()

    def _start(self, size: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        known = (BarColumn(), DownloadColumn(), TimeRemainingColumn()) if size else (TimeElapsedColumn(),)
        self._bar = Bar(*known, TextColumn("{task.description}"), console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=size or None)
        self._bar.start()
