"""What is said on standard error: findings, progress, summaries."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from threading import Timer
from typing import TextIO

from lasing.connectors.files import Progress
from lasing.errors import Diagnostic, fault, render

_PATIENCE = 1.0  # seconds before a progress bar appears
_LONG = 5.0  # seconds before something is said about a wait


def complain(diagnostics: Iterable[Diagnostic]) -> None:
    """Print findings to standard error."""
    found = list(diagnostics)
    if found:
        print(render(found), file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Print a summary to standard error, if a person is there to read it."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


@contextmanager
def patience(text: str, quiet: bool = False) -> Iterator[None]:
    """Say something if what follows takes long, so that a person does not take it for stuck."""
    timer = Timer(_LONG, say, [text])
    timer.daemon = True
    if not quiet:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output as UTF-8. That whoever read it has gone, as in `lasing run … | head`, is no error."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        yield sys.stdout
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise fault("E403", f"standard output cannot be written: {error.strerror or error}") from None


@contextmanager
def progress_bar(total: int) -> Iterator[Progress | None]:
    """A callback that shows how much of `total` bytes is read, on a terminal, for work that takes a while."""
    if not sys.stderr.isatty() or total <= 0:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("reading", total=total)
    begun = time.monotonic()
    started = False

    def advance(size: int) -> None:
        nonlocal started
        bar.advance(task, size)
        if not started and time.monotonic() - begun > _PATIENCE:
            started = True
            bar.start()

    try:
        yield advance
    finally:
        if started:
            bar.stop()
