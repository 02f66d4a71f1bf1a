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
    ANSWER,
    ANSWERS,
    ASK,
    ASKED_A,
    ASKED_B,
    ASKED_QUESTION,
    FIRST_FUNCTION,
    FIRST_SLOT,
    FREE,
    MAKES,
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
from lasing.engines.local.making import (
    ANSWERS_AT,
    ANSWERS_KNOWN,
    ANSWERS_ROOM,
    DEPTH,
    MADE_BY,
    MAKING,
    MAKING_WORDS,
    TERM_WORDS,
    TERMS_AT,
    TERMS_KNOWN,
    TERMS_ROOM,
    WIDES,
)
from lasing.engines.local.memory import KEY
from lasing.engines.local.pause import BY_DRIVER, FUEL, STOPPED
from lasing.engines.local.pointers import share

Codes = np.ndarray[Any, np.dtype[np.int64]]

_LEAST = 32


class Answers:
    """The answers given to kernels, and the driver's side of the call.

    `answer` takes a question and two codes. If it raises an exception, the kernels stop, and `keep` gets the exception.
    `operands` are the numbers of operands of the functions that kernels ask for, and `makes` says which of these make
    identifiers.
    """

    def __init__(
        self,
        arena: Codes,
        answer: Callable[[int, int, int], int],
        keep: Callable[[BaseException], None],
        operands: Sequence[int] = (),
        makes: Sequence[bool] = (),
    ) -> None:
        self._arena = arena
        self._arena_at = _address(arena)
        self._making: Codes = share(np.zeros(MAKING_WORDS, np.int64))
        self._words = self._making.data  # its items are Python's integers, without a detour
        arena[MAKING] = self._distance(self._making)
        self._rows: Codes = np.zeros((0, SLOT), np.int64)
        self._terms: Codes = np.zeros((0, TERM_WORDS), np.int64)
        self._shared_rows = self._shared_terms = share(np.zeros(1, np.int64))
        self._of_names = 0  # how many values of functions of one name are known
        self._memos: dict[int, Codes] = {
            FIRST_FUNCTION + i: share(np.full(_LEAST, NOT_KNOWN, np.int64)) for i, n in enumerate(operands) if n == 1
        }
        self._directory: Codes = share(np.zeros(max(1, len(operands)) * MEMO_WORDS, np.int64))
        arena[MEMOS] = self._distance(self._directory)
        for question in self._memos:
            self._enter_memo(question)
        for i, (makes_one, number) in enumerate(zip(makes, operands, strict=True)):
            self._directory[i * MEMO_WORDS + MAKES] = makes_one and number > 1
        self.makers = [PAIR, *(FIRST_FUNCTION + i for i in range(len(makes)) if self._is_maker(i))]
        """The questions whose answers kernels make (see `making`)."""
        asked = _asked(arena, answer, self._remember, self._make_room, keep)
        self._function = _Function(asked)  # kept for as long as kernels call it
        arena[ASK] = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        self._make_table(2 * _LEAST)  # there is no room yet for answers and terms: most programs need none

    def __len__(self) -> int:
        return self._count + self._of_names

    @property
    def _count(self) -> int:
        return self._words[ANSWERS_KNOWN]

    def _is_maker(self, function: int) -> bool:
        return bool(self._directory[function * MEMO_WORDS + MAKES])

    # -- terms that kernels make (see `making`) -----------------------------------------------------------------------

    @property
    def terms(self) -> int:
        """How many terms there are, including those that kernels have made."""
        return self._words[TERMS_KNOWN]

    def add_term(self, depth: int) -> None:
        """Enter a term that the driver has made."""
        words = self._words
        number = words[TERMS_KNOWN]
        if number == words[TERMS_ROOM]:
            self._make_room()
        if depth:
            self._terms[number, DEPTH] = depth
        words[TERMS_KNOWN] = number + 1

    def questions_of(self, numbers: Codes) -> Codes:
        """The questions to which terms are the answers, if kernels have made them, as rows."""
        rows: Codes = self._rows[self._terms[numbers, MADE_BY]]
        return rows

    def _make_room(self) -> None:
        """Make room for more answers and terms, and tell kernels where they are."""
        if 2 * self._count >= self._slots or self._count >= len(self._rows):
            more = max(_LEAST, self._count)
            self._shared_rows, self._rows = _with_room(self._rows[: self._count], more)
            self._make_table(max(2 * _LEAST, 4 * _power_of_two(self._count)))
        if self.terms >= len(self._terms):
            more = max(_LEAST, self.terms)
            self._shared_terms, self._terms = _with_room(self._terms[: self.terms], more)
        self._making[ANSWERS_AT] = self._distance(self._shared_rows)
        self._making[ANSWERS_ROOM] = min(len(self._rows), self._slots // 2)
        self._making[TERMS_AT], self._making[TERMS_ROOM] = self._distance(self._shared_terms), len(self._terms)

    @property
    def rows(self) -> Codes:
        """All answers: the question, its two codes, the answer."""
        found = [self._rows[: self._count]]
        for question, memo in self._memos.items():
            known = np.flatnonzero(memo != NOT_KNOWN)
            names = known + NAMES
            found.append(np.column_stack([np.full(len(known), question), names, names, memo[known]]))
        return np.concatenate(found)

    def keep(self, rows: Codes, terms: Codes) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Keep only these answers, and the terms with these numbers, which have new ones. Returns which of the terms
        kernels have made."""
        depths = self._terms[terms, DEPTH]
        self._making[ANSWERS_KNOWN] = self._making[TERMS_KNOWN] = 0
        self._of_names = 0
        for memo in self._memos.values():
            memo.fill(NOT_KNOWN)
        of_names = np.isin(rows[:, QUESTION], list(self._memos)) & (rows[:, A] == rows[:, B])
        of_names &= (rows[:, A] >= NAMES) & (rows[:, A] < TERMS)
        for question, a, b, answer in rows[of_names].tolist():
            self._remember(question, a, b, answer)
        rows = rows[~of_names]
        self._making[ANSWERS_KNOWN], self._making[TERMS_KNOWN] = len(rows), len(terms)
        if len(rows) < len(self._rows) // 4 and len(terms) < len(self._terms) // 4:
            self._rows[: len(rows)] = rows  # there is room, and it will be needed again
            self._table[FIRST_SLOT:] = FREE
            enter(self._table, self._rows[: len(rows)])
        else:
            self._rows, self._slots = rows, 0  # so that room is made for more
            self._terms = np.empty((len(terms), TERM_WORDS), np.int64)
        self._terms[: len(terms)] = -1
        self._terms[: len(terms), DEPTH] = depths
        made = np.flatnonzero(np.isin(rows[:, QUESTION], self.makers))
        made = made[(rows[made, ANSWER] >= TERMS) & (rows[made, ANSWER] < WIDES)]  # the others have no value
        self._terms[WIDES - 1 - rows[made, ANSWER], MADE_BY] = made
        are_made: np.ndarray[Any, np.dtype[np.bool_]] = self._terms[: len(terms), MADE_BY] >= 0
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
        if self._making[ANSWERS_KNOWN] == self._making[ANSWERS_ROOM]:
            self._make_room()
        count = self._count
        self._rows[count] = question, a, b, answer
        self._making[ANSWERS_KNOWN] = count + 1
        enter(self._table, self._rows[count : count + 1])

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
        return (_address(array) - self._arena_at) // 8


def _address(array: Codes) -> int:
    """Where an array is; `array.ctypes.data` is the same, but takes longer."""
    at: int = array.__array_interface__["data"][0]
    return at


def _with_room(rows: Codes, more: int) -> tuple[Codes, Codes]:
    """Rows with room for more, as words that kernels reach and as rows."""
    words = np.zeros((len(rows) + more) * rows.shape[1], np.int64)
    words[: rows.size] = rows.ravel()
    return share(words), words.reshape(-1, rows.shape[1])


def _power_of_two(number: int) -> int:
    """The least power of two that is not less.

    >>> [_power_of_two(number) for number in (1, 5, 8)]
    [1, 8, 8]
    """
    return 1 << max(0, number - 1).bit_length()


_Function = ctypes.CFUNCTYPE(ctypes.c_int64)


def _asked(
    arena: Codes,
    answer: Callable[[int, int, int], int],
    remember: Callable[[int, int, int, int], None],
    make_room: Callable[[], None],
    keep: Callable[[BaseException], None],
) -> Callable[[], int]:
    """The function that kernels call. It must not raise: exceptions inside it are kept, and the kernels stop."""
    words = arena.data  # its items are Python's integers, without a detour

    def asked() -> int:
        try:
            key = words[KEY]
            question, a, b = words[key + ASKED_QUESTION], words[key + ASKED_A], words[key + ASKED_B]
            if question == ROOM:
                make_room()
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
