"""Tables as lines of JSON or CSV, as Spark writes them. Each distinct value is converted to text once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def json_lines(table: Any) -> bytes:
    """A line of JSON for each row, without the columns that have no value there."""
    parts: list[Any] = []
    for number, name in enumerate(table.column_names):
        key = f"{',' if number else '{'}{json.dumps(name, ensure_ascii=False)}:"
        parts.append(_texts(table[name], partial(_json_cell, key), ""))
    return _joined([*parts, "}\n"]) if table.num_rows else b""


def csv_header(table: Any) -> bytes:
    """The names of a table's columns as a line of CSV."""
    return (",".join(map(_csv, table.column_names)) + "\n").encode()


def csv_lines(table: Any) -> bytes:
    """A line of CSV for each row; a cell without a value is empty."""
    cells = [_texts(table[name], lambda value: _csv(_plain(value)), "") for name in table.column_names]
    between = [part for cell in cells for part in (cell, ",")][:-1]
    return _joined([*between, "\n"]) if table.num_rows else b""


def instant_text(moment: datetime) -> str:
    """An instant as Spark writes it: in UTC, to the millisecond, or to the microsecond where that is needed.

    >>> instant_text(datetime(2026, 3, 2, 6, tzinfo=UTC))
    '2026-03-02T06:00:00.000Z'
    """
    utc = moment.astimezone(UTC) if moment.tzinfo is not None else moment
    exact = "microseconds" if utc.microsecond % 1000 else "milliseconds"
    return utc.replace(tzinfo=None).isoformat(timespec=exact) + "Z"


def _texts(column: Any, text: Callable[[Any], str], none: str) -> Any:
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
    words = pa.array([text(value) for value in encoded.dictionary.to_pylist()], pa.large_string())
    return pc.fill_null(words.take(encoded.indices), none)


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return instant_text(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json_cell(key: str, value: Any) -> str:
    return key + _json(value)


def _json(value: Any) -> str:
    if isinstance(value, int | float | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(_plain(value), ensure_ascii=False)


def _csv(cell: str) -> str:
    """A cell as `csv` writes it in a row with others."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([cell, ""])
    return line.getvalue()[: -len(",\n")]


def _joined(parts: list[Any]) -> bytes:
    """Join texts row by row."""
    texts = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in [*parts, ""]]
    lines = pc.binary_join_element_wise(*texts)
    _, ends, text = lines.buffers()
    first, last = np.frombuffer(ends, np.int64)[[lines.offset, lines.offset + len(lines)]].tolist()
    return bytes(text.slice(first, last - first).to_pybytes())
