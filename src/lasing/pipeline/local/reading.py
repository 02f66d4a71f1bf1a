"""Lines of CSV or JSON as tables: fast where all rows are good, and row by row where one is not.

Both ways give the same values, so that the result does not depend on how a stream is cut into blocks.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.json as pajson

from lasing.connectors.bad_rows import BadRows
from lasing.errors import Diagnostic, LasingError, Place
from lasing.pipeline.local.cells import arrow_type, of_json, of_text
from lasing.spark.tables import Numbers

Where = Callable[[int], tuple[str, int]]
"""The source and line number of a row, counted from 0."""


@dataclass(slots=True)
class _BadRowError(Exception):
    """Why a row is not one: the column of the text, from 1, the reason, and the name of the wrong cell, if it is one."""

    column: int
    reason: str
    cell: str = ""


class LineReader:
    """Reads the lines of a source by its schema. Bad rows are taken by `bad`, which stops or goes on without them."""

    def __init__(
        self, source: str, columns: Mapping[str, str], payload: str, bad: BadRows, separator: str = ","
    ) -> None:
        self._source = source
        self._columns = dict(columns)
        self._is_csv = payload == "csv"
        self._bad = bad
        self._separator = separator
        self._schema = pa.schema([(name, arrow_type(kind)) for name, kind in columns.items()])
        self._dated = any(map(_is_time, self._schema.types))
        self._zoned = True
        self._read_text = [of_text(kind) for kind in columns.values()]
        self._read_json = [(name, of_json(kind)) for name, kind in columns.items()]

    @property
    def schema(self) -> Any:
        return self._schema

    def read(self, lines: Sequence[bytes] | bytes, where: Where) -> tuple[Any, Numbers | None]:
        """The rows as a table, and the positions of these rows among the lines that are not blank; None if that is all.

        Lines are a block of text, or one by one without line ends. `where` gives the place of a line, for messages.
        """
        block = lines if isinstance(lines, bytes) else b"\n".join(lines)
        if not block.strip():
            return self._schema.empty_table(), None
        table = self._fast(block, None if isinstance(lines, bytes) else len(lines))
        if table is not None:
            self._bad.rows += table.num_rows
            return table, None
        each = block.split(b"\n") if isinstance(lines, bytes) else lines
        found = self._careful([(at, line) for at, line in enumerate(each) if line.strip()], where)
        self._bad.stop()
        return found

    # -- all rows at once ------------------------------------------------------------------------------------------

    def _fast(self, block: bytes, count: int | None) -> Any | None:
        """The rows, if all of them are good; `count` is how many there must be, None if that is not known."""
        if count is None and b'"' in block and self._is_csv:  # a line end in quotes is not one to the parser
            count = sum(1 for line in block.split(b"\n") if line.strip())
        for zoned in (self._zoned, not self._zoned) if self._dated else (True,):
            try:
                table = self._csv(block, zoned) if self._is_csv else self._json(block, zoned)
            except (pa.ArrowException, OSError):
                continue
            self._zoned = zoned
            return table if count in (None, table.num_rows) and self._is_finite(table) else None
        return None

    def _csv(self, block: bytes, zoned: bool) -> Any:
        names = list(self._columns)
        types = {name: _parsed(kind, zoned) for name, kind in zip(names, self._schema.types, strict=True)}
        table = pacsv.read_csv(
            pa.BufferReader(block),
            pacsv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names),
            pacsv.ParseOptions(delimiter=self._separator),
            pacsv.ConvertOptions(
                column_types=types,
                null_values=[""],
                strings_can_be_null=True,
                true_values=["true", "True", "TRUE"],
                false_values=["false", "False", "FALSE"],
            ),
        )
        return table.cast(self._schema)

    def _json(self, block: bytes, zoned: bool) -> Any:
        fields = [(f.name, pa.string() if _is_time(f.type) else f.type) for f in self._schema]
        table = pajson.read_json(
            pa.BufferReader(block),
            pajson.ReadOptions(use_threads=False, block_size=len(block) + 1),
            pajson.ParseOptions(explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore"),
        )
        for place, field in enumerate(self._schema):
            if _is_time(field.type):
                read = table.column(place).cast(_parsed(field.type, zoned))
                table = table.set_column(place, field.name, read)
        return table.cast(self._schema)

    def _is_finite(self, table: Any) -> bool:
        numbers = [c for c in table.columns if pa.types.is_floating(c.type)]
        return all(pc.all(pc.is_finite(column)).as_py() is not False for column in numbers)

    # -- row by row ------------------------------------------------------------------------------------------------

    def _careful(self, lines: Sequence[tuple[int, bytes]], where: Where) -> tuple[Any, Numbers]:
        rows: list[list[Any]] = []
        kept: list[int] = []
        cells = self._csv_cells if self._is_csv else self._json_cells
        for number, (at, line) in enumerate(lines):
            try:
                text = line.decode()
                rows.append(cells(text))
                kept.append(number)
            except UnicodeDecodeError as error:
                self._take(
                    _BadRowError(error.start + 1, "this row is not UTF-8"), line.decode(errors="replace"), where(at)
                )
            except _BadRowError as found:
                self._take(found, text, where(at))
        self._bad.rows += len(rows)
        columns = zip(*rows, strict=True) if rows else [()] * len(self._columns)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, self._schema.types, strict=True)]
        return pa.Table.from_arrays(arrays, schema=self._schema), np.array(kept, np.int64)

    def _csv_cells(self, text: str) -> list[Any]:
        text = text.rstrip("\r")
        if '"' in text:
            try:
                cells = next(csv.reader([text], delimiter=self._separator, strict=True), [])
            except csv.Error as error:
                raise _BadRowError(1, f"this row is not CSV: {error}") from None
        else:
            cells = text.split(self._separator)
        if len(cells) != len(self._columns):
            message = f"this row has {len(cells)} cells, but the schema has {len(self._columns)} columns"
            raise _BadRowError(1, message)
        found: list[Any] = []
        try:
            for read, cell in zip(self._read_text, cells, strict=True):
                found.append(read(cell) if cell else None)
        except ValueError:
            bad = len(found)
            name, kind = list(self._columns.items())[bad]
            at = sum(len(cell) + 1 for cell in cells[:bad]) + 1
            raise _BadRowError(at, f"{name} is {cells[bad]!r}, which is not of type {kind}", name) from None
        return found

    def _json_cells(self, text: str) -> list[Any]:
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _BadRowError(getattr(error, "colno", 1), "this row is not JSON") from None
        if not isinstance(given, dict):
            raise _BadRowError(1, "this row is not a JSON object")
        found: list[Any] = []
        try:
            for name, read in self._read_json:
                value = given.get(name)
                found.append(None if value is None else read(value))
        except (ValueError, TypeError, OverflowError, OSError):
            name, kind = list(self._columns.items())[len(found)]
            at = max(text.find(f'"{name}"'), 0) + 1
            raise _BadRowError(at, f"{name} is {given[name]!r}, which is not of type {kind}", name) from None
        return found

    def _take(self, found: _BadRowError, text: str, where: tuple[str, int]) -> None:
        place = Place(*where, found.column, text, cell=found.cell)
        error = Diagnostic("E614", f"sources.{self._source}: {found.reason}", place, "fix the row, or leave it out")
        self._bad.take(LasingError([error]), place)


def _is_time(kind: Any) -> bool:
    return bool(pa.types.is_timestamp(kind))


def _parsed(kind: Any, zoned: bool) -> Any:
    """The type as which times are parsed: with a zone in their text, or without."""
    return pa.timestamp("us", "UTC" if zoned else None) if _is_time(kind) else kind
