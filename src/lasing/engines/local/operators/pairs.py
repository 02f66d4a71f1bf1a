"""Rules of one or two literals without tests: most rules, and most of the time; so they have loops of their own.

They do what `rules` does for any rule of the guaranteed plane, without registers and without a stack.
"""

from __future__ import annotations

import numpy as np
from numba import njit, uint64

from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_NEXT,
    FULL,
    INDEX,
    INDEX_COLUMNS,
    INDEX_HEADS,
    INDEX_SHIFT,
    INDEX_WIDTH,
    KEY,
    LO,
    MASK,
    OFFSET,
    REGISTERS,
    SINCE,
    STRIDE,
    UPTO,
    mix,
    slot,
    upsert,
    upsert_pair,
)
from lasing.engines.local.operators.variants import (
    BEFORE,
    CHANGED,
    FIRST_STEP,
    FROM_CHANGED,
    FROM_PROBED,
    HEAD,
    HEAD_FROM,
    INDEX_NUMBER,
    KEY_FROM,
    KEYS,
    RELATION,
)

DONE = -1


@njit(cache=True, inline="always")
def _place(m: np.ndarray, origin: int, changed: int, probed: int, registers: int) -> int:
    """Where a value stands, given where the records of the two rows begin."""
    base = m[np.uintp(origin)]
    at = m[np.uintp(origin + 1)]
    if base == FROM_CHANGED:
        return changed + at
    if base == FROM_PROBED:
        return probed + at
    return registers + at


@njit(cache=True, inline="always")
def _derive(m: np.ndarray, d: int, origin: int, changed: int, probed: int, registers: int, horizon: int) -> int:
    arity = m[np.uintp(d + ARITY)]
    if arity == 2:
        x = m[np.uintp(_place(m, origin, changed, probed, registers))]
        y = m[np.uintp(_place(m, origin + 2, changed, probed, registers))]
        return upsert_pair(m, d, x, y, horizon)
    key = m[np.uintp(KEY)]
    for j in range(arity):
        m[np.uintp(key + j)] = m[np.uintp(_place(m, origin + 2 * j, changed, probed, registers))]
    return upsert(m, d, key, horizon)


@njit(cache=True)
def copy_rows(m: np.ndarray, v: int, t: int, row: int) -> int:
    """A rule of one literal, from a new row of it on; DONE, or the row at which to go on once the head has room."""
    d, head, origin = m[np.uintp(v + CHANGED)], m[np.uintp(v + HEAD)], m[np.uintp(v + HEAD_FROM)]
    registers = m[np.uintp(REGISTERS)]
    offset, mask, stride = m[np.uintp(d + OFFSET)], m[np.uintp(d + MASK)], m[np.uintp(d + STRIDE)]
    at_h, end = m[np.uintp(d + AT_H)], m[np.uintp(d + UPTO)]
    while row < end:
        b = offset + (row & mask) * stride
        horizon = m[np.uintp(b + at_h)]
        if horizon >= t and _derive(m, head, origin, b, b, registers, horizon) == FULL:
            return row
        row += 1
    return DONE


@njit(cache=True)
def join_pairs(m: np.ndarray, v: int, t: int, row: int) -> int:
    """A rule of two literals, from a new row of one of them on; DONE, or the row at which to go on once the head has
    room."""
    d, head, origin = m[np.uintp(v + CHANGED)], m[np.uintp(v + HEAD)], m[np.uintp(v + HEAD_FROM)]
    registers = m[np.uintp(REGISTERS)]
    offset, mask, stride = m[np.uintp(d + OFFSET)], m[np.uintp(d + MASK)], m[np.uintp(d + STRIDE)]
    at_h, end = m[np.uintp(d + AT_H)], m[np.uintp(d + UPTO)]
    p = m[np.uintp(v + FIRST_STEP)]
    keys, key_from = m[np.uintp(p + KEYS)], m[np.uintp(v + KEY_FROM)]
    e, index = m[np.uintp(p + RELATION)], m[np.uintp(p + INDEX_NUMBER)]
    q = e + INDEX + index * INDEX_WIDTH
    heads, shift = m[np.uintp(q + INDEX_HEADS)], m[np.uintp(q + INDEX_SHIFT)]
    column = m[np.uintp(q + INDEX_COLUMNS)]
    lo, probed_mask = m[np.uintp(e + LO)], m[np.uintp(e + MASK)]
    probed_offset, probed_stride = m[np.uintp(e + OFFSET)], m[np.uintp(e + STRIDE)]
    probed_h, at_next = m[np.uintp(e + AT_H)], m[np.uintp(e + AT_NEXT)] + index
    limit = m[np.uintp(e + SINCE)] if m[np.uintp(p + BEFORE)] == 1 else m[np.uintp(e + UPTO)]
    while row < end:
        a = offset + (row & mask) * stride
        until = m[np.uintp(a + at_h)]
        if until >= t:
            value = m[np.uintp(_place(m, key_from, a, a, registers))]
            x = mix(uint64(0), value)
            for j in range(1, keys):
                x = mix(x, m[np.uintp(_place(m, key_from + 2 * j, a, a, registers))])
            other = m[np.uintp(heads + slot(x, shift))]
            while other >= lo:
                b = probed_offset + (other & probed_mask) * probed_stride
                horizon = m[np.uintp(b + probed_h)]
                if horizon >= t and other < limit and m[np.uintp(b + column)] == value:
                    same = True
                    for j in range(1, keys):
                        place = _place(m, key_from + 2 * j, a, a, registers)
                        if m[np.uintp(b + m[np.uintp(q + INDEX_COLUMNS + j)])] != m[np.uintp(place)]:
                            same = False
                            break
                    if same and _derive(m, head, origin, a, b, registers, min(until, horizon)) == FULL:
                        return row
                other = m[np.uintp(b + at_next)]
        row += 1
    return DONE
