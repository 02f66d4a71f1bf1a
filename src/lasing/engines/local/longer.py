"""Longer guarantees that were kept back (see `memory.keep_back`) are passed on: rules see them as new rows."""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    AT_H,
    AT_S,
    HI,
    KEEPS_BACK,
    KEPT_BACK,
    KIND,
    LO,
    NEVER,
    NO_ROW,
    NOW,
    NOW_REGISTER,
    SINCE,
    TRACKED,
    append,
    find,
    record,
)
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory, int64


@njit(cache=True)
def pass_on(m: Memory, d: int) -> None:
    """Make the rows of a relation whose guarantees were kept back new, so that rules see them, and keep none back."""
    m[d + KEEPS_BACK] = NOW
    kept, at_h, at_s = m[d + KEPT_BACK], m[d + AT_H], m[d + AT_S]
    for i in range(m[kept + LO], m[kept + HI]):
        key = record(m, kept, i)
        row = find(m, d, key)
        if row != NO_ROW and row < m[d + SINCE]:  # others are new already
            b = record(m, d, row)
            horizon, stamp = m[b + at_h], int64(0)
            if horizon >= m[m[NOW_REGISTER]]:
                m[b + at_h] = NEVER
                if m[d + KIND] == TRACKED:
                    stamp = m[b + at_s]
                    m[b + at_s] = 0
                b = record(m, d, append(m, d, key))
                m[b + at_h] = horizon
                if m[d + KIND] == TRACKED:
                    m[b + at_s] = stamp
        if spend(m, 1):
            return
    m[kept + LO] = m[kept + HI]
