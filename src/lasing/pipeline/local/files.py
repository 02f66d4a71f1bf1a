"""Files and folders as sources: Parquet, CSV and JSON lines, whole files as they appear, or lines as they are added.

In a folder, each file is complete when it appears, and its rows arrive together, in the order of the files' times, as
on Spark. A single file of CSV or JSON grows: each line arrives by itself, once it has ended.
"""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lasing.connectors.bad_rows import BadRows
from lasing.errors import LasingError, fault, similar
from lasing.pipeline.described import SourceConfig
from lasing.pipeline.local.cells import arrow_type
from lasing.pipeline.local.checkpoints import Position
from lasing.pipeline.local.parts import Part
from lasing.pipeline.local.reading import LineReader
from lasing.pipeline.schema import columns_of

FILES, LINES = FOLLOW = ("files", "lines")
_BLOCK = 1 << 22
_GLANCE = 0.1
"""How often, in seconds, to look for new files."""


def follows(source: SourceConfig) -> str:
    """How a source of files is followed: `files` or `lines`."""
    given = source.given.get("follow")
    if given is not None:
        return str(given)
    return LINES if source.format != "parquet" and not Path(source.given["path"]).is_dir() else FILES


def file_source(source: SourceConfig, bad: BadRows) -> WholeFiles | GrowingFiles:
    """The source that a table of a pipeline's file describes."""
    return GrowingFiles(source, bad) if follows(source) == LINES else WholeFiles(source, bad)


class WholeFiles:
    """Files that are complete when they appear: a folder, or a single file. Hidden files are not read."""

    def __init__(self, source: SourceConfig, bad: BadRows) -> None:
        self._source = source
        self._path = Path(source.given["path"])
        self._at_once = source.given.get("files_per_batch")
        self._seen: set[str] = set()
        self._waiting: list[Path] = []
        self._live = True
        self._looked = -_GLANCE
        self._declared = None if source.schema is None else columns_of(source.schema)
        self._text = None
        if source.format != "parquet":
            self._text = _TextFile(source, self._declared or {}, bad)

    def columns(self) -> dict[str, str]:
        if self._declared is not None:
            return self._declared
        files = _listed(self._path)
        if not files:
            note = 'say what columns it will have: schema = "ts timestamp, sensor string, celsius double"'
            raise fault("E613", f"sources.{self._source.name}: there is no file in {self._path}", note=note)
        kinds = {field.name: _type_of(field.type) for field in pq.read_schema(files[0])}
        self._declared = {name: kind for name, kind in kinds.items() if kind is not None}
        return self._declared

    def start(self, position: Position | None, live: bool) -> None:
        if isinstance(position, dict):
            raise _other(self._source, LINES, FILES)
        self._seen = set(position or ())
        self._live = live
        if not self._path.exists():
            raise _missing(self._source)
        self._look()

    def _look(self) -> None:
        new = [path for path in _listed(self._path) if path.name not in self._seen]
        self._waiting = sorted(new, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)
        self._looked = time.monotonic()

    def take(self, most: int) -> Part | None:
        if not self._waiting and self._live and time.monotonic() - self._looked >= _GLANCE:
            self._look()
        tables: list[Any] = []
        rows = 0
        while self._waiting and rows < most and (self._at_once is None or len(tables) < self._at_once):
            path = self._waiting.pop()
            tables.append(self._read(path))
            rows += tables[-1].num_rows
            self._seen.add(path.name)
        if not tables:
            return None
        groups = np.repeat(np.arange(len(tables)), [table.num_rows for table in tables])
        return Part(pa.concat_tables(tables), sorted(self._seen), groups)

    def finished(self) -> bool:
        return not self._live and not self._waiting

    def settled(self, position: Position) -> None:
        pass

    def close(self) -> None:
        pass

    def _read(self, path: Path) -> Any:
        if self._text is not None:
            return self._text.whole(path)
        try:
            table = pq.read_table(path, columns=None, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise fault("E613", f"sources.{self._source.name}: {path} is not Parquet: {error}") from None
        arrays = []
        for name, kind in self.columns().items():
            if name not in table.column_names:
                note = similar(name, table.column_names) or "fix the file, or leave it out"
                raise fault("E505", f"sources.{self._source.name}: {path} has no column {name}", note=note)
            arrays.append(_conformed(table[name], kind, f"sources.{self._source.name}: {path}", name))
        return pa.table(arrays, names=list(self.columns()))


@dataclass(slots=True)
class _Place:
    """How far a growing file has been read: bytes and lines."""

    offset: int = 0
    lines: int = 0


class GrowingFiles:
    """Files that grow: a single one, or those of a folder in the order of their names."""

    def __init__(self, source: SourceConfig, bad: BadRows) -> None:
        self._source = source
        self._path = Path(source.given["path"])
        self._text = _TextFile(source, columns_of(source.schema or ""), bad)
        self._places: dict[str, _Place] = {}
        self._sizes: dict[str, int] | None = None
        self._done = False
        self._looked = -_GLANCE

    def columns(self) -> dict[str, str]:
        return self._text.columns

    def start(self, position: Position | None, live: bool) -> None:
        if isinstance(position, list):  # of whole files; a folder that is gone looks like a file that is still to come
            raise _other(self._source, FILES, LINES) if self._path.exists() else _missing(self._source)
        self._places = {name: _Place(*place) for name, place in (position or {}).items()}
        if not live:
            if not self._path.exists():
                raise _missing(self._source)
            self._sizes = {path.name: path.stat().st_size for path in _listed(self._path)}
        for path in _listed(self._path):
            place = self._places.get(path.name)
            if place is not None and path.stat().st_size < place.offset:
                raise self._changed(path, place)

    def _changed(self, path: Path, place: _Place) -> LasingError:
        message = f"sources.{self._source.name}: {path} has become shorter than the {place.offset:,} bytes read from it"
        return fault("E619", message, note="restore the file, or start with a new checkpoint; a file must only grow")

    def take(self, most: int) -> Part | None:  # noqa: ARG002 -- a block has a bounded number of bytes
        if self._sizes is None:
            if time.monotonic() - self._looked < _GLANCE:
                return None
            self._looked = time.monotonic()
        for path in _listed(self._path) if self._sizes is None else map(self._of_name, self._sizes):
            block, place = self._block(path)
            if block is None:
                continue
            table = self._text.block(block, path, place)
            place.offset += len(block)
            place.lines += block.count(b"\n")
            self._looked = -_GLANCE  # there may be more at once
            return Part(table, {name: [place.offset, place.lines] for name, place in self._places.items()})
        self._done = self._sizes is not None
        return None

    def _of_name(self, name: str) -> Path:
        return self._path if self._path.is_file() else self._path / name

    def _block(self, path: Path) -> tuple[bytes | None, _Place]:
        """The next whole lines of a file. The last line of a file that is read to its end need not have an end."""
        place = self._places.setdefault(path.name, _Place())
        end = path.stat().st_size if self._sizes is None else self._sizes[path.name]
        if end < place.offset:
            raise self._changed(path, place)
        size = _BLOCK
        while place.offset < end:
            with path.open("rb") as file:
                file.seek(place.offset)
                read = file.read(min(size, end - place.offset))
            cut = read.rfind(b"\n") + 1
            if cut:
                return read[:cut], place
            if place.offset + len(read) >= end:
                return (read, place) if self._sizes is not None and read else (None, place)
            size *= 4  # a very long line
        return None, place

    def finished(self) -> bool:
        return self._done

    def settled(self, position: Position) -> None:
        pass

    def close(self) -> None:
        pass


class _TextFile:
    """Reads files of CSV, with a header, or of JSON lines."""

    def __init__(self, source: SourceConfig, columns: dict[str, str], bad: BadRows) -> None:
        self.columns = columns
        self._name = source.name
        self._header = source.format == "csv" and source.options.get("header", "true") == "true"
        self._separator = source.options.get("sep", source.options.get("delimiter", ","))
        self._reader = LineReader(source.name, columns, source.format, bad, self._separator)

    def whole(self, path: Path) -> Any:
        opened: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
        try:
            with opened(path, "rb") as file:
                block = file.read()
        except (OSError, EOFError) as error:
            raise fault("E613", f"sources.{self._name}: {path} cannot be read: {error}") from None
        return self.block(block, path, _Place())

    def block(self, block: bytes, path: Path, place: _Place) -> Any:
        """The rows of a block of lines, which is where a file has been read to."""
        skipped = 0
        if self._header and place.lines == 0 and place.offset == 0:
            line, _, block = block.partition(b"\n")
            self._check_header(line, path)
            skipped = 1
        table, _ = self._reader.read(block, lambda at: (str(path), place.lines + skipped + at + 1))
        return table

    def _check_header(self, line: bytes, path: Path) -> None:
        names = [cell.strip().strip('"').lower() for cell in line.decode("utf-8-sig", "replace").split(self._separator)]
        if names != [name.lower() for name in self.columns]:
            message = f"the header of {path} does not match the schema, which is {self._separator.join(self.columns)}"
            note = (
                f"it is {line.decode(errors='replace').strip()[:200]}; without a header, options = {{header = false}}"
            )
            raise fault("E614", f"sources.{self._name}: {message}", note=note)


def _listed(path: Path) -> list[Path]:
    """The files to read, by name."""
    if path.is_dir():
        found = [Path(entry.path) for entry in os.scandir(path) if entry.is_file() and entry.name[0] not in "._"]
        return sorted(found)
    return [path] if path.exists() else []


def _missing(source: SourceConfig) -> LasingError:
    return fault("E613", f"sources.{source.name}: {source.given['path']} does not exist")


def _other(source: SourceConfig, before: str, now: str) -> LasingError:
    message = f"sources.{source.name}: {source.given['path']} was read as {before} up to the checkpoint, not as {now}"
    note = f'follow = "{before}" reads on in the same way; or start with a new checkpoint'
    return fault("E613", message, note=note)


_KINDS: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_integer, "bigint"),
    (pa.types.is_floating, "double"),
    (pa.types.is_decimal, "double"),
    (pa.types.is_date, "date"),
    (pa.types.is_string, "string"),
    (pa.types.is_large_string, "string"),
    (lambda kind: bool(pa.types.is_timestamp(kind) and kind.tz is None), "timestamp_ntz"),
    (pa.types.is_timestamp, "timestamp"),
)


def _type_of(kind: Any) -> str | None:
    """The type of a Parquet column in a schema; None if such values cannot be in facts."""
    if pa.types.is_dictionary(kind):
        return _type_of(kind.value_type)
    return next((name for fits, name in _KINDS if fits(kind)), None)


def _conformed(column: Any, kind: str, where: str, name: str) -> Any:
    wanted = arrow_type(kind)
    try:
        if column.type == wanted:
            return column
        return column.cast(wanted, safe=not pa.types.is_timestamp(wanted))
    except pa.ArrowException as error:
        raise fault("E614", f"{where}: the column {name} is not of type {kind}: {error}") from None
