"""Superaccumulators: exact sums of doubles to which a double is added, or from which it is taken, at a constant cost.

    value  =  the sum of the doubles that were added and not taken away again

A record keeps three words. The limbs (see `exact`) are in a block of memory of their own, from the first to the last
that any term has needed; for terms of similar magnitude that is five words. An accumulator without terms has no block.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.exact import SPREAD, add_double, first_limb, rounded
from lasing.engines.local.memory import WORDS, new_block
from lasing.engines.local.pointers import Memory, release

# The words of an accumulator: where its block is (0: it has none), its first limb, how many limbs it has.
BLOCK, FIRST, LIMBS = range(3)
ACCUMULATOR = 3
_MARGIN = 1


@njit(cache=True)
def accumulate(m: Memory, at: int, x: float, sign: int) -> None:
    """Add a finite double, or take it away, to or from the accumulator at m[at…]."""
    limb = first_limb(x)
    if make_room(m, at, limb, SPREAD):
        add_double(m, m[at + BLOCK] - m[at + FIRST], x, sign)


@njit(cache=True)
def merge_limbs(m: Memory, at: int, other: int, sign: int) -> None:
    """Add the sum of another accumulator, or take it away."""
    block, first, limbs = m[other + BLOCK], m[other + FIRST], m[other + LIMBS]
    if block != 0 and make_room(m, at, first, limbs):
        mine = m[at + BLOCK] + first - m[at + FIRST]
        for i in range(limbs):
            m[mine + i] += sign * m[block + i]


@njit(cache=True, forceinline=True)
def make_room(m: Memory, at: int, limb: int, limbs: int) -> bool:
    """Make sure that an accumulator has these limbs. Otherwise there is no memory for them: the engine has stopped."""
    if m[at + BLOCK] == 0 or limb < m[at + FIRST] or limb + limbs > m[at + FIRST] + m[at + LIMBS]:
        _widen(m, at, limb, limbs)
    return m[at + BLOCK] != 0


@njit(cache=True)
def _widen(m: Memory, at: int, limb: int, more: int) -> None:
    """Move an accumulator to a block that also has some limbs from this one on, and a margin."""
    old, first, limbs = m[at + BLOCK], m[at + FIRST], m[at + LIMBS]
    start, end = limb - _MARGIN, limb + more + _MARGIN
    if old != 0:
        start, end = min(start, first), max(end, first + limbs)
    block = new_block(m, end - start)
    if block != 0:
        for i in range(end - start):
            m[block + i] = 0
        for i in range(limbs if old != 0 else 0):
            m[block + first - start + i] = m[old + i]
    empty(m, at)
    m[at + BLOCK], m[at + FIRST], m[at + LIMBS] = block, start, end - start


@njit(cache=True)
def empty(m: Memory, at: int) -> None:
    """Give back the block of an accumulator that no longer has any terms."""
    if m[at + BLOCK] != 0:
        release(m, m[at + BLOCK])
        m[WORDS] -= m[at + LIMBS]
        m[at + BLOCK] = 0


@njit(cache=True)
def accumulated(m: Memory, at: int, high: int, low: int, parts: int) -> float:
    """The accumulated sum and a 128-bit integer, divided by `parts`; rounded once, and infinite if it is too large."""
    first = m[at + FIRST] if m[at + BLOCK] != 0 else 0
    last = first + (m[at + LIMBS] if m[at + BLOCK] != 0 else 0)
    return rounded(m, m[at + BLOCK] - first, first, last, high, low, parts)
