"""The calendar: when guarantees of rows end, when rows begin to hold, and when to wake up.

A wheel of buckets by time. A bucket is a chain of chunks `[time, next, count, rows, relation, row, relation, row, …]`,
each for one time, so that entries that are due together lie together. If a row is extended or dies in the meantime, its
entry turns out to be stale when it is due. A wake-up is an entry without a relation. Neighbouring rows of a tracked
relation that end together have one entry: the first of them, and in the higher bits how many more there are. The
calendar has its own block of memory, which the arena's header names; chunks are identified by their place in it.
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.memory import CALENDAR, FOREVER, WORDS, new_block
from lasing.engines.local.pointers import Memory, pointer, release

BUCKETS = 4096
"""This many time points ahead have their own buckets; with longer windows, several times share one."""
FREE, USED, CAPACITY, CHUNKS = range(4)  # chunks to use again, chunks ever used, how many there is room for, in buckets
_HEADS = 8
_POOL = _HEADS + BUCKETS
TIME, NEXT, COUNT, ROWS, ENTRIES = range(5)
ROOM = 14  # entries in a chunk
_CHUNK = ENTRIES + 2 * ROOM
_FIRST_CAPACITY = 16
WAKE_UP = -1
NO_CHUNK = -1
GONE = -1
"""The rows of an entry whose rows are all gone."""
MORE = 40
"""Rows are numbered up to 2^40; the bits above are for how many more rows an entry is about."""
_FIRST = (1 << MORE) - 1
MOST_ROWS = 1 << 20
"""As many rows an entry may be about."""


@njit(cache=True)
def open_calendar(array: Memory, first: int) -> None:
    """A calendar that is empty except for a wake-up at the first time point."""
    m = pointer(array)
    words = _POOL + _FIRST_CAPACITY * _CHUNK
    c = new_block(m, words)
    m[CALENDAR] = c
    for i in range(_POOL):
        m[c + i] = NO_CHUNK
    m[c + USED] = m[c + CHUNKS] = 0
    m[c + CAPACITY] = _FIRST_CAPACITY
    schedule(m, first, WAKE_UP, 0)


@njit(cache=True)
def words(m: Memory, c: int) -> int:
    """How many words the calendar at a place has."""
    return _POOL + m[c + CAPACITY] * _CHUNK


@njit(cache=True)
def saved_words(copy: np.ndarray) -> int:
    """The same for a copy of its words."""
    return _POOL + copy[CAPACITY] * _CHUNK


@njit(cache=True, forceinline=True)
def bucket_of(m: Memory, time: int) -> int:
    """Where the chain of a time's bucket begins."""
    return m[CALENDAR] + _HEADS + (time & (BUCKETS - 1))


@njit(cache=True)
def _new_chunk(m: Memory, time: int) -> int:
    """A chunk for a time, at the head of its bucket; NO_CHUNK if there is no memory, and the engine has stopped."""
    c = m[CALENDAR]
    chunk = m[c + FREE]
    if chunk != NO_CHUNK:
        m[c + FREE] = m[c + chunk + NEXT]
    else:
        if m[c + USED] == m[c + CAPACITY]:
            if not _grow(m):
                return NO_CHUNK
            c = m[CALENDAR]
        chunk = _POOL + m[c + USED] * _CHUNK
        m[c + USED] += 1
    head = c + _HEADS + (time & (BUCKETS - 1))
    m[c + chunk + TIME] = time
    m[c + chunk + NEXT] = m[head]
    m[c + chunk + COUNT] = 0
    m[c + chunk + ROWS] = 0
    m[head] = chunk
    m[c + CHUNKS] += 1
    return chunk


@njit(cache=True)
def _grow(m: Memory) -> bool:
    c = m[CALENDAR]
    more = m[c + CAPACITY] * _CHUNK
    larger = new_block(m, _POOL + 2 * more)
    if larger == 0:
        return False
    for i in range(_POOL + more):
        m[larger + i] = m[c + i]
    m[WORDS] -= _POOL + more
    m[larger + CAPACITY] = 2 * m[c + CAPACITY]
    m[CALENDAR] = larger
    release(m, c)
    return True


@njit(cache=True)
def schedule(m: Memory, time: int, relation: int, row: int) -> None:
    """Add an entry."""
    c = m[CALENDAR]
    chunk = m[c + _HEADS + (time & (BUCKETS - 1))]
    while chunk != NO_CHUNK and m[c + chunk + TIME] != time:
        chunk = m[c + chunk + NEXT]  # another time in the same bucket
    if chunk == NO_CHUNK or m[c + chunk + COUNT] == ROOM:
        chunk = _new_chunk(m, time)
        if chunk == NO_CHUNK:
            return
        c = m[CALENDAR]
    at = c + chunk + ENTRIES + 2 * m[c + chunk + COUNT]
    m[at] = relation
    m[at + 1] = row
    m[c + chunk + COUNT] += 1
    m[c + chunk + ROWS] += 1 + (row >> MORE)


@njit(cache=True)
def schedule_rows(m: Memory, time: int, relation: int, first: int, end: int) -> None:
    """Add an entry for all rows of a relation from the first one on and below the end, if there are any."""
    while first < end:
        more = min(end - first, MOST_ROWS) - 1
        schedule(m, time, relation, first + (more << MORE))
        first += more + 1


@njit(cache=True, forceinline=True)
def first_row(rows: int) -> int:
    """The first row that an entry is about."""
    return rows & _FIRST


@njit(cache=True, forceinline=True)
def last_row(rows: int) -> int:
    """The last row that an entry is about; if all of them are gone, it is less than the first one."""
    return (rows & _FIRST) + (rows >> MORE)


@njit(cache=True)
def fire(m: Memory, time: int) -> int:
    """Take the chunks of a time out of its bucket. Returns the first of their chain, or NO_CHUNK."""
    c = m[CALENDAR]
    head = c + _HEADS + (time & (BUCKETS - 1))
    chunk, fired, before = m[head], NO_CHUNK, NO_CHUNK
    while chunk != NO_CHUNK:
        following = m[c + chunk + NEXT]
        if m[c + chunk + TIME] == time:
            if before == NO_CHUNK:
                m[head] = following
            else:
                m[c + before + NEXT] = following
            m[c + chunk + NEXT] = fired
            fired = chunk
            m[c + CHUNKS] -= 1
        else:
            before = chunk
        chunk = following
    return fired


@njit(cache=True, forceinline=True)
def entries(m: Memory, chunk: int) -> int:
    """How many entries a chunk has."""
    return m[m[CALENDAR] + chunk + COUNT]


@njit(cache=True, forceinline=True)
def entry(m: Memory, chunk: int, i: int) -> int:
    """Where an entry of a chunk is: a relation, or WAKE_UP, and a row."""
    return m[CALENDAR] + chunk + ENTRIES + 2 * i


@njit(cache=True, forceinline=True)
def next_chunk(m: Memory, chunk: int) -> int:
    """The chunk after this one in its chain, or NO_CHUNK."""
    return m[m[CALENDAR] + chunk + NEXT]


@njit(cache=True)
def due(m: Memory, fired: int) -> int:
    """How many rows the entries of a chain of chunks are about, at most."""
    found = 0
    while fired != NO_CHUNK:
        found += m[m[CALENDAR] + fired + ROWS]
        fired = next_chunk(m, fired)
    return found


@njit(cache=True)
def put_back(m: Memory, fired: int) -> None:
    """Give a chain of chunks back to the pool."""
    c = m[CALENDAR]
    while fired != NO_CHUNK:
        following = m[c + fired + NEXT]
        m[c + fired + NEXT] = m[c + FREE]
        m[c + FREE] = fired
        fired = following


@njit(cache=True)
def next_time(m: Memory, after: int, until: int) -> int:
    """The time of the first entry after a time, or FOREVER; FOREVER may also mean any time after `until`."""
    c = m[CALENDAR]
    if m[c + CHUNKS] == 0:
        return FOREVER
    for time in range(after + 1, min(until, after + BUCKETS) + 1):
        chunk = m[c + _HEADS + (time & (BUCKETS - 1))]
        while chunk != NO_CHUNK:
            if m[c + chunk + TIME] == time:
                return time
            chunk = m[c + chunk + NEXT]
    if until <= after + BUCKETS:
        return FOREVER
    first = FOREVER
    for bucket in range(BUCKETS):
        chunk = m[c + _HEADS + bucket]
        while chunk != NO_CHUNK:
            if after < m[c + chunk + TIME] < first:
                first = m[c + chunk + TIME]
            chunk = m[c + chunk + NEXT]
    return first


@njit(cache=True)
def renumber(m: Memory, relation: int, rows: np.ndarray, low: int) -> None:
    """Update the entries of a relation whose rows got new ids: rows[old - low] is the new one, or -1 if it is gone."""
    c = m[CALENDAR]
    for bucket in range(BUCKETS):
        chunk = m[c + _HEADS + bucket]
        while chunk != NO_CHUNK:
            for i in range(m[c + chunk + COUNT]):
                at = c + chunk + ENTRIES + 2 * i
                if m[at] == relation:
                    m[at + 1] = _renumbered(m[at + 1], rows, low)
            chunk = m[c + chunk + NEXT]


@njit(cache=True)
def _renumbered(entered: int, rows: np.ndarray, low: int) -> int:
    """The rows of an entry with their new ids, which are neighbours again, or GONE."""
    first, last = -1, -1
    for old in range(max(first_row(entered) - low, 0), min(last_row(entered) - low, rows.shape[0] - 1) + 1):
        if rows[old] >= 0:
            first = rows[old] if first < 0 else first
            last = rows[old]
    return GONE if first < 0 else first + ((last - first) << MORE)
