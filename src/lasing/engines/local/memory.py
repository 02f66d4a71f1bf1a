"""The arena: relations as rings of records, and the life of a row.

An array of int64 holds the header, the relations' descriptors and the encoded plan. Each relation has a block of
memory for its ring and its indices, which a descriptor names by its distance from the array; where a relation is full,
it moves to a larger block. Kernels take a pointer to the array, `m`.

A **row** is a record `[args…, H, S, D, C, next…]`; some relations do without the fields that they do not need.

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

Light relations (guaranteed, watched by nobody) have no S, D and C, those that only the output watches no D and C, other
guaranteed ones no C. Operators may keep more words in a row, at AT_MORE.
Indexing with unsigned integers spares the code
for negative indices: `m[i]`.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64

from lasing.compiling import njit
from lasing.engines.local.pause import GO_ON, MOST_WORDS, OUT_OF_MEMORY, STOPPED, spend
from lasing.engines.local.pointers import Memory, allocate, pointer, release

# A relation's descriptor: where its fields are, counted from the descriptor's begin.
ARITY, MASK, LO, HI, OFFSET, STRIDE, INDICES, SINCE, UPTO, FIRST = range(10)
AT_H, AT_S, AT_D, AT_C, AT_NEXT, DELTA, TOUCHED, KIND, LOOKED_AT, PARTNER, AT_MORE, BLOCK_WORDS, TOLD = range(10, 23)
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
    WORDS,
    WIDE,
    TICK,
    OPERATIONS,
    FIRST_OPERATION,
    INPUTS,
    OUTPUTS,
    FIRST_OUTPUT,
    LOG_KEPT,
    CALENDAR,
    START,
    NOW_REGISTER,
    WAKE,
    DROPPED,
    ANNOTATED,
    TELLS_MORE,
) = range(23)  # the words from 24 on are those of `pause`
HEADER = 40

NEVER = -(2**62)
FOREVER = 2**62
NO_ROW = -1

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
def head_of(m: Memory, d: int, index: int, key: int) -> int:
    """Where the chain of an index begins for the key columns at m[key…]."""
    p = d + INDEX + index * INDEX_WIDTH
    x = uint64(0)
    for j in range(m[p + INDEX_KEYS]):
        x = mix(x, m[key + j])
    return m[p + INDEX_HEADS] + slot(x, m[p + INDEX_SHIFT])


@njit(cache=True)
def find(m: Memory, d: int, key: int) -> int:
    """The newest row whose arguments are m[key…], dead or alive, or NO_ROW."""
    arity = m[d + ARITY]
    lo = m[d + LO]
    mask = m[d + MASK]
    offset = m[d + OFFSET]
    stride = m[d + STRIDE]
    at_next = m[d + AT_NEXT]
    row = m[head_of(m, d, 0, key)]
    while row >= lo:
        b = offset + (row & mask) * stride
        same = True
        for j in range(arity):
            if m[b + j] != m[key + j]:
                same = False
                break
        if same:
            return row
        row = m[b + at_next]
    return NO_ROW


@njit(cache=True, forceinline=True)
def record(m: Memory, d: int, row: int) -> int:
    """Where a row's record begins."""
    return m[d + OFFSET] + (row & m[d + MASK]) * m[d + STRIDE]


@njit(cache=True)
def append(m: Memory, d: int, key: int) -> int:
    """A new row with the arguments m[key…], linked into every index, its other fields unset."""
    hi = m[d + HI]
    if hi - m[d + LO] > m[d + MASK]:
        grow(m, d)
    b = record(m, d, hi)
    for j in range(m[d + ARITY]):
        m[b + j] = m[key + j]
    link(m, d, hi, b)
    m[d + HI] = hi + 1
    return hi


@njit(cache=True)
def link(m: Memory, d: int, row: int, b: int) -> None:
    """Put a row at the head of its chains."""
    at_next = m[d + AT_NEXT]
    for index in range(m[d + INDICES]):
        p = d + INDEX + index * INDEX_WIDTH
        x = uint64(0)
        for j in range(m[p + INDEX_KEYS]):
            x = mix(x, m[b + m[p + INDEX_COLUMNS + j]])
        h = m[p + INDEX_HEADS] + slot(x, m[p + INDEX_SHIFT])
        m[b + at_next + index] = m[h]
        m[h] = row


@njit(cache=True)
def upsert(m: Memory, d: int, key: int, horizon: int) -> int:
    """Guarantee m[key…] up to a horizon: 1 if that is news, 0 if it was guaranteed already."""
    at_h, at_s = m[d + AT_H], m[d + AT_S]
    tracked = m[d + KIND] == TRACKED
    stamp = int64(0)
    row = find(m, d, key)
    if row != NO_ROW:
        b = record(m, d, row)
        if m[b + at_h] >= horizon:
            return 0
        if row >= m[d + UPTO]:  # not yet seen by any rule in this round
            m[b + at_h] = horizon
            return 1
        m[b + at_h] = NEVER
        if tracked:
            stamp = m[b + at_s]
            m[b + at_s] = 0
    b = record(m, d, append(m, d, key))
    m[b + at_h] = horizon
    if tracked:
        m[b + at_s] = stamp
    return 1


@njit(cache=True, forceinline=True)
def upsert_pair(m: Memory, d: int, x: int, y: int, horizon: int) -> int:
    """`upsert` of the arguments x and y, which need not stand in memory: most relations have two columns."""
    lo = m[d + LO]
    mask = m[d + MASK]
    offset = m[d + OFFSET]
    stride = m[d + STRIDE]
    at_next = m[d + AT_NEXT]
    tracked = m[d + KIND] == TRACKED
    p = d + INDEX
    head = m[p + INDEX_HEADS] + slot(mix(mix(uint64(0), x), y), m[p + INDEX_SHIFT])
    first = m[head]
    row, stamp = first, int64(0)
    hi = m[d + HI]
    while row >= lo:
        b = offset + (row & mask) * stride
        if m[b] == x and m[b + 1] == y:
            if m[b + 2] >= horizon:
                return 0
            if row >= m[d + UPTO]:  # not yet seen by any rule in this round
                m[b + 2] = horizon
                return 1
            m[b + 2] = NEVER
            if tracked:
                stamp = m[b + 3]
                m[b + 3] = 0
            break
        row = m[b + at_next]
    if hi - lo > mask:
        grow(m, d)
        head = m[p + INDEX_HEADS] + slot(mix(mix(uint64(0), x), y), m[p + INDEX_SHIFT])
        first = m[head]
    b = record(m, d, hi)
    m[b] = x
    m[b + 1] = y
    m[b + 2] = horizon
    if tracked:
        m[b + 3] = stamp
    m[b + at_next] = first
    m[head] = hi
    for index in range(1, m[d + INDICES]):
        p += INDEX_WIDTH
        z = uint64(0)
        for j in range(m[p + INDEX_KEYS]):
            z = mix(z, y if m[p + INDEX_COLUMNS + j] == 1 else x)
        head = m[p + INDEX_HEADS] + slot(z, m[p + INDEX_SHIFT])
        m[b + at_next + index] = m[head]
        m[head] = hi
    m[d + HI] = hi + 1
    return 1


@njit(cache=True)
def count(m: Memory, d: int, key: int, change: int) -> None:
    """Add to the count of m[key…] and remember that it was touched."""
    row = find(m, d, key)
    if row == NO_ROW:
        row = append(m, d, key)
        b = record(m, d, row)
        m[b + m[d + AT_H]] = FOREVER
        m[b + m[d + AT_S]] = 0
        m[b + m[d + AT_C]] = 0
        m[b + m[d + AT_D]] = NO_ROW - 1
    b = record(m, d, row)
    m[b + m[d + AT_C]] += change
    touch(m, d, row, b)


@njit(cache=True, forceinline=True)
def touch(m: Memory, d: int, row: int, b: int) -> None:
    """Put a row on the list of those that may have changed, once. (NO_ROW ends the list, NO_ROW - 1 is: not on it.)"""
    at = b + m[d + AT_D]
    if m[at] == NO_ROW - 1:
        m[at] = m[d + TOUCHED]
        m[d + TOUCHED] = row


@njit(cache=True, forceinline=True)
def present(m: Memory, d: int, b: int, tick: int, before: bool) -> bool:
    """Whether a tracked row is present now, or was before this tick."""
    stamp = m[b + m[d + AT_S]]
    return ((stamp & 1) == 1) != (before and (stamp >> 1) == tick)


@njit(cache=True)
def new_block(m: Memory, words: int) -> int:
    """A block of memory, within the limit; 0 where there is none to be had, and then the engine has stopped."""
    block = int64(0)
    if m[STOPPED] == GO_ON and m[WORDS] + words <= m[MOST_WORDS]:
        block = allocate(m, words)
    if block == 0:
        if m[STOPPED] == GO_ON:
            m[STOPPED] = OUT_OF_MEMORY
    else:
        m[WORDS] += words
    return block


@njit(cache=True)
def open_block(m: Memory, d: int, bits: int) -> bool:
    """A block for 2^bits rows of a relation, without any row in it; whether there is memory for it."""
    size = m[d + STRIDE] << bits
    for index in range(m[d + INDICES]):
        size += int64(1) << (bits + (index == 0))
    block = new_block(m, size)
    if block == 0:
        return False
    _live_in(m, d, block, size, bits)
    for j in range(m[d + STRIDE] << bits, size):
        m[block + j] = NO_ROW
    return True


@njit(cache=True)
def _live_in(m: Memory, d: int, block: int, size: int, bits: int) -> None:
    """Let a relation's descriptor name a block: first the ring, then each index's heads."""
    m[d + BLOCK_WORDS] = size
    m[d + OFFSET] = block
    m[d + MASK] = (int64(1) << bits) - 1
    at = block + (m[d + STRIDE] << bits)
    for index in range(m[d + INDICES]):
        p = d + INDEX + index * INDEX_WIDTH
        head_bits = bits + (index == 0)  # the first index, by all columns, is asked most
        m[p + INDEX_SHIFT] = 64 - head_bits
        m[p + INDEX_HEADS] = at
        at += int64(1) << head_bits


@njit(cache=True)
def grow(m: Memory, d: int) -> None:
    """Move a relation to a block with twice the room. Row ids stay.

    Where there is no memory for it, or the engine is to stop on the way, the relation stays where it is, and its oldest
    row gives its place to the next.
    """
    old, mask, stride, words = m[d + OFFSET], m[d + MASK], m[d + STRIDE], m[d + BLOCK_WORDS]
    bits = int64(0)
    while (int64(1) << bits) <= mask:
        bits += 1
    if not open_block(m, d, bits + 1):
        m[d + LO] += 1
        return
    for row in range(m[d + LO], m[d + HI]):
        a, b = old + (row & mask) * stride, record(m, d, row)
        for j in range(stride):
            m[b + j] = m[a + j]
        link(m, d, row, b)
        if spend(m, 1):
            m[WORDS] -= m[d + BLOCK_WORDS]
            release(m, m[d + OFFSET])
            _live_in(m, d, old, words, bits)
            m[d + LO] += 1
            return
    release(m, old)
    m[WORDS] -= words


@njit(cache=True)
def open_blocks(array: Memory, bits: int) -> None:
    """The first blocks of all relations."""
    m = pointer(array)
    for r in range(m[RELATIONS]):
        open_block(m, m[FIRST_RELATION] + r * DESCRIPTOR, bits)


@njit(cache=True)
def release_blocks(array: Memory) -> None:
    """Give the memory of all relations and of the calendar back."""
    m = pointer(array)
    for r in range(m[RELATIONS]):
        release(m, m[m[FIRST_RELATION] + r * DESCRIPTOR + OFFSET])
    release(m, m[CALENDAR])


@njit(cache=True, forceinline=True)
def is_dead(m: Memory, kind: int, arity: int, b: int, t: int) -> bool:
    """Whether a row holds no more, and nobody has to hear of that any more. (Its fields follow its arguments.)"""
    if kind == COUNTED:
        return m[b + arity + 3] == 0 and (m[b + arity + 1] & 1) == 0
    if kind == TRACKED:
        return m[b + arity] < t and (m[b + arity + 1] & 1) == 0
    if kind == PENDING:
        return m[b + arity - 1] < t
    return m[b + arity] < t


@njit(cache=True)
def begin_tick(m: Memory, t: int) -> None:
    """Nothing has changed yet; the low mark of every relation moves over its dead rows."""
    first = m[FIRST_RELATION]
    for r in range(m[RELATIONS]):
        d = first + r * DESCRIPTOR
        kind, arity = m[d + KIND], m[d + ARITY]
        offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
        if kind == COUNTED:
            row = m[d + DELTA]
            while row != NO_ROW:
                b = offset + (row & mask) * stride
                row = m[b + arity + 2]
                m[b + arity + 2] = NO_ROW - 1
        m[d + DELTA] = NO_ROW
        lo, hi = m[d + LO], m[d + HI]
        if kind == LOG:
            lo = max(lo, hi - m[LOG_KEPT])
        else:
            while lo < hi and is_dead(m, kind, arity, offset + (lo & mask) * stride, t):
                lo += 1
        m[d + LO] = lo
        m[d + SINCE] = m[d + UPTO] = m[d + FIRST] = hi
    m[TICK] += 1


@njit(cache=True)
def compact(m: Memory, d: int, t: int, renumbered: np.ndarray) -> None:
    """Give the living rows of a relation new, consecutive ids; `renumbered`, unless it is empty, gets the new id of
    each old one from the low mark on, or -1."""
    lo, hi = m[d + LO], m[d + HI]
    kind, arity = m[d + KIND], m[d + ARITY]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    told = renumbered.shape[0] > 0
    for index in range(m[d + INDICES]):
        p = d + INDEX + index * INDEX_WIDTH
        heads = m[p + INDEX_HEADS]
        for j in range(int64(1) << (64 - m[p + INDEX_SHIFT])):
            m[heads + j] = NO_ROW
    new = lo
    for row in range(lo, hi):
        b = offset + (row & mask) * stride
        dead = is_dead(m, kind, arity, b, t)
        if told:
            renumbered[row - lo] = -1 if dead else new
        if not dead:
            a = offset + (new & mask) * stride
            for j in range(stride):
                m[a + j] = m[b + j]
            link(m, d, new, a)
            new += 1
    m[d + HI] = m[d + SINCE] = m[d + UPTO] = m[d + FIRST] = new


@njit(cache=True)
def living(m: Memory, d: int, t: int) -> int:
    """How many rows of a relation are alive."""
    kind, arity = m[d + KIND], m[d + ARITY]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    alive = 0
    for row in range(m[d + LO], m[d + HI]):
        alive += 0 if is_dead(m, kind, arity, offset + (row & mask) * stride, t) else 1
    return alive
