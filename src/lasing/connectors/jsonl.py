"""JSON lines: an object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from lasing.connectors.files import Progress, lines
from lasing.connectors.rows import Row
from lasing.connectors.tables import Columns, RowMaker
from lasing.errors import LasingError, Place, fault
from lasing.timeline.ticks import Tick


def read_jsonl(
    path: Path,
    columns: Columns,
    tick: Tick | None = None,
    ordered: bool = True,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """The rows of a file of JSON objects; `-` is standard input."""
    name = "standard input" if str(path) == "-" else str(path)
    maker = RowMaker(name, columns, tick, ordered)
    for number, line in lines(path, progress):
        if line.strip():
            place = Place(name, number, 1, line)
            record = _record(line, place)
            try:
                maker.check(record)
            except LasingError as error:
                d = error.diagnostics[0]
                raise fault(d.code, d.message, place, d.note) from None
            yield maker.row(record, place)


def _record(line: str, place: Place) -> dict[str, object]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        at = Place(place.source, place.line, error.colno, line)
        raise fault("E501", f"this is not JSON: {error.msg}", at) from None
    except (RecursionError, ValueError) as error:
        raise fault("E501", f"this JSON cannot be read: {error}", place) from None
    if not isinstance(record, dict):
        raise fault("E501", "this is not a JSON object", place, 'such as: {"time": 5, "sensor": "s1", "value": 70}')
    return record
