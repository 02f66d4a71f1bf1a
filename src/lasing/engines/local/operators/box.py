"""Box: `a always in [w]`.

    □a at t  ⇔  #{u in the window : a at u} = #{u in the window} > 0

Its input is `a at T in [w]`, rows (args, u) that are present while u lies in the window. So the box counts, per args,
what is present there, and compares it with the window's size. That is the same for all t, but less near the start of
the timeline; the window of the last n facts reaches back to the oldest of them.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_D,
    AT_S,
    DELTA,
    HI,
    KEY,
    LO,
    NO_ROW,
    START,
    count,
    record,
)
from lasing.engines.local.operators.settle import settle, touch_all
from lasing.engines.local.pointers import Memory
from lasing.engines.local.spans import window_size

# An operation: the input's relation, the output's, the window's span, the size at the last tick. For the window of the
# last n facts, n stands in BACK, the log's relation in AHEAD, and STEP is 0.
SOURCE, TARGET, BACK, AHEAD, STEP, LAST_SIZE = range(1, 7)
LOG_TIME = 0
NONE = -1


@njit(cache=True)
def box(m: Memory, op: int, t: int) -> None:
    """Count what changed in the input, and settle."""
    source, target = m[op + SOURCE], m[op + TARGET]
    key, arity = m[KEY], m[target + ARITY]
    row = m[source + DELTA]
    while row != NO_ROW:
        b = record(m, source, row)
        for j in range(arity):
            m[key + j] = m[b + j]
        count(m, target, key, 1 if (m[b + m[source + AT_S]] & 1) == 1 else -1)
        row = m[b + m[source + AT_D]]
    size = _size(m, op, t)
    if size != m[op + LAST_SIZE]:
        touch_all(m, target)
        m[op + LAST_SIZE] = size
    some = settle(m, target, NONE if size == 0 else size, True)
    step = max(m[op + STEP], 1)
    later = (t // step + 1) * step
    if some and _size(m, op, later) != size:
        schedule(m, later, WAKE_UP, 0)  # the window will be larger then, whether data comes or not


@njit(cache=True)
def _size(m: Memory, op: int, t: int) -> int:
    """How many time points the window has at t, if no fact comes before."""
    if m[op + STEP] > 0:
        return window_size(t, m[op + BACK], m[op + AHEAD], m[op + STEP], m[START])
    return t - oldest(m, m[op + AHEAD], m[op + BACK]) + 1


@njit(cache=True)
def oldest(m: Memory, log: int, facts: int) -> int:
    """The first time point of the window of the last facts."""
    if m[log + HI] - m[log + LO] < facts:
        return m[START]
    return m[record(m, log, m[log + HI] - facts) + LOG_TIME]
