"""Tables without times, as background: the rows of a CSV file, of JSON lines, or of Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lasing.connectors.csv import cell_value, text_cell
from lasing.connectors.files import read_text
from lasing.connectors.rows import is_missing, value_of
from lasing.errors import Place, fault, similar
from lasing.logic.functions.sql import cast_of
from lasing.logic.program import Signature
from lasing.logic.tables import FactTable
from lasing.logic.values import UNBOUND, Undefined, Value, value_text

LOOKUPS = (".csv", ".jsonl", ".ndjson", ".parquet")
"""The endings of such files."""


def read_lookup(path: Path, known: Signature, nulls: bool, others: Iterable[tuple[Value, ...]] = ()) -> FactTable:
    """The rows of a file as facts of a predicate whose arguments have names. With `nulls`, a missing value is one.

    Facts are a set, so rows that equal one another, or one of the other rows of the table, are refused unless the rows
    have numbers.
    """
    assert known.names is not None, "tables are declared with their columns"
    rows: dict[tuple[Value, ...], int] = {}
    numbered: list[tuple[Value, ...]] = []
    there = set(others)
    for record, place in _records(path, known):
        row = _row(record, known, nulls, place)
        if known.numbered is not None:
            numbered.append((*row, known.numbered[1] + len(numbered) + 1))
        elif row in rows or row in there:
            note = "a table from a file has different rows; INSERT takes equal ones"
            raise fault("E506", f"{known.predicate} has this row twice", place, note)
        rows[row] = len(rows)
    if known.numbered is not None:
        return FactTable.of(known.numbered[0], numbered, known.arity + 1)
    return FactTable.of(known.predicate, list(rows), known.arity)


def _records(path: Path, known: Signature) -> Iterator[tuple[Mapping[str, object], Place]]:
    if path.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(path)
        except (OSError, ValueError) as error:
            raise fault("E501", f"{path} is not Parquet: {error}") from None
        _check(path, table.column_names, known)
        for number, record in enumerate(table.to_pylist(), start=1):
            yield record, Place(str(path), number, 1)
    elif path.suffix.lower() == ".csv":
        reader = csv.reader(read_text(path).splitlines())
        header = [cell.strip() for cell in next(reader, [])]
        _check(path, header, known)
        for cells in reader:
            place = Place(str(path), reader.line_num, 1, ",".join(cells))
            if cells and len(cells) != len(header):
                raise fault("E505", f"this row has {len(cells)} cells instead of {len(header)}", place)
            if cells:
                yield {name: _cell(cell.strip(), name, known) for name, cell in zip(header, cells, strict=True)}, place
    else:
        for number, line in enumerate(read_text(path).splitlines(), start=1):
            place = Place(str(path), number, 1, line)
            try:
                record = json.loads(line) if line.strip() else None
            except ValueError:
                raise fault("E501", "this is not JSON", place) from None
            if isinstance(record, dict):
                yield record, place


def _cell(text: str, name: str, known: Signature) -> object:
    if not text:
        return None
    return text_cell(text) if name in known.texts else cell_value(text)


def _check(path: Path, header: list[str], known: Signature) -> None:
    for name in known.names or ():
        if name not in header:
            note = similar(name, header) or f"the columns are {', '.join(header) or 'none at all'}"
            raise fault("E505", f"{path} has no column {name}", note=note)


def _row(record: Mapping[str, object], known: Signature, nulls: bool, place: Place) -> tuple[Value, ...]:
    values: list[Value] = []
    for number, name in enumerate(known.names or ()):
        value = record.get(name)
        if nulls and is_missing(value):
            if name in known.required:
                raise fault("E506", f"{name} is NOT NULL, and has no value here", place)
            values.append(UNBOUND)
        else:
            values.append(value_of(value, place, f"the value of {name}"))
            if known.types and not _is_of(values[-1], known.types[number]):
                raise fault("E506", f"{value_text(values[-1])} is no {known.types[number]}, as {name} needs", place)
    return tuple(values)


def _is_of(value: Value, kind: str) -> bool:
    """Whether a value can be one of a column of SQL, as `rejected_…` has it for streams."""
    match kind:
        case "BIGINT" | "DOUBLE":
            return isinstance(value, int | float)
        case "VARCHAR":
            return isinstance(value, str)
    try:
        cast_of(value, "VARCHAR", kind)
    except Undefined:
        return False
    return True
