"""Track: which guaranteed rows become present and which stop being present, if their changes are needed.

    present at t  =  some row of the key has H >= t

Changes that only the output needs are left to it. A new row of a key that was absent is a change; so is the end of a
row's guarantee, for which the calendar has an entry. A row that replaces an older one with the same key takes over its
stamp, and is not a change.
"""

from __future__ import annotations

from dataclasses import dataclass

from lasing.compiling import njit
from lasing.engines.local.calendar import (
    NO_CHUNK,
    entries,
    entry,
    first_row,
    last_row,
    next_chunk,
    schedule,
    schedule_rows,
)
from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_S,
    FIRST,
    FOREVER,
    HI,
    KIND,
    LO,
    NEVER,
    NEWS,
    PENDING,
    REPORTED,
    TICK,
    TRACKED,
    enlist,
    is_present,
    record,
)
from lasing.engines.local.operators.operation import Fields, Layout, Operator
from lasing.engines.local.pointers import Memory, int64


@dataclass(frozen=True, slots=True)
class Track:
    """All tracked and pending relations of a plan."""


@njit(cache=True)
def track(m: Memory, _op: int, t: int, fired: int, _texts: Memory) -> None:
    """Stamp and list the changes of every tracked relation; enter the ends of new rows in the calendar."""
    tick = m[TICK]
    news = m[NEWS]
    for i in range(1, m[news] + 1):
        d = m[news + i]
        if m[d + KIND] == PENDING:
            _await(m, d)
        if m[d + KIND] != TRACKED or m[d + REPORTED] != 0:
            continue
        at_h, at_s = m[d + AT_H], m[d + AT_S]
        first, until = m[d + FIRST], int64(FOREVER)  # the rows from the first one on end together
        for row in range(first, m[d + HI]):
            b = record(m, d, row)
            horizon = m[b + at_h]
            if horizon < t:
                continue
            if (m[b + at_s] & 1) == 0:
                m[b + at_s] = 2 * tick + 1
                enlist(m, d, row, b)
            if horizon != until:
                if until < FOREVER:
                    schedule_rows(m, until + 1, d, first, row)
                first, until = row, horizon
        if until < FOREVER:
            schedule_rows(m, until + 1, d, first, m[d + HI])
    while fired != NO_CHUNK:
        for i in range(entries(m, fired)):
            at = entry(m, fired, i)
            d, rows = m[at], m[at + 1]
            if d >= 0 and m[d + KIND] == TRACKED and m[d + REPORTED] == 0:
                for row in range(max(first_row(rows), m[d + LO]), last_row(rows) + 1):
                    b = record(m, d, row)
                    if m[b + m[d + AT_H]] < t and is_present(m, d, b):
                        m[b + m[d + AT_S]] = 2 * tick
                        enlist(m, d, row, b)
        fired = next_chunk(m, fired)


@njit(cache=True)
def _await(m: Memory, d: int) -> None:
    """Enter the beginnings of pending rows in the calendar."""
    for row in range(m[d + FIRST], m[d + HI]):
        b = record(m, d, row)
        if m[b + m[d + AT_H]] != NEVER:
            schedule(m, m[b + m[d + ARITY] - 1], d, row)


def _encode(_node: Track, _layout: Layout, _op: int) -> Fields:
    return {}


OPERATOR = Operator(Track, track, _encode)
