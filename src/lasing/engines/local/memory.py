"""The arena: relations as rings of records in one array of int64, and the life of a row.

A **row** is a record `[args…, H, S, C, D, next…]`.

- *Born*: it gets the next row id. Ids rise; the record's place in the ring is `id & mask`. Each index has a table of
  chain heads, newest first, and the record's `next` fields link it to the row before it in the same chain.
- *Guaranteed* rows hold at every evaluation time up to their horizon H. A longer horizon for the same key appends a new
  row and ends the old one (H = NEVER), so what was added since a mark is exactly what rows above that mark say.
- *Counted* rows hold while their count C of derivations is positive.
- *Tracked* rows (all counted ones, and guaranteed ones that somebody watches) have a stamp S = 2·tick + present:
  whether the row is present, and since which tick (evaluated time points are numbered 1, 2, …). So both the state now
  and the state before this tick can be read: a row stamped now was the opposite before. D links the rows that changed.
- *Pending* rows hold only from a time that is still to come, their last column. They wait in a relation of their own
  (the PARTNER of the one in which they will hold) until the calendar releases them.
- *Dead*: the low mark LO moves over dead rows; a chain ends at the first id below it. Nothing is ever removed from an
  index. A relation that is full of dead rows is compacted before a tick, and its rows get new ids.

Light relations (guaranteed, watched by nobody) have no S, C and D. Operators may keep more words in a row, at AT_MORE.
Indexing with unsigned integers spares the code
for negative indices: `m[np.uintp(i)]`.
"""

from __future__ import annotations

import numpy as np
from numba import int64, njit, uint64

# A relation's descriptor: where its fields are, counted from the descriptor's begin.
ARITY, MASK, LO, HI, OFFSET, STRIDE, INDICES, SINCE, UPTO, FIRST = range(10)
AT_H, AT_S, AT_C, AT_D, AT_NEXT, DELTA, TOUCHED, KIND, LOOKED_AT, PARTNER, AT_MORE = range(10, 21)
INDEX = 24  # then per index: how many key columns, the hash's shift, the heads' offset, the columns
INDEX_KEYS, INDEX_SHIFT, INDEX_HEADS, INDEX_COLUMNS = range(4)
MOST_COLUMNS, MOST_INDICES = 21, 6
INDEX_WIDTH = INDEX_COLUMNS + MOST_COLUMNS
DESCRIPTOR = INDEX + MOST_INDICES * INDEX_WIDTH

LIGHT, TRACKED, COUNTED, LOG, PENDING = range(5)

# The arena's header.
(
    RELATIONS,
    FIRST_RELATION,
    REGISTERS,
    KEY,
    CURSORS,
    HORIZONS,
    COUNTERS,
    SIZE,
    WIDE,
    TICK,
    OPERATIONS,
    FIRST_OPERATION,
    INPUTS,
    OUTPUTS,
    FIRST_OUTPUT,
    LOG_KEPT,
    ENDLESS,
    GROW,
    START,
    NOW_REGISTER,
    WAKE,
    DROPPED,
    ANNOTATED,
) = range(23)
HEADER = 32

NEVER = -(2**62)
FOREVER = 2**62
NO_ROW = -1
FULL = -1

_U1 = np.uint64(0x9E3779B97F4A7C15)
_U2 = np.uint64(0xBF58476D1CE4E5B9)


@njit(cache=True, forceinline=True)
def mix(x: int, value: int) -> int:
    """One more value into a hash."""
    y = (uint64(x) + uint64(value)) * _U1
    return y ^ (y >> uint64(29))


@njit(cache=True, forceinline=True)
def slot(x: int, shift: int) -> int:
    """The table position of a hash."""
    return int64((uint64(x) * _U2) >> uint64(shift))


@njit(cache=True, forceinline=True)
def head_of(m: np.ndarray, d: int, index: int, key: int) -> int:
    """Where the chain of an index begins for the key columns at m[key…]."""
    p = d + INDEX + index * INDEX_WIDTH
    x = uint64(0)
    for j in range(m[np.uintp(p + INDEX_KEYS)]):
        x = mix(x, m[np.uintp(key + j)])
    return m[np.uintp(p + INDEX_HEADS)] + slot(x, m[np.uintp(p + INDEX_SHIFT)])


@njit(cache=True)
def find(m: np.ndarray, d: int, key: int) -> int:
    """The newest row whose arguments are m[key…], dead or alive, or NO_ROW."""
    arity = m[np.uintp(d + ARITY)]
    lo = m[np.uintp(d + LO)]
    mask = m[np.uintp(d + MASK)]
    offset = m[np.uintp(d + OFFSET)]
    stride = m[np.uintp(d + STRIDE)]
    at_next = m[np.uintp(d + AT_NEXT)]
    row = m[np.uintp(head_of(m, d, 0, key))]
    while row >= lo:
        b = offset + (row & mask) * stride
        same = True
        for j in range(arity):
            if m[np.uintp(b + j)] != m[np.uintp(key + j)]:
                same = False
                break
        if same:
            return row
        row = m[np.uintp(b + at_next)]
    return NO_ROW


@njit(cache=True, forceinline=True)
def record(m: np.ndarray, d: int, row: int) -> int:
    """Where a row's record begins."""
    return m[np.uintp(d + OFFSET)] + (row & m[np.uintp(d + MASK)]) * m[np.uintp(d + STRIDE)]


@njit(cache=True)
def append(m: np.ndarray, d: int, key: int) -> int:
    """A new row with the arguments m[key…], linked into every index, its other fields unset; FULL where there is no
    room."""
    hi = m[np.uintp(d + HI)]
    if hi - m[np.uintp(d + LO)] > m[np.uintp(d + MASK)]:
        return FULL
    b = record(m, d, hi)
    for j in range(m[np.uintp(d + ARITY)]):
        m[np.uintp(b + j)] = m[np.uintp(key + j)]
    link(m, d, hi, b)
    m[np.uintp(d + HI)] = hi + 1
    return hi


@njit(cache=True)
def link(m: np.ndarray, d: int, row: int, b: int) -> None:
    """Put a row at the head of its chains."""
    at_next = m[np.uintp(d + AT_NEXT)]
    for index in range(m[np.uintp(d + INDICES)]):
        p = d + INDEX + index * INDEX_WIDTH
        x = uint64(0)
        for j in range(m[np.uintp(p + INDEX_KEYS)]):
            x = mix(x, m[np.uintp(b + m[np.uintp(p + INDEX_COLUMNS + j)])])
        h = m[np.uintp(p + INDEX_HEADS)] + slot(x, m[np.uintp(p + INDEX_SHIFT)])
        m[np.uintp(b + at_next + index)] = m[np.uintp(h)]
        m[np.uintp(h)] = row


@njit(cache=True)
def upsert(m: np.ndarray, d: int, key: int, horizon: int) -> int:
    """Guarantee m[key…] up to a horizon: 1 if that is news, 0 if it was guaranteed already, FULL if there is no
    room."""
    arity = m[np.uintp(d + ARITY)]
    lo = m[np.uintp(d + LO)]
    mask = m[np.uintp(d + MASK)]
    offset = m[np.uintp(d + OFFSET)]
    stride = m[np.uintp(d + STRIDE)]
    at_next = m[np.uintp(d + AT_NEXT)]
    at_h = m[np.uintp(d + AT_H)]
    tracked = m[np.uintp(d + KIND)] == TRACKED
    x = uint64(0)
    for j in range(arity):
        x = mix(x, m[np.uintp(key + j)])
    p = d + INDEX
    head = m[np.uintp(p + INDEX_HEADS)] + slot(x, m[np.uintp(p + INDEX_SHIFT)])
    first = m[np.uintp(head)]
    row, stamp = first, int64(0)
    hi = m[np.uintp(d + HI)]
    while row >= lo:
        b = offset + (row & mask) * stride
        same = True
        for j in range(arity):
            if m[np.uintp(b + j)] != m[np.uintp(key + j)]:
                same = False
                break
        if same:
            if m[np.uintp(b + at_h)] >= horizon:
                return 0
            if row >= m[np.uintp(d + UPTO)]:  # not yet seen by any rule in this round
                m[np.uintp(b + at_h)] = horizon
                return 1
            if hi - lo > mask:
                return FULL
            m[np.uintp(b + at_h)] = NEVER
            if tracked:
                at_s = m[np.uintp(d + AT_S)]
                stamp = m[np.uintp(b + at_s)]
                m[np.uintp(b + at_s)] = 0
            break
        row = m[np.uintp(b + at_next)]
    if hi - lo > mask:
        return FULL
    b = offset + (hi & mask) * stride
    for j in range(arity):
        m[np.uintp(b + j)] = m[np.uintp(key + j)]
    m[np.uintp(b + at_h)] = horizon
    if tracked:
        m[np.uintp(b + m[np.uintp(d + AT_S)])] = stamp
        m[np.uintp(b + m[np.uintp(d + AT_D)])] = NO_ROW - 1
    m[np.uintp(b + at_next)] = first
    m[np.uintp(head)] = hi
    for index in range(1, m[np.uintp(d + INDICES)]):
        p += INDEX_WIDTH
        x = uint64(0)
        for j in range(m[np.uintp(p + INDEX_KEYS)]):
            x = mix(x, m[np.uintp(b + m[np.uintp(p + INDEX_COLUMNS + j)])])
        head = m[np.uintp(p + INDEX_HEADS)] + slot(x, m[np.uintp(p + INDEX_SHIFT)])
        m[np.uintp(b + at_next + index)] = m[np.uintp(head)]
        m[np.uintp(head)] = hi
    m[np.uintp(d + HI)] = hi + 1
    return 1


@njit(cache=True, inline="always")
def upsert_pair(m: np.ndarray, d: int, x: int, y: int, horizon: int) -> int:
    """`upsert` of the arguments x and y, which need not stand in memory: most relations have two columns."""
    lo = m[np.uintp(d + LO)]
    mask = m[np.uintp(d + MASK)]
    offset = m[np.uintp(d + OFFSET)]
    stride = m[np.uintp(d + STRIDE)]
    at_next = m[np.uintp(d + AT_NEXT)]
    tracked = m[np.uintp(d + KIND)] == TRACKED
    p = d + INDEX
    head = m[np.uintp(p + INDEX_HEADS)] + slot(mix(mix(uint64(0), x), y), m[np.uintp(p + INDEX_SHIFT)])
    first = m[np.uintp(head)]
    row, stamp = first, int64(0)
    hi = m[np.uintp(d + HI)]
    while row >= lo:
        b = offset + (row & mask) * stride
        if m[np.uintp(b)] == x and m[np.uintp(b + 1)] == y:
            if m[np.uintp(b + 2)] >= horizon:
                return 0
            if row >= m[np.uintp(d + UPTO)]:  # not yet seen by any rule in this round
                m[np.uintp(b + 2)] = horizon
                return 1
            if hi - lo > mask:
                return FULL
            m[np.uintp(b + 2)] = NEVER
            if tracked:
                stamp = m[np.uintp(b + 3)]
                m[np.uintp(b + 3)] = 0
            break
        row = m[np.uintp(b + at_next)]
    if hi - lo > mask:
        return FULL
    b = offset + (hi & mask) * stride
    m[np.uintp(b)] = x
    m[np.uintp(b + 1)] = y
    m[np.uintp(b + 2)] = horizon
    if tracked:
        m[np.uintp(b + 3)] = stamp
        m[np.uintp(b + 5)] = NO_ROW - 1
    m[np.uintp(b + at_next)] = first
    m[np.uintp(head)] = hi
    for index in range(1, m[np.uintp(d + INDICES)]):
        p += INDEX_WIDTH
        z = uint64(0)
        for j in range(m[np.uintp(p + INDEX_KEYS)]):
            z = mix(z, y if m[np.uintp(p + INDEX_COLUMNS + j)] == 1 else x)
        head = m[np.uintp(p + INDEX_HEADS)] + slot(z, m[np.uintp(p + INDEX_SHIFT)])
        m[np.uintp(b + at_next + index)] = m[np.uintp(head)]
        m[np.uintp(head)] = hi
    m[np.uintp(d + HI)] = hi + 1
    return 1


@njit(cache=True)
def count(m: np.ndarray, d: int, key: int, change: int) -> int:
    """Add to the count of m[key…] and remember that it was touched; FULL if there is no room."""
    row = find(m, d, key)
    if row == NO_ROW:
        row = append(m, d, key)
        if row == FULL:
            return FULL
        b = record(m, d, row)
        m[np.uintp(b + m[np.uintp(d + AT_H)])] = FOREVER
        m[np.uintp(b + m[np.uintp(d + AT_S)])] = 0
        m[np.uintp(b + m[np.uintp(d + AT_C)])] = 0
        m[np.uintp(b + m[np.uintp(d + AT_D)])] = NO_ROW - 1
    b = record(m, d, row)
    m[np.uintp(b + m[np.uintp(d + AT_C)])] += change
    touch(m, d, row, b)
    return 1


@njit(cache=True, forceinline=True)
def touch(m: np.ndarray, d: int, row: int, b: int) -> None:
    """Put a row on the list of those that may have changed, once. (NO_ROW ends the list, NO_ROW - 1 is: not on it.)"""
    at = b + m[np.uintp(d + AT_D)]
    if m[np.uintp(at)] == NO_ROW - 1:
        m[np.uintp(at)] = m[np.uintp(d + TOUCHED)]
        m[np.uintp(d + TOUCHED)] = row


@njit(cache=True, forceinline=True)
def present(m: np.ndarray, d: int, b: int, tick: int, before: bool) -> bool:
    """Whether a tracked row is present now, or was before this tick."""
    stamp = m[np.uintp(b + m[np.uintp(d + AT_S)])]
    return ((stamp & 1) == 1) != (before and (stamp >> 1) == tick)


@njit(cache=True)
def room(m: np.ndarray, d: int) -> np.ndarray:
    """The arena with twice the room for one relation. Row ids stay; every relation may have moved."""
    cap = m[np.uintp(d + MASK)] + 1
    size = m[np.uintp(SIZE)]
    extra = cap * m[np.uintp(d + STRIDE)]
    for index in range(m[np.uintp(d + INDICES)]):
        extra += int64(1) << (64 - m[np.uintp(d + INDEX + index * INDEX_WIDTH + INDEX_SHIFT)])
    grown = np.empty(size + extra, np.int64)
    first = m[np.uintp(FIRST_RELATION)]
    count_ = m[np.uintp(RELATIONS)]
    fixed = m[np.uintp(first + OFFSET)]
    for i in range(fixed):
        grown[i] = m[i]
    at = fixed
    for r in range(count_):
        e = first + r * DESCRIPTOR
        if e == d:
            grown[e + MASK] = 2 * cap - 1
            for index in range(m[e + INDICES]):
                grown[e + INDEX + index * INDEX_WIDTH + INDEX_SHIFT] -= 1
        grown[e + OFFSET] = at
        stride, old_mask, new_mask = m[e + STRIDE], m[e + MASK], grown[e + MASK]
        if e == d:
            for row in range(m[e + LO], m[e + HI]):
                a = m[e + OFFSET] + (row & old_mask) * stride
                b = at + (row & new_mask) * stride
                for j in range(stride):
                    grown[b + j] = m[a + j]
        else:
            a = m[e + OFFSET]
            for j in range((old_mask + 1) * stride):
                grown[at + j] = m[a + j]
        at += (new_mask + 1) * stride
        for index in range(m[e + INDICES]):
            p = e + INDEX + index * INDEX_WIDTH
            length = int64(1) << (64 - grown[p + INDEX_SHIFT])
            a = m[p + INDEX_HEADS]
            grown[p + INDEX_HEADS] = at
            for j in range(length):
                grown[at + j] = NO_ROW if e == d else m[a + j]
            at += length
        if e == d:
            for row in range(grown[e + LO], grown[e + HI]):
                link(grown, e, row, record(grown, e, row))
    grown[SIZE] = at
    return grown


@njit(cache=True, inline="always")
def is_dead(m: np.ndarray, kind: int, arity: int, b: int, t: int) -> bool:
    """Whether a row holds no more, and nobody has to hear of that any more. (Its fields follow its arguments.)"""
    if kind == COUNTED:
        return m[np.uintp(b + arity + 2)] == 0 and (m[np.uintp(b + arity + 1)] & 1) == 0
    if kind == TRACKED:
        return m[np.uintp(b + arity)] < t and (m[np.uintp(b + arity + 1)] & 1) == 0
    if kind == PENDING:
        return m[np.uintp(b + arity - 1)] < t
    return m[np.uintp(b + arity)] < t


@njit(cache=True)
def begin_tick(m: np.ndarray, t: int) -> None:
    """Nothing has changed yet; the low mark of every relation moves over its dead rows."""
    first = m[FIRST_RELATION]
    for r in range(m[RELATIONS]):
        d = first + r * DESCRIPTOR
        kind, arity = m[np.uintp(d + KIND)], m[np.uintp(d + ARITY)]
        offset, mask, stride = m[np.uintp(d + OFFSET)], m[np.uintp(d + MASK)], m[np.uintp(d + STRIDE)]
        if kind == COUNTED:
            row = m[d + DELTA]
            while row != NO_ROW:
                b = offset + (row & mask) * stride
                row = m[np.uintp(b + arity + 3)]
                m[np.uintp(b + arity + 3)] = NO_ROW - 1
        m[np.uintp(d + DELTA)] = NO_ROW
        lo, hi = m[np.uintp(d + LO)], m[np.uintp(d + HI)]
        if kind == LOG:
            lo = max(lo, hi - m[LOG_KEPT])
        else:
            while lo < hi and is_dead(m, kind, arity, offset + (lo & mask) * stride, t):
                lo += 1
        m[np.uintp(d + LO)] = lo
        m[np.uintp(d + SINCE)] = m[np.uintp(d + UPTO)] = m[np.uintp(d + FIRST)] = hi
    m[TICK] += 1


@njit(cache=True)
def compact(m: np.ndarray, d: int, t: int, renumbered: np.ndarray) -> None:
    """Give the living rows of a relation new, consecutive ids; `renumbered`, unless it is empty, gets the new id of each
    old one from the low mark on, or -1."""
    lo, hi = m[d + LO], m[d + HI]
    kind, arity = m[d + KIND], m[d + ARITY]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    told = renumbered.shape[0] > 0
    for index in range(m[d + INDICES]):
        p = d + INDEX + index * INDEX_WIDTH
        heads = m[p + INDEX_HEADS]
        for j in range(int64(1) << (64 - m[p + INDEX_SHIFT])):
            m[np.uintp(heads + j)] = NO_ROW
    new = lo
    for row in range(lo, hi):
        b = offset + (row & mask) * stride
        dead = is_dead(m, kind, arity, b, t)
        if told:
            renumbered[row - lo] = -1 if dead else new
        if not dead:
            a = offset + (new & mask) * stride
            for j in range(stride):
                m[np.uintp(a + j)] = m[np.uintp(b + j)]
            link(m, d, new, a)
            new += 1
    m[d + HI] = m[d + SINCE] = m[d + UPTO] = m[d + FIRST] = new


@njit(cache=True)
def living(m: np.ndarray, d: int, t: int) -> int:
    """How many rows of a relation are alive."""
    kind, arity = m[d + KIND], m[d + ARITY]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    alive = 0
    for row in range(m[d + LO], m[d + HI]):
        alive += 0 if is_dead(m, kind, arity, offset + (row & mask) * stride, t) else 1
    return alive
