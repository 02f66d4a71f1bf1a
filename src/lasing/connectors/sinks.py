"""Where answers go: as text, JSON lines, CSV or Parquet; as answers, changes or intervals."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TextIO, assert_never, get_args

from lasing.logic.answers import Changes, Expiry, Standing, intervals
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
    """A line of output: the atom, its times or its sign by the name of the column, and the line as text."""

    fields: dict[str, int | str | None]
    atom: Atom
    text: str
    key: tuple[int, str]


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
                text = f"{held.atom} from {_time_text(first)} to {_time_text(last)}."
                yield [Record({"from": first, "to": last}, held.atom, text, (held.start, text))]
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


def write_text(batches: Iterable[list[Record]], out: TextIO) -> None:
    """One fact, change or interval a line; each time point is flushed as soon as it is known."""
    for batch in batches:
        if batch:
            out.write("".join(f"{record.text}\n" for record in batch))
            out.flush()


def write_jsonl(batches: Iterable[list[Record]], out: TextIO) -> None:
    """One JSON object a line: its times, `predicate` and `args`."""
    for batch in batches:
        for record in batch:
            fields = record.fields
            if fields.get("change") == "-":  # what is gone has no expiry
                fields = {name: value for name, value in fields.items() if name != "expires_at"}
            row = {**fields, "predicate": record.atom.predicate, "args": list(record.atom.args)}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        if batch:
            out.flush()


def write_csv(batches: Iterable[list[Record]], out: TextIO, view: View, arity: int) -> None:
    """A header, then a row a line: its times, `predicate`, `arg1`, `arg2`, …"""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_header(view, arity))
    for batch in batches:
        for record in batch:
            args = ['""' if arg == "" else arg for arg in record.atom.args]
            padding = [""] * (arity - len(args))
            writer.writerow([*record.fields.values(), record.atom.predicate, *args, *padding])
        if batch:
            out.flush()


def write_parquet(batches: Iterable[list[Record]], path: Path, view: View, arity: int) -> None:
    """A Parquet file with the columns of `write_csv`; whole numbers are int64, other numbers double, all else text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    header = _header(view, arity)
    columns: list[list[Any]] = [[] for _ in header]
    for batch in batches:
        for record in batch:
            row = [*record.fields.values(), record.atom.predicate, *record.atom.args]
            for column, value in zip(columns, row + [None] * (len(header) - len(row)), strict=True):
                column.append(value)
    types = [_arrow_type(values, name) for name, values in zip(header, columns, strict=True)]
    arrays = [
        pa.array([v if v is None else _CONVERT[str(kind)](v) for v in values], kind)
        for values, kind in zip(columns, types, strict=True)
    ]
    pq.write_table(pa.table(arrays, names=header), path)


_CONVERT: dict[str, Callable[[Any], Any]] = {"int64": int, "double": float, "string": str}


def _arrow_type(values: list[Any], name: str) -> Any:
    import pyarrow as pa

    present = [v for v in values if v is not None]
    if name in ("time", "from", "to") and not present:
        return pa.int64()
    if present and all(isinstance(v, int) for v in present):
        return pa.int64()
    if present and not any(isinstance(v, str) for v in present):
        return pa.float64()
    return pa.string()


def _header(view: View, arity: int) -> list[str]:
    times = {"answers": ["time"], "changes": ["time", "change", "expires_at"], "intervals": ["from", "to"]}[view]
    return [*times, "predicate", *(f"arg{i}" for i in range(1, arity + 1))]


def _answer_record(time: int, atom: Atom, show_time: ShowTime) -> Record:
    shown = show_time(time)
    text = f"{atom} at {_time_text(shown)}."
    return Record({"time": shown}, atom, text, (time, text))


def _change_record(sign: str, change: Changes, atom: Atom, show_time: ShowTime) -> Record:
    shown = show_time(change.time)
    text = f"{sign}{atom} at {_time_text(shown)}."
    until = _expiry(change.expires_at(atom), show_time) if sign == "+" else None
    return Record({"time": shown, "change": sign, "expires_at": until}, atom, text, (change.time, text))


def _expiry(expiry: Expiry, show_time: ShowTime) -> int | str | None:
    """Until when an atom is guaranteed, as a column has it: a time, `never`, or nothing where it is provisional."""
    if expiry is None:
        return None
    return show_time(int(expiry)) if isfinite(expiry) else "never"


def _time_text(time: int | str) -> str:
    return f'"{time}"' if isinstance(time, str) else str(time)


def _sorted(rows: Iterable[Record]) -> list[Record]:
    return sorted(rows, key=lambda record: record.key)
