"""Points: the time points of the window of the last n facts, as rows (u). Background holds at these.

present at t  ⇔  the time of the n-th last fact (the start, if there are fewer) <= u <= t
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import KEY, NEVER, START, count
from lasing.engines.local.operators.log import oldest
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory
from lasing.plan.operators import FactPoints

# The log of all facts, the relation, how many facts, and the ends of the window at the last tick.
LOG, TARGET, FACTS, FIRST, LAST = range(FIELDS, FIELDS + 5)


@njit(cache=True)
def points(m: Memory, op: int, t: int, _fired: int, _texts: Memory) -> None:
    """Process what enters and leaves the window; the next time point will enter whether or not data comes."""
    target, key = m[op + TARGET], m[KEY]
    begin = oldest(m, m[op + LOG], m[op + FACTS])
    known = m[op + LAST] != NEVER
    for u in range(m[op + LAST] + 1 if known else m[START], t + 1):
        m[key] = u
        count(m, target, key, 1)
        if spend(m, 1):
            return
    for u in range(m[op + FIRST] if known else m[START], begin):
        m[key] = u
        count(m, target, key, -1)
        if spend(m, 1):
            return
    m[op + FIRST], m[op + LAST] = begin, t
    settle(m, target)
    schedule(m, t + 1, WAKE_UP, 0)


def _encode(node: FactPoints, layout: Layout, _op: int) -> Fields:
    return {LOG: layout.log(), TARGET: layout.at(node.target), FACTS: node.facts, LAST: NEVER}


OPERATOR = Operator(FactPoints, points, _encode, reads_log=lambda _: True)
