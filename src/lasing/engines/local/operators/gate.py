"""Gate: counted rows (args, u) while u lies in a time window.

    (args, u) in the window at t  ⇔  (args, u) present at t  and  enters(u) <= t <= leaves(u)

A row that comes is let through, or entered in the agenda for the time at which its u enters the window; and in any case
for the time after it has left.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import COUNT, ENTRIES, NEXT, NO_CHUNK, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_C,
    AT_D,
    AT_S,
    CALENDAR,
    DELTA,
    FOREVER,
    HI,
    KEY,
    NO_ROW,
    count,
    find,
    record,
    upsert,
)
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory
from lasing.engines.local.spans import enters, leaves
from lasing.engines.local.values import SMALL

# An operation: the input's relation, the output's, the agenda (args, u, when), and the window.
SOURCE, TARGET, AGENDA, BACK, AHEAD, STEP = range(1, 7)


@njit(cache=True)
def gate(m: Memory, op: int, t: int, fired: int) -> None:
    """Look at every row that has changed, and at those whose time has come."""
    source, agenda = m[op + SOURCE], m[op + AGENDA]
    arity = m[source + ARITY]
    row = m[source + DELTA]
    while row != NO_ROW:
        b = record(m, source, row)
        u = m[b + arity - 1]
        if (m[b + m[source + AT_S]] & 1) == 1 and u < SMALL:
            first, last = enters(u, m[op + AHEAD], m[op + STEP]), leaves(u, m[op + BACK], m[op + STEP])
            if t < first <= last:
                _enter(m, op, b, first)
            if t <= last < FOREVER:
                _enter(m, op, b, last + 1)
        _look(m, op, b, t)
        row = m[b + m[source + AT_D]]
        if spend(m, 1):
            return
    while fired != NO_CHUNK:
        for i in range(m[m[CALENDAR] + fired + COUNT]):
            at = m[CALENDAR] + fired + ENTRIES + 2 * i
            if m[at] == agenda:
                _look(m, op, record(m, agenda, m[at + 1]), t)
        fired = m[m[CALENDAR] + fired + NEXT]
    settle(m, m[op + TARGET], 1, False)


@njit(cache=True)
def _enter(m: Memory, op: int, b: int, when: int) -> None:
    """Enter a row, given by its record, in the agenda."""
    agenda, key, arity = m[op + AGENDA], m[KEY], m[m[op + SOURCE] + ARITY]
    for j in range(arity):
        m[key + j] = m[b + j]
    m[key + arity] = when
    if upsert(m, agenda, key, FOREVER) == 1:
        schedule(m, when, agenda, m[agenda + HI] - 1)


@njit(cache=True)
def _look(m: Memory, op: int, b: int, t: int) -> None:
    """Let the row (args, u), which stands at b in some relation, through or not."""
    source, target, key = m[op + SOURCE], m[op + TARGET], m[KEY]
    arity = m[source + ARITY]
    for j in range(arity):
        m[key + j] = m[b + j]
    u = m[key + arity - 1]
    found = find(m, source, key)
    wanted = found != NO_ROW and (m[record(m, source, found) + m[source + AT_S]] & 1) == 1 and u < SMALL
    if wanted:
        first, last = enters(u, m[op + AHEAD], m[op + STEP]), leaves(u, m[op + BACK], m[op + STEP])
        wanted = first <= t <= last
    there = find(m, target, key)
    passed = there != NO_ROW and m[record(m, target, there) + m[target + AT_C]] > 0
    if wanted != passed:
        count(m, target, key, 1 if wanted else -1)
