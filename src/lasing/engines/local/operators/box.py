"""Box: `a always in [n]`.

    □a at t  ⇔  #{u in the window : a at u} = #{u in the window}

Its input is `a at T in [n]`, rows (args, u) that are present while u lies in the window. So the box counts, per args,
what is present there, and compares it with the window's size, which is n+1, and less near the start of the timeline.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lasing.engines.local.calendar import WAKE_UP, reserve, schedule
from lasing.engines.local.memory import ARITY, AT_D, AT_S, DELTA, FULL, KEY, NO_ROW, count, record, room
from lasing.engines.local.operators.settle import settle, touch_all

# An operation: the input's relation, the output's, the window's size n, the size at the last tick.
SOURCE, TARGET, BACK, LAST_SIZE = range(1, 5)


@njit(cache=True)
def box(m: np.ndarray, c: np.ndarray, op: int, t: int, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Count what changed in the input, and settle."""
    source, target = m[op + SOURCE], m[op + TARGET]
    key, arity = m[KEY], m[target + ARITY]
    row = m[source + DELTA]
    while row != NO_ROW:
        change = 1 if (m[record(m, source, row) + m[source + AT_S]] & 1) == 1 else -1
        done = FULL
        while done == FULL:
            b = record(m, source, row)
            for j in range(arity):
                m[key + j] = m[b + j]
            done = count(m, target, key, change)
            if done == FULL:
                m = room(m, target)
        row = m[record(m, source, row) + m[source + AT_D]]
    size = min(m[op + BACK], t - start) + 1
    if size != m[op + LAST_SIZE]:
        touch_all(m, target)
        m[op + LAST_SIZE] = size
    some = settle(m, target, size, True)
    if some and size <= m[op + BACK]:
        c = reserve(c, 1)
        schedule(c, t + 1, WAKE_UP, 0)  # the window will be larger then, whether data comes or not
    return m, c
