"""Write results as text, JSON lines, CSV or Parquet; as answers, changes or intervals. For RDF, see `rdf.writing`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, Protocol, assert_never, get_args

from lasing.connectors.arrow import column_of, table_with
from lasing.errors import LasingError, fault
from lasing.logic.answers import Answer, Changes, Expiry, Standing, intervals
from lasing.logic.formulas import Atom
from lasing.logic.values import is_text, looks_like_term, value_text

View = Literal["answers", "changes", "intervals"]
OutputFormat = Literal["text", "jsonl", "csv", "parquet", "ntriples", "nquads", "trig", "jsonld"]
VIEWS: tuple[View, ...] = get_args(View)
OUTPUT_FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)
ENDINGS: dict[str, OutputFormat] = {
    ".facts": "text",
    ".txt": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".nt": "ntriples",
    ".nq": "nquads",
    ".trig": "trig",
    ".jsonld": "jsonld",
}
RDF_OUTPUT: frozenset[OutputFormat] = frozenset(("ntriples", "nquads", "trig", "jsonld"))
"""The formats that have a graph for each time point, so only answers, of triples."""

COMPRESSED = ".gz"

Time = int | str | datetime
ShowTime = Callable[[int], Time]
"""How a time point is written: as a number, as a date and time in text, or as an instant."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row of output: its times, sign or answer by column name, the atom, and the row as lines of text.

    It has no atom if it represents an answer without atoms, or says that there is no answer.
    """

    fields: Mapping[str, Time | None]
    atom: Atom | None
    text: str

    def cells(self) -> list[Any]:
        """The row of a table, without the empty cells at its end."""
        return [*self.fields.values(), *(() if self.atom is None else (self.atom.predicate, *self.atom.args))]

    def json(self) -> dict[str, Any]:
        """The row as a JSON object."""
        if self.atom is None:
            return {name: value for name, value in self.fields.items() if value is not None}
        return {**self.times(), "predicate": self.atom.predicate, "args": list(self.atom.args)}

    def times(self) -> dict[str, Time | None]:
        """The fields of a JSON object: a removed atom has no expiry."""
        gone = self.fields.get("change") == "-"
        return {name: value for name, value in self.fields.items() if not (gone and name == "expires_at")}


class TextWriter(Protocol):
    """Where text goes: a text file, or something that can do as much of what a file can."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> None: ...


class RecordColumns(Protocol):
    """Rows of output in columns, with their text in each format (see `column_sinks`)."""

    def __len__(self) -> int: ...
    def text(self) -> str: ...
    def jsonl(self) -> str: ...
    def csv(self, width: int) -> str: ...
    def cells(self) -> Sequence[ColumnOfCells]: ...


class ColumnOfCells(Protocol):
    """A column by its distinct values: the value of a row is `distinct[numbers[row]]`, or none if the number is -1."""

    @property
    def distinct(self) -> Sequence[Any]: ...
    @property
    def numbers(self) -> Any: ...


Written = list[Record] | RecordColumns | str
"""Rows of output; as a string, lines that are in the wanted format already."""


def format_of(path: Path) -> OutputFormat:
    """The format for a file extension: text if there is none, E511 if no format has it."""
    compressed = path.suffix.lower() == COMPRESSED
    ending = (path.with_suffix("") if compressed else path).suffix.lower()
    known = f"known endings are {' '.join(ENDINGS)}, each but .parquet also with .gz; or name the --format"
    if compressed and ENDINGS.get(ending) == "parquet":
        raise fault("E511", f"{path}: a Parquet file is compressed by itself", note="leave the .gz out")
    if ending and ending not in ENDINGS:
        hint = "for JSON lines, end it in .jsonl\n" if ending == ".json" else ""
        raise fault("E511", f"{path}: no format ends in {ending}", note=hint + known)
    return ENDINGS[ending] if ending else "text"


def records(moments: Iterable[Changes], view: View, show_time: ShowTime) -> Iterator[list[Record]]:
    """The rows to write, as soon as they are known, sorted by time and then by text. Idle time costs nothing."""
    match view:
        case "answers":
            yield from answer_records(
                moments, lambda time, atoms: _sorted(answer_record(time, atom, show_time) for atom in atoms)
            )
        case "changes":
            for change in moments:
                added = (_change_record("+", change, atom, show_time) for atom in change.added)
                removed = (_change_record("-", change, atom, show_time) for atom in change.removed)
                yield _sorted([*added, *removed])
        case "intervals":
            for held in intervals(moments):
                first, last = show_time(held.since), show_time(held.until)
                text = f"{held.atom} from {time_text(first)} to {time_text(last)}.\n"
                yield [Record({"from": first, "until": last}, held.atom, text)]
        case _:
            assert_never(view)


def answer_records(
    moments: Iterable[Changes], rows: Callable[[int, frozenset[Atom]], list[Record]]
) -> Iterator[list[Record]]:
    """The rows of the answer at each time point, as `rows` makes them."""
    standing, following = Standing(), 0
    for change in moments:
        if standing.at(0).atoms:
            for time in range(following, change.time):
                yield rows(time, standing.at(time).atoms)
        standing.apply(change)
        yield rows(change.time, standing.at(change.time).atoms)
        following = change.time + 1


def model_records(answers: Iterable[Answer], limit: int | None, show_time: ShowTime) -> Iterator[list[Record]]:
    """Each answer of each time point, with its number; if there are as many as the limit, there may be more.

    In text output, the number is a comment above the answer, unless there is only one.
    """
    for answer in answers:
        time, found = show_time(answer.time), len(answer.models)
        total = f"{found} or more" if found == limit else str(found)
        batch = []
        for number, model in enumerate(answer.models, 1):
            fields = {"time": time, "answer": number, "answers": found}
            rows = _sorted(Record(fields, atom, _fact_text(atom, time)) for atom in model)
            first, *others = rows or [Record(fields, None, "")]
            comment = "" if total == "1" else f"% {time}: answer {number} of {total}\n"
            batch += [replace(first, text=comment + first.text), *others]
        yield batch or [Record({"time": time, "answer": None, "answers": 0}, None, f"% {time}: no answer\n")]


TIME_COLUMNS: dict[View, list[str]] = {
    "answers": ["time"],
    "changes": ["time", "change", "expires_at"],
    "intervals": ["from", "until"],
}


def header(view: View, several: bool, arity: int) -> list[str]:
    """The columns of a table: times, `predicate`, `arg1`, `arg2`, …; and the number of the answer if `several`."""
    fields = ["time", "answer", "answers"] if view == "answers" and several else TIME_COLUMNS[view]
    return [*fields, "predicate", *(f"arg{i}" for i in range(1, arity + 1))]


def write_text(batches: Iterable[Written], out: TextWriter) -> None:
    """One fact, change or interval per line; each time point is flushed as soon as it is known."""
    _write(batches, out, lambda rows: "".join([row.text for row in rows]), lambda columns: columns.text())


def write_jsonl(batches: Iterable[Written], out: TextWriter) -> None:
    """One JSON object per line: its times, `predicate` and `args`."""
    _write(batches, out, lambda rows: "".join(map(_json_line, rows)), lambda columns: columns.jsonl())


def write_csv(batches: Iterable[Written], out: TextWriter, names: list[str]) -> None:
    """A line of names from `header`, then one row per line."""
    out.write(_csv_lines([names]))
    _write(batches, out, lambda rows: _csv_rows(rows, len(names)), lambda columns: columns.csv(len(names)))


def _write(
    batches: Iterable[Written],
    out: TextWriter,
    rows: Callable[[list[Record]], str],
    columns: Callable[[RecordColumns], str],
) -> None:
    """Write each batch, and flush it: lines as they are, or the text of rows or columns."""
    for batch in batches:
        if batch:
            out.write(batch if isinstance(batch, str) else rows(batch) if isinstance(batch, list) else columns(batch))
            out.flush()


def _csv_rows(batch: list[Record], width: int) -> str:
    rows = ([csv_cell(cell) for cell in record.cells()] for record in batch)
    return _csv_lines(cells + [""] * (width - len(cells)) for cells in rows)


def _csv_lines(rows: Iterable[list[Any]]) -> str:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return lines.getvalue()


def write_parquet(batches: Iterable[Written], path: Path, names: list[str]) -> None:
    """A Parquet file with the columns of `write_csv`: dates are timestamps in UTC, whole numbers int64, other numbers
    double, everything else text. See `column_of` for columns of numbers and names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: list[list[Any]] = [[] for _ in names]
    places: list[list[Any]] = [[] for _ in names]
    for batch in batches:
        if isinstance(batch, str):
            raise AssertionError("a table is made of rows or columns, not of lines")
        if not isinstance(batch, list):
            _add_distinct(columns, places, batch)
            continue
        for record in batch:
            cells = record.cells()
            for column, value in zip(columns, cells + [None] * (len(names) - len(cells)), strict=True):
                column.append(value)
    arrays = {name: _column(name, values) for name, values in zip(names, columns, strict=True)}
    if any(places):  # the columns have only their distinct values
        arrays = {
            name: (array.take(pa.concat_arrays(where)), terms)
            for (name, (array, terms)), where in zip(arrays.items(), places, strict=True)
        }
    pq.write_table(table_with({}, arrays), path)


def _add_distinct(columns: list[list[Any]], places: list[list[Any]], batch: RecordColumns) -> None:
    """Add the distinct values of a batch to those of the columns, and their positions in its rows."""
    import pyarrow as pa

    cells = batch.cells()
    for i, (column, where) in enumerate(zip(columns, places, strict=True)):
        if i < len(cells):
            numbers = cells[i].numbers
            where.append(pa.array(numbers + len(column), pa.int64(), mask=numbers < 0))
            column.extend(cells[i].distinct)
        else:
            where.append(pa.nulls(len(batch), pa.int64()))


def _json_line(record: Record) -> str:
    return json.dumps(record.json(), ensure_ascii=False, default=json_term) + "\n"


def json_term(value: object) -> dict[str, str]:
    """The JSON form of a value for which JSON has no type; `jsonl` reads it back."""
    return {"term": str(value)}


def csv_cell(cell: Any) -> Any:
    """The text of a cell: the empty text is '""', because an empty cell is a missing value.

    A text that would be read back as a term cannot be written to CSV.
    """
    if is_text(cell) and looks_like_term(cell):
        note = "write JSON lines or Parquet, which keep texts and terms apart"
        raise fault(
            "E513", f"in CSV, the text {value_text(cell)[:60]} would read back as the term {cell[:60]}", note=note
        )
    return '""' if cell == "" else cell


def _text(value: Any) -> str:
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else str(value)


def _column(name: str, values: list[Any]) -> tuple[Any, bool]:
    """The values of a column as an Arrow array, and whether they are terms (see `column_of`)."""
    import pyarrow as pa

    dated = sum(isinstance(value, datetime) for value in values)
    empty = values.count(None)
    if dated:
        if dated + empty == len(values):
            return pa.array(values, pa.timestamp("ms", "UTC")), False
        return pa.array([None if value is None else _text(value) for value in values], pa.string()), False
    if name in ("time", "answer", "answers", "from", "until") and empty == len(values):
        return pa.array(values, pa.int64()), False
    return column_of(values)


def answer_record(time: int, atom: Atom, show_time: ShowTime) -> Record:
    """The row of an atom of an answer."""
    shown = show_time(time)
    return Record({"time": shown}, atom, _fact_text(atom, shown))


def _change_record(sign: str, change: Changes, atom: Atom, show_time: ShowTime) -> Record:
    shown = show_time(change.time)
    until = expiry_shown(change.expires_at(atom), show_time) if sign == "+" else None
    fields = {"time": shown, "change": sign, "expires_at": until}
    return Record(fields, atom, sign + _fact_text(atom, shown))


def expiry_shown(expiry: Expiry, show_time: ShowTime) -> Time | None:
    """Until when an atom is guaranteed, for an output column: a time, `never`, or nothing if it is provisional.

    If times are dates, an atom that holds beyond the calendar holds for ever.
    """
    if expiry is None:
        return None
    try:
        return show_time(int(expiry)) if isfinite(expiry) else "never"
    except LasingError:
        return "never"


def _fact_text(atom: Atom, time: Time) -> str:
    return f"{atom} at {time_text(time)}.\n"


def time_text(time: Time) -> str:
    """A time in the notation of the language: a number, or a date in quotes."""
    return str(time) if isinstance(time, int) else f'"{_text(time)}"'


def _sorted(rows: Iterable[Record]) -> list[Record]:
    return sorted(rows, key=attrgetter("text"))
