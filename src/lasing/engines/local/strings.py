"""The codes of text in Arrow columns, found without making Python strings.

A hash table over the bytes of known names: open addressing, with the bytes one after the other in a buffer. It is a
cache for the dictionary, which gives the codes of unknown names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.pointers import int64, uint64

Codes = np.ndarray[Any, np.dtype[np.int64]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

UNKNOWN = -1
_FREE = -1
START, LENGTH, CODE = range(3)


class Strings:
    """The names that have arrived in Arrow columns so far."""

    def __init__(self) -> None:
        self._slots = np.full(256, _FREE, np.int64)
        self._entries = np.zeros((128, 3), np.int64)
        self._buffer = np.zeros(1024, np.uint8)
        self._count = self._used = 0

    def codes(self, column: Any, ask: Callable[[Sequence[str]], Sequence[int]]) -> Codes:
        """The codes of an Arrow column of strings without nulls; `ask` gives those of new ones."""
        _, offsets, data = column.buffers()
        ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
        text = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        codes = np.empty(len(column), np.int64)
        unknown = _look_up(self._slots, self._entries, self._buffer, ends, text, codes)
        if unknown:
            where = np.flatnonzero(codes == UNKNOWN)
            new = column.take(where).dictionary_encode()  # most often the same few, many times over
            numbers = new.indices.to_numpy(zero_copy_only=False)
            codes[where] = np.array(ask(new.dictionary.to_pylist()), np.int64)[numbers]
            first = np.empty(len(new.dictionary), np.int64)
            first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # the first of equal ones is written last
            self._learn(ends, text, where[first], codes)
        return codes

    def _learn(self, ends: Bytes, text: Bytes, where: Codes, codes: Codes) -> None:
        lengths = (ends[where + 1] - ends[where]).sum()
        if self._used + lengths > len(self._buffer):
            self._buffer = np.concatenate([self._buffer, np.zeros(self._used + lengths, np.uint8)])
        while self._count + len(where) > len(self._entries):
            self._entries = np.concatenate([self._entries, np.zeros_like(self._entries)])
        if 2 * (self._count + len(where)) > len(self._slots):
            self._slots = np.full(4 * len(self._entries), _FREE, np.int64)
            _fill(self._slots, self._entries[: self._count], self._buffer)
        self._count, self._used = _add(
            self._slots, self._entries, self._buffer, self._count, self._used, ends, text, where, codes
        )


@njit(cache=True, forceinline=True)
def _hash(text: np.ndarray, start: int, length: int) -> int:
    x = uint64(14695981039346656037)
    for i in range(start, start + length):
        x = (x ^ uint64(text[i])) * uint64(1099511628211)
    return int64((x ^ (x >> uint64(29))) & uint64(0x7FFFFFFFFFFFFFFF))


@njit(cache=True)
def _find(
    slots: np.ndarray, entries: np.ndarray, buffer: np.ndarray, text: np.ndarray, start: int, length: int
) -> tuple[int, int]:
    """The entry of some text, or UNKNOWN, and the slot where the search ended."""
    slot = _hash(text, start, length) & (slots.shape[0] - 1)
    while slots[slot] != _FREE:
        entry = slots[slot]
        if entries[entry, LENGTH] == length:
            first, same = entries[entry, START], True
            for i in range(length):
                if buffer[first + i] != text[start + i]:
                    same = False
                    break
            if same:
                return entry, slot
        slot = (slot + 1) & (slots.shape[0] - 1)
    return UNKNOWN, slot


@njit(cache=True)
def _look_up(
    slots: np.ndarray, entries: np.ndarray, buffer: np.ndarray, ends: np.ndarray, text: np.ndarray, codes: np.ndarray
) -> int:
    unknown = 0
    for row in range(codes.shape[0]):
        start = int64(ends[row])
        entry, _ = _find(slots, entries, buffer, text, start, int64(ends[row + 1]) - start)
        codes[row] = UNKNOWN if entry == UNKNOWN else entries[entry, CODE]
        unknown += entry == UNKNOWN
    return unknown


@njit(cache=True)
def _fill(slots: np.ndarray, entries: np.ndarray, buffer: np.ndarray) -> None:
    for entry in range(entries.shape[0]):
        slot = _hash(buffer, entries[entry, START], entries[entry, LENGTH]) & (slots.shape[0] - 1)
        while slots[slot] != _FREE:
            slot = (slot + 1) & (slots.shape[0] - 1)
        slots[slot] = entry


@njit(cache=True)
def _add(
    slots: np.ndarray,
    entries: np.ndarray,
    buffer: np.ndarray,
    count: int,
    used: int,
    ends: np.ndarray,
    text: np.ndarray,
    where: np.ndarray,
    codes: np.ndarray,
) -> tuple[int, int]:
    for row in where:
        start = int64(ends[row])
        length = int64(ends[row + 1]) - start
        entry, slot = _find(slots, entries, buffer, text, start, length)
        if entry == UNKNOWN:  # the same text may occur twice among the new ones
            for i in range(length):  # assigning a slice takes seconds to compile
                buffer[used + i] = text[start + i]
            entries[count, START], entries[count, LENGTH], entries[count, CODE] = used, length, codes[row]
            slots[slot] = count
            count, used = count + 1, used + length
    return count, used
