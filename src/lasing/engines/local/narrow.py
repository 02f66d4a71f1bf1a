"""Guaranteed rows of one or two columns, which most relations have: they need not be assembled in memory first.

What is the same for one column and for two is written once, with a parameter that is constant where it is called.
"""

from __future__ import annotations

import numpy as np

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
    LATER,
    LO,
    MASK,
    NEVER,
    NOW_REGISTER,
    OFFSET,
    STRIDE,
    TAKE_BACK,
    UPTO,
    add_key,
    copy_key,
    grow,
    has_stamps,
    keep_back,
    note_change,
    record,
    slot,
    take_back,
)
from lasing.engines.local.pointers import Memory, int64, uint64


@njit(cache=True)
def upsert_single(m: Memory, d: int, x: int, horizon: int) -> int:
    """`upsert` for the argument x, which need not be in memory."""
    return _upsert(m, d, x, 0, horizon, False)


@njit(cache=True, forceinline=True)
def upsert_pair(m: Memory, d: int, x: int, y: int, horizon: int) -> int:
    """`upsert` for the arguments x and y, which need not be in memory."""
    return _upsert(m, d, x, y, horizon, True)


@njit(cache=True, forceinline=True)
def _place(x: int, y: int, shift: int, two: bool) -> int:
    """The place of a row in the table of its relation's first index."""
    return slot(add_key(uint64(x), y) if two else uint64(x), shift)


@njit(cache=True, forceinline=True)
def _upsert(m: Memory, d: int, x: int, y: int, horizon: int, two: bool) -> int:
    at_h = 2 if two else 1
    lo = m[d + LO]
    mask = m[d + MASK]
    offset = m[d + OFFSET]
    stride = m[d + STRIDE]
    at_next = m[d + AT_NEXT]
    stamped = has_stamps(m, d)
    p = d + INDEX
    head = m[p + INDEX_HEADS] + _place(x, y, m[p + INDEX_SHIFT], two)
    first = m[head]
    row, stamp = first, int64(0)
    hi = m[d + HI]
    while row >= lo:
        b = offset + (row & mask) * stride
        if m[b] == x and (not two or m[b + 1] == y):
            if m[b + at_h] >= horizon:
                if m[d + KEEPS_BACK] == TAKE_BACK:
                    take_back(m, d, row, copy_key(m, b, at_h))
                return 0
            if row >= m[d + UPTO]:  # not yet seen by any rule in this round
                m[b + at_h] = horizon
                return 1
            if m[d + KEEPS_BACK] == LATER and m[b + at_h] >= m[m[NOW_REGISTER]]:
                keep_back(m, d, b, at_h, horizon)
                return 1
            m[b + at_h] = NEVER
            if stamped:
                stamp = m[b + at_h + 1]
                m[b + at_h + 1] = 0
            break
        row = m[b + at_next]
    note_change(m, d)
    if hi - lo > mask:
        grow(m, d)
        head = m[p + INDEX_HEADS] + _place(x, y, m[p + INDEX_SHIFT], two)
        first = m[head]
    b = record(m, d, hi)
    m[b] = x
    if two:
        m[b + 1] = y
    m[b + at_h] = horizon
    if stamped:
        m[b + at_h + 1] = stamp
    m[b + at_next] = first
    m[head] = hi
    if m[d + INDICES] > 1:
        _link_others(m, d, hi, b, x, y)
    m[d + HI] = hi + 1
    return 1


@njit(cache=True, forceinline=True)
def _link_others(m: Memory, d: int, row: int, b: int, x: int, y: int) -> None:
    """Put a row at the head of its chains in all indices but the first."""
    p, at = d + INDEX, b + m[d + AT_NEXT]
    for index in range(1, m[d + INDICES]):
        p += INDEX_WIDTH
        z = uint64(0)
        for j in range(m[p + INDEX_KEYS]):
            z = add_key(z, y if m[p + INDEX_COLUMNS + j] == 1 else x)
        head = m[p + INDEX_HEADS] + slot(z, m[p + INDEX_SHIFT])
        m[at + index] = m[head]
        m[head] = row


@njit(cache=True)
def take_singles(m: Memory, d: int, rows: np.ndarray, column: int, first: int, end: int, horizon: int) -> None:
    """Guarantee rows of one argument, which are in a column of the input, up to a horizon."""
    _take(m, d, rows, column, first, end, horizon, False, False)


@njit(cache=True)
def take_timed(m: Memory, d: int, rows: np.ndarray, column: int, first: int, end: int, horizon: int) -> None:
    """The same for rows with one argument and the current time, which the index does not have."""
    _take(m, d, rows, column, first, end, horizon, False, True)


@njit(cache=True)
def take_pairs(m: Memory, d: int, rows: np.ndarray, column: int, first: int, end: int, horizon: int) -> None:
    """The same for two arguments, which are in this column and in the next one."""
    _take(m, d, rows, column, first, end, horizon, True, False)


@njit(cache=True, forceinline=True)
def _take(
    m: Memory,
    d: int,
    rows: np.ndarray,
    column: int,
    first: int,
    end: int,
    horizon: int,
    two: bool,
    timed: bool,
) -> None:
    """`_upsert` for many rows, for which the descriptor is read once. No longer guarantee may be kept back."""
    at_h = 2 if two or timed else 1
    now = m[m[NOW_REGISTER]]
    lo, mask, offset, stride, at_next = m[d + LO], m[d + MASK], m[d + OFFSET], m[d + STRIDE], m[d + AT_NEXT]
    heads, shift = m[d + INDEX + INDEX_HEADS], m[d + INDEX + INDEX_SHIFT]
    stamped, upto, hi, others = has_stamps(m, d), m[d + UPTO], m[d + HI], m[d + INDICES] > 1
    before = hi
    for i in range(np.uintp(first), np.uintp(end)):
        x = rows[i, np.uintp(column)]
        y = rows[i, np.uintp(column + 1)] if two else int64(0)
        head = heads + _place(x, y, shift, two)
        newest, stamp, known = m[head], int64(0), False
        row = newest
        while row >= lo:
            b = offset + (row & mask) * stride
            if m[b] == x and (not two or m[b + 1] == y):
                known = m[b + at_h] >= horizon or row >= upto
                if known:
                    m[b + at_h] = max(m[b + at_h], horizon)
                else:
                    m[b + at_h] = NEVER
                    if stamped:
                        stamp = m[b + at_h + 1]
                        m[b + at_h + 1] = 0
                break
            row = m[b + at_next]
        if known:
            continue
        if hi - lo > mask:
            m[d + HI] = hi
            grow(m, d)
            lo, mask, offset = m[d + LO], m[d + MASK], m[d + OFFSET]
            heads, shift = m[d + INDEX + INDEX_HEADS], m[d + INDEX + INDEX_SHIFT]
            head = heads + _place(x, y, shift, two)
            newest = m[head]
        b = offset + (hi & mask) * stride
        m[b] = x
        if two:
            m[b + 1] = y
        if timed:
            m[b + 1] = now
        m[b + at_h] = horizon
        if stamped:
            m[b + at_h + 1] = stamp
        m[b + at_next] = newest
        m[head] = hi
        if others:
            _link_others(m, d, hi, b, x, y)
        hi += 1
    if hi > before:
        note_change(m, d)
        m[d + HI] = hi
