"""Guaranteed rows of two columns, which most relations have: they need not be assembled in memory first."""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    AT_NEXT,
    HI,
    INDEX,
    INDEX_COLUMNS,
    INDEX_HEADS,
    INDEX_KEYS,
    INDEX_SHIFT,
    INDEX_WIDTH,
    INDICES,
    KEEPS_BACK,
    KIND,
    LATER,
    LO,
    MASK,
    NEVER,
    NOW_REGISTER,
    OFFSET,
    STRIDE,
    TAKE_BACK,
    TRACKED,
    UPTO,
    copy_key,
    grow,
    keep_back,
    mix,
    note_change,
    record,
    slot,
    take_back,
)
from lasing.engines.local.pointers import Memory, int64, uint64


@njit(cache=True, forceinline=True)
def upsert_pair(m: Memory, d: int, x: int, y: int, horizon: int) -> int:
    """`upsert` for the arguments x and y, which need not be in memory."""
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
                if m[d + KEEPS_BACK] == TAKE_BACK:
                    take_back(m, d, row, copy_key(m, b, 2))
                return 0
            if row >= m[d + UPTO]:  # not yet seen by any rule in this round
                m[b + 2] = horizon
                return 1
            if m[d + KEEPS_BACK] == LATER and m[b + 2] >= m[m[NOW_REGISTER]]:
                keep_back(m, d, b, 2, horizon)
                return 1
            m[b + 2] = NEVER
            if tracked:
                stamp = m[b + 3]
                m[b + 3] = 0
            break
        row = m[b + at_next]
    note_change(m, d)
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
