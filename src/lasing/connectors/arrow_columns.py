"""Parquet files and data frames in columns: record batches without mistakes are taken as they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.connectors.arrow import ArrowSource, frame_source, has_terms, parquet_source, rows_of, values_of_terms
from lasing.connectors.batches import Batch, Column, Mixed, Numbers, Part, batches_of, column_of, within_limit
from lasing.connectors.files import OnBytesRead
from lasing.connectors.missing import ERROR, Gaps, present
from lasing.connectors.rows import Arity, time_of, value_of
from lasing.connectors.tables import Columns, RowMaker, Unusual
from lasing.errors import LasingError
from lasing.timeline.ticks import Tick

_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_FIRST, _END = -62_135_596_800, 253_402_300_800
"""The seconds of the years 1 to 9999, the range of Python's dates."""


def frame_batches(
    frame: Any, columns: Columns, tick: Tick | None, ordered: bool, arity: Arity, gaps: Gaps
) -> Iterator[Batch]:
    """The facts of a data frame."""
    source = frame_source(frame)
    return _batches(source, RowMaker(source.name, columns, tick, ordered, arity, gaps))


def parquet_batches(
    path: Path,
    columns: Columns,
    tick: Tick | None,
    ordered: bool,
    progress: OnBytesRead | None,
    arity: Arity,
    gaps: Gaps,
) -> Iterator[Batch]:
    """The facts of a Parquet file."""
    wanted = None if columns.args is None else list(dict.fromkeys((columns.time, *columns.args)))
    source = parquet_source(path, progress, wanted)
    return _batches(source, RowMaker(str(path), columns, tick, ordered, arity, gaps))


def _batches(source: ArrowSource, maker: RowMaker) -> Iterator[Batch]:
    maker.check(source.header)
    number = 0
    for batch in source.batches:
        try:
            yield _read(batch, source.header, maker)
        except (Unusual, LasingError, pa.ArrowException, ValueError, OverflowError):
            yield from batches_of(rows_of(batch, maker, number))  # this reports what is wrong, if anything
        number += batch.num_rows


def _read(batch: Any, header: list[str], maker: RowMaker) -> Batch:
    predicate, time = maker.columns.predicate, maker.columns.time
    if predicate is None:
        raise Unusual
    names = maker.columns.args
    if names is None:
        names = tuple(name for name in header if name != time)
    if (maker.arity or {}).get(predicate, len(names)) != len(names):
        raise Unusual
    stamps = batch[time]
    if stamps.null_count:
        if not maker.gaps.skips:
            raise Unusual
        stamps = stamps.drop_null()
    times = arrow_times(stamps, maker.tick)
    if maker.gaps.rule == ERROR and any(batch[name].null_count for name in names):
        raise Unusual
    counted = Gaps(maker.gaps.rule)
    whole = present(batch, list(dict.fromkeys((time, *names))), counted, maker.name)
    terms = {field.name for field in whole.schema if has_terms(field)}
    args = tuple(term_column(whole[name], name) if name in terms else arrow_column(whole[name]) for name in names)
    own = times if whole.num_rows == len(times) else arrow_times(whole[time], maker.tick)
    maker.follow(times)
    maker.gaps.left_out.update(counted.left_out)
    return Batch(own, (Part(predicate, args),))


def arrow_times(array: Any, tick: Tick | None) -> Numbers:
    """The time points of an Arrow array without nulls."""
    kind = array.type
    if pa.types.is_integer(kind):
        whole: Numbers = array.cast(pa.int64()).to_numpy(zero_copy_only=False)
        if not within_limit(whole):
            raise Unusual
        return whole
    if pa.types.is_timestamp(kind) and tick is not None:
        instants: Numbers = array.cast(pa.int64()).to_numpy(zero_copy_only=False)
        second = _PER_SECOND[kind.unit]
        if len(instants) and not _FIRST * second <= instants.min() <= instants.max() < _END * second:
            raise Unusual
        if len(instants):
            tick.note_date()
        if kind.unit == "s":
            instants, second = instants * 1_000, 1_000
        return instants // (second // 1_000 * tick.milliseconds)
    distinct = array.dictionary_encode()
    points = np.array([time_of(thing, tick) for thing in distinct.dictionary.to_pylist()], np.int64)
    times: Numbers = points[distinct.indices.to_numpy()]
    return times


def column_with_terms(table: Any, name: str) -> Column:
    """A column of a table; if its texts represent values of any kind, these values."""
    column = table[name]
    if not has_terms(table.schema.field(name)):
        return column
    if column.null_count:
        return pa.chunked_array([pa.nulls(len(column))])  # the reader refuses missing values
    return term_column(column.combine_chunks(), name)


def term_column(array: Any, name: str) -> Column:
    """The values of an Arrow array of text, without nulls, that represents values of any kind."""
    distinct = array.cast(pa.string()).dictionary_encode()
    column = column_of([value for value in values_of_terms(distinct.dictionary.to_pylist(), name) if value is not None])
    where = distinct.indices.to_numpy().astype(np.int64)
    return column.take(where) if isinstance(column, Mixed) else column.take(pa.array(where))


def arrow_column(array: Any) -> Column:
    """The constants of an Arrow array without nulls."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if pa.types.is_integer(kind):
        return array.cast(pa.int64())
    if pa.types.is_floating(kind):
        doubles = array.cast(pa.float64())
        if not np.isfinite(doubles.to_numpy(zero_copy_only=False)).all():
            raise Unusual
        return doubles
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        text = array.cast(pa.string())
        text.validate(full=True)
        return text
    if pa.types.is_nested(kind):
        raise Unusual
    distinct = array.dictionary_encode()
    column = column_of([value_of(thing) for thing in distinct.dictionary.to_pylist()])
    where = distinct.indices.to_numpy().astype(np.int64)
    return column.take(where) if isinstance(column, Mixed) else column.take(pa.array(where))
