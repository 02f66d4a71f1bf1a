"""Comma-separated values, with a header. Cells that look like numbers are numbers, except with leading zeros."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from lasing.connectors.files import LONGEST_LINE, Progress, lines
from lasing.connectors.rows import Arity, Row
from lasing.connectors.tables import Columns, RowMaker
from lasing.errors import LasingError, Place, fault
from lasing.logic.terms import Value
from lasing.timeline.ticks import Tick

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def read_csv(
    path: Path,
    columns: Columns,
    tick: Tick | None = None,
    ordered: bool = True,
    progress: Progress | None = None,
    arity: Arity | None = None,
) -> Iterator[Row]:
    """The rows of a CSV file; `-` is standard input."""
    name = "standard input" if str(path) == "-" else str(path)
    maker = RowMaker(name, columns, tick, ordered, arity)
    reader = csv.reader((f"{line}\n" for _, line in lines(path, progress)), strict=True)
    header: list[str] | None = None
    csv.field_size_limit(LONGEST_LINE)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise fault("E501", f"this is not CSV: {error}", Place(name, line, 1)) from None
        if cells is None:
            break
        if header is None:
            header = _header(name, cells, maker)
        elif cells:
            place = Place(name, line, 1, ",".join(cells))
            yield maker.row(_record(header, cells, place, columns), place)
    if header is None:
        raise fault("E505", f"{name} is empty", note="a CSV file begins with a header, such as: time,sensor,value")


def cell_value(text: str) -> Value:
    """What a cell means.

    >>> cell_value("70"), cell_value("7.5"), cell_value("007"), cell_value("s1")
    (70, 7.5, '007', 's1')
    """
    if text == '""':  # how the empty text is written where an empty cell means: no argument
        return ""
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 4000 else text
    return float(text) if _DECIMAL.fullmatch(text) else text


def _header(name: str, cells: list[str], maker: RowMaker) -> list[str]:
    header = [cell.strip() for cell in cells]
    try:
        maker.check(header)
    except LasingError as error:
        d = error.diagnostics[0]
        raise fault(d.code, d.message, Place(name, 1, 1, ",".join(cells)), d.note) from None
    return header


def _record(header: list[str], cells: list[str], place: Place, columns: Columns) -> dict[str, object]:
    """The values of a row. Where each row names its own predicate, an empty cell is an argument that is not there."""
    if len(cells) != len(header):
        message = f"this row has {len(cells)} cell{'s'[: len(cells) != 1]}"
        raise fault("E505", message, place, f"the header has {len(header)}: {', '.join(header)}")
    record: dict[str, object] = {}
    for name, cell in zip(header, cells, strict=True):
        text = cell.strip()
        record[name] = None if text == "" and columns.predicate is None else cell_value(text)
    return record
