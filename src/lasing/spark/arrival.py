"""The order in which the rows of a source arrived, and what follows from it: which of them are late.

A row is late if its time point was closed when it came. Each source closes time points by itself: once a row has
arrived, all time points that are more than the source's delay before it are closed. So the source's own rows, their
order of arrival and its delay decide which rows are late. Neither the way Spark cuts rows into batches nor other
sources matter.

Each row has a text by which rows are sorted in order of arrival, such as the time and path of its file. Rows with the
same text arrived together, and none of them is late because of another. All rows of a batch arrived after those of
earlier batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lasing.spark.tables import Numbers

NOTHING = np.iinfo(np.int64).min
"""The value for the last closed time point when none is closed."""

_MARKS = pa.schema([("arrival", pa.string()), ("time", pa.int64()), ("closed", pa.int64())])


def marks(times: Numbers, closed: Numbers, arrivals: Any | None) -> Any:
    """What other tasks must know about the rows of this one: when they arrived, their time points, and what they close.

    It is enough to keep the first row to arrive for each time point, and the rows that close more than earlier rows.
    `arrivals` are texts, each stored once, in a dictionary.
    """
    if arrivals is None:
        words, rank = pa.array([""]), np.zeros(len(times), np.int64)
    else:
        words = _in_order(arrivals.dictionary)
        rank = _places(arrivals.dictionary, words)[arrivals.indices]
    if (rank[1:] < rank[:-1]).any() or ((rank[1:] == rank[:-1]) & (times[1:] < times[:-1])).any():
        order = np.lexsort((times, rank))
        rank, times, closed = rank[order], times[order], closed[order]
    begins = np.flatnonzero(np.append(True, (rank[1:] != rank[:-1]) | (times[1:] != times[:-1])))
    closed = np.maximum.reduceat(closed, begins)
    rank, times = rank[begins], times[begins]
    most = np.maximum.accumulate(closed)
    kept = np.append(True, most[1:] > most[:-1])
    kept[np.unique(times, return_index=True)[1]] = True
    columns = [words.take(pa.array(rank[kept])), pa.array(times[kept]), pa.array(closed[kept])]
    return pa.table(columns, schema=_MARKS)


@dataclass(frozen=True, slots=True)
class Course:
    """How time advanced in a source during a batch."""

    arrivals: Numbers
    """Arrival texts in order; rows that arrived then may have closed more time points."""
    limits: Numbers
    """The last time point that is closed to rows: before the first arrival, and after each."""
    closed: int
    """The last time point that the source has closed after the batch."""
    oldest: int | None
    """The oldest time point of a row that is not late."""

    def closed_before(self, arrivals: Any | None) -> Numbers:
        """The last time point that was closed to each row when it arrived; rows without an arrival came together."""
        if arrivals is None:
            return self.limits[:1]
        found = [
            self.limits[np.searchsorted(self.arrivals, chunk.dictionary.to_numpy(zero_copy_only=False))][chunk.indices]
            for chunk in arrivals.chunks
        ]
        return np.concatenate(found)


def course(tables: Sequence[Any], closed: int | None, floor: int | None) -> Course:
    """The course of a source, from the marks of all tasks. `closed` is the last time point that it closed before, and
    `floor` the last one that is closed to all sources, because it is evaluated or before the start."""
    together = pa.concat_tables(tables)
    arrivals = _in_order(together["arrival"])
    place = _places(together["arrival"], arrivals)
    closing, times = np.asarray(together["closed"]), np.asarray(together["time"])
    limits = np.full(len(arrivals) + 1, NOTHING)
    limits[0] = max(known for known in (closed, floor, NOTHING) if known is not None)
    np.maximum.at(limits[1:], place, closing)
    limits = np.maximum.accumulate(limits)
    in_time = times[times > limits[place]]
    own = max(int(closing.max()), NOTHING if closed is None else closed)
    return Course(arrivals.to_numpy(zero_copy_only=False), limits, own, int(in_time.min()) if len(in_time) else None)


def _in_order(arrivals: Any) -> Any:
    distinct = arrivals.unique()
    return distinct.take(pc.sort_indices(distinct))


def _places(arrivals: Any, in_order: Any) -> Numbers:
    """The position of each text among the sorted texts."""
    return np.asarray(pc.index_in(arrivals, in_order)).astype(np.int64)
