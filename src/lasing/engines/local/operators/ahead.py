"""Fetch ahead: what the next few changes will look up is fetched from memory before the first of them is processed.

A key that changes among many has its chains' heads and its rows where no other change has looked for a while, so each
lookup waits for the main memory. These waits take most of the time if they come one after another. Most lookups depend
only on the row that has changed. So for a group of changes, all heads are fetched together, then all rows at these
heads; the processor does not wait for either. Relations that are small enough to stay in its cache are left out.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import BLOCK_WORDS, CURSORS, LO, STRIDE, head_of, record
from lasing.engines.local.pointers import Memory, prefetch

GROUP = 16
"""How many changes are fetched together."""
MOST_EARLY = 4
"""How many lookups of a change are fetched. Heads and their relations are noted where joins keep their cursors."""
_IN_CACHE = 1 << 15  # words of a relation: processors keep 256 kB or more close by


@njit(cache=True, forceinline=True)
def is_far(m: Memory, d: int) -> bool:
    """Whether a relation is too large for the cache."""
    return m[d + BLOCK_WORDS] > _IN_CACHE


@njit(cache=True, forceinline=True)
def fetch_head(m: Memory, d: int, index: int, key: int, fetched: int) -> None:
    """Fetch the head of the chain of m[key…], as the next one after those fetched so far."""
    head = head_of(m, d, index, key)
    prefetch(m, head)
    at = m[CURSORS] + 2 * fetched
    m[at], m[at + 1] = d, head


@njit(cache=True, forceinline=True)
def fetch_rows(m: Memory, fetched: int) -> None:
    """Fetch the rows at these heads."""
    for i in range(fetched):
        at = m[CURSORS] + 2 * i
        d, row = m[at], m[m[at + 1]]
        if row >= m[d + LO]:
            b = record(m, d, row)
            prefetch(m, b)
            prefetch(m, b + m[d + STRIDE] - 1)  # a record may lie in two lines of the cache
