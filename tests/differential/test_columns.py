"""Streams read in columns are what they are row by row: the same answers, reports, errors and output, on clean files
and on dirty ones, however they are cut into blocks."""

from __future__ import annotations

import io
import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lasing
from lasing.connectors import arrow, batches, csv_columns, facts_columns, jsonl_columns
from lasing.connectors.answer_lines import LineFormat, answer_lines
from lasing.connectors.column_sinks import change_records
from lasing.connectors.sinks import header, records, write_csv, write_jsonl, write_parquet, write_text
from lasing.connectors.sources import Streams, file_source
from lasing.errors import LasingError
from lasing.session import Run
from tests.differential.sizes import programs

PROGRAMS = (
    "hot(S) :- temp(S, V) in [3], V > 30.",
    "hot(S, V) :- temp(S, V) in [2]. open :- door in [1]. pair(S, W) :- temp(S, V), window(S, W) in [4].",
    "#tick 1 min. near(S, V) :- temp(S, V) in [2 min], not window(S, V).",
    "mean(S, A) :- temp(S, V), A = #avg{W : temp(S, W) in [4]}. n(N) :- N = #count{S : temp(S, V) in [3]}.",
    "last(S, V) :- temp(S, V) in [#2].",
    "#tick 1 sec. newest(S, V) :- temp(S, V) in [#1 by S]. up(W) :- temp(S, V), W = V * 2.",
    "other(S) :- window(S, V) in [2].",
)
TEXTS = ("s1", "s2", "s10", "Kitchen", "two words", "Zürich", "007", "true", " s1 ", "a,b", 'say "hi"', "-", "é", "not")
NUMBERS = ("1", "31", "-7", "40.5", "1.0", "1e3", "-0.0", "0.1", "3.141592653589793238", "9007199254740993", "1e22")
BAD = ("99999999999999999999", "1e999")


def outcome(run: Run) -> tuple[Any, ...]:
    """All that a run returns, up to its error."""
    changed: list[Any] = []
    error = None
    try:
        for change in run.changes():
            expiries = sorted((str(atom), change.expires_at(atom)) for atom in change.added)
            changed.append((change.time, sorted(map(str, change.added)), sorted(map(str, change.removed)), expiries))
    except LasingError as failure:
        error = [(d.code, d.message, str(d.place), d.note) for d in failure.diagnostics]
    report = run.report
    counts = (report.time_points, report.facts, report.atoms, report.early_facts, report.missing) if not error else ()
    return changed, error, counts, [d.message for d in run.diagnostics()] if not error else []


def alike(one: list[Any] | None, other: list[Any] | None) -> bool:
    """Whether two lists of errors are alike. How many are reported at once depends on the blocks of a file, so the
    shorter one must be the beginning of the longer one."""
    if not one or not other:
        return not one and not other
    known = min(len(one), len(other))
    return one[:known] == other[:known]


def same(one: Any, other: Any) -> bool:
    """Whether two outcomes are the same; a list is the errors of a run that does not begin."""
    if isinstance(one, list) or isinstance(other, list):
        return isinstance(one, list) and isinstance(other, list) and alike(one, other)
    (changed, errors, *rest), (others_changed, others_errors, *others_rest) = one, other
    return (changed, rest) == (others_changed, others_rest) and alike(errors, others_errors)


def written(run: Run, in_columns: bool, folder: Path) -> tuple[str, ...]:
    """The changes in every format, up to the error."""

    def show(time: int) -> Any:
        return time if run.tick is None else run.tick.iso(time)

    done: list[Any] = []
    try:
        columns = run.columns()
        assert (columns is not None) == in_columns
        found = records(run.moments(), "changes", show) if columns is None else change_records(columns, show)
        for batch in found:
            done.append(batch)
    except LasingError:
        pass
    arity = max((len(a.args) for rule in run.program.rules for a in rule.head_atoms()), default=0)
    texts = [io.StringIO() for _ in range(3)]
    names = header("changes", False, arity)
    write_text(done, texts[0])
    write_jsonl(done, texts[1])
    write_csv(done, texts[2], names)
    write_parquet(done, folder / "out.parquet", names)
    table = pq.read_table(folder / "out.parquet")
    return (*(text.getvalue() for text in texts), str(table.schema), str(table.to_pylist()))


def answers_written(run: Run, in_columns: bool, form: LineFormat) -> str:
    """The answers as lines, up to the error."""

    def show(time: int) -> Any:
        return time if run.tick is None else run.tick.iso(time)

    arity = max((len(a.args) for rule in run.program.rules for a in rule.head_atoms()), default=0)
    names = header("answers", False, arity)
    steps = run.steps()
    assert (steps is not None) == in_columns
    found = records(run.moments(), "answers", show) if steps is None else answer_lines(steps, show, form, len(names))
    done: list[Any] = []
    try:
        for batch in found:
            done.append(batch)
    except LasingError:
        pass
    text = io.StringIO()
    if form == "csv":
        write_csv(done, text, names)
    else:
        (write_text if form == "text" else write_jsonl)(done, text)
    return text.getvalue()


class Files:
    """Random stream files."""

    def __init__(self, chance: random.Random, folder: Path, dated: bool) -> None:
        self.chance, self.folder, self.dated = chance, folder, dated
        self.dirt = chance.choice((0, 0, 0.03))

    def times(self, count: int) -> list[int]:
        times = sorted(self.chance.randrange(12) for _ in range(count))
        for i in range(1, count):
            if self.chance.random() < self.dirt:
                times[i] = self.chance.randrange(12)
        return times

    def date(self, time: int) -> str:
        instant = datetime(2026, 2, 28, 23, 55, tzinfo=UTC) + timedelta(seconds=7 * time)
        form = self.chance.choice(
            ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%MZ")
        )
        return instant.strftime(form)

    def dirty(self) -> bool:
        return self.chance.random() < self.dirt

    def csv(self, name: str, count: int) -> Path:
        quote = self.chance.choice((False, True))
        end = self.chance.choice(("\n", "\r\n"))
        lines = ["time,sensor,value"]
        for time in self.times(count):
            cells = [self.date(time) if self.dated else str(time), self.cell(TEXTS), self.cell(NUMBERS)]
            if self.dirty():
                cells[self.chance.randrange(3)] = self.chance.choice((*BAD, "7.5", "x"))
            plain = [
                cell if "," not in cell and '"' not in cell else f'"{cell.replace(chr(34), chr(34) * 2)}"'
                for cell in cells
            ]
            line = ",".join(f'"{cell}"' if quote and not cell.startswith('"') else cell for cell in plain)
            lines.append(line + ",more" if self.dirty() else line + '"' if self.dirty() else line)
            if self.chance.random() < 0.03:
                lines.append("")
        path = self.folder / name
        path.write_text(end.join(lines) + self.chance.choice(("", end)), encoding="utf-8", newline="")
        if self.dirty():
            path.write_bytes(path.read_bytes() + b"5,\xff,1\n")
        return path

    def cell(self, choices: tuple[str, ...]) -> str:
        return "" if self.chance.random() < 0.05 else self.chance.choice(choices)

    def jsonl(self, name: str, count: int) -> Path:
        lines = []
        for time in self.times(count):
            value: Any = self.chance.choice(
                (31, 40.5, 1.0, "hot", True, 2**62, None if self.chance.random() < 0.2 else 5)
            )
            if self.dirty():
                value = self.chance.choice((2**70, [1], "\ud800", float("inf")))
            row = {"time": self.date(time) if self.dated else time, "sensor": self.chance.choice(TEXTS), "value": value}
            if self.dirty():
                row.pop(self.chance.choice(("time", "sensor", "value")))
            lines.append(lasing_json(row) if not self.dirty() else '{"time": 1, ')
            if self.chance.random() < 0.03:
                lines.append(" ")
        path = self.folder / name
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    def parquet(self, name: str, count: int) -> Path:
        times: Any = self.times(count)
        if self.dated:
            begin = datetime(2026, 2, 28, 23, 55, tzinfo=UTC)
            unit, zone = self.chance.choice(("s", "ms", "us", "ns")), self.chance.choice((None, "UTC", "Europe/Berlin"))
            stamps = [begin + timedelta(seconds=7 * time) for time in times]
            times = pa.array(stamps, pa.timestamp(unit, "UTC")).cast(pa.timestamp(unit, zone))
        elif self.dirty() and count:
            times[self.chance.randrange(count)] = None
        kinds: list[tuple[Any, list[Any]]] = [
            (pa.int64(), [1, 31, -7, 2**62]),
            (pa.float64(), [40.5, 1.0, 0.1, float("nan") if self.dirty() else 2.5]),
            (pa.string(), ["s1", "31", "Zürich"]),
            (pa.decimal128(10, 2), [Decimal("31.00"), Decimal("40.25")]),
            (pa.bool_(), [True, False]),
            (pa.date32(), [datetime(2026, 1, 1).date()]),
            (pa.uint64(), [5, 2**64 - 1 if self.dirty() else 2**60]),
        ]
        columns = []
        for _ in range(2):
            kind, choices = self.chance.choice(kinds)
            values = [None if self.chance.random() < 0.05 else self.chance.choice(choices) for _ in range(count)]
            columns.append(pa.array(values, kind))
        path = self.folder / name
        table = pa.table({"time": times, "sensor": columns[0], "value": columns[1]})
        pq.write_table(table, path, row_group_size=self.chance.choice((3, 1000)))
        return path

    def facts(self, name: str, count: int) -> Path:
        text = ""
        for time in self.times(count):
            written_time = f'"{self.date(time)}"' if self.dated else str(time)
            sensor = self.chance.choice(("s1", "s2", '"two words"', '"a\\"b"', "<http://ex.org/a>", "zürich", " s10 "))
            value = self.chance.choice(("31", "-7", "40.5", "1.0", "007", "1e3", "- 5", "hot", "9007199254740993.5"))
            form = self.chance.choice(
                (
                    f"temp({sensor},{value}) at {written_time}.",
                    f"temp( {sensor} , {value} )  at  {written_time} .",
                    f"temp({sensor},\n {value}) at\n{written_time}.",
                    f"door at {written_time}."
                    if self.chance.random() < 0.5
                    else f"window({sensor},{value}) at {written_time}.",
                    f"temp({sensor},{value}) at {written_time}. % käse\n%* more\n *% ",
                )
            )
            if self.dirty():
                form = self.chance.choice(
                    ("temp(s1) at 3.", "Temp(s1,1) at 1.", "temp(s1,1) at 1.5.", "temp(s1,", "not at 1.")
                )
            text += form + self.chance.choice((" ", "\n", "\n", "\r\n", "\n\n"))
        path = self.folder / name
        path.write_text(text, encoding="utf-8", newline="")
        return path


def lasing_json(row: dict[str, Any]) -> str:
    import json

    return json.dumps(row)


@pytest.mark.parametrize("seed", range(programs(150, 5000)))
def test_columns_are_rows(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    size = chance.choice((30, 100, 2**20))
    for module in (csv_columns, facts_columns, jsonl_columns):
        monkeypatch.setattr(module, "_SIZE", size)
    monkeypatch.setattr(facts_columns, "_STRETCH", chance.choice((1, 4096)))
    monkeypatch.setattr(batches, "ROWS", chance.choice((2, 1000)))
    monkeypatch.setattr(arrow, "_ROWS", chance.choice((3, 1000)))
    text = chance.choice(PROGRAMS)
    program = lasing.parse(text)
    files = Files(chance, tmp_path, program.tick is not None and chance.random() < 0.7)
    sources = []
    for number in range(chance.choice((1, 1, 2, 3))):
        kind = chance.choice(("csv", "jsonl", "parquet", "facts"))
        path = getattr(files, kind)(f"f{number}.{kind}", chance.choice((0, 3, 20)))
        predicate = chance.choice(("temp", "temp", "window", "temp(sensor,value)", "temp(sensor)"))
        sources.append(file_source(str(path) if kind == "facts" else f"{predicate}={path}"))
    options: dict[str, Any] = {
        "start": chance.choice((None, None, 4)),
        "end": chance.choice((None, None, 8, 15)),
        "sort": chance.random() < 0.3,
        "missing": chance.choice(("skip", "skip", "error", 0, "none")),
        "warn": False,
    }
    if options["end"] is not None and options["missing"] == "skip":
        options["missing"] = 5  # what is read ahead is counted

    def run() -> Run:
        return Run(program, Streams(tuple(sources)), engine="auto", **options)

    def attempt(what: Any) -> Any:
        try:
            return what(run())
        except LasingError as error:  # already when it begins
            return [(d.code, d.message, str(d.place)) for d in error.diagnostics]

    by_column = attempt(outcome)
    text_by_column = attempt(lambda r: written(r, True, tmp_path))
    form: LineFormat = chance.choice(("text", "jsonl", "csv"))
    answers_by_column = attempt(lambda r: answers_written(r, True, form))
    monkeypatch.setattr("lasing.session.in_columns", lambda _: False)
    by_row = attempt(outcome)
    assert same(by_column, by_row), (seed, text, sources, options, by_column, by_row)
    text_by_row = attempt(lambda r: written(r, False, tmp_path))
    answers_by_row = attempt(lambda r: answers_written(r, False, form))
    for one, other in ((text_by_column, text_by_row), (answers_by_column, answers_by_row)):
        if isinstance(other, list):
            assert same(one, other), (seed, text, sources, options)
        else:
            assert one == other, (seed, text, sources, options, form)
