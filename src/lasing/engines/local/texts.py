"""The text of names where kernels can read it, to decide which of two names comes first.

    a comes before b  ⇔  a's bytes in UTF-8 come before b's   (which is the order by code point)

Eight bytes make a word, the first byte highest, with the sign bit flipped, so words compare as numbers like their
bytes. A table has, for each name, its first word, where its other words begin, and its number of bytes; zeros follow
the last byte. A new name costs only its own text, however many there are.

Kernels take an anchor, which says how far the table and the buffer of other words are from it. So names may be added,
and both may move, while a kernel runs (see `asking`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.pointers import Memory, int64, share, uint64

TABLE, BUFFER = range(2)  # in the anchor
FIRST_WORD, OTHERS, LENGTH = range(3)  # in the table, per name
ENTRY = 3
WORD = 8  # bytes


class Texts:
    """The text of the names of a dictionary, in the order of their numbers."""

    def __init__(self) -> None:
        self._anchor = np.zeros(2, np.int64)
        self._table = share(np.zeros(64 * ENTRY, np.int64))
        self._buffer = share(np.zeros(64, np.int64))
        self._count = self._used = 0
        self._connect()

    def of(self, names: Sequence[str]) -> Memory:
        """The anchor for kernels, for names that begin with those of the last call."""
        if len(names) > self._count:
            self._add(names[self._count :])
        return self._anchor

    def _add(self, new: Sequence[str]) -> None:
        joined = "".join(new)
        if joined.isascii():
            text, lengths = joined.encode(), map(len, new)
        else:
            parts = [name.encode("utf-8", "surrogatepass") for name in new]
            text, lengths = b"".join(parts), map(len, parts)
        ends = np.cumsum(np.fromiter(lengths, np.int64, len(new)))
        entries, words = ENTRY * (self._count + len(new)), self._used + len(text) // WORD + len(new)
        if entries > len(self._table) or words > len(self._buffer):
            self._table, self._buffer = _wider(self._table, entries), _wider(self._buffer, words)
            self._connect()
        self._used = _spell(self._table, self._buffer, self._count, self._used, ends, np.frombuffer(text, np.uint8))
        self._count += len(new)

    def _connect(self) -> None:
        for place, array in ((TABLE, self._table), (BUFFER, self._buffer)):
            self._anchor[place] = (array.ctypes.data - self._anchor.ctypes.data) // WORD


def _wider(words: Memory, least: int) -> Memory:
    if len(words) >= least:
        return words
    wider = share(np.zeros(2 * least, np.int64))
    wider[: len(words)] = words
    return wider


@njit(cache=True)
def _spell(table: Memory, buffer: Memory, count: int, used: int, ends: np.ndarray, text: np.ndarray) -> int:
    """Enter new names, whose bytes follow one another. Returns how many words of the buffer are then used."""
    start = 0
    for i in range(ends.shape[0]):
        at = (count + i) * ENTRY
        table[at + FIRST_WORD] = _word(text, start, ends[i])
        table[at + OTHERS] = used
        table[at + LENGTH] = ends[i] - start
        for j in range(start + WORD, ends[i], WORD):
            buffer[used] = _word(text, j, ends[i])
            used += 1
        start = ends[i]
    return used


@njit(cache=True)
def _word(text: np.ndarray, start: int, end: int) -> int:
    x = uint64(0)
    for i in range(start, start + WORD):
        x = (x << uint64(8)) | (uint64(text[i]) if i < end else uint64(0))
    return int64(x ^ uint64(0x8000000000000000))  # type: ignore[return-value]


@njit(cache=True)
def order(texts: Memory, a: int, b: int) -> int:
    """Whether name a comes before (-1) or after (1) name b, or is the same (0); names are given by their numbers."""
    p, q = texts[TABLE] + a * ENTRY, texts[TABLE] + b * ENTRY
    x, y = texts[p + FIRST_WORD], texts[q + FIRST_WORD]
    if x != y:
        return -1 if x < y else 1
    one, other = texts[p + LENGTH], texts[q + LENGTH]
    s, t = texts[BUFFER] + texts[p + OTHERS], texts[BUFFER] + texts[q + OTHERS]
    for j in range((min(one, other) - 1) // WORD):
        x, y = texts[s + j], texts[t + j]
        if x != y:
            return -1 if x < y else 1
    if one == other:
        return 0
    return -1 if one < other else 1
