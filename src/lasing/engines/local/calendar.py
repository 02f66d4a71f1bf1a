"""The calendar: which rows reach the end of their guarantee when, which begin to hold, and when to wake up.

A wheel of buckets by time; an entry is `[time, relation, row, next]` in a pool with a list of free entries. An entry
for a row that has been extended or buried meanwhile finds that out when it fires. A wake-up is an entry without a
relation. The calendar stands in a block of memory of its own, which the arena's header names; entries are known by
their place in it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lasing.engines.local.memory import CALENDAR, FOREVER, WORDS
from lasing.engines.local.pointers import Memory, allocate, pointer, release

BUCKETS = 1024
FREE, USED, CAPACITY, ENTRIES = range(4)
_HEADS = 8
_POOL = _HEADS + BUCKETS
WIDTH = 4
TIME, RELATION, ROW, NEXT = range(WIDTH)
WAKE_UP = -1
NO_ENTRY = -1


@njit(cache=True)
def open_calendar(array: Memory, first: int) -> None:
    """An empty calendar, but for a wake-up at the first time point."""
    m = pointer(array)
    capacity = 256
    c = allocate(m, _POOL + capacity * WIDTH)
    m[WORDS] += _POOL + capacity * WIDTH
    m[CALENDAR] = c
    for i in range(_POOL):
        m[c + i] = NO_ENTRY
    m[c + USED] = m[c + ENTRIES] = 0
    m[c + CAPACITY] = capacity
    schedule(m, first, WAKE_UP, 0)


@njit(cache=True)
def _grow(m: Memory) -> None:
    c = m[CALENDAR]
    words = _POOL + m[c + CAPACITY] * WIDTH
    larger = allocate(m, words + m[c + CAPACITY] * WIDTH)
    for i in range(words):
        m[larger + i] = m[c + i]
    m[WORDS] += m[c + CAPACITY] * WIDTH
    m[larger + CAPACITY] = 2 * m[c + CAPACITY]
    m[CALENDAR] = larger
    release(m, c)


@njit(cache=True)
def schedule(m: Memory, time: int, relation: int, row: int) -> None:
    """One more entry."""
    c = m[CALENDAR]
    entry = m[c + FREE]
    if entry != NO_ENTRY:
        m[c + FREE] = m[c + entry + NEXT]
    else:
        if m[c + USED] == m[c + CAPACITY]:
            _grow(m)
            c = m[CALENDAR]
        entry = _POOL + m[c + USED] * WIDTH
        m[c + USED] += 1
    head = c + _HEADS + (time & (BUCKETS - 1))
    m[c + entry + TIME] = time
    m[c + entry + RELATION] = relation
    m[c + entry + ROW] = row
    m[c + entry + NEXT] = m[head]
    m[head] = entry
    m[c + ENTRIES] += 1


@njit(cache=True)
def fire(m: Memory, time: int) -> int:
    """Take the entries of a time out of its bucket: the first of a chain of them, or NO_ENTRY."""
    c = m[CALENDAR]
    head = c + _HEADS + (time & (BUCKETS - 1))
    entry, fired, before = m[head], NO_ENTRY, NO_ENTRY
    while entry != NO_ENTRY:
        following = m[c + entry + NEXT]
        if m[c + entry + TIME] == time:
            if before == NO_ENTRY:
                m[head] = following
            else:
                m[c + before + NEXT] = following
            m[c + entry + NEXT] = fired
            fired = entry
            m[c + ENTRIES] -= 1
        else:
            before = entry
        entry = following
    return fired


@njit(cache=True)
def put_back(m: Memory, fired: int) -> None:
    """Give a chain of fired entries back to the pool."""
    c = m[CALENDAR]
    while fired != NO_ENTRY:
        following = m[c + fired + NEXT]
        m[c + fired + NEXT] = m[c + FREE]
        m[c + FREE] = fired
        fired = following


@njit(cache=True)
def next_time(m: Memory, after: int) -> int:
    """The time of the first entry after a time, or FOREVER."""
    c = m[CALENDAR]
    if m[c + ENTRIES] == 0:
        return FOREVER
    for time in range(after + 1, after + 1 + BUCKETS):
        entry = m[c + _HEADS + (time & (BUCKETS - 1))]
        while entry != NO_ENTRY:
            if m[c + entry + TIME] == time:
                return time
            entry = m[c + entry + NEXT]
    first = FOREVER
    for bucket in range(BUCKETS):
        entry = m[c + _HEADS + bucket]
        while entry != NO_ENTRY:
            if after < m[c + entry + TIME] < first:
                first = m[c + entry + TIME]
            entry = m[c + entry + NEXT]
    return first


@njit(cache=True)
def renumber(m: Memory, relation: int, rows: np.ndarray, low: int) -> None:
    """Follow a relation whose rows got new ids: rows[old - low] is the new one, or -1 where it is gone."""
    c = m[CALENDAR]
    for bucket in range(BUCKETS):
        entry = m[c + _HEADS + bucket]
        while entry != NO_ENTRY:
            if m[c + entry + RELATION] == relation:
                old = m[c + entry + ROW] - low
                m[c + entry + ROW] = rows[old] if 0 <= old < rows.shape[0] else -1
            entry = m[c + entry + NEXT]
