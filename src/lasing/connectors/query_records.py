"""Results of queries over streams, as rows to write: the query's columns, duplicates, and no helper columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lasing.connectors.sinks import TIME_COLUMNS, Record, ShowTime, View, answer_record, answer_records, records
from lasing.logic.answers import Changes
from lasing.logic.formulas import Atom
from lasing.logic.program import Output
from lasing.logic.results import Row, by_copy, labels, row_of, rows_of, shown_columns
from lasing.logic.values import value_text

TRUTH = "holds"
"""The column of a query that is answered by yes or no."""


@dataclass(frozen=True, slots=True)
class RowRecord(Record):
    """A row of a query's result. If it is the only output, its table has the query's columns."""

    output: Output
    row: Row
    alone: bool

    def cells(self) -> list[Any]:
        """The row of a table."""
        row = (True,) if self.output.form == "truth" else self.row
        cells = ["true" if cell is True else cell for cell in row]
        return [*self.fields.values(), *(() if self.alone else (self.output.predicate,)), *cells]

    def json(self) -> dict[str, Any]:
        """The row as SPARQL's results have it in JSON, with its times."""
        from lasing.connectors.rdf.results import json_row  # here, because it loads pyoxigraph

        which = {} if self.alone else {"predicate": self.output.predicate}
        if self.output.form == "truth":
            return {**self.times(), **which, "boolean": True}
        return {**self.times(), **which, "bindings": json_row(shown_columns(self.output), self.row)}


def query_records(
    moments: Iterable[Changes], view: View, show_time: ShowTime, outputs: Mapping[str, Output], alone: bool
) -> Iterator[list[Record]]:
    """The rows to write. The rows of an answer are in the query's order; those of other views are sorted by text."""

    def shown(record: Record) -> Record:
        atom = record.atom
        if atom is None or atom.predicate not in outputs:
            return record
        return _row_record(record, outputs[atom.predicate], row_of(atom.values[:-1]), alone)

    def answer(time: int, atoms: frozenset[Atom]) -> list[Record]:
        others = sorted((answer_record(time, a, show_time) for a in atoms if a.predicate not in outputs), key=_text)
        found: list[Record] = list(others)
        for output in outputs.values():
            mine = [atom for atom in atoms if atom.predicate == output.predicate]
            if mine:
                first = answer_record(time, mine[0], show_time)
                found += [_row_record(first, output, row, alone) for row in rows_of(output, mine)]
        return found

    if view == "answers":
        yield from answer_records(moments, answer)
        return
    for batch in records(by_copy(moments, outputs), view, show_time):
        yield [shown(record) for record in batch]


def _text(record: Record) -> str:
    return record.text


def _row_record(like: Record, output: Output, row: Row, alone: bool) -> RowRecord:
    """A record with the times of another one, which has the same atom or another of the same output."""
    assert like.atom is not None, "a row has an atom"
    cells = ",".join("_" if value is None else value_text(value) for value in row)
    text = f"{output.predicate}({cells})" if row else output.predicate
    atom = Atom(output.predicate, tuple(value for value in row if value is not None))
    return RowRecord(like.fields, atom, like.text.replace(str(like.atom), text, 1), output, row, alone)


def query_header(view: View, output: Output) -> list[str]:
    """The columns of a table with the results of one query."""
    times = TIME_COLUMNS[view]
    return [*times, *((TRUTH,) if output.form == "truth" else labels(output, times))]


def visible_arity(output: Output) -> int:
    """The number of arguments that a reader sees."""
    return 1 if output.form == "truth" else len(shown_columns(output))
