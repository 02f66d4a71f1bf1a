"""Track: what becomes present and what ceases to be, among guaranteed rows that somebody watches.

    present at t  =  some row of the key has H >= t

A new row of a key that was absent is a change; so is the end of a row's guarantee, which the calendar tells. A row that
took over from an older one of its key took over its stamp as well, and is no change.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lasing.engines.local.calendar import schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_D,
    AT_H,
    AT_S,
    DELTA,
    DESCRIPTOR,
    FIRST,
    FIRST_RELATION,
    FOREVER,
    HI,
    KIND,
    LO,
    NEVER,
    PENDING,
    RELATIONS,
    TICK,
    TRACKED,
    record,
)


@njit(cache=True)
def new_rows(m: np.ndarray) -> int:
    """How many rows of tracked and pending relations are new at this tick: the calendar needs room for them."""
    total, base = 0, m[FIRST_RELATION]
    for r in range(m[RELATIONS]):
        d = base + r * DESCRIPTOR
        if m[d + KIND] in (TRACKED, PENDING):
            total += m[d + HI] - m[d + FIRST]
    return total


@njit(cache=True)
def track(m: np.ndarray, c: np.ndarray, t: int, fired: int) -> None:
    """Stamp and list the changes of every tracked relation; the calendar learns when new rows end."""
    tick = m[TICK]
    base = m[FIRST_RELATION]
    for r in range(m[RELATIONS]):
        d = base + r * DESCRIPTOR
        if m[d + KIND] == PENDING:
            _await(m, c, d)
        if m[d + KIND] != TRACKED:
            continue
        at_h, at_s = m[d + AT_H], m[d + AT_S]
        for row in range(m[d + FIRST], m[d + HI]):
            b = record(m, d, row)
            horizon = m[np.uintp(b + at_h)]
            if horizon < t:
                continue
            if (m[np.uintp(b + at_s)] & 1) == 0:
                m[np.uintp(b + at_s)] = 2 * tick + 1
                _list(m, d, row, b)
            if horizon < FOREVER:
                schedule(c, horizon + 1, d, row)
    entry = fired
    while entry >= 0:
        d, row = c[np.uintp(entry + 1)], c[np.uintp(entry + 2)]
        if d >= 0 and m[np.uintp(d + KIND)] == TRACKED and row >= m[np.uintp(d + LO)]:
            b = record(m, d, row)
            at_s = b + m[np.uintp(d + AT_S)]
            if m[np.uintp(b + m[np.uintp(d + AT_H)])] < t and (m[np.uintp(at_s)] & 1) == 1:
                m[np.uintp(at_s)] = 2 * tick
                _list(m, d, row, b)
        entry = c[np.uintp(entry + 3)]


@njit(cache=True)
def _await(m: np.ndarray, c: np.ndarray, d: int) -> None:
    """The calendar learns when pending rows begin."""
    for row in range(m[d + FIRST], m[d + HI]):
        b = record(m, d, row)
        if m[b + m[d + AT_H]] != NEVER:
            schedule(c, m[b + m[d + ARITY] - 1], d, row)


@njit(cache=True, forceinline=True)
def _list(m: np.ndarray, d: int, row: int, b: int) -> None:
    m[np.uintp(b + m[np.uintp(d + AT_D)])] = m[np.uintp(d + DELTA)]
    m[np.uintp(d + DELTA)] = row
