"""Upkeep of relations between ticks: the low mark moves over dead rows, and rows get new ids if most are dead."""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.calendar import renumber
from lasing.engines.local.memory import (
    ARITY,
    COUNTED,
    DELTA,
    DESCRIPTOR,
    FIRST,
    FIRST_RELATION,
    HI,
    INDEX,
    INDEX_HEADS,
    INDEX_SHIFT,
    INDEX_WIDTH,
    INDICES,
    IS_CHANGED,
    KIND,
    LO,
    LOG,
    LOG_KEPT,
    LOOKED_AT,
    MASK,
    NEWS,
    NEXT_VISITED,
    NO_ROW,
    NOT_LISTED,
    OFFSET,
    PASSING,
    PENDING,
    RELATIONS,
    SINCE,
    STRIDE,
    TICK,
    TRACKED,
    UPTO,
    link,
    record,
)
from lasing.engines.local.pointers import Memory, int64

IN_TURN = 4
"""How many relations are looked after at each tick although they have not changed."""


@njit(cache=True, forceinline=True)
def is_dead(m: Memory, kind: int, arity: int, b: int, t: int) -> bool:
    """Whether a row no longer holds, and that change is no longer needed. (Its fields follow its arguments.)"""
    if kind == COUNTED:
        return m[b + arity + 3] == 0 and (m[b + arity + 1] & 1) == 0
    if kind == TRACKED:
        return m[b + arity] < t and (m[b + arity + 1] & 1) == 0
    if kind == PENDING:
        return m[b + arity - 1] < t
    return kind == PASSING or m[b + arity] < t


@njit(cache=True)
def begin_tick(m: Memory, t: int) -> None:
    """Nothing has changed yet. The relations that changed at the last tick are looked after, and a few of the others:
    in these, only rows whose time is over can have died."""
    news = m[NEWS]
    for i in range(1, m[news] + 1):
        d = m[news + i]
        m[d + IS_CHANGED] = 0
        _look_after(m, d, t)
    m[news] = 0
    first, relations = m[FIRST_RELATION], m[RELATIONS]
    r = m[NEXT_VISITED]
    for _ in range(min(IN_TURN, relations)):
        _look_after(m, first + r * DESCRIPTOR, t)
        r = 0 if r + 1 >= relations else r + 1
    m[NEXT_VISITED] = r
    m[TICK] += 1


@njit(cache=True)
def _look_after(m: Memory, d: int, t: int) -> None:
    """Empty the list of changes of a relation, move its low mark over dead rows, and compact it if that is due."""
    kind, arity = m[d + KIND], m[d + ARITY]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    if kind == COUNTED:
        row = m[d + DELTA]
        while row != NO_ROW:
            b = offset + (row & mask) * stride
            row = m[b + arity + 2]
            m[b + arity + 2] = NOT_LISTED
    m[d + DELTA] = NO_ROW
    lo, hi = m[d + LO], m[d + HI]
    if kind == LOG:
        lo = max(lo, hi - m[LOG_KEPT])
    elif kind == PASSING:
        lo = hi
    else:
        while lo < hi and is_dead(m, kind, arity, offset + (lo & mask) * stride, t):
            lo += 1
    m[d + LO] = lo
    m[d + SINCE] = m[d + UPTO] = m[d + FIRST] = hi
    if 4 * (hi - lo) > 3 * (mask + 1):
        _tidy(m, d, t)


@njit(cache=True)
def _tidy(m: Memory, d: int, t: int) -> None:
    """Compact a relation that is nearly full, almost only with dead rows, rather than let it grow.

    Checking takes time in proportion to the rows, so a relation is checked only after half as many have been added.
    """
    span, cap = m[d + HI] - m[d + LO], m[d + MASK] + 1
    if 2 * (m[d + HI] - m[d + LOOKED_AT]) < cap or m[d + KIND] == LOG:
        return
    m[d + LOOKED_AT] = m[d + HI]
    share = 2 if m[d + KIND] == COUNTED else 4  # counted rows stay, and are used again: keep them together
    if share * living(m, d, t) < cap:
        low = m[d + LO]
        scheduled = m[d + KIND] == TRACKED or m[d + KIND] == PENDING
        renumbered = np.empty(span if scheduled else 0, np.int64)
        compact(m, d, t, renumbered)
        if scheduled:
            renumber(m, d, renumbered, low)
        m[d + LOOKED_AT] = m[d + HI]


@njit(cache=True)
def compact(m: Memory, d: int, t: int, renumbered: np.ndarray) -> None:
    """Give the living rows of a relation new, consecutive ids; `renumbered`, unless it is empty, gets the new id of
    each old one from the low mark on, or -1."""
    lo, hi = m[d + LO], m[d + HI]
    kind, arity = m[d + KIND], m[d + ARITY]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    asked = renumbered.shape[0] > 0
    clear_indices(m, d)
    new = lo
    for row in range(lo, hi):
        b = offset + (row & mask) * stride
        dead = is_dead(m, kind, arity, b, t)
        if asked:
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


@njit(cache=True)
def clear_indices(m: Memory, d: int) -> None:
    """Empty all chains of a relation."""
    for index in range(m[d + INDICES]):
        p = d + INDEX + index * INDEX_WIDTH
        heads = m[p + INDEX_HEADS]
        for j in range(int64(1) << (64 - m[p + INDEX_SHIFT])):
            m[heads + j] = NO_ROW


@njit(cache=True)
def link_again(m: Memory, d: int) -> None:
    """Rebuild the indices of a relation, after values of its rows have changed."""
    clear_indices(m, d)
    for row in range(m[d + LO], m[d + HI]):
        link(m, d, row, record(m, d, row))
