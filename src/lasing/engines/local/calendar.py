"""The calendar: which rows reach the end of their guarantee when, and when to wake up.

A wheel of buckets by time; an entry is `[time, relation, row, next]` in a pool with a list of free entries. An entry
for a row that has been extended or buried meanwhile finds that out when it fires. A wake-up is an entry without a
relation.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lasing.engines.local.memory import FOREVER

BUCKETS = 1024
FREE, USED, CAPACITY, ENTRIES = range(4)
_HEADS = 8
_POOL = _HEADS + BUCKETS
WIDTH = 4
WAKE_UP = -1


def new_calendar(capacity: int = 256) -> np.ndarray:
    """An empty calendar."""
    calendar = np.full(_POOL + capacity * WIDTH, -1, np.int64)
    calendar[USED] = 0
    calendar[CAPACITY] = capacity
    calendar[ENTRIES] = 0
    return calendar


@njit(cache=True)
def reserve(c: np.ndarray, entries: int) -> np.ndarray:
    """The calendar with room for that many more entries."""
    capacity = c[CAPACITY]
    while c[USED] + entries > capacity:
        capacity *= 2
    if capacity == c[CAPACITY]:
        return c
    grown = np.full(_POOL + capacity * WIDTH, -1, np.int64)
    grown[: c.shape[0]] = c
    grown[CAPACITY] = capacity
    return grown


@njit(cache=True, forceinline=True)
def schedule(c: np.ndarray, time: int, relation: int, row: int) -> None:
    """One more entry, for which there is room."""
    entry = c[FREE]
    if entry >= 0:
        c[FREE] = c[np.uintp(entry + 3)]
    else:
        entry = _POOL + c[USED] * WIDTH
        c[USED] += 1
    head = _HEADS + (time & (BUCKETS - 1))
    c[np.uintp(entry)] = time
    c[np.uintp(entry + 1)] = relation
    c[np.uintp(entry + 2)] = row
    c[np.uintp(entry + 3)] = c[np.uintp(head)]
    c[np.uintp(head)] = entry
    c[ENTRIES] += 1


@njit(cache=True)
def fire(c: np.ndarray, time: int) -> int:
    """Take the entries of a time out of its bucket: the first of a chain of them, or -1."""
    head = _HEADS + (time & (BUCKETS - 1))
    entry, fired, before = c[head], -1, -1
    while entry >= 0:
        following = c[entry + 3]
        if c[entry] == time:
            if before < 0:
                c[head] = following
            else:
                c[before + 3] = following
            c[entry + 3] = fired
            fired = entry
            c[ENTRIES] -= 1
        else:
            before = entry
        entry = following
    return fired


@njit(cache=True)
def release(c: np.ndarray, fired: int) -> None:
    """Give a chain of fired entries back to the pool."""
    while fired >= 0:
        following = c[fired + 3]
        c[fired + 3] = c[FREE]
        c[FREE] = fired
        fired = following


@njit(cache=True)
def next_time(c: np.ndarray, after: int) -> int:
    """The time of the first entry after a time, or FOREVER."""
    if c[ENTRIES] == 0:
        return FOREVER
    for time in range(after + 1, after + 1 + BUCKETS):
        entry = c[_HEADS + (time & (BUCKETS - 1))]
        while entry >= 0:
            if c[entry] == time:
                return time
            entry = c[entry + 3]
    first = FOREVER
    for bucket in range(BUCKETS):
        entry = c[_HEADS + bucket]
        while entry >= 0:
            if after < c[entry] < first:
                first = c[entry]
            entry = c[entry + 3]
    return first


@njit(cache=True)
def renumber(c: np.ndarray, relation: int, rows: np.ndarray, low: int) -> None:
    """Follow a relation whose rows got new ids: rows[old - low] is the new one, or -1 where it is gone."""
    for bucket in range(BUCKETS):
        entry = c[_HEADS + bucket]
        while entry >= 0:
            if c[entry + 1] == relation:
                old = c[entry + 2] - low
                c[entry + 2] = rows[old] if 0 <= old < rows.shape[0] else -1
            entry = c[entry + 3]
