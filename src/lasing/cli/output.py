"""Where results go: standard output, or a file that is put in place when the run ends or stops."""

from __future__ import annotations

import gzip
import io
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EISDIR
from pathlib import Path
from types import FrameType
from typing import TextIO, assert_never

import typer

from lasing.cli.console import note, standard_output
from lasing.cli.options import choose
from lasing.cli.sending import send_output, sent_format
from lasing.connectors.files import is_live, unwritable
from lasing.connectors.live.address import is_address, refuse_unknown_address
from lasing.connectors.rdf.endings import need_library
from lasing.connectors.sinks import (
    COMPRESSED,
    OUTPUT_FORMATS,
    OutputFormat,
    TextWriter,
    Written,
    format_of,
    write_csv,
    write_jsonl,
    write_parquet,
    write_text,
)
from lasing.errors import fault

_BUFFER = 1 << 16


class UpToFailure:
    """The batches before a failure. It keeps the failure, so that what came before can be written first."""

    def __init__(self, batches: Iterator[Written]) -> None:
        self._batches = batches
        self.failure: Exception | KeyboardInterrupt | None = None
        self.any = False

    def __iter__(self) -> Iterator[Written]:
        try:
            for batch in self._batches:
                self.any = self.any or bool(batch)
                with _uninterrupted():
                    yield batch
        except (Exception, KeyboardInterrupt) as failure:
            self.failure = failure


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay an interrupt until the whole batch is written; a second interrupt does not wait."""
    asked = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def output_format(form: str, output: str) -> OutputFormat:
    """The format that `--format` names, or that of the file's ending, or text; JSON lines to an address."""
    if form:
        choose("--format", form, OUTPUT_FORMATS)
    refuse_unknown_address(output)
    if is_address(output):
        return sent_format(form, output)
    if not form:
        return format_of(Path(output)) if output else "text"
    if form == "parquet" and not output:
        raise typer.BadParameter("Parquet needs a file: --output answers.parquet", param_hint="--format")
    if form == "parquet" and _compressed(Path(output)):
        raise fault("E511", f"{output}: a Parquet file is compressed by itself", note="leave the .gz out")
    return next(f for f in OUTPUT_FORMATS if f == form)


def write_output(
    batches: Iterator[Written], form: OutputFormat, output: str, names: list[str], quiet: bool = False
) -> None:
    """Write to a file, send to an address, or write to standard output if there is neither.

    If the run fails or is interrupted, the file gets the results that were complete by then. It stays unchanged if
    there are none, or if it cannot be written.
    """
    if not output:
        with standard_output() as out:
            _write(batches, form, out, names)
        return
    if is_address(output):
        send_output(lambda out: _write(batches, form, out, names), form, output, quiet)
        return
    path, complete = Path(output), UpToFailure(batches)
    try:
        if is_live(path):  # a device or a pipe
            with _opened(path, _compressed(path)) as file:
                _write(iter(complete), form, file, names)
        else:
            _write_file(complete, form, path, names)
    except OSError as error:
        raise unwritable(path, error) from None
    if complete.failure is not None:
        if complete.any and not quiet:
            note(f"{path} has the results up to where the run stopped")
        raise complete.failure


def refuse_overwriting(output: str, others: list[str], option: str = "--output") -> None:
    """Fail if the output would go into a file that is read, or that is written by another option."""
    if output and any(os.path.realpath(output) == os.path.realpath(name) for name in others):
        raise typer.BadParameter(f"{output} is one of the inputs and would be overwritten", param_hint=option)


def write_whole(text: str, output: str) -> None:
    """Write a text to a file, or to standard output if there is none."""
    if not output:
        with standard_output() as out:
            out.write(text)
        return
    path = Path(output)
    part = path if is_live(path) else path.with_name(path.name + ".part")
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        with _opened(part, _compressed(path)) as file:
            file.write(text)
        if part != path:
            part.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None


def _write_file(complete: UpToFailure, form: OutputFormat, path: Path, names: list[str]) -> None:
    """Write to a file beside it, and move that into place at the end."""
    if os.path.isdir(path):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    part = path.with_name(path.name + ".part")
    try:
        with _opened(part, _compressed(path)) as file:  # at once, so that a missing folder is reported at once
            if form != "parquet":
                _write(iter(complete), form, file, names)
        if form == "parquet":
            write_parquet(complete, part, names)
        if complete.failure is None or complete.any:
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _write(batches: Iterator[Written], form: OutputFormat, out: TextWriter, names: list[str]) -> None:
    match form:
        case "text":
            write_text(batches, out)
        case "jsonl":
            write_jsonl(batches, out)
        case "csv":
            write_csv(batches, out, names)
        case "ntriples" | "nquads" | "trig" | "jsonld":
            need_library("pyoxigraph", "writing RDF needs it")
            from lasing.connectors.rdf.writing import write_rdf  # here, because it loads pyoxigraph

            write_rdf(batches, out, form)
        case "parquet":
            raise AssertionError("Parquet is written to a path, not to a text stream")
        case _:
            assert_never(form)


def _compressed(path: Path) -> bool:
    return path.suffix.lower() == COMPRESSED


@contextmanager
def _opened(path: Path, compressed: bool) -> Iterator[TextIO]:
    """A text file to write; the same text gives the same bytes, even compressed."""
    if not compressed:
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
        return
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as squeezed:
        # The buffer absorbs the flush after each time point, which would otherwise end a compressed block each time.
        text = io.TextIOWrapper(io.BufferedWriter(squeezed, _BUFFER), encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach().detach()
