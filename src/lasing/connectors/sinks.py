"""Where answers go: as text, JSON lines, CSV or Parquet; as answers, changes or intervals."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, TextIO, assert_never, get_args

from lasing.connectors.arrow import column_of, table_with
from lasing.logic.answers import Answer, Changes, Expiry, Standing, intervals
from lasing.logic.formulas import Atom

View = Literal["answers", "changes", "intervals"]
OutputFormat = Literal["text", "jsonl", "csv", "parquet"]
VIEWS: tuple[View, ...] = get_args(View)
OUTPUT_FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)
ENDINGS: dict[str, OutputFormat] = {
    ".facts": "text",
    ".txt": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
}

ShowTime = Callable[[int], int | str]
"""How a time point is written: as a number, or as a date and time."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row of output: its times, sign or answer by the name of the column, the atom, and the row as lines of text.

    It is without an atom where it tells of an answer that has none, or that there is no answer.
    """

    fields: Mapping[str, int | str | None]
    atom: Atom | None
    text: str


def records(moments: Iterable[Changes], view: View, show_time: ShowTime) -> Iterator[list[Record]]:
    """What there is to write, as soon as it is known, sorted by time and then by text. Idle time costs nothing."""
    match view:
        case "answers":
            yield from _answer_records(moments, show_time)
        case "changes":
            for change in moments:
                added = (_change_record("+", change, atom, show_time) for atom in change.added)
                removed = (_change_record("-", change, atom, show_time) for atom in change.removed)
                yield _sorted([*added, *removed])
        case "intervals":
            for held in intervals(moments):
                first, last = show_time(held.start), show_time(held.end)
                text = f"{held.atom} from {_time_text(first)} to {_time_text(last)}.\n"
                yield [Record({"from": first, "to": last}, held.atom, text)]
        case _:
            assert_never(view)


def _answer_records(moments: Iterable[Changes], show_time: ShowTime) -> Iterator[list[Record]]:
    standing, following = Standing(), 0
    for change in moments:
        if standing.at(0).atoms:
            for time in range(following, change.time):
                yield _sorted(_answer_record(time, atom, show_time) for atom in standing.at(time).atoms)
        standing.apply(change)
        yield _sorted(_answer_record(change.time, atom, show_time) for atom in standing.at(change.time).atoms)
        following = change.time + 1


def model_records(answers: Iterable[Answer], limit: int | None, show_time: ShowTime) -> Iterator[list[Record]]:
    """Each answer of each time point, with its number; where there are as many as the limit, there may be more.

    As text, the number is a comment above the answer, unless that is the only one.
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


def header(view: View, several: bool, arity: int) -> list[str]:
    """The columns of a table: times, `predicate`, `arg1`, `arg2`, …; with the number of the answer where `several`."""
    if view == "answers" and several:
        fields = ["time", "answer", "answers"]
    else:
        fields = {"answers": ["time"], "changes": ["time", "change", "expires_at"], "intervals": ["from", "to"]}[view]
    return [*fields, "predicate", *(f"arg{i}" for i in range(1, arity + 1))]


def write_text(batches: Iterable[list[Record]], out: TextIO) -> None:
    """One fact, change or interval a line; each time point is flushed as soon as it is known."""
    for batch in batches:
        if batch:
            out.write("".join([record.text for record in batch]))
            out.flush()


def write_jsonl(batches: Iterable[list[Record]], out: TextIO) -> None:
    """One JSON object a line: its times, `predicate` and `args`."""
    for batch in batches:
        for record in batch:
            out.write(json.dumps(_json_object(record), ensure_ascii=False) + "\n")
        if batch:
            out.flush()


def write_csv(batches: Iterable[list[Record]], out: TextIO, names: list[str]) -> None:
    """A line of names, as `header` has them, then a row a line."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for batch in batches:
        for record in batch:
            cells = ['""' if cell == "" else cell for cell in _cells(record)]
            writer.writerow(cells + [""] * (len(names) - len(cells)))
        if batch:
            out.flush()


def write_parquet(batches: Iterable[list[Record]], path: Path, names: list[str]) -> None:
    """A Parquet file with the columns of `write_csv`; whole numbers are int64, other numbers double, all else text.

    See `column_of` on columns of numbers and names.
    """
    import pyarrow.parquet as pq

    columns: list[list[Any]] = [[] for _ in names]
    for batch in batches:
        for record in batch:
            cells = _cells(record)
            for column, value in zip(columns, cells + [None] * (len(names) - len(cells)), strict=True):
                column.append(value)
    table = table_with({}, {name: _column(name, values) for name, values in zip(names, columns, strict=True)})
    pq.write_table(table, path)


def _json_object(record: Record) -> dict[str, Any]:
    fields, atom = record.fields, record.atom
    if atom is None:
        return {name: value for name, value in fields.items() if value is not None}
    if fields.get("change") == "-":  # what is gone has no expiry
        fields = {name: value for name, value in fields.items() if name != "expires_at"}
    return {**fields, "predicate": atom.predicate, "args": list(atom.args)}


def _cells(record: Record) -> list[Any]:
    """The row of a table, up to where all that follows is empty."""
    atom = record.atom
    return [*record.fields.values(), *(() if atom is None else (atom.predicate, *atom.args))]


def _column(name: str, values: list[Any]) -> tuple[Any, bool]:
    import pyarrow as pa

    if name in ("time", "answer", "answers", "from", "to") and values.count(None) == len(values):
        return pa.array(values, pa.int64()), False
    return column_of(values)


def _answer_record(time: int, atom: Atom, show_time: ShowTime) -> Record:
    shown = show_time(time)
    return Record({"time": shown}, atom, _fact_text(atom, shown))


def _change_record(sign: str, change: Changes, atom: Atom, show_time: ShowTime) -> Record:
    shown = show_time(change.time)
    until = _expiry(change.expires_at(atom), show_time) if sign == "+" else None
    fields = {"time": shown, "change": sign, "expires_at": until}
    return Record(fields, atom, sign + _fact_text(atom, shown))


def _expiry(expiry: Expiry, show_time: ShowTime) -> int | str | None:
    """Until when an atom is guaranteed, as a column has it: a time, `never`, or nothing where it is provisional."""
    if expiry is None:
        return None
    return show_time(int(expiry)) if isfinite(expiry) else "never"


def _fact_text(atom: Atom, time: int | str) -> str:
    return f"{atom} at {_time_text(time)}.\n"


def _time_text(time: int | str) -> str:
    return f'"{time}"' if isinstance(time, str) else str(time)


def _sorted(rows: Iterable[Record]) -> list[Record]:
    return sorted(rows, key=attrgetter("text"))
