"""Find the row of a source that Spark cannot read, with its file and column. Spark only says that there is one.

Files are read a second time, as lines of text next to the rows that Spark parses. This happens once, after a failure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from lasing.connectors.bad_rows import SKIP as SKIP_BAD
from lasing.connectors.bad_rows import STOP
from lasing.connectors.missing import ERROR, SKIP, Missing
from lasing.errors import Diagnostic, Place
from lasing.pipeline.config import Pipeline, SinkConfig, SourceConfig
from lasing.pipeline.formats import FILE_FORMATS
from lasing.pipeline.row_faults import RowFault, is_header
from lasing.pipeline.schema import columns_of
from lasing.spark.bad_rows import line_numbers, path_of
from lasing.spark.inputs import specification

CORRUPT = "*corrupt"
"""The column in which Spark keeps the text of a row that it cannot parse."""
_MENDED = "fix the row, or leave it out"


def with_corrupt(schema: str) -> str:
    """A schema with the column of corrupt rows."""
    return f"{schema}, `{CORRUPT}` string"


def row_fault(source: SourceConfig, needed: Sequence[str] = ()) -> RowFault:
    """What says why a row of a source is bad; a missing value is a mistake in the `needed` columns."""
    form = source.format if source.format in FILE_FORMATS else source.given.get("payload", "json")
    separator = str(source.options.get("sep", source.options.get("delimiter", ",")))[:1] or ","
    return RowFault(str(form), columns_of(source.schema or ""), separator, tuple(needed))


def bad_sinks(pipeline: Pipeline, sources: Collection[str] | None = None) -> list[SinkConfig]:
    """The folders to which the bad rows of some sources go, or of all of them. Those that are skipped go nowhere."""
    rules = [pipeline.bad_rows_in(s) for s in pipeline.sources if sources is None or s.name in sources]
    folders = dict.fromkeys(rule for rule in rules if rule not in (STOP, SKIP_BAD))
    return [SinkConfig("bad_rows", "", "json", {"path": folder}, {}) for folder in folders]


def bad_of(rows: Any, pipeline: Pipeline, sink: SinkConfig) -> Any:
    """The bad rows that go to a folder, each with the name of its source."""
    from pyspark.sql import functions as f

    mine = {s.name: specification(s.fact)[0] for s in pipeline.sources if pipeline.bad_rows_in(s) == sink.given["path"]}
    named = f.coalesce(*(f.when(f.col("predicate") == p, f.lit(name)) for name, p in mine.items()))
    return rows.select(named.alias("source"), *(f"`{c}`" for c in rows.columns if c != "predicate")).where(
        "source IS NOT NULL"
    )


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
    fault = row_fault(source, needed)
    found = sorted(_bad_lines(spark, source, files, needed), key=lambda row: row["file"])
    places = [(_line_number(row["file"], row["value"]), row) for row in found]
    for number, row in sorted(places, key=lambda place: (place[1]["file"], place[0])):
        if source.format == "csv" and is_header(row["value"], columns, fault.separator):
            continue
        place = Place(path_of(row["file"]), number, 1, row["value"])
        if source.format == "csv" and number == 1:
            message = f"the header does not match the schema, which is {fault.separator.join(columns)}"
            return Diagnostic("E614", f"sources.{source.name}: {message}", place, _MENDED)
        values = row["row"]
        empty = [name for name in columns if values is None or values[name] is None]
        code, message, cell, character = fault(row["value"], empty)
        place = replace(place, column=character, cell=cell)
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
    options = {**source.options, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}
    parsed = read("value", with_corrupt(source.schema or ""), options)
    lines = spark.read.text(list(files)).where(f.trim("value") != "")
    rows = lines.select("value", parsed.alias("row"), f.col("_metadata.file_path").alias("file"))
    bad = f.col(f"row.`{CORRUPT}`").isNotNull()
    if str(source.options.get("mode", "")).upper() == "DROPMALFORMED":
        bad = f.lit(False)
    for name in needed:
        bad = bad | f.col(f"row.`{name}`").isNull()
    found: list[Any] = rows.where(bad).limit(len(files) + 1).collect()  # a header for each file, and a bad line
    return found


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


def _line_number(file: str, text: str) -> int:
    """The number of a line in a file, from 1; 0 if the file is not on this machine."""
    return line_numbers([(file, text)])[0]
