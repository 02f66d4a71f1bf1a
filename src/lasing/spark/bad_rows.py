"""Bad rows on Spark: those that its reader could not parse, and keeps as text in the column of corrupt records.

Spark makes a short text of each, with the row, its file, and the columns that have no value. Workers turn these texts
into tables with the reason, and one shard reports them, so that each row is there once.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pyarrow as pa

from lasing.connectors.bad_rows import LEAST_ROWS, BadRow
from lasing.connectors.spark_rows import BAD, file_path, quoted
from lasing.errors import Diagnostic, Place, fault

COLUMNS = {
    "predicate": "string",
    "file": "string",
    "line": "bigint",
    "column": "string",
    "character": "bigint",
    "code": "string",
    "reason": "string",
    "row": "string",
}
"""The columns of a table of bad rows, with Spark's types."""
SCHEMA = ", ".join(f"`{name}` {kind}" for name, kind in COLUMNS.items())
_ARROW = pa.schema([(name, pa.int64() if kind == "bigint" else pa.string()) for name, kind in COLUMNS.items()])

Why = Callable[[str, Collection[str]], tuple[str, str, str, int]]
"""Says what is wrong with a row: a code, the reason, the column and the character. It gets the row as text, and the
names of the columns that have no value."""


def unfit(text: str, empty: Collection[str]) -> tuple[str, str, str, int]:
    """What is known about a row of which only Spark knows the format."""
    column = next(iter(empty), "") if len(empty) == 1 else ""
    said = f": there is no value for {', '.join(sorted(empty))}" if empty and text else ""
    return "E614", f"this row does not fit the schema{said}", column, 1


def corrupt_column(frame: Any) -> str | None:
    """The column in which Spark keeps rows that it cannot parse, if the DataFrame has it."""
    if frame.sparkSession is None:  # the rows of a pipeline in one process, which parses them itself
        return None
    name = frame.sparkSession.conf.get("spark.sql.columnNameOfCorruptRecord", "_corrupt_record")
    return name if dict(frame.dtypes).get(name) == "string" else None


def bad_column(frame: Any, corrupt: str) -> Any:
    """The text about a bad row, as a Spark column; null for a good row."""
    from pyspark.sql import functions as f

    record, where = f.col(quoted(corrupt)), file_path(frame)
    others = [name for name in frame.columns if name != corrupt and not name.startswith("*")]
    empty = f.array_compact(f.array(*(f.when(f.col(quoted(n)).isNull(), f.lit(n)) for n in others)))
    about = f.struct(record.alias("row"), (f.lit("") if where is None else where).alias("file"), empty.alias("empty"))
    return f.when(record.isNotNull(), f.to_json(about)).alias(BAD)


@dataclass(frozen=True, slots=True)
class Describe:
    """Turns the texts about bad rows of an input into a table."""

    predicate: str
    why: Why = unfit
    stops: bool = True
    """Whether a bad row is an error."""

    def table(self, texts: Iterable[str]) -> Any:
        """What is wrong with each row; an error for the first, if it is one."""
        found = [self._row(json.loads(text)) for text in texts]
        lines = line_numbers([(row.file, row.row) for row in found])
        rows = [BadRow(path_of(r.file), n, *astuple(r)[2:]) for r, n in zip(found, lines, strict=True)]
        if rows and self.stops:
            raise error_of(self.predicate, rows[0])
        columns = zip(*((self.predicate, *astuple(row)) for row in rows), strict=True)
        arrays = [pa.array(values, field.type) for values, field in zip(columns, _ARROW, strict=True)]
        return pa.Table.from_arrays(arrays, schema=_ARROW) if arrays else _ARROW.empty_table()

    def _row(self, about: dict[str, Any]) -> BadRow:
        text = str(about.get("row", ""))
        if "code" in about:  # it was read, and refused later
            return BadRow("", 0, about.get("column", ""), 1, about["code"], about["reason"], text)
        code, reason, column, character = self.why(text, about.get("empty", ()))
        return BadRow(about.get("file", ""), 0, column, character, code, reason, text)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """For `mapInArrow`: the bad rows of a history."""
        for batch in batches:
            yield from self.table(batch.column(0).to_pylist()).to_batches()


def error_of(predicate: str, row: BadRow) -> Exception:
    """The error for a bad row, if the query stops at it."""
    place = Place(row.file, row.line, row.character, row.row, cell=row.column) if row.file else None
    shown = "" if row.file else f": {row.row[:200]}"
    note = 'fix the row, or leave out such rows: bad_rows="skip"'
    return fault(row.code, f"a row for {predicate} is bad: {row.reason}{shown}", place, note)


def check_share(bad: int, rows: int, share: float, least: int = LEAST_ROWS) -> None:
    """Fail if too many rows are bad."""
    if rows >= least and bad > share * rows:
        message = f"{bad:,} of {rows:,} rows are bad, more than a share of {share:g}"
        raise fault("E517", message, note="to accept more: max_bad_rows")


def summary(tables: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The number of bad rows by predicate, and the first of each."""
    found: dict[str, dict[str, Any]] = {}
    for table in tables:
        for row in table.slice(0, 1).to_pylist():
            predicate = row.pop("predicate")
            known = found.setdefault(predicate, {"number": 0, "first": row})
            known["number"] += table.num_rows
    return found


def warning(name: str, number: int, first: BadRow, note: str) -> Diagnostic:
    """The warning about bad rows that were left out."""
    rows = f"{number:,} bad row{'s'[: number != 1]} of {name} left out"
    what = first.reason if number == 1 else f"the first, {first.code}: {first.reason}"
    place = Place(first.file, first.line, first.character, first.row, cell=first.column) if first.file else None
    return Diagnostic("W209", f"{rows}: {what}", place, note)


def first_of(about: dict[str, Any]) -> BadRow:
    """The first bad row of a `summary`."""
    return BadRow(**about["first"])


def path_of(file: str) -> str:
    """The path of a local file, or the address of a remote one."""
    return unquote(urlparse(file).path) if file.startswith("file:") else unquote(file)


def line_numbers(rows: Sequence[tuple[str, str]]) -> list[int]:
    """The numbers of the lines with these texts in their files, from 1; 0 where they cannot be known. Equal lines of a
    file have their numbers in order."""
    wanted: dict[str, dict[str, list[int]]] = {}
    for place, (file, text) in enumerate(rows):
        wanted.setdefault(file, {}).setdefault(text.rstrip("\r\n"), []).append(place)
    numbers = [0] * len(rows)
    for file, texts in wanted.items():
        for number, line in enumerate(_lines(file), 1):
            places = texts.get(line.rstrip("\r\n"))
            if places:
                numbers[places.pop(0)] = number
    return numbers


def _lines(file: str) -> Iterator[str]:
    path = Path(path_of(file))
    if not file.startswith("file:") or not path.is_file():
        return
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace", newline="") as lines:
        yield from lines
