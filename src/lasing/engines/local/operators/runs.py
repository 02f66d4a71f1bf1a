"""Runs: `a always in [w]` for facts a.

    present at t  ⇔  a has come at each time point from b to t, where b ≤ the first time point of the window

Each fact is a row that holds for one time point more. So the row of a fact that comes at successive time points is
replaced again and again, and hands on its stamp, which here says when the run began, and whether it is present:

    S  =  2 · (b - start + 1) + present,  or 0 as long as the run of a new row is not known

A row that is not replaced at the next time point ends its run.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_S,
    FIRST,
    HI,
    LO,
    MASK,
    OFFSET,
    START,
    STRIDE,
    copy_key,
    count,
    note_change,
)
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, span_words
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pointers import Memory
from lasing.plan.operators import Runs

# The input's relation, the output's, how far the window goes back (negative: to the start).
SOURCE, TARGET, BACK = range(FIELDS, FIELDS + 3)


@njit(cache=True)
def runs(m: Memory, op: int, t: int, _fired: int, _texts: Memory) -> None:
    """End the runs of facts that have not come again, and see which of the others are long enough."""
    d, target, start = m[op + SOURCE], m[op + TARGET], m[START]
    arity, at_h, at_s = m[d + ARITY], m[d + AT_H], m[d + AT_S]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    ended = False
    for row in range(m[d + LO], m[d + FIRST]):
        b = offset + (row & mask) * stride
        if m[b + at_h] == t:  # it came at the time point before
            ended = True
            if m[b + at_s] & 1:
                m[b + at_s] -= 1
                count(m, target, copy_key(m, b, arity), -1)
    if ended:
        note_change(m, d)  # so that rows from before are below the low mark when facts come again
    begin = start if m[op + BACK] < 0 else max(start, t - m[op + BACK])
    enough = 2 * (begin - start + 1)
    for row in range(m[d + FIRST], m[d + HI]):
        b = offset + (row & mask) * stride
        run = m[b + at_s]
        if run == 0:
            run = m[b + at_s] = 2 * (t - start + 1)
        if run & 1 == 0 and run <= enough:
            m[b + at_s] = run + 1
            count(m, target, copy_key(m, b, arity), 1)
    if m[d + FIRST] < m[d + HI]:
        schedule(m, t + 1, WAKE_UP, 0)
    settle(m, target)


def _encode(node: Runs, layout: Layout, _op: int) -> Fields:
    return {SOURCE: layout.at(node.source), TARGET: layout.at(node.target), BACK: span_words(node.window)[0]}


OPERATOR = Operator(Runs, runs, _encode)
