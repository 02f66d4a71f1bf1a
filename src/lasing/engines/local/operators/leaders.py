"""Leaders: the first few terms of a group, by the order of an aggregate, so that the group is rarely searched.

    leaders  =  the first n of the group's terms, from the best to the worst, for some n <= ROOM

A term that comes is entered if it belongs there, and one that goes is struck out. If the best goes, the next is known.
The group is searched only when all leaders have gone, for as many as there is room for. So at most one search falls on
ROOM terms that go, however large the group is: on average, the cost of a change is that of a ROOM-th of a search.

The terms of a group must compare with one another. While they may not, nothing is known: n = 0.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.pointers import Memory, int64
from lasing.engines.local.values import precedes
from lasing.logic.functions.codes import LEAST

ROOM = 32
# The words of a group: how many leaders are known, and these.
KNOWN, BEST = range(2)
LEADERS = 1 + ROOM


@njit(cache=True)
def enter(m: Memory, at: int, function: int, term: int, others: int, texts: Memory) -> None:
    """Enter a term that has come into a group of `others`, if it is one of the first."""
    known = m[at + KNOWN]
    is_complete = known == others  # then any term belongs there, as long as there is room
    if known == 0 and not is_complete:
        return
    if known > 0 and not _beats(m, function, term, m[at + BEST + known - 1], texts):
        if known == ROOM or not is_complete:
            return
        place = known
    elif known == 0 or _beats(m, function, term, m[at + BEST], texts):  # the best: often, if values rise or fall
        place = int64(0)
    else:
        place = known - 1
        while _beats(m, function, term, m[at + BEST + place - 1], texts):
            place -= 1
    last = min(known, ROOM - 1)
    for i in range(last, place, -1):
        m[at + BEST + i] = m[at + BEST + i - 1]
    m[at + BEST + place] = term
    m[at + KNOWN] = last + 1


@njit(cache=True)
def strike(m: Memory, at: int, term: int) -> None:
    """Strike out a term that has gone, if it is one of the first."""
    known = m[at + KNOWN]
    for i in range(known):
        if m[at + BEST + i] == term:
            for j in range(i, known - 1):
                m[at + BEST + j] = m[at + BEST + j + 1]
            m[at + BEST + known - 1] = 0
            m[at + KNOWN] = known - 1
            return


@njit(cache=True)
def forget(m: Memory, at: int) -> None:
    """Know nothing about the terms of a group."""
    for i in range(LEADERS):
        m[at + i] = 0


@njit(cache=True, forceinline=True)
def _beats(m: Memory, function: int, a: int, b: int, texts: Memory) -> bool:
    return precedes(m, a, b, texts) if function == LEAST else precedes(m, b, a, texts)
