"""Columns of cells that the kernels of `scan` found in a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.connectors.batches import Column, Mixed, Numbers, column_of, within_limit
from lasing.connectors.scan import (
    CELL_KIND,
    CELL_LENGTH,
    CELL_START,
    CELL_VALUE,
    DOUBLE,
    EMPTY,
    INSTANT,
    INTEGER,
    ODD,
    TEXT,
    gather,
)
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def column(data: Bytes, cells: Numbers, read: Callable[[str], Value], filler: Value | None = None) -> Column:
    """The values of cells by their kind; `read` reads the odd ones, and `filler` replaces empty ones."""
    kinds = cells[:, CELL_KIND]
    if not len(kinds):
        return pa.array([], pa.int64())
    if (kinds == kinds[0]).all():
        return _of_kind(int(kinds[0]), data, cells, read, filler)
    parts = []
    for kind in np.flatnonzero(np.bincount(kinds)).tolist():
        where = np.flatnonzero(kinds == kind)
        of_it = _of_kind(kind, data, cells[where], read, filler)
        if isinstance(of_it, Mixed):  # odd cells may be of any kind
            parts += [(where[mine], values) for mine, values in of_it.parts]
        else:
            parts.append((where, of_it))
    return Mixed(len(cells), tuple(parts))


def _of_kind(kind: int, data: Bytes, cells: Numbers, read: Callable[[str], Value], filler: Value | None) -> Column:
    match kind:
        case _ if kind == INTEGER:
            return pa.array(cells[:, CELL_VALUE].copy())  # the cells' memory is reused
        case _ if kind == DOUBLE:
            return pa.array(cells[:, CELL_VALUE].copy().view(np.float64))
        case _ if kind == TEXT:
            return texts(data, cells[:, CELL_START], cells[:, CELL_LENGTH])
        case _ if kind == EMPTY:
            assert filler is not None, "rows that lack a value were left out earlier"
            return column_of([filler] * len(cells))
    assert kind == ODD
    odd = texts(data, cells[:, CELL_START], cells[:, CELL_LENGTH])
    return column_of([read(text) for text in odd.to_pylist()])


def texts(data: Bytes, starts: Numbers, lengths: Numbers) -> Any:
    """Pieces of a text as an Arrow array."""
    text, ends = gather(data, starts, lengths)
    return pa.StringArray.from_buffers(len(starts), pa.py_buffer(ends), pa.py_buffer(text))


def time_points(
    data: Bytes,
    kinds: Numbers,
    values: Numbers,
    places: tuple[Numbers, Numbers],
    tick: Tick | None,
    read: Callable[[str], int],
) -> Numbers | None:
    """The time points of cells; None if some must be read one by one.

    `places` has the starts and lengths of cells that are text, and `read` reads them.
    """
    times = values.copy()
    if (kinds == INTEGER).all():
        return times if within_limit(times) else None
    instants = kinds == INSTANT
    if instants.any():
        if tick is None:
            return None
        tick.note_date()
        times[instants] //= tick.milliseconds
    written = kinds == TEXT
    if not (instants | written | (kinds == INTEGER)).all():
        return None
    if written.any():
        found = texts(data, places[0][written], places[1][written]).dictionary_encode()
        points = np.array([read(text) for text in found.dictionary.to_pylist()], np.int64)
        times[written] = points[found.indices.to_numpy()]
    return times if within_limit(times) else None
