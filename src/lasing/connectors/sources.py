"""Where streams come from: a file by its ending, standard input, or objects in memory."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lasing.connectors.arrow import is_frame, read_frame, read_parquet
from lasing.connectors.csv import read_csv
from lasing.connectors.facts import parse_facts, read_facts
from lasing.connectors.files import Progress
from lasing.connectors.jsonl import read_jsonl
from lasing.connectors.rows import Arity, Row, by_time, check_arity, late, merged, time_of, value_of
from lasing.connectors.tables import TIME, Columns, Table
from lasing.errors import Place, fault
from lasing.logic.formulas import Atom
from lasing.logic.terms import is_name
from lasing.timeline.ticks import Tick

FORMATS = {
    ".facts": "facts",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}

_MAPPED = re.compile(r"(?P<predicate>[^=()/\\]+)(?:\((?P<args>[^()]*)\))?=(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileSource:
    """A stream file, its format, and, for tables, what its columns mean."""

    path: Path
    format: str
    columns: Columns

    def rows(
        self, tick: Tick | None, ordered: bool, progress: Progress | None = None, arity: Arity | None = None
    ) -> Iterator[Row]:
        match self.format:
            case "facts":
                return read_facts(self.path, tick, ordered, progress, arity)
            case "csv":
                return read_csv(self.path, self.columns, tick, ordered, progress, arity)
            case "jsonl":
                return read_jsonl(self.path, self.columns, tick, ordered, progress, arity)
            case "parquet":
                return read_parquet(self.path, self.columns, tick, ordered, progress, arity)
        raise fault(
            "E511",
            f"unknown format {self.format}",
            note=f"formats are {', '.join(sorted(set(FORMATS.values())))}",
        )


def file_source(argument: str, time: str = TIME, standard_input: str = "facts") -> FileSource:
    """The source that a command-line argument names: `FILE`, `pred=FILE` or `pred(column,…)=FILE`.

    Without a predicate, a table's file name is it, unless the table has a column `predicate`.
    """
    mapped = None if Path(argument).exists() else _MAPPED.fullmatch(argument)
    path = Path(mapped["path"] if mapped else argument)
    form = _format(path, standard_input)
    if mapped is None:
        return FileSource(path, form, Columns(time=time))
    args = None if mapped["args"] is None else tuple(a.strip() for a in mapped["args"].split(",") if a.strip())
    return FileSource(path, form, Columns(mapped["predicate"].strip(), args, time))


def _format(path: Path, standard_input: str) -> str:
    if str(path) == "-":
        return standard_input
    if path.is_dir():
        raise fault("E401", f"{path} is a directory, not a file")
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        note = f"streams end in {' '.join(FORMATS)}, or are - for standard input"
        raise fault("E511", f"{path}: which format is this?", note=note)
    return form


def named(source: FileSource, header: Iterable[str]) -> FileSource:
    """The source with its predicate: given, in a column, or the name of the file."""
    if source.columns.predicate is not None or source.format == "facts" or "predicate" in set(header):
        return source
    stem = source.path.stem
    if not is_name(stem):
        note = f"say which predicate its rows are about: name={source.path}"
        raise fault("E509", f"the file's name, {stem!r}, is not a predicate's name", note=note)
    return replace(source, columns=replace(source.columns, predicate=stem))


def stream_rows(
    stream: Any,
    tick: Tick | None,
    sort: bool = False,
    progress: Progress | None = None,
    arity: Arity | None = None,
) -> Iterator[Row]:
    """The rows of whatever is given as a stream, in order; `sort` sorts what is not."""
    rows = _rows(stream, tick, not sort, progress, arity)
    return iter(by_time(rows)) if sort else rows


def _rows(
    stream: Any, tick: Tick | None, ordered: bool, progress: Progress | None, arity: Arity | None
) -> Iterator[Row]:
    match stream:
        case None:
            return iter(())
        case str():
            if re.fullmatch(r"\S+\.(facts|csv|jsonl|ndjson|parquet)", stream):
                raise fault("E510", f"{stream!r} is text", note=f"for a file, pass a path: Path({stream!r})")
            return parse_facts(stream, tick, ordered, arity=arity)
        case Path():
            source = FileSource(stream, _format(stream, "facts"), Columns())
            return _file_rows(source, tick, ordered, progress, arity)
        case FileSource():
            return _file_rows(stream, tick, ordered, progress, arity)
        case Table():
            return read_frame(stream.frame, stream.columns(), tick, ordered, arity)
        case Mapping():
            return merged(_rows(_as_table(p, part), tick, ordered, progress, arity) for p, part in stream.items())
        case _ if is_frame(stream):
            return read_frame(stream, Columns(), tick, ordered, arity)
        case Iterable():
            return _object_rows(stream, tick, ordered, arity)
    raise fault("E510", f"a {type(stream).__name__} is not a stream", note=_STREAMS)


_STREAMS = (
    "a stream is text, a Path, a data frame, a Table, a dictionary from predicates to data frames,\n"
    "or rows such as (36, 'temp', 's1', 70)"
)


def _file_rows(
    source: FileSource, tick: Tick | None, ordered: bool, progress: Progress | None, arity: Arity | None
) -> Iterator[Row]:
    return named(source, _header(source)).rows(tick, ordered, progress, arity)


def _header(source: FileSource) -> Iterable[str]:
    """The columns of a table, as far as they tell whether it has one called `predicate`."""
    if str(source.path) == "-":
        return ("predicate",)
    if source.format == "parquet":
        import pyarrow.parquet as pq

        try:
            return list(pq.read_schema(source.path).names)
        except (OSError, ValueError):
            return ()  # reading the file itself will say what is wrong
    try:
        with source.path.open(encoding="utf-8-sig", errors="replace") as file:
            first = next((line for line in file if line.strip()), "") if source.format == "jsonl" else file.readline()
    except OSError:
        return ()
    try:
        return (
            list(json.loads(first)) if source.format == "jsonl" else [c.strip() for c in next(csv.reader([first]), [])]
        )
    except (ValueError, TypeError, RecursionError, csv.Error):
        return ()  # likewise


def _as_table(predicate: object, part: Any) -> Any:
    if not isinstance(predicate, str):
        raise fault("E509", f"{predicate!r} is not a predicate's name", note=_STREAMS)
    if isinstance(part, Table):
        return replace(part, predicate=part.predicate or predicate)
    return Table(part, predicate)


def _object_rows(rows: Iterable[Any], tick: Tick | None, ordered: bool, arity: Arity | None) -> Iterator[Row]:
    """Rows as objects: (time, predicate, argument, …) or (time, Atom)."""
    newest: int | None = None
    for number, row in enumerate(rows, 1):
        place = Place("row", number, 1)
        match row:
            case (time, Atom() as atom) if is_name(atom.predicate):
                atom = Atom(atom.predicate, tuple(value_of(arg, place) for arg in atom.args))
            case (time, predicate, *args):
                if not isinstance(predicate, str) or not is_name(predicate):
                    raise fault("E509", f"{predicate!r} is not a predicate's name", place)
                atom = Atom(predicate, tuple(value_of(arg, place) for arg in args))
            case _:
                raise fault("E510", f"{row!r} is not a row", place, _STREAMS)
        point = time_of(time, tick, place)
        if newest is not None and point < newest and ordered:
            raise late(point, newest, place)
        newest = point if newest is None else max(newest, point)
        check_arity(atom, arity, partial(Place, "row", number, 1))
        yield point, atom
