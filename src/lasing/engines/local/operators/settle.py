"""Settling: counted rows after their counts have changed. Other operators do this at their end.

present at t  =  count > 0                      (settle)
present at t  =  count = size of the window     (settle_exactly, for a box: it counts the time points of the atom)
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    AT_C,
    AT_D,
    AT_S,
    DELTA,
    HI,
    LO,
    NO_ROW,
    NOT_LISTED,
    TICK,
    TOUCHED,
    record,
    touch,
)
from lasing.engines.local.pointers import Memory


@njit(cache=True)
def settle(m: Memory, d: int) -> None:
    """Stamp and list what changed among the touched rows: rows with a count are present."""
    _settle(m, d, 1, False)


@njit(cache=True)
def settle_exactly(m: Memory, d: int, wanted: int) -> bool:
    """Stamp and list what changed among the touched rows, if only one count means present. Returns whether any is."""
    return _settle(m, d, wanted, True)


@njit(cache=True, forceinline=True)
def _settle(m: Memory, d: int, least: int, exact: bool) -> bool:
    tick = m[TICK]
    at_c, at_s, at_d = m[d + AT_C], m[d + AT_S], m[d + AT_D]
    row = m[d + TOUCHED]
    some = False
    while row != NO_ROW:
        b = record(m, d, row)
        following = m[b + at_d]
        m[b + at_d] = NOT_LISTED
        holds = m[b + at_c] == least if exact else m[b + at_c] >= least
        if holds != ((m[b + at_s] & 1) == 1):
            m[b + at_s] = 2 * tick + (1 if holds else 0)
            m[b + at_d] = m[d + DELTA]
            m[d + DELTA] = row
        some = some or holds
        row = following
    m[d + TOUCHED] = NO_ROW
    return some


@njit(cache=True)
def touch_all(m: Memory, d: int) -> None:
    """Check every row again: the window's size has changed."""
    for row in range(m[d + LO], m[d + HI]):
        touch(m, d, row, record(m, d, row))
