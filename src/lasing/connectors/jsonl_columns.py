"""JSON lines in columns: for blocks of objects that have the same columns and no mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lasing.connectors.batches import Batch, Column, Numbers, Part, batches_of, column_of
from lasing.connectors.files import Block, OnBytesRead, decoded, raw_blocks
from lasing.connectors.jsonl import lines_of, record_of, rows_of
from lasing.connectors.missing import ERROR, Gaps
from lasing.connectors.rows import Arity, time_of, value_of
from lasing.connectors.tables import Columns, RowMaker, Unusual
from lasing.errors import LasingError, Place
from lasing.timeline.ticks import Tick

_SIZE = 2**20


def jsonl_batches(
    path: Path,
    columns: Columns,
    tick: Tick | None,
    ordered: bool,
    progress: OnBytesRead | None,
    arity: Arity,
    gaps: Gaps,
) -> Iterator[Batch]:
    """The facts of a file of JSON objects."""
    maker = RowMaker(str(path), columns, tick, ordered, arity, gaps)
    for raw in raw_blocks(path, progress, _SIZE):
        for block in decoded(raw, str(path), gaps.bad):
            try:
                yield _read(block, maker)
            except (Unusual, LasingError):  # the exact reader reports what is wrong, if anything
                yield from batches_of(rows_of(block, maker))


def _read(block: Block, maker: RowMaker) -> Batch:
    predicate, time = maker.columns.predicate, maker.columns.time
    somewhere = Place(maker.name, block.line, 1)
    records = [record_of(line, somewhere) for _, line in lines_of(block)]
    if predicate is None or not records:
        raise Unusual
    keys = records[0].keys()
    names = maker.columns.args or maker.header or tuple(name for name in keys if name != time)
    if not keys >= {time, *names} or any(record.keys() != keys for record in records):
        raise Unusual
    if maker.columns.args is None and len(keys) != len(names) + 1:
        raise Unusual
    if (maker.arity or {}).get(predicate, len(names)) != len(names):
        raise Unusual
    lost: list[str] = []
    kept, stamps = [], []
    for record in records:
        lacks = next((name for name in (time, *names) if record[name] is None), None)
        if lacks is not None and (maker.gaps.rule == ERROR or (lacks == time and not maker.gaps.skips)):
            raise Unusual
        if lacks != time:
            stamps.append(record[time])
        if lacks is None or not maker.gaps.skips:
            kept.append(record)
        else:
            lost.append(lacks)
    times = _times(stamps, maker.tick)
    args = tuple(_column([record[name] for record in kept], maker.gaps) for name in names)
    own = times if len(kept) == len(stamps) else _times([record[time] for record in kept], maker.tick)
    maker.follow(times)
    for name in lost:
        maker.gaps.left_out[maker.name, name] += 1
    if maker.columns.args is None:
        maker.header = names
    return Batch(own, (Part(predicate, args),))


def _times(things: Sequence[object], tick: Tick | None) -> Numbers:
    if set(map(type, things)) <= {str}:
        points = {thing: time_of(thing, tick) for thing in set(things)}
        return np.array([points[thing] for thing in things], np.int64)
    return np.array([time_of(thing, tick) for thing in things], np.int64)


def _column(things: list[object], gaps: Gaps) -> Column:
    if None in things:
        things = [gaps.filler if thing is None else thing for thing in things]
    return column_of([value_of(thing) for thing in things])
