"""Clock: the time points of a window, as rows (u). Background holds at these.

present at t  ⇔  start <= u  and  enters(u) <= t <= leaves(u)
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import KEY, NEVER, START, upsert
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, span_words
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory
from lasing.engines.local.spans import leaves
from lasing.plan.nodes import Clock

# The relation, the window, and up to which time point there are rows.
TARGET, BACK, AHEAD, STEP, LAST = range(FIELDS, FIELDS + 5)


@njit(cache=True)
def clock(m: Memory, op: int, t: int, _fired: int, _texts: Memory) -> None:
    """Add the time points that have entered the window; the next one will enter whether or not data comes."""
    target, back, step, key = m[op + TARGET], m[op + BACK], m[op + STEP], m[KEY]
    pivot = t // step * step
    first, last = max(m[op + LAST] + 1, m[START]), pivot + m[op + AHEAD]
    if back >= 0:
        first = max(first, pivot - back)
    for u in range(first, last + 1):
        m[key] = u
        upsert(m, target, key, leaves(u, back, step))
        if spend(m, 1):
            return
    m[op + LAST] = max(m[op + LAST], last)
    schedule(m, t + 1, WAKE_UP, 0)


def _encode(node: Clock, layout: Layout, _op: int) -> Fields:
    window = dict(zip((BACK, AHEAD, STEP), span_words(node.span), strict=True))
    return {TARGET: layout.at(node.relation), LAST: NEVER, **window}


OPERATOR = Operator(Clock, clock, _encode, times=(LAST,))
