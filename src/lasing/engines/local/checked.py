"""Kernels as plain Python, with every index checked: replaces `pointers` if LASING_KERNELS=python.

A `Checked` is a pointer that knows all valid memory: the arrays that were made into pointers or named by `share`, and
the blocks that were allocated. Reading or writing anything else is an error. New blocks are filled with an odd number,
so that anything that depends on it goes wrong. This is slow, and meant for debugging kernels.
"""

from __future__ import annotations

import bisect
import ctypes
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from lasing.compiling import kernel_at

_WORD = 8
_BITS = 2**64
_UNSET = -(2**63) + 0x5E7  # the contents of new memory


class _Region(np.ndarray[Any, np.dtype[np.int64]]):
    """An array that can be referred to weakly."""


_shared: WeakValueDictionary[int, _Region] = WeakValueDictionary()
_allocated: dict[int, np.ndarray[Any, np.dtype[np.int64]]] = {}


class Checked:
    """A pointer to an array."""

    def __init__(self, array: np.ndarray[Any, np.dtype[np.int64]]) -> None:
        self._array = array
        self._address = array.ctypes.data
        self._starts: list[int] = []
        self._blocks: list[np.ndarray[Any, np.dtype[np.int64]]] = []

    def __getitem__(self, index: int) -> int:
        block, at = self._place(int(index))
        return int(block[at])

    def __setitem__(self, index: int, value: int) -> None:
        block, at = self._place(int(index))
        block[at] = value

    def _place(self, index: int) -> tuple[np.ndarray[Any, np.dtype[np.int64]], int]:
        if 0 <= index < len(self._array):
            return self._array, index
        address = self._address + _WORD * index
        number = bisect.bisect_right(self._starts, address) - 1
        if number < 0 or not self._has(number, address):
            self._look_again()
            number = bisect.bisect_right(self._starts, address) - 1
            if number < 0 or not self._has(number, address):
                raise IndexError(f"there is no word {index}: the array has {len(self._array)}, and no block has it")
        return self._blocks[number], (address - self._starts[number]) // _WORD

    def _has(self, number: int, address: int) -> bool:
        start = self._starts[number]
        is_known = start in _allocated or start in _shared
        return is_known and address < start + self._blocks[number].nbytes

    def _look_again(self) -> None:
        known = {**dict(_shared.items()), **_allocated}  # `items`, because arrays may be freed in the meantime
        self._starts = sorted(known)
        self._blocks = [known[start] for start in self._starts]


def share(array: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """An array that kernels reach from another array by its distance."""
    shared = array.view(_Region)
    _shared[array.ctypes.data] = shared
    return shared


def pointer(array: np.ndarray[Any, np.dtype[np.int64]]) -> Checked:
    return Checked(array)


def allocate(m: Checked, words: int) -> int:
    block = np.full(words, _UNSET, np.int64)
    _allocated[block.ctypes.data] = block
    return (block.ctypes.data - m._address) // _WORD


def release(m: Checked, distance: int) -> None:
    del _allocated[m._address + _WORD * distance]


def prefetch(m: Checked, at: int) -> None:
    """There is nothing to fetch, but the word must exist."""
    _ = m[at]


def handle_signals(_m: Checked, _at: int) -> bool:
    """Python handles signals by itself."""
    return False


def call(address: int) -> int:
    return int(ctypes.CFUNCTYPE(ctypes.c_int64)(address)())


def invoke(address: int, m: Checked, op: int, one: int, two: int, texts: Checked) -> None:
    kernel_at(address)(m, op, one, two, texts)


def int64(value: Any) -> int:
    """A number as a signed one of 64 bits."""
    return (int(value) + _BITS // 2) % _BITS - _BITS // 2


class uint64(int):  # noqa: N801 -- as Numba's
    """An unsigned number of 64 bits, which wraps around."""

    def __new__(cls, value: Any) -> uint64:
        return super().__new__(cls, int(value) % _BITS)

    def __add__(self, other: int) -> uint64:
        return uint64(int(self) + int(other))

    def __sub__(self, other: int) -> uint64:
        return uint64(int(self) - int(other))

    def __mul__(self, other: int) -> uint64:
        return uint64(int(self) * int(other))

    def __floordiv__(self, other: int) -> uint64:
        return uint64(int(self) // int(other))

    def __mod__(self, other: int) -> uint64:
        return uint64(int(self) % int(other))

    def __lshift__(self, other: int) -> uint64:
        return uint64(int(self) << int(other))

    def __rshift__(self, other: int) -> uint64:
        return uint64(int(self) >> int(other))

    def __and__(self, other: int) -> uint64:
        return uint64(int(self) & int(other))

    def __or__(self, other: int) -> uint64:
        return uint64(int(self) | int(other))

    def __xor__(self, other: int) -> uint64:
        return uint64(int(self) ^ int(other))
