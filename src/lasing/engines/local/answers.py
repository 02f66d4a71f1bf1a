"""The driver's side of questions that kernels ask (see `asking`).

An answer is cached for as long as all values in the question live. Small numbers never die, so answers about small
numbers alone are dropped when the dictionary next forgets values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lasing.engines.local.asking import (
    ANSWERS,
    ASK,
    ASKED_A,
    ASKED_B,
    ASKED_QUESTION,
    FIRST_FUNCTION,
    FIRST_SLOT,
    FREE,
    MASK,
    MEMO,
    MEMO_SIZE,
    MEMO_WORDS,
    MEMOS,
    NAMES,
    NOT_KNOWN,
    SLOT,
    TERMS,
    TOTAL,
    enter,
)
from lasing.engines.local.memory import KEY
from lasing.engines.local.pause import BY_DRIVER, FUEL, STOPPED
from lasing.engines.local.pointers import share

Codes = np.ndarray[Any, np.dtype[np.int64]]

_LEAST = 32


class Answers:
    """The answers given to kernels, and the driver's side of the call.

    `answer` takes a question and two codes. If it raises an exception, the kernels stop, and `keep` gets the exception.
    `operands` are the numbers of operands of the functions that kernels ask for.
    """

    def __init__(
        self,
        arena: Codes,
        answer: Callable[[int, int, int], int],
        keep: Callable[[BaseException], None],
        operands: Sequence[int] = (),
    ) -> None:
        self._arena = arena
        self._rows: Codes = np.zeros((_LEAST, SLOT), np.int64)
        self._count = 0
        self._of_names = 0  # how many values of functions of one name are known
        self._memos: dict[int, Codes] = {
            FIRST_FUNCTION + i: share(np.full(_LEAST, NOT_KNOWN, np.int64)) for i, n in enumerate(operands) if n == 1
        }
        self._directory: Codes = share(np.zeros(max(1, len(operands)) * MEMO_WORDS, np.int64))
        arena[MEMOS] = self._distance(self._directory)
        for question in self._memos:
            self._enter_memo(question)
        self._function = _Function(_asked(arena, answer, self._remember, keep))  # kept for as long as kernels call it
        arena[ASK] = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        self._make_table(2 * _LEAST)

    def __len__(self) -> int:
        return self._count + self._of_names

    @property
    def rows(self) -> Codes:
        """All answers: the question, its two codes, the answer."""
        found = [self._rows[: self._count]]
        for question, memo in self._memos.items():
            known = np.flatnonzero(memo != NOT_KNOWN)
            names = known + NAMES
            found.append(np.column_stack([np.full(len(known), question), names, names, memo[known]]))
        return np.concatenate(found)

    def keep(self, rows: Codes) -> None:
        """Keep only these answers."""
        self._of_names = 0
        for memo in self._memos.values():
            memo.fill(NOT_KNOWN)
        of_names = np.array([self._is_of_name(*row[:3]) for row in rows.tolist()], bool)
        for question, a, b, answer in rows[of_names].tolist():
            self._remember(question, a, b, answer)
        rows = rows[~of_names]
        self._rows = np.zeros((max(_LEAST, len(rows)), SLOT), np.int64)
        self._rows[: len(rows)], self._count = rows, len(rows)
        size = 2 * _LEAST
        while size < 2 * len(rows):
            size *= 2
        self._make_table(size)

    def _is_of_name(self, question: int, a: int, b: int) -> bool:
        """Whether this is the value of a function of one name."""
        return a == b and NAMES <= a < TERMS and question in self._memos

    def _remember(self, question: int, a: int, b: int, answer: int) -> None:
        if self._is_of_name(question, a, b):
            memo = self._memos[question]
            if a - NAMES >= len(memo):
                more = np.full(2 * (a - NAMES + 1) - len(memo), NOT_KNOWN, np.int64)
                memo = self._memos[question] = share(np.concatenate([memo, more]))
                self._enter_memo(question)
            memo[a - NAMES] = answer
            self._of_names += 1
            return
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[self._count] = question, a, b, answer
        self._count += 1
        if 2 * self._count > self._slots:
            self._make_table(2 * self._slots)
        else:
            enter(self._table, self._rows[self._count - 1 : self._count])

    def _make_table(self, slots: int) -> None:
        """A table with this number of slots, a power of two, and all answers."""
        self._slots = slots
        self._table: Codes = share(np.full(FIRST_SLOT + slots * SLOT, FREE, np.int64))
        self._table[MASK] = slots - 1
        if self._count:
            enter(self._table, self._rows[: self._count])
        self._arena[ANSWERS] = self._distance(self._table)

    def _enter_memo(self, question: int) -> None:
        """Tell kernels where the array of a function is."""
        at, memo = (question - FIRST_FUNCTION) * MEMO_WORDS, self._memos[question]
        self._directory[at + MEMO], self._directory[at + MEMO_SIZE] = self._distance(memo), len(memo)

    def _distance(self, array: Codes) -> int:
        """How many words an array is behind the arena."""
        return int(array.ctypes.data - self._arena.ctypes.data) // 8


_Function = ctypes.CFUNCTYPE(ctypes.c_int64)


def _asked(
    arena: Codes,
    answer: Callable[[int, int, int], int],
    remember: Callable[[int, int, int, int], None],
    keep: Callable[[BaseException], None],
) -> Callable[[], int]:
    """The function that kernels call. It must not raise: exceptions inside it are kept, and the kernels stop."""
    words = arena.data  # its items are Python's integers, without a detour

    def asked() -> int:
        try:
            key = words[KEY]
            question, a, b = words[key + ASKED_QUESTION], words[key + ASKED_A], words[key + ASKED_B]
            found = answer(question, a, b)
            if question != TOTAL:
                remember(question, a, b, found)
            return found
        except BaseException as error:
            keep(error)
            arena[STOPPED], arena[FUEL] = BY_DRIVER, 0
            return 0

    return asked
