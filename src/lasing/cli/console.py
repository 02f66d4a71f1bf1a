"""Guarded standard output; and messages on standard error: findings, progress, summaries."""

from __future__ import annotations

import io
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from lasing.connectors.files import OnBytesRead
from lasing.errors import Diagnostic, LasingWarning, fault, render

_PATIENCE = 1.0  # seconds before a progress bar appears


class OutputFailed(Exception):  # noqa: N818 -- internal: it carries the error
    """Standard output cannot be written. Not an OSError, so that no handler mistakes it for another file's error."""

    def __init__(self, error: OSError) -> None:
        self.error = error
        super().__init__(str(error))


class _StandardOutput(io.RawIOBase):
    """The bytes of standard output; a failed write raises its own exception."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        try:
            return os.write(self._descriptor, data)
        except OSError as error:
            raise OutputFailed(error) from None


@contextmanager
def guarded_output() -> Iterator[None]:
    """Make standard output UTF-8 while a command runs; a failed write becomes E403.

    A reader that has gone, as in `lasing check … | head`, is not an error.
    """
    if sys.stdin is None:  # closed, as by `<&-`: there is nothing to read
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:  # closed too: no other file may take its descriptor
        os.dup2(os.open(os.devnull, os.O_RDONLY), 1)
    buffer = io.BufferedWriter(_StandardOutput(1))
    sys.stdout = io.TextIOWrapper(  # a file name may not be UTF-8: print its bytes as they are
        buffer, encoding="utf-8", errors="surrogateescape", line_buffering=os.isatty(1)
    )
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OutputFailed as failed:
        _drop_output()
        if not isinstance(failed.error, BrokenPipeError):
            reason = failed.error.strerror or failed.error
            raise fault("E403", f"standard output cannot be written: {reason}") from None


def _drop_output() -> None:
    """Discard what is still to be written, so that it does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def complain(diagnostics: Iterable[Diagnostic]) -> None:
    """Print findings to standard error."""
    found = list(diagnostics)
    if found:
        note(render(found))


@contextmanager
def complaining_if_interrupted(diagnostics: Callable[[], Iterable[Diagnostic]], quiet: bool) -> Iterator[None]:
    """Print findings at Ctrl-C too, which is how live runs end."""
    try:
        yield
    except KeyboardInterrupt:
        if not quiet:
            complain(diagnostics())
        raise


def note(text: str) -> None:
    """Print text to standard error. If that fails too, there is nowhere left to report it."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Print a summary to standard error, if a person is there to read it."""
    if sys.stderr is not None and sys.stderr.isatty():
        note(text)


_show_as_python_does = warnings.showwarning


def show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print one of our warnings as a finding, without its place in our own code."""
    if issubclass(category, LasingWarning):
        note(str(message))
    else:
        _show_as_python_does(message, category, *place, **more)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output. A reader that has gone, as in `lasing run … | head`, is not an error: the command goes on."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except OutputFailed as failed:
        if not isinstance(failed.error, BrokenPipeError):
            raise
        _drop_output()


@contextmanager
def progress_bar(total: int) -> Iterator[OnBytesRead | None]:
    """A callback that shows how many of `total` bytes are read: on a terminal, once the work takes a while."""
    if sys.stderr is None or not sys.stderr.isatty() or total <= 0:
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
