"""Gate: counted rows (args, u) while u lies in a time window.

    (args, u) in the window at t  ⇔  (args, u) present at t  and  enters(u) <= t <= leaves(u)

A row that comes is let through, or entered in the agenda for the time at which its u enters the window; and in any case
for the time after it has left.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lasing.engines.local.calendar import reserve, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_C,
    AT_D,
    AT_S,
    DELTA,
    FOREVER,
    FULL,
    HI,
    KEY,
    NO_ROW,
    count,
    find,
    record,
    room,
    upsert,
)
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.spans import enters, leaves
from lasing.engines.local.values import SMALL

# An operation: the input's relation, the output's, the agenda (args, u, when), and the window.
SOURCE, TARGET, AGENDA, BACK, AHEAD, STEP = range(1, 7)


@njit(cache=True)
def gate(m: np.ndarray, c: np.ndarray, op: int, t: int, fired: int) -> tuple[np.ndarray, np.ndarray]:
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
                m, c = _enter(m, c, op, row, first)
            if t <= last < FOREVER:
                m, c = _enter(m, c, op, row, last + 1)
        m = _look(m, op, source, row, t)
        row = m[record(m, source, row) + m[source + AT_D]]
    entry = fired
    while entry >= 0:
        if c[entry + 1] == agenda:
            m = _look(m, op, agenda, c[entry + 2], t)
        entry = c[entry + 3]
    settle(m, m[op + TARGET], 1, False)
    return m, c


@njit(cache=True)
def _enter(m: np.ndarray, c: np.ndarray, op: int, row: int, when: int) -> tuple[np.ndarray, np.ndarray]:
    source, agenda, key = m[op + SOURCE], m[op + AGENDA], m[KEY]
    done = FULL
    while done == FULL:
        b, arity = record(m, source, row), m[source + ARITY]
        for j in range(arity):
            m[key + j] = m[b + j]
        m[key + arity] = when
        done = upsert(m, agenda, key, FOREVER)
        if done == FULL:
            m = room(m, agenda)
    if done == 1:
        c = reserve(c, 1)
        schedule(c, when, agenda, m[agenda + HI] - 1)
    return m, c


@njit(cache=True)
def _look(m: np.ndarray, op: int, holder: int, row: int, t: int) -> np.ndarray:
    """Let the row (args, u), which stands in a relation that has these columns, through or not."""
    source, target, key = m[op + SOURCE], m[op + TARGET], m[KEY]
    arity = m[source + ARITY]
    b = record(m, holder, row)
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
        change = 1 if wanted else -1
        while count(m, target, key, change) == FULL:
            m = room(m, target)
    return m
