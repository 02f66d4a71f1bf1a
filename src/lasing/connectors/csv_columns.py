"""CSV in columns: kernels read blocks of lines of the common form, and the others are read row by row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from lasing.connectors.batches import Batch, Numbers, Part, batches_of
from lasing.connectors.cells import column, time_points
from lasing.connectors.csv import CsvReader, Lines, cell_value
from lasing.connectors.files import Block, OnBytesRead, RawBlock, decoded, raw_blocks
from lasing.connectors.missing import ERROR, Gaps
from lasing.connectors.rows import Arity, time_of, value_of
from lasing.connectors.scan import (
    CELL_KIND,
    CELL_LENGTH,
    CELL_START,
    CELL_VALUE,
    DOUBLE,
    EMPTY,
    INTEGER,
    ODD,
    TEXT,
    read_cells,
    scan_csv,
)
from lasing.connectors.tables import Columns, RowMaker, Unusual
from lasing.errors import LasingError
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick

_SIZE = 2**21


def csv_batches(
    path: Path,
    columns: Columns,
    tick: Tick | None,
    ordered: bool,
    progress: OnBytesRead | None,
    arity: Arity,
    gaps: Gaps,
) -> Iterator[Batch]:
    """The facts of a CSV file."""
    reader = CsvReader(RowMaker(str(path), columns, tick, ordered, arity, gaps))
    source = raw_blocks(path, progress, _SIZE)
    following = (block for raw in source for block in decoded(raw, str(path), gaps.bad))
    for raw in source:
        yield from _batches(reader, raw, following)
    reader.finish()


def _batches(reader: CsvReader, raw: RawBlock, following: Iterator[Block]) -> Iterator[Batch]:
    if reader.header is not None and _is_text(raw.raw):
        try:
            yield _read(reader, raw.raw)
            return
        except (Unusual, LasingError):
            pass  # the exact reader reports what is wrong, if anything
    text = decoded(raw, reader.maker.name, reader.maker.gaps.bad)
    for block in text:
        lines = Lines(block, chain(text, following))
        if reader.header is None:
            _, cells = next(reader.records(lines))
            reader.take_header(cells)
            rest = lines.rest()
            yield from _batches(reader, RawBlock(rest.text.encode(), rest.line), chain(text, following))
        else:
            yield from batches_of(reader.rows(lines))


def _is_text(raw: bytes) -> bool:
    if raw.isascii():
        return b"\0" not in raw
    try:
        return "\0" not in raw.decode()
    except UnicodeDecodeError:
        return False


def _read(reader: CsvReader, raw: bytes) -> Batch:
    """A block of lines as a batch, if all of them have the common form and no mistakes."""
    maker, header = reader.maker, reader.header
    assert header is not None, "it has been read"
    predicate = maker.columns.predicate
    if predicate is None:
        raise Unusual
    names = maker.columns.args
    if names is None:
        names = tuple(name for name in header if name != maker.columns.time)
    data, width = np.frombuffer(raw, np.uint8), len(header)
    cells: Numbers = np.empty(((raw.count(b"\n") + 1) * width, 4), np.int64)
    found = scan_csv(data, width, cells)
    if found < 0 or (maker.arity or {}).get(predicate, len(names)) != len(names):
        raise Unusual
    cells = cells[:found]
    of_column: dict[str, Numbers] = {}
    lacking = []
    for name in dict.fromkeys((maker.columns.time, *names)):
        index = header.index(name)
        counts = read_cells(data, cells, index, width, name == maker.columns.time)
        of_column[name] = cells[index::width]
        if counts[EMPTY]:
            lacking.append(name)
    kept, lost = _kept(of_column, lacking, maker.gaps)
    stamps = of_column[maker.columns.time]
    timed = np.flatnonzero(stamps[:, CELL_KIND] != EMPTY) if maker.columns.time in lacking else None
    if timed is not None and not maker.gaps.skips:
        raise Unusual
    found_times = _times(data, stamps if timed is None else stamps[timed], maker)
    args = tuple(
        column(data, _as_texts(c) if n in maker.columns.texts else c, _value, maker.gaps.filler)
        for n, c in ((n, of_column[n] if kept is None else of_column[n][kept]) for n in names)
    )
    maker.follow(found_times)  # count nothing and note no time before everything is known to be correct
    for name, count in lost.items():
        maker.gaps.left_out[maker.name, name] += count
    times = found_times
    if timed is not None:
        times = np.zeros(len(stamps), np.int64)
        times[timed] = found_times
    return Batch(times if kept is None else times[kept], (Part(predicate, args),))


def _as_texts(cells: Numbers) -> Numbers:
    """The cells of a column of texts: those that look like numbers are texts, too. Odd ones are read one by one."""
    if (cells[:, CELL_KIND] == ODD).any():
        raise Unusual
    cells = cells.copy()
    cells[np.isin(cells[:, CELL_KIND], (INTEGER, DOUBLE)), CELL_KIND] = TEXT
    return cells


def _kept(of_column: dict[str, Numbers], lacking: list[str], gaps: Gaps) -> tuple[Numbers | None, dict[str, int]]:
    """The rows that lack no value, or None if all are taken, and the number of rows left out by column."""
    if not lacking or gaps.filler is not None:
        return None, {}
    if gaps.rule == ERROR:
        raise Unusual
    lost: dict[str, int] = {}
    kept = np.ones(len(of_column[lacking[0]]), bool)
    for name in lacking:
        present = of_column[name][:, CELL_KIND] != EMPTY
        count = int((kept & ~present).sum())
        if count:
            lost[name] = count
        kept &= present
    return np.flatnonzero(kept), lost


def _times(data: np.ndarray, cells: Numbers, maker: RowMaker) -> Numbers:
    """The time points of cells."""
    places = (cells[:, CELL_START], cells[:, CELL_LENGTH])
    times = time_points(
        data, cells[:, CELL_KIND], cells[:, CELL_VALUE], places, maker.tick, lambda text: time_of(text, maker.tick)
    )
    if times is None:
        raise Unusual
    return times


def _value(text: str) -> Value:
    stripped = text.strip()
    if not stripped:
        raise Unusual
    return value_of(cell_value(stripped))
