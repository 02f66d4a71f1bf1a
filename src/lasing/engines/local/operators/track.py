"""Track: what becomes present and what ceases to be, among guaranteed rows that somebody watches.

    present at t  =  some row of the key has H >= t

What only the output watches is left to it. A new row of a key that was absent is a change; so is the end of a row's
guarantee, which the calendar tells. A row that
took over from an older one of its key took over its stamp as well, and is no change.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import COUNT, ENTRIES, NEXT, NO_CHUNK, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_D,
    AT_H,
    AT_S,
    CALENDAR,
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
    TOLD,
    TRACKED,
    record,
)
from lasing.engines.local.pointers import Memory


@njit(cache=True)
def track(m: Memory, t: int, fired: int) -> None:
    """Stamp and list the changes of every tracked relation; the calendar learns when new rows end."""
    tick = m[TICK]
    base = m[FIRST_RELATION]
    for r in range(m[RELATIONS]):
        d = base + r * DESCRIPTOR
        if m[d + KIND] == PENDING:
            _await(m, d)
        if m[d + KIND] != TRACKED or m[d + TOLD] != 0:
            continue
        at_h, at_s = m[d + AT_H], m[d + AT_S]
        for row in range(m[d + FIRST], m[d + HI]):
            b = record(m, d, row)
            horizon = m[b + at_h]
            if horizon < t:
                continue
            if (m[b + at_s] & 1) == 0:
                m[b + at_s] = 2 * tick + 1
                _list(m, d, row, b)
            if horizon < FOREVER:
                schedule(m, horizon + 1, d, row)
    while fired != NO_CHUNK:
        for i in range(m[m[CALENDAR] + fired + COUNT]):
            at = m[CALENDAR] + fired + ENTRIES + 2 * i
            d, row = m[at], m[at + 1]
            if d >= 0 and m[d + KIND] == TRACKED and m[d + TOLD] == 0 and row >= m[d + LO]:
                b = record(m, d, row)
                at_s = b + m[d + AT_S]
                if m[b + m[d + AT_H]] < t and (m[at_s] & 1) == 1:
                    m[at_s] = 2 * tick
                    _list(m, d, row, b)
        fired = m[m[CALENDAR] + fired + NEXT]


@njit(cache=True)
def _await(m: Memory, d: int) -> None:
    """The calendar learns when pending rows begin."""
    for row in range(m[d + FIRST], m[d + HI]):
        b = record(m, d, row)
        if m[b + m[d + AT_H]] != NEVER:
            schedule(m, m[b + m[d + ARITY] - 1], d, row)


@njit(cache=True, forceinline=True)
def _list(m: Memory, d: int, row: int, b: int) -> None:
    m[b + m[d + AT_D]] = m[d + DELTA]
    m[d + DELTA] = row
