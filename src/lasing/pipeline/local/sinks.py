"""The sinks of a pipeline in one process.

What is written to files after the last checkpoint is cut off when a killed run continues, so each row is there once.
Other sinks get their lines after a checkpoint that has them too, and again from a run that continues from it, with the
same numbers.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from lasing.connectors.live.protocol import LiveSink
from lasing.connectors.sinks import View
from lasing.errors import fault
from lasing.pipeline.described import SinkConfig
from lasing.pipeline.formats import ROTATING
from lasing.pipeline.local.checkpoints import Position
from lasing.pipeline.local.disk import Disk
from lasing.pipeline.local.encoding import csv_header, csv_lines, json_lines
from lasing.pipeline.sinks import line_of
from lasing.spark.outputs import OutputTable

_PART = re.compile(r"part-(\d{6,})\.(?:csv|json|parquet)")
_LARGE = 64 << 20
"""How many bytes a file of text may have before a new one is begun."""

MakeWire = Callable[[SinkConfig], LiveSink]


class TableSink(Protocol):
    """Takes tables that are cut back, or written again, after a kill. One thread calls these methods."""

    def start(self, position: Position | None) -> Position:
        """Continue at a position, without what was written after it; None is the beginning."""

    def write(self, table: Any) -> None:
        """Take rows."""

    def flush(self) -> Position:
        """Make everything that was taken durable, and return the position after it."""

    def close(self) -> None:
        """Close files."""


def file_sink(sink: SinkConfig, disk: Disk, make: MakeWire) -> TableSink:
    """The files of a sink: parts of a folder, or files that rotate."""
    folder = Path(sink.given["path"])
    if sink.format == ROTATING:
        return Rotated(folder.parent, make(sink), disk)
    return ParquetParts(folder, disk) if sink.format == "parquet" else TextParts(folder, sink.format, disk)


class _Parts:
    """A folder with files that are numbered from 0."""

    def __init__(self, folder: Path, ending: str, disk: Disk) -> None:
        self._folder = folder
        self._ending = ending
        self._disk = disk

    def _path(self, number: int) -> Path:
        return self._folder / f"part-{number:06}.{self._ending}"

    def _remove_from(self, first: int) -> None:
        """Remove the parts with this number and those after it."""
        for path in sorted(self._folder.iterdir()) if self._folder.is_dir() else ():
            found = _PART.fullmatch(path.name)
            if found is not None and int(found[1]) >= first:
                self._disk.remove(path)

    def close(self) -> None:
        """Nothing is open between two calls."""


def check_empty(sink: SinkConfig) -> None:
    """Fail if a folder already has results, which a pipeline without a checkpoint knows nothing about. Files that
    rotate do not touch those of another run."""
    if sink.format == ROTATING:
        return
    folder = Path(sink.given["path"])
    known = (
        [p for p in folder.iterdir() if _PART.fullmatch(p.name) or p.name.startswith("batch=")]
        if folder.is_dir()
        else []
    )
    if known:
        note = "remove the old results, name another folder, or continue from the checkpoint that belongs to them"
        raise fault("E620", f"{folder} has results of another run, but the checkpoint is new", note=note)


class TextParts(_Parts):
    """Lines of CSV or JSON, appended to the last file."""

    def __init__(self, folder: Path, kind: str, disk: Disk) -> None:
        super().__init__(folder, kind, disk)
        self._is_csv = kind == "csv"
        self._number = 0
        self._size = 0
        self._unsynced = False

    def start(self, position: Position | None) -> Position:
        self._number, self._size = position or (0, 0)
        path = self._path(self._number)
        self._remove_from(self._number + (self._size > 0))
        if self._size > 0:
            size = path.stat().st_size if path.exists() else 0
            if size < self._size:
                message = f"{path} has {size:,} bytes, but the checkpoint says that {self._size:,} were written"
                raise fault("E620", message, note="restore the file, or start with a new checkpoint and a new folder")
            if size > self._size:
                self._disk.cut(path, self._size)
        return [self._number, self._size]

    def write(self, table: Any) -> None:
        if not table.num_rows:
            return
        self._disk.make_folder(self._folder)
        data = csv_lines(table) if self._is_csv else json_lines(table)
        if self._is_csv and not self._size:
            data = csv_header(table) + data
        self._disk.append(self._path(self._number), data)
        self._size += len(data)
        self._unsynced = True

    def flush(self) -> Position:
        if self._unsynced:
            self._disk.sync(self._path(self._number))
            self._unsynced = False
        if self._size >= _LARGE:
            self._number, self._size = self._number + 1, 0
        return [self._number, self._size]


class ParquetParts(_Parts):
    """A Parquet file for the rows between two checkpoints."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        super().__init__(folder, "parquet", disk)
        self._number = 0
        self._tables: list[Any] = []

    def start(self, position: Position | None) -> Position:
        self._number = position or 0
        self._remove_from(self._number)
        return self._number

    def write(self, table: Any) -> None:
        if table.num_rows:
            self._tables.append(table)

    def flush(self) -> Position:
        if self._tables:
            stored = io.BytesIO()
            pq.write_table(pa.concat_tables(self._tables), stored)
            self._disk.make_folder(self._folder)
            self._disk.write(self._path(self._number), stored.getvalue())
            self._number += 1
            self._tables = []
        return self._number


class Rotated:
    """Lines of JSON in files that rotate by size or by time."""

    def __init__(self, folder: Path, live: LiveSink, disk: Disk) -> None:
        self._folder = folder
        self._live = live
        self._disk = disk

    def start(self, position: Position | None) -> Position:
        self._disk.make_folder(self._folder)
        return self._live.start(position)

    def write(self, table: Any) -> None:
        self._live.write(0, json_lines(table).split(b"\n")[:-1])

    def flush(self) -> Position:
        return self._live.flush()

    def close(self) -> None:
        self._live.close()


class Console:
    """Lines on standard output, in the notation of stream files."""

    def __init__(self, sink: SinkConfig, output: OutputTable | None, view: View | None) -> None:
        self._sink = sink
        self._view = view
        pairs = () if output is None else zip(output.shown, output.shown_types, strict=False)
        self._terms = {name for name, kind in pairs if kind == "mixed"}

    def lines(self, table: Any) -> list[bytes]:
        """The lines of some rows."""
        return [line_of(self._sink, self._view, row, self._terms).encode() for row in table.to_pylist()]

    def deliver(self, _batch: int, lines: list[bytes]) -> None:
        """Print lines."""
        sys.stdout.write("".join(f"{line.decode()}\n" for line in lines))
        sys.stdout.flush()

    def give_up(self) -> None:
        """Standard output is written at once."""

    def close(self) -> None:
        pass


class Wire:
    """Lines of JSON to a live sink."""

    def __init__(self, live: LiveSink) -> None:
        self._live = live
        self._live.start(None)

    def lines(self, table: Any) -> list[bytes]:
        """The lines of some rows."""
        return json_lines(table).split(b"\n")[:-1]

    def deliver(self, batch: int, lines: list[bytes]) -> None:
        """Deliver the lines of a batch, and wait until they are there."""
        self._live.write(batch, lines)
        self._live.flush()

    def give_up(self) -> None:
        """Do not wait any longer. Any thread may call this."""
        self._live.give_up()

    def close(self) -> None:
        self._live.close()


class LineSink(Protocol):
    """Takes lines after a checkpoint that has them too."""

    def lines(self, table: Any) -> list[bytes]: ...
    def deliver(self, batch: int, lines: list[bytes]) -> None: ...
    def give_up(self) -> None: ...
    def close(self) -> None: ...


def line_sink(sink: SinkConfig, output: OutputTable | None, view: View | None, make: MakeWire) -> LineSink:
    """A sink that cannot be cut back."""
    return Console(sink, output, view) if sink.format == "console" else Wire(make(sink))
