"""Arrow tables as bytes, sorted, merged, and cut: what shards send and keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

Numbers = np.ndarray[Any, np.dtype[Any]]


def to_bytes(table: Any) -> bytes:
    """A table as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def from_bytes(stored: bytes | memoryview) -> Any:
    """The table that `to_bytes` wrote."""
    return pa.ipc.open_stream(pa.py_buffer(stored)).read_all()


def times_of(table: Any, column: str = "time") -> Numbers:
    """A column of time points."""
    return np.asarray(table[column])


def by_time(tables: Sequence[Any], exact: bool) -> Any:
    """Join tables of one schema, sorted by time. If `exact`, duplicate rows are merged, and rows of one time point are
    sorted by their values, so that the order does not depend on how they came."""
    table = pa.concat_tables(tables) if len(tables) != 1 else tables[0]
    if exact:
        columns = table.column_names
        distinct = table.group_by(columns, use_threads=False).aggregate([])
        in_order = distinct.sort_by([(name, "ascending") for name in columns])
        return pa.Table.from_arrays(in_order.columns, schema=table.schema)  # with the marks of its columns
    times = times_of(table)
    if len(times) > 1 and (times[1:] < times[:-1]).any():
        table = table.take(pa.array(np.argsort(times, kind="stable")))
    return table


def groups_of(table: Any, columns: Sequence[str]) -> Numbers:
    """A number for each row, equal for rows that agree in the columns."""
    found = np.zeros(table.num_rows, np.int64)
    for name in columns:
        chunk = table[name].combine_chunks()
        encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        sizes = len(encoded.dictionary)
        found = found * sizes + encoded.indices.to_numpy(zero_copy_only=False)
        if sizes > 1 and len(columns) > 1:
            _, found = np.unique(found, return_inverse=True)
    return found.reshape(-1)
