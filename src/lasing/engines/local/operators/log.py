"""The log of all facts, as rows (time, predicate's number, arguments…), for windows of the last n facts."""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import HI, LO, START, record
from lasing.engines.local.pointers import Memory

TIME, PREDICATE, ARGS = 0, 1, 2


@njit(cache=True)
def oldest(m: Memory, log: int, facts: int) -> int:
    """The first time point of the window of the last facts."""
    if m[log + HI] - m[log + LO] < facts:
        return m[START]
    return m[record(m, log, m[log + HI] - facts) + TIME]
