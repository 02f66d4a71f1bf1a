"""Find the row of a source that Spark cannot read, with its file and column. Spark only says that there is one.

Files are read a second time, as lines of text next to the rows that Spark parses. This happens once, after a failure.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from lasing.connectors.missing import ERROR, SKIP, Missing
from lasing.errors import Diagnostic, Place
from lasing.pipeline.config import SourceConfig
from lasing.pipeline.formats import FILE_FORMATS
from lasing.pipeline.schema import columns_of
from lasing.spark.inputs import specification

_CORRUPT = "*corrupt"
_MENDED = "fix the row, or leave it out"


def bad_row(spark: Any, source: SourceConfig, files: Sequence[str], missing: Missing) -> Diagnostic | None:
    """What is wrong with the first row of these files that cannot be read, or that lacks a value if that is an error;
    None if there is no such row."""
    if source.format not in FILE_FORMATS or not files:
        return None
    if source.format == "parquet":
        return _without_value(spark, source, files, missing)
    if str(source.options.get("multiLine", "false")).lower() == "true":  # a line is not a row
        return None
    columns = columns_of(source.schema or "")
    needed = _needed(source, list(columns), missing)
    found = sorted(_bad_lines(spark, source, files, needed), key=lambda row: row["file"])
    places = [(_line_number(row["file"], row["value"]), row) for row in found]
    for number, row in sorted(places, key=lambda place: (place[1]["file"], place[0])):
        said = _csv(source, row, number, needed) if source.format == "csv" else _json(columns, row, needed)
        if said is not None:
            code, message, column = said
            place = Place(path_of(row["file"]), number, column, row["value"])
            return Diagnostic(code, f"sources.{source.name}: {message}", place, _MENDED)
    return None


def _needed(source: SourceConfig, columns: Sequence[str], missing: Missing) -> list[str]:
    """The columns in which a missing value is an error."""
    if missing == SKIP:
        return []
    if missing != ERROR or source.mapping is not None:  # another value is filled in, except for a time
        return [source.time]
    _, named = specification(source.fact)
    return [name for name in columns if named is None or name == source.time or name in named]


def _bad_lines(spark: Any, source: SourceConfig, files: Sequence[str], needed: Sequence[str]) -> list[Any]:
    """Lines that do not fit the schema, as text and as Spark parses them; this includes the headers."""
    from pyspark.sql import functions as f

    read = f.from_csv if source.format == "csv" else f.from_json
    options = {**source.options, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT}
    parsed = read("value", f"{source.schema}, `{_CORRUPT}` string", options)
    lines = spark.read.text(list(files)).where(f.trim("value") != "")
    rows = lines.select("value", parsed.alias("row"), f.col("_metadata.file_path").alias("file"))
    bad = f.col(f"row.`{_CORRUPT}`").isNotNull()
    if str(source.options.get("mode", "")).upper() == "DROPMALFORMED":
        bad = f.lit(False)
    for name in needed:
        bad = bad | f.col(f"row.`{name}`").isNull()
    found: list[Any] = rows.where(bad).limit(len(files) + 1).collect()  # a header for each file, and a bad line
    return found


def _csv(source: SourceConfig, row: Any, number: int, needed: Sequence[str]) -> tuple[str, str, int] | None:
    """The error code, message and text column for a bad line; None for a header."""
    columns = columns_of(source.schema or "")
    separator = str(source.options.get("sep", source.options.get("delimiter", ",")))
    cells = next(csv.reader([row["value"]], delimiter=separator[:1] or ","), [])
    if [cell.strip().lower() for cell in cells] == [name.lower() for name in columns]:
        return None
    if number == 1:
        return "E614", f"the header does not match the schema, which is {separator.join(columns)}", 1
    if len(cells) != len(columns):
        return "E614", f"this row has {len(cells)} cells, but the schema has {len(columns)} columns", 1
    at = 1
    for (name, kind), cell in zip(columns.items(), cells, strict=True):
        if row["row"][name] is None:
            if cell.strip():
                return "E614", f"{name} is {cell!r}, which is not of type {kind}", at
            if name in needed:
                return "E506", f"there is no value for {name}", at
        at += len(cell) + 1
    return "E614", "this row does not fit the schema", 1


def _json(columns: Mapping[str, str], row: Any, needed: Sequence[str]) -> tuple[str, str, int]:
    try:
        given = json.loads(row["value"])
    except (ValueError, RecursionError) as error:
        return "E614", "this row is not JSON", getattr(error, "colno", 1)
    if not isinstance(given, dict):
        return "E614", "this row is not a JSON object", 1
    for name, kind in columns.items():
        if row["row"] is not None and row["row"][name] is not None:
            continue
        at = max(row["value"].find(f'"{name}"'), 0) + 1
        if given.get(name) is not None:
            return "E614", f"{name} is {given[name]!r}, which is not of type {kind}", at
        if name in needed:
            return "E506", f"there is no value for {name}", at
    return "E614", "this row does not fit the schema", 1


def _without_value(spark: Any, source: SourceConfig, files: Sequence[str], missing: Missing) -> Diagnostic | None:
    """A row of a Parquet file in which a value is missing."""
    from pyspark.sql import functions as f

    frame = spark.read.schema(source.schema).parquet(*files) if source.schema else spark.read.parquet(*files)
    for name in _needed(source, frame.columns, missing):
        rows = frame.where(f.col(f"`{name}`").isNull())
        for row in rows.select("_metadata.file_path", "_metadata.row_index").limit(1).collect():
            message = f"sources.{source.name}: row {row[1] + 1} of {path_of(row[0])} has no value for {name}"
            return Diagnostic("E506", message, note=_MENDED)
    return None


def path_of(file: str) -> str:
    """The path of a local file, or the address of a remote one."""
    return unquote(urlparse(file).path) if file.startswith("file:") else unquote(file)


def _line_number(file: str, text: str) -> int:
    """The number of a line in a file, from 1; 0 if the file is not on this machine."""
    path = Path(path_of(file))
    if not file.startswith("file:") or not path.exists():
        return 0
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace", newline="") as lines:
        found = (number for number, line in enumerate(lines, 1) if line.rstrip("\r\n") == text)
        return next(found, 0)
