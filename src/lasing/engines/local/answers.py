"""The driver's side of questions that kernels ask (see `asking`).

An answer is cached for as long as all values in the question live. Small numbers never die, so answers about small
numbers alone are dropped when the dictionary next forgets values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar
from weakref import WeakMethod

import numpy as np

from lasing.engines.local.asking import (
    ANSWER,
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
    PAIR,
    QUESTION,
    ROOM,
    SLOT,
    TERMS,
    TEXTS,
    TOTAL,
    A,
    B,
    enter,
)
from lasing.engines.local.made import Made, power_of_two
from lasing.engines.local.making import ANSWERS_AT, ANSWERS_KNOWN, ANSWERS_ROOM
from lasing.engines.local.memory import KEY
from lasing.engines.local.pause import BY_DRIVER, FUEL, STOPPED
from lasing.engines.local.pointers import share

Codes = np.ndarray[Any, np.dtype[np.int64]]

_LEAST = 32
Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def weakly(method: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """A function that calls a method without keeping its object alive.

    What kernels call belongs to the object that it calls. A cycle would keep all values of an engine until Python's
    collector finds it, and that takes long: the collector counts objects, and does not see how large these are.
    """
    found = WeakMethod(method)

    def call(*args: Given.args, **named: Given.kwargs) -> Returned:
        bound = found()
        assert bound is not None, "kernels run only while their engine is there"
        return bound(*args, **named)

    return call


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
        self.made = Made(arena)
        self._words = self.made.words.data  # its items are Python's integers, without a detour
        self._rows: Codes = np.zeros((0, SLOT), np.int64)
        self._shared_rows = share(np.zeros(1, np.int64))
        self._of_names = 0  # how many values of functions of one name are known
        self._memos: dict[int, Codes] = {
            FIRST_FUNCTION + i: share(np.full(_LEAST, NOT_KNOWN, np.int64)) for i, n in enumerate(operands) if n == 1
        }
        self._directory: Codes = share(np.zeros(max(1, len(operands)) * MEMO_WORDS, np.int64))
        arena[MEMOS] = self.made.distance(self._directory)
        for question in self._memos:
            self._enter_memo(question)
        asked = _asked(arena, answer, weakly(self._remember), weakly(self._make_room), keep)
        self._function = _Function(asked)  # kept for as long as kernels call it
        arena[ASK] = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        self._make_table(2 * _LEAST)  # there is no room yet for answers and terms: most programs need none

    def __len__(self) -> int:
        return self._count + self._of_names

    @property
    def _count(self) -> int:
        return self._words[ANSWERS_KNOWN]

    def pair(self, number: int) -> tuple[int, int] | None:
        """The two operands of a term, if it is a pair."""
        answer = self.made.pair(number)
        if answer is None:
            return None
        _, a, b, _ = self._rows[answer].tolist()
        return a, b

    def _make_room(self, operands: int = 0) -> None:
        """Make room for more answers and terms, and tell kernels where they are."""
        if 2 * self._count >= self._slots or self._count >= len(self._rows):
            more = max(_LEAST, self._count)
            self._shared_rows, self._rows = _with_room(self._rows[: self._count], more)
            self._make_table(max(2 * _LEAST, 4 * power_of_two(self._count)))
        self._words[ANSWERS_AT] = self.made.distance(self._shared_rows)
        self._words[ANSWERS_ROOM] = min(len(self._rows), self._slots // 2)
        self.made.make_room(operands)

    @property
    def rows(self) -> Codes:
        """All answers: the question, its two codes, the answer."""
        found = [self._rows[: self._count]]
        for question, memo in self._memos.items():
            known = np.flatnonzero(memo != NOT_KNOWN)
            names = known + NAMES
            found.append(np.column_stack([np.full(len(known), question), names, names, memo[known]]))
        return np.concatenate(found)

    def keep(self, rows: Codes, terms: Codes, names: Codes, wides: Codes) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Keep only these answers, and the terms with these numbers, which have new ones. Returns which of the terms
        kernels have made."""
        self._words[ANSWERS_KNOWN] = self._of_names = 0
        for memo in self._memos.values():
            memo.fill(NOT_KNOWN)
        of_names = np.isin(rows[:, QUESTION], list(self._memos)) & (rows[:, A] == rows[:, B])
        of_names &= (rows[:, A] >= NAMES) & (rows[:, A] < TERMS)
        for question, a, b, answer in rows[of_names].tolist():
            self._remember(question, a, b, answer)
        rows = rows[~of_names]
        self._words[ANSWERS_KNOWN] = len(rows)
        if len(rows) < len(self._rows) // 4:
            self._rows[: len(rows)] = rows  # there is room, and it will be needed again
            self._table[FIRST_SLOT:] = FREE
            enter(self._table, self._rows[: len(rows)])
        else:
            self._rows, self._slots = rows, 0  # so that room is made for more
        are_made = self.made.keep(terms, names, wides)
        pairs = np.flatnonzero(rows[:, QUESTION] == PAIR)
        self.made.enter_pairs(rows[pairs, ANSWER], pairs)
        self._make_room()
        return are_made

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
        if self._words[ANSWERS_KNOWN] == self._words[ANSWERS_ROOM]:
            self._make_room()
        count = self._count
        self._rows[count] = question, a, b, answer
        self._words[ANSWERS_KNOWN] = count + 1
        enter(self._table, self._rows[count : count + 1])

    def _make_table(self, slots: int) -> None:
        """A table with this number of slots, a power of two, and all answers."""
        self._slots = slots
        self._table: Codes = share(np.full(FIRST_SLOT + slots * SLOT, FREE, np.int64))
        self._table[MASK] = slots - 1
        if self._count:
            enter(self._table, self._rows[: self._count])
        self._arena[ANSWERS] = self.made.distance(self._table)

    def _enter_memo(self, question: int) -> None:
        """Tell kernels where the array of a function is."""
        at, memo = (question - FIRST_FUNCTION) * MEMO_WORDS, self._memos[question]
        self._directory[at + MEMO], self._directory[at + MEMO_SIZE] = self.made.distance(memo), len(memo)


def _with_room(rows: Codes, more: int) -> tuple[Codes, Codes]:
    """Rows with room for more, as words that kernels reach and as rows."""
    words = np.zeros((len(rows) + more) * rows.shape[1], np.int64)
    words[: rows.size] = rows.ravel()
    return share(words), words.reshape(-1, rows.shape[1])


_Function = ctypes.CFUNCTYPE(ctypes.c_int64)


def _asked(
    arena: Codes,
    answer: Callable[[int, int, int], int],
    remember: Callable[[int, int, int, int], None],
    make_room: Callable[[int], None],
    keep: Callable[[BaseException], None],
) -> Callable[[], int]:
    """The function that kernels call. It must not raise: exceptions inside it are kept, and the kernels stop."""
    words = arena.data  # its items are Python's integers, without a detour

    def asked() -> int:
        try:
            key = words[KEY]
            question, a, b = words[key + ASKED_QUESTION], words[key + ASKED_A], words[key + ASKED_B]
            if question == ROOM:
                make_room(a)
                return 0
            found = answer(question, a, b)
            if question not in (TOTAL, TEXTS):
                remember(question, a, b, found)
            return found
        except BaseException as error:
            keep(error)
            arena[STOPPED], arena[FUEL] = BY_DRIVER, 0
            return 0

    return asked
