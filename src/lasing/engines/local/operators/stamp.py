"""Stamp: what is present now, with the time.

(args, u) at t  ⇔  args present at t  and  u = t
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import ARITY, AT_C, AT_S, HI, KEY, LO, count, record
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory

# An operation: the input's relation, and the output's.
SOURCE, TARGET = 1, 2


@njit(cache=True)
def stamp(m: Memory, op: int, t: int) -> None:
    """All rows anew: a stamp holds for one time point, and the next one is due at the next."""
    source, target, key = m[op + SOURCE], m[op + TARGET], m[KEY]
    arity = m[source + ARITY]
    for row in range(m[target + LO], m[target + HI]):
        b = record(m, target, row)
        if m[b + m[target + AT_C]] > 0:
            for j in range(arity + 1):
                m[key + j] = m[b + j]
            count(m, target, key, -1)
        if spend(m, 1):
            return
    some = False
    for row in range(m[source + LO], m[source + HI]):
        b = record(m, source, row)
        if (m[b + m[source + AT_S]] & 1) == 1:
            some = True
            for j in range(arity):
                m[key + j] = m[b + j]
            m[key + arity] = t
            count(m, target, key, 1)
        if spend(m, 1):
            return
    settle(m, target, 1, False)
    if some:
        schedule(m, t + 1, WAKE_UP, 0)
