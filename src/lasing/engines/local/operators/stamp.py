"""Stamp: what is present now, with the time.

(args, u) at t  ⇔  args present at t  and  u = t
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import ARITY, AT_C, HI, LO, copy_key, count, is_present, record
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory
from lasing.plan.operators import Stamp

# The input's relation, and the output's.
SOURCE, TARGET = range(FIELDS, FIELDS + 2)


@njit(cache=True)
def stamp(m: Memory, op: int, t: int, _fired: int, _texts: Memory) -> None:
    """Replace all rows: a stamp holds for one time point, and the next stamp is due at the next one."""
    source, target = m[op + SOURCE], m[op + TARGET]
    arity = m[source + ARITY]
    for row in range(m[target + LO], m[target + HI]):
        b = record(m, target, row)
        if m[b + m[target + AT_C]] > 0:
            count(m, target, copy_key(m, b, arity + 1), -1)
        if spend(m, 1):
            return
    some = False
    for row in range(m[source + LO], m[source + HI]):
        b = record(m, source, row)
        if is_present(m, source, b):
            some = True
            key = copy_key(m, b, arity)
            m[key + arity] = t
            count(m, target, key, 1)
        if spend(m, 1):
            return
    settle(m, target)
    if some:
        schedule(m, t + 1, WAKE_UP, 0)


def _encode(node: Stamp, layout: Layout, _op: int) -> Fields:
    return {SOURCE: layout.at(node.source), TARGET: layout.at(node.target)}


OPERATOR = Operator(Stamp, stamp, _encode)
