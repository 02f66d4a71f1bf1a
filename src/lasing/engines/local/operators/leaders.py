"""Leaders: the first terms of a group, by the order of an aggregate, so that the group is rarely searched.

    leaders  =  the first n of the group's terms, from the best to the worst, for some n

A term that comes is entered if it belongs there, and one that goes is struck out. If the best goes, the next is known.
The group is searched only when all leaders have gone.

Where values come and go in no order, about as many leaders come as go, so ROOM of them last. Where values rise, the
least always goes first, and no new one takes its place. So if the leaders did not last, the next search makes twice as
much room. Once there is room for all terms of the group, all of them are leaders, and the room grows with the group. So
a group is searched a few times. After that, a term that comes or goes at either end costs the same in a group of any
size.

The leaders are a ring, so that either end can move. The room for the first few is in the record of the group; a larger
ring has a block of memory of its own. A term that comes or goes in the middle moves the terms on one side. If there are
very many on both sides, those after it are forgotten instead: this keeps the law.

The terms of a group must compare with one another. While they may not, nothing is known: n = 0.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import WORDS, new_block
from lasing.engines.local.pointers import Memory, int64, release
from lasing.engines.local.values import precedes
from lasing.logic.functions.codes import LEAST

ROOM = 32
MOST_MOVED = 256
# The words of a group: how many leaders are known; where the block is (0: there is none); the place of the best in the
# ring; how many terms the block has room for; how many terms have gone since the group was searched; the ring, if there
# is no block.
KNOWN, BLOCK, START, SIZE, GONE, RING = range(6)
LEADERS = RING + ROOM


@njit(cache=True, forceinline=True)
def best(m: Memory, at: int) -> int:
    """The best term, if any is known."""
    ring = m[at + BLOCK] if m[at + BLOCK] != 0 else at + RING
    return m[ring + m[at + START]]


@njit(cache=True)
def enter(m: Memory, at: int, function: int, term: int, others: int, texts: Memory) -> None:
    """Enter a term that has come into a group of `others`, if it is one of the first."""
    known = m[at + KNOWN]
    is_complete = known == others  # then any term belongs there, as long as there is room
    if known == 0 and not is_complete:
        return
    mask = (m[at + SIZE] if m[at + BLOCK] != 0 else int64(ROOM)) - 1
    ring = m[at + BLOCK] if m[at + BLOCK] != 0 else at + RING
    start = m[at + START]
    is_worst = known > 0 and not _beats(m, function, term, m[ring + ((start + known - 1) & mask)], texts)
    if is_worst and not is_complete:
        return
    if known > mask:
        if is_complete and m[at + BLOCK] != 0 and _grow(m, at):
            ring, mask, start = m[at + BLOCK], m[at + SIZE] - 1, int64(0)
        elif is_worst:
            return
        else:
            known -= 1  # the worst makes room
    place = known
    if not is_worst and known > 0:
        place = _place(m, ring, mask, start, known, function, term, texts)
    if min(place, known - place) > MOST_MOVED:
        known = place
    if place < known - place:
        start = (start - 1) & mask
        for i in range(place):
            m[ring + ((start + i) & mask)] = m[ring + ((start + i + 1) & mask)]
        m[at + START] = start
    else:
        for i in range(known, place, -1):
            m[ring + ((start + i) & mask)] = m[ring + ((start + i - 1) & mask)]
    m[ring + ((start + place) & mask)] = term
    m[at + KNOWN] = known + 1


@njit(cache=True)
def strike(m: Memory, at: int, function: int, term: int, texts: Memory) -> None:
    """Strike out a term that has gone, if it is one of the first."""
    known = m[at + KNOWN]
    m[at + GONE] += 1
    if known == 0:
        return
    mask = (m[at + SIZE] if m[at + BLOCK] != 0 else int64(ROOM)) - 1
    ring = m[at + BLOCK] if m[at + BLOCK] != 0 else at + RING
    start = m[at + START]
    place = int64(0)
    if known <= ROOM:
        while place < known and m[ring + ((start + place) & mask)] != term:
            place += 1
        if place == known:
            return
    elif m[ring + start] != term:
        place = known - 1
        if m[ring + ((start + place) & mask)] != term:
            place = _place(m, ring, mask, start, known, function, term, texts) - 1
            if place < 0 or m[ring + ((start + place) & mask)] != term:
                return
    if min(place, known - 1 - place) > MOST_MOVED:
        m[at + KNOWN] = place
        return
    if place < known - 1 - place:
        for i in range(place, 0, -1):
            m[ring + ((start + i) & mask)] = m[ring + ((start + i - 1) & mask)]
        m[ring + start] = 0
        m[at + START] = (start + 1) & mask
    else:
        for i in range(place, known - 1):
            m[ring + ((start + i) & mask)] = m[ring + ((start + i + 1) & mask)]
        m[ring + ((start + known - 1) & mask)] = 0
    m[at + KNOWN] = known - 1


@njit(cache=True)
def forget(m: Memory, at: int) -> None:
    """Know nothing about the terms of a group."""
    give_back(m, at)
    for i in range(LEADERS):
        m[at + i] = 0


@njit(cache=True)
def expect(m: Memory, at: int, terms: int) -> None:
    """Make more room in a group that is going to be searched, if the leaders did not last and there may be more."""
    size = m[at + SIZE] if m[at + BLOCK] != 0 else int64(ROOM)
    lasted = m[at + GONE] > 2 * size
    m[at + GONE] = 0
    if size < terms and not lasted:
        give_back(m, at)
        m[at + START] = 0
        m[at + BLOCK] = new_block(m, 2 * size)
        m[at + SIZE] = 2 * size


@njit(cache=True)
def give_back(m: Memory, at: int) -> None:
    """Give back the block of leaders that are not known any more."""
    if m[at + BLOCK] != 0:
        release(m, m[at + BLOCK])
        m[WORDS] -= m[at + SIZE]
        m[at + BLOCK] = m[at + START] = 0


@njit(cache=True)
def _grow(m: Memory, at: int) -> bool:
    """Move a full ring from its block to one of twice the size. Returns whether there is memory for it."""
    size, start, old = m[at + SIZE], m[at + START], m[at + BLOCK]
    block = new_block(m, 2 * size)
    if block == 0:
        return False
    for i in range(size):
        m[block + i] = m[old + ((start + i) & (size - 1))]
    give_back(m, at)
    m[at + BLOCK], m[at + START], m[at + SIZE] = block, 0, 2 * size
    return True


@njit(cache=True)
def _place(m: Memory, ring: int, mask: int, start: int, known: int, function: int, term: int, texts: Memory) -> int:
    """How many of the known terms the given one does not beat: they are those before its place."""
    low, high = int64(0), known
    if _beats(m, function, term, m[ring + start], texts):  # often, if values rise or fall
        return low
    low = int64(1)
    while low < high:
        middle = (low + high) >> 1
        if _beats(m, function, term, m[ring + ((start + middle) & mask)], texts):
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, forceinline=True)
def _beats(m: Memory, function: int, a: int, b: int, texts: Memory) -> bool:
    return precedes(m, a, b, texts) if function == LEAST else precedes(m, b, a, texts)
