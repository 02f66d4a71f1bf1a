"""Kernels that copy the contents of the arena's blocks, for inspection from outside."""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.calendar import (
    BUCKETS,
    NO_CHUNK,
    ROWS,
    TIME,
    bucket_of,
    entries,
    entry,
    first_row,
    last_row,
    next_chunk,
)
from lasing.engines.local.memory import CALENDAR, HI, LO, STRIDE, record
from lasing.engines.local.pointers import Memory, pointer

ID, RECORD = 0, 1


@njit(cache=True)
def records_of(array: Memory, d: int) -> np.ndarray:
    """All records of a relation from its low mark on, each preceded by its row id."""
    m = pointer(array)
    first, stride = m[d + LO], m[d + STRIDE]
    found = np.empty((m[d + HI] - first, RECORD + stride), np.int64)
    for row in range(first, m[d + HI]):
        b = record(m, d, row)
        found[row - first, ID] = row
        for j in range(stride):
            found[row - first, RECORD + j] = m[b + j]
    return found


@njit(cache=True)
def entries_of(array: Memory) -> np.ndarray:
    """All entries of the calendar, as rows (time, relation or WAKE_UP, row): one for each row that is not gone."""
    m = pointer(array)
    total = 0
    for bucket in range(BUCKETS):
        chunk = m[bucket_of(m, bucket)]
        while chunk != NO_CHUNK:
            total += m[m[CALENDAR] + chunk + ROWS]
            chunk = next_chunk(m, chunk)
    found = np.empty((total, 3), np.int64)
    total = 0
    for bucket in range(BUCKETS):
        chunk = m[bucket_of(m, bucket)]
        while chunk != NO_CHUNK:
            for i in range(entries(m, chunk)):
                at = entry(m, chunk, i)
                for row in range(first_row(m[at + 1]), last_row(m[at + 1]) + 1):
                    found[total, 0], found[total, 1], found[total, 2] = m[m[CALENDAR] + chunk + TIME], m[at], row
                    total += 1
            chunk = next_chunk(m, chunk)
    return found[:total]
