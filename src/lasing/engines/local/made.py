"""The driver's side of terms (see `making`): room for those that kernels make, and what they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from lasing.engines.local.identifiers import (
    FIRST,
    FREE,
    NUMBER,
    encode_identifier,
    enter_identifiers,
    keep_terms,
)
from lasing.engines.local.making import (
    DEPTH,
    GIVEN,
    IDENTIFIERS,
    IDENTIFIERS_ROOM,
    IS_PAIR,
    MADE_FROM,
    MAKING,
    MAKING_WORDS,
    OPERANDS_AT,
    OPERANDS_ROOM,
    OPERANDS_USED,
    TABLE_AT,
    TABLE_MASK,
    TERM_WORDS,
    TERMS_AT,
    TERMS_KNOWN,
    TERMS_ROOM,
    WIDES,
)
from lasing.engines.local.pointers import share

Codes = np.ndarray[Any, np.dtype[np.int64]]

LEAST = 32
LINE = 8
"""The table has whole lines of the cache."""


class Made:
    """The words about all terms of an engine; most programs need no room for any."""

    def __init__(self, arena: Codes) -> None:
        self._arena = arena
        self._arena_at = address(arena)
        self.words: Codes = share(np.zeros(MAKING_WORDS, np.int64))
        self._header = self.words.data  # its items are Python's integers, without a detour
        arena[MAKING] = self.distance(self.words)
        self._set_terms(np.zeros(0, np.int64))
        self._set_operands(np.zeros(0, np.int64))
        self._table: Codes = np.zeros(0, np.int64)
        self._set_table(0)

    def __len__(self) -> int:
        """How many terms there are, including those that kernels have made."""
        return self._header[TERMS_KNOWN]

    def distance(self, array: Codes) -> int:
        """How many words an array is behind the arena."""
        return (address(array) - self._arena_at) // 8

    def add(self, depth: int) -> None:
        """Enter a term that the driver has made."""
        number = self._header[TERMS_KNOWN]
        if number == self._header[TERMS_ROOM]:
            self.make_room(0)
        at = number * TERM_WORDS
        self._about[at + DEPTH], self._about[at + MADE_FROM] = depth, GIVEN
        self._header[TERMS_KNOWN] = number + 1

    def code(self, operands: list[int]) -> int:
        """The code of the identifier made of operands, which kernels may have made already."""
        found: int = encode_identifier(self._arena, np.array(operands, np.int64))
        return found

    # -- what terms are made of ------------------------------------------------------------------------------------

    def pair(self, number: int) -> int | None:
        """The number of the answer that a term is, if it is a pair."""
        at = number * TERM_WORDS
        return self._about[at + MADE_FROM] if self._about[at + DEPTH] == IS_PAIR else None

    def operands(self, number: int) -> list[int]:
        """The operands of an identifier that kernels have made."""
        at = self._about[number * TERM_WORDS + MADE_FROM]
        first = at + FIRST
        found: list[int] = self._known_operands[first : first + self._known_operands[at + NUMBER]].tolist()
        return found

    def rows(self, numbers: Codes) -> list[tuple[Codes, Codes]]:
        """The operands of many identifiers: which of them have the same number of operands, and a copy of these."""
        places = self._by_term[numbers, MADE_FROM]
        sizes = self._operands[places + NUMBER]
        found = []
        alike = (sizes == sizes[:1]).all()  # as most are
        for size in (sizes[:1] if alike else np.unique(sizes)).tolist():
            mine = np.flatnonzero(sizes == size)
            at, stride = places[mine], FIRST + size
            if (np.diff(at) == stride).all():  # a rule has made them one after the other
                rows = self._operands[at[0] : at[0] + len(at) * stride].reshape(len(at), stride)[:, FIRST:].copy()
            else:
                rows = self._operands[at[:, np.newaxis] + np.arange(FIRST, stride)]
            found.append((mine, rows))
        return found

    def marked(self) -> tuple[Codes, Codes]:
        """The words about terms, and the operands of identifiers, as `mark_answers` wants them."""
        return self._by_term[: len(self)], self._operands

    # -- room, and what is forgotten -------------------------------------------------------------------------------

    def make_room(self, operands: int) -> None:
        """Make room for one more term, and an identifier with that many words of operands."""
        header = self._header
        if header[TERMS_KNOWN] == header[TERMS_ROOM]:
            self._set_terms(_with_room(self._terms, header[TERMS_KNOWN] * TERM_WORDS, LEAST * TERM_WORDS))
        if operands and header[OPERANDS_USED] + operands > header[OPERANDS_ROOM]:
            self._set_operands(_with_room(self._operands, header[OPERANDS_USED], operands + LEAST))
        if operands and header[IDENTIFIERS] == header[IDENTIFIERS_ROOM]:
            self._set_table(max(LEAST, 4 * header[IDENTIFIERS]))

    def keep(self, kept: Codes, names: Codes, wides: Codes) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Keep only the terms with these numbers, which have new ones, as all codes have; says which of these kernels
        have made. Pairs have to be entered again."""
        header = self._header
        known, used = header[TERMS_KNOWN] * TERM_WORDS, header[OPERANDS_USED]
        are_made: np.ndarray[Any, np.dtype[np.bool_]] = self._by_term[kept, MADE_FROM] != GIVEN
        header[OPERANDS_USED] = keep_terms(self._by_term, kept, self._operands, names, wides)
        header[TERMS_KNOWN] = len(kept)
        if len(self._terms) > 4 * known:  # there were many more once
            self._set_terms(self._terms[: 2 * known].copy())
        if len(self._operands) > 4 * used:
            self._set_operands(self._operands[: 2 * used].copy())
        self._set_table(min(len(self._table), 4 * header[IDENTIFIERS]))
        return are_made

    def enter_pairs(self, codes: Codes, answers: Codes) -> None:
        """Say which answers the pairs with these codes are."""
        self._by_term[WIDES - 1 - codes, MADE_FROM] = answers

    def _set_terms(self, words: Codes) -> None:
        self._terms = share(words)
        self._about = self._terms.data
        self._by_term = self._terms.reshape(-1, TERM_WORDS)
        self._header[TERMS_AT] = self.distance(self._terms)
        self._header[TERMS_ROOM] = len(words) // TERM_WORDS

    def _set_operands(self, words: Codes) -> None:
        self._operands = share(words)
        self._known_operands = self._operands.data
        self._header[OPERANDS_AT] = self.distance(self._operands)
        self._header[OPERANDS_ROOM] = len(words)

    def _set_table(self, slots: int) -> None:
        """A table of this number of slots, up to a power of two, and all identifiers in it."""
        number = power_of_two(max(slots, LINE))
        if len(self._table) == number:
            self._table.fill(FREE)
        else:
            self._table = share(np.full(number, FREE, np.int64))
        header = self._header
        header[TABLE_AT], header[TABLE_MASK] = self.distance(self._table), number - 1
        header[IDENTIFIERS] = enter_identifiers(self._by_term, len(self), self._operands, self._table)
        header[IDENTIFIERS_ROOM] = number // 2 if slots else 0


def address(array: Codes) -> int:
    """Where an array is; `array.ctypes.data` is the same, but takes longer."""
    at: int = array.__array_interface__["data"][0]
    return at


def power_of_two(number: int) -> int:
    """The least power of two that is not less.

    >>> [power_of_two(number) for number in (1, 5, 8)]
    [1, 8, 8]
    """
    return 1 << max(0, number - 1).bit_length()


def _with_room(words: Codes, used: int, more: int) -> Codes:
    """The words that are used, and room for as many again, or at least for more."""
    found: Codes = np.zeros(used + max(used, more), np.int64)
    found[:used] = words[:used]
    return found
