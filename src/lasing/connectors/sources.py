"""Where streams come from: a file by its extension, standard input, or objects in memory."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasing.connectors.arrow import is_frame, parquet_source, read_frame, read_parquet
from lasing.connectors.csv import read_csv
from lasing.connectors.facts import parse_facts, read_facts
from lasing.connectors.files import PACKED, OnBytesRead, first_line, is_live
from lasing.connectors.jsonl import read_jsonl
from lasing.connectors.live.address import followed_folder, followed_path, is_address, live_path, refuse_unknown_address
from lasing.connectors.live.paths import LivePath
from lasing.connectors.missing import Gaps
from lasing.connectors.objects import STREAMS, object_rows
from lasing.connectors.rdf.endings import STREAM_FORMATS as RDF_FORMATS
from lasing.connectors.rdf.endings import STREAMS as RDF_STREAMS
from lasing.connectors.rdf.endings import need_library, rdf_ending
from lasing.connectors.rdf.mapped import MISSING, Mapped, mapped_triples
from lasing.connectors.rdf.mapping import TripleMapping
from lasing.connectors.rows import Arity, by_time, merged
from lasing.connectors.tables import TIME, Columns, Table
from lasing.errors import LasingError, fault
from lasing.logic.program import Fact, Signature
from lasing.logic.values import is_name
from lasing.timeline.ticks import Tick

if TYPE_CHECKING:
    from lasing.connectors.batches import Batch  # this loads Arrow, so only when needed

FORMATS = {
    ".facts": "facts",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    **RDF_STREAMS,
}

_MAPPED = re.compile(r"(?P<predicate>[^=()/\\]+)(?:\((?P<args>[^()]*)\))?=(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileSource:
    """A stream file, its format, and, for tables, what its columns mean."""

    path: Path
    format: str
    columns: Columns
    graph_times: Path | None = None
    """For RDF: a file with the times of named graphs."""

    def rows(
        self,
        tick: Tick | None,
        ordered: bool,
        progress: OnBytesRead | None = None,
        arity: Arity | None = None,
        gaps: Gaps | None = None,
    ) -> Iterator[Fact]:
        """The facts, one by one."""
        if self.format in RDF_FORMATS:
            rows: Iterator[Fact] = _rdf(self.path).rdf_rows(
                self._triples(tick, ordered, progress, gaps), self.columns.predicate, arity
            )
            return rows
        match self.format:
            case "facts":
                return read_facts(self.path, tick, ordered, progress, arity, None if gaps is None else gaps.bad)
            case "csv":
                return read_csv(self.path, self.columns, tick, ordered, progress, arity, gaps)
            case "jsonl":
                return read_jsonl(self.path, self.columns, tick, ordered, progress, arity, gaps)
            case "parquet":
                return read_parquet(self.path, self.columns, tick, ordered, progress, arity, gaps)
        raise self._unknown()

    def batches(
        self, tick: Tick | None, ordered: bool, progress: OnBytesRead | None, arity: Arity, gaps: Gaps
    ) -> Iterator[Batch]:
        """The facts in columns."""
        if self.format == "ntriples":
            lines: Iterator[Batch] = _rdf(self.path).line_batches(
                self.path, self.columns, tick, ordered, progress, arity, gaps.bad
            )
            return lines
        if self.format in RDF_FORMATS:
            found: Iterator[Batch] = _rdf(self.path).rdf_batches(
                self._triples(tick, ordered, progress, gaps), self.columns.predicate, arity
            )
            return found
        from lasing.connectors import arrow_columns, csv_columns, facts_columns, jsonl_columns  # these load kernels

        match self.format:
            case "facts":
                return facts_columns.facts_batches(self.path, tick, ordered, progress, arity, gaps.bad)
            case "csv":
                return csv_columns.csv_batches(self.path, self.columns, tick, ordered, progress, arity, gaps)
            case "jsonl":
                return jsonl_columns.jsonl_batches(self.path, self.columns, tick, ordered, progress, arity, gaps)
            case "parquet":
                return arrow_columns.parquet_batches(self.path, self.columns, tick, ordered, progress, arity, gaps)
        raise self._unknown()

    def _triples(self, tick: Tick | None, ordered: bool, progress: OnBytesRead | None, gaps: Gaps | None) -> Any:
        """The triples of an RDF file, with their times."""
        timed = _rdf(self.path).timed_triples
        return timed(self.path, self.format, self.columns, tick, ordered, progress, gaps, self.graph_times)

    def _unknown(self) -> LasingError:
        note = f"formats are {', '.join(sorted(set(FORMATS.values())))}"
        return fault("E511", f"unknown format {self.format}", note=note)


def _rdf(path: Path | str) -> Any:
    """The reader of RDF streams; it needs pyoxigraph, so it is loaded here."""
    need_library("pyoxigraph", f"reading {path} needs it")
    from lasing.connectors.rdf import streams

    return streams


@dataclass(frozen=True, slots=True)
class Streams:
    """Several streams, to be merged by time."""

    streams: tuple[Any, ...]


_One = str | FileSource | Mapped | Table | Iterable[Any]
"""One stream: text, a file with the names of its columns, a table, or rows."""


def file_source(argument: str, time: str = TIME, standard_input: str = "facts", follows: bool = False) -> FileSource:
    """The source that a command-line argument names: `FILE`, `pred=FILE` or `pred(column,…)=FILE`. If it `follows`,
    the file may be a folder.

    Without a predicate, the file name of a table is the predicate, unless the table has a column `predicate`.
    """
    mapped = None if os.path.exists(argument) else _MAPPED.fullmatch(argument)
    name = mapped["path"] if mapped else argument
    refuse_unknown_address(name)
    path = live_path(name) if is_address(name) else Path(name)
    if follows and os.path.isdir(path):
        form = _format_in(path, standard_input)
        path = followed_folder(path, header=form == "csv")
    else:
        form = _format(path, standard_input)
    if mapped is None:
        return FileSource(path, form, Columns(time=time))
    args = None if mapped["args"] is None else tuple(a.strip() for a in mapped["args"].split(",") if a.strip())
    return FileSource(path, form, Columns(mapped["predicate"].strip(), args, time))


def _format(path: Path, standard_input: str) -> str:
    if str(path) == "-" or isinstance(path, LivePath):
        return standard_input
    if os.path.isdir(path):
        raise fault(
            "E401", f"{path} is a directory, not a file", note="lasing run --follow reads the files of a folder"
        )
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    packed = suffixes[-1:] == [PACKED]
    form = FORMATS.get((suffixes[:-1] if packed else suffixes)[-1]) if len(suffixes) > packed else None
    if form is None or (packed and form == "parquet"):
        note = f"streams end in {' '.join(FORMATS)}, or are - for standard input; text may be compressed: .csv.gz"
        if rdf_ending(path):
            note = (
                f"a graph without time is background: --data {path}; graphs with times end in {' '.join(RDF_STREAMS)}"
            )
        raise fault("E511", f"{path}: which format is this?", note=note)
    return form


def _format_in(folder: Path, otherwise: str) -> str:
    """The format of the files in a folder, if they say it."""
    forms = {_format(file, otherwise) for file in _files_in(folder) if file.name.endswith((*FORMATS, PACKED))}
    if otherwise != "facts" or not forms:
        return otherwise
    if len(forms) > 1 or not forms <= set(_FOLLOWED):
        note = "files of facts, CSV and JSON lines can grow; all files of a folder have the same format"
        raise fault("E511", f"{folder} cannot be followed: it has files of {', '.join(sorted(forms))}", note=note)
    return forms.pop()


def _files_in(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if path.name[0] not in "._" and path.is_file()]


_FOLLOWED = ("facts", "csv", "jsonl")


def followed(source: FileSource) -> FileSource:
    """The source, read on as the file grows. Standard input, pipes and addresses are live already."""
    if is_live(source.path):
        return source
    if source.format not in _FOLLOWED or source.path.suffix.lower() == PACKED:
        note = "files of facts, CSV and JSON lines can grow"
        raise fault("E511", f"{source.path} cannot be followed", note=note)
    return replace(source, path=followed_path(source.path, header=source.format == "csv"))


def named(source: FileSource, header: Iterable[str]) -> FileSource:
    """The source with its predicate: given, in a column, or the name of the file."""
    given = source.columns.predicate is not None or source.format == "facts" or source.format in RDF_FORMATS
    if given or "predicate" in set(header):
        return source
    stem = source.path.stem
    if source.path.suffix.lower() == PACKED:
        stem = Path(stem).stem
    if not is_name(stem):
        note = f"say which predicate its rows are about: name={source.path}"
        raise fault("E509", f"the file's name, {stem!r}, is not a predicate's name", note=note)
    return replace(source, columns=replace(source.columns, predicate=stem))


def stream_rows(
    stream: Any,
    tick: Tick | None,
    sort: bool = False,
    progress: OnBytesRead | None = None,
    arity: Arity | None = None,
    gaps: Gaps | None = None,
    ordered: bool = True,
) -> Iterator[Fact]:
    """The facts of any kind of stream, one by one, in order; `sort` sorts a stream that is not in order. Unless it must
    be `ordered`, the facts of one stream come as they are."""
    known = recognized(stream)
    if isinstance(known, Streams):
        return merged(stream_rows(one, tick, sort, progress, arity, gaps) for one in known.streams)
    rows = _rows(known, tick, ordered and not sort, progress, arity, gaps or Gaps())
    return iter(by_time(rows)) if sort else rows


def _rows(
    stream: _One, tick: Tick | None, ordered: bool, progress: OnBytesRead | None, arity: Arity | None, gaps: Gaps
) -> Iterator[Fact]:
    match stream:
        case str():
            return parse_facts(stream, tick, ordered, arity=arity, bad=gaps.bad)
        case FileSource():
            return stream.rows(tick, ordered, progress, arity, gaps)
        case Mapped():
            rows: Iterator[Fact] = _rdf("a mapping").rdf_rows(
                _mapped(stream, tick, ordered, progress, gaps), stream.predicate, arity
            )
            return rows
        case Table():
            return read_frame(stream.frame, stream.columns(), tick, ordered, arity, _gaps_of(stream, gaps))
    return object_rows(stream, tick, ordered, arity, gaps)


def in_columns(stream: Any) -> bool:
    """Whether a stream can be read in columns. Rows, standard input and pipes are read one by one, as they come."""
    match stream:
        case Streams(streams):
            return all(map(in_columns, streams))
        case Mapped(source):
            return in_columns(source)
        case FileSource(path) | (Path() as path):
            return not is_live(path)
        case Mapping():
            return not any(isinstance(part, Path) and is_live(part) for part in stream.values())
    return stream is None or isinstance(stream, str | Table) or is_frame(stream)


def stream_batches(
    stream: Any, tick: Tick | None, sort: bool, progress: OnBytesRead | None, arity: Arity, gaps: Gaps
) -> list[Iterator[Batch]]:
    """The facts of a stream in columns, as sources to be merged by time, in their order."""
    from lasing.connectors.batches import sorted_sources

    known = recognized(stream)
    if isinstance(known, Streams):
        return [one for part in known.streams for one in stream_batches(part, tick, sort, progress, arity, gaps)]
    batches = _batches(known, tick, not sort, progress, arity, gaps)
    return sorted_sources(batches) if sort else [batches]


def _batches(
    stream: _One, tick: Tick | None, ordered: bool, progress: OnBytesRead | None, arity: Arity, gaps: Gaps
) -> Iterator[Batch]:
    from lasing.connectors import arrow_columns, batches, facts_columns

    match stream:
        case str():
            return facts_columns.text_batches(stream, tick, ordered, arity, gaps.bad)
        case FileSource():
            return stream.batches(tick, ordered, progress, arity, gaps)
        case Mapped():
            found: Iterator[Batch] = _rdf("a mapping").rdf_batches(
                _mapped(stream, tick, ordered, progress, gaps), stream.predicate, arity
            )
            return found
        case Table():
            own = _gaps_of(stream, gaps)
            return arrow_columns.frame_batches(stream.frame, stream.columns(), tick, ordered, arity, own)
    return batches.batches_of(object_rows(stream, tick, ordered, arity, gaps))


def recognized(stream: Any) -> _One | Streams:
    """The kind of a stream: text, a file with the names of its columns, tables, or rows."""
    match stream:
        case None:
            return ()
        case str():
            if re.fullmatch(rf"\S+\.({'|'.join(e[1:] for e in FORMATS)})(\.gz)?", stream):
                raise fault("E510", f"{stream!r} is text", note=f"for a file, pass a path: Path({stream!r})")
            return stream
        case Path():
            source = FileSource(stream, _format(stream, "facts"), Columns())
            return named(source, _header(source))
        case FileSource():
            return named(stream, _header(stream))
        case Table() | Streams() | Mapped():
            return stream
        case Mapping():
            return Streams(tuple(_as_table(predicate, part) for predicate, part in stream.items()))
        case _ if is_frame(stream):
            return Table(stream)
        case Iterable():
            return stream
    raise fault("E510", f"a {type(stream).__name__} is not a stream", note=STREAMS)


def naming_columns(stream: Any, names: Mapping[str, Signature]) -> Any:
    """The stream, in which the columns of tables are the arguments of the same names, where a predicate has names. The
    column of the time is the one that is declared, unless it is given."""
    match stream:
        case Path() | FileSource() if isinstance(stream, Path) or stream.columns.args is None:
            source = recognized(stream)
            assert isinstance(source, FileSource)
            known = names.get(source.columns.predicate or "")
            if known is None or source.format in ("facts", *RDF_FORMATS):
                return stream
            time = known.time if known.time is not None and source.columns.time == TIME else source.columns.time
            columns = replace(source.columns, args=known.names, time=time, declared=True, texts=known.texts)
            return replace(source, columns=columns)
        case Table(args=None, predicate=str() as predicate) if predicate in names:
            known = names[predicate]
            time = known.time if known.time is not None and stream.time == TIME else stream.time
            return replace(stream, args=known.names, time=time, declared=True, texts=known.texts)
        case Mapping():
            return Streams(tuple(naming_columns(_as_table(name, part), names) for name, part in stream.items()))
        case Streams(streams):
            return Streams(tuple(naming_columns(one, names) for one in streams))
    return stream


def naming_triples(stream: Any, predicate: str) -> Any:
    """The stream, in which triples that come without a predicate are facts of this one."""
    match stream:
        case Path() if (form := _format(stream, "facts")) in RDF_FORMATS:
            return FileSource(stream, form, Columns(predicate))
        case FileSource() if stream.format in RDF_FORMATS and stream.columns.predicate is None:
            return replace(stream, columns=replace(stream.columns, predicate=predicate))
        case Mapped(predicate=None):
            return replace(stream, predicate=predicate)
        case Streams(streams):
            return Streams(tuple(naming_triples(one, predicate) for one in streams))
    return stream


def mapped(source: FileSource | Table, mapping: TripleMapping) -> Mapped:
    """A table whose rows become graphs. The predicate that the table has, if any, is that of their triples."""
    columns = source.columns if isinstance(source, FileSource) else source.columns()
    needed = Columns("row", mapping.columns, mapping.time or columns.time)
    if isinstance(source, FileSource):
        return Mapped(replace(source, columns=needed), mapping, columns.predicate)
    return Mapped(
        replace(source, predicate="row", args=needed.args, time=needed.time, missing=None), mapping, columns.predicate
    )


def _mapped(
    stream: Mapped, tick: Tick | None, ordered: bool, progress: OnBytesRead | None, gaps: Gaps
) -> Iterator[Any]:
    source = stream.source
    name = str(source.path) if isinstance(source, FileSource) else "the table"
    rows = _rows(source, tick, ordered, progress, None, Gaps(MISSING, bad=gaps.bad))
    return mapped_triples(rows, stream.mapping, name, gaps.bad)


def _gaps_of(table: Table, gaps: Gaps) -> Gaps:
    """What missing values mean in a table: as the table says, or otherwise as the run says."""
    return gaps if table.missing is None else Gaps(table.missing, gaps.left_out, gaps.bad)


def _header(source: FileSource) -> Iterable[str]:
    """The columns of a table, as far as needed to see whether it has one called `predicate`."""
    path: Path = source.path
    if isinstance(path, LivePath) and path.follow is not None:
        path = path.follow
    if os.path.isdir(path):
        path = next(iter(_files_in(path)), path)
    if str(path) == "-" or isinstance(path, LivePath):
        return ("predicate",)
    if source.format == "facts" or source.format in RDF_FORMATS or is_live(path):
        return ()  # data read from a pipe here would be lost
    if source.format == "parquet":
        try:
            return parquet_source(path).header
        except LasingError:
            return ()  # reading the file itself will report what is wrong
    first = first_line(path, blank=source.format == "csv")
    try:
        return (
            list(json.loads(first)) if source.format == "jsonl" else [c.strip() for c in next(csv.reader([first]), [])]
        )
    except (ValueError, TypeError, RecursionError, csv.Error):
        return ()  # the same here


def _as_table(predicate: object, part: Any) -> Any:
    if not isinstance(predicate, str):
        raise fault("E509", f"{predicate!r} is not a predicate's name", note=STREAMS)
    if isinstance(part, Table | Mapped):
        return replace(part, predicate=part.predicate or predicate)
    if isinstance(part, Path):
        form = _format(part, "facts")
        if form == "facts":
            raise fault(
                "E510", f"the facts of {part} have predicates of their own", note="give the path without a name"
            )
        return FileSource(part, form, Columns(predicate))
    return Table(part, predicate)
