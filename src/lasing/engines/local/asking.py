"""Questions of kernels that only Python can answer: the value of a function without a kernel, how terms compare.

    ask(question, a, b)  =  the answer cached for (question, a, b);  or else the driver's answer, which is then cached

Each question is answered once for the same codes. A table of answers (open addressing) lies beside the arena. If it has
no answer, the kernel calls a function of the driver by its address, as it does to pause, and continues with the answer:
to return to the driver, it would have to save the state of all its loops. The answer may be a new value. So names and
wide values may be added during the call, and the table may move: kernels find it by its distance from the arena, which
they read each time. `answers` is the driver's side. Pairs and identifiers need no driver (see `making`).

The values of a function of one name are in an array under the number of the name, so that a column of names costs one
look into a small array for each row. The other answers are in the table.
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.making import (
    ANSWERS_AT,
    ANSWERS_KNOWN,
    ANSWERS_ROOM,
    IS_PAIR,
    MAKING,
    TERMS_KNOWN,
    TERMS_ROOM,
    number_term,
)
from lasing.engines.local.making import NAMES as NAMES
from lasing.engines.local.making import TERMS as TERMS
from lasing.engines.local.memory import KEY, mix
from lasing.engines.local.pointers import Memory, call, int64, pointer, uint64
from lasing.logic.functions.codes import COPY, UNEQUAL

# The words of the arena's header that belong to this file: where the driver's function is, and how far the table is
# from the arena. In the area for keys: what is asked.
ASK, ANSWERS, MEMOS = 36, 37, 40
ASKED_QUESTION, ASKED_A, ASKED_B = 40, 41, 42

# Questions: a comparison by its code; which values a value compares with; which of two comes first; what a term adds to
# a sum (see `totals`); functions.
CLASS, PRECEDES, SUMMAND, BITS, LIMB = range(UNEQUAL + 1, UNEQUAL + 6)
assert LIMB <= COPY, "the answers to these questions are no values"
PAIR = COPY + 1
"""A function of more than two operands takes the last one, and a pair of all those before it."""
FIRST_FUNCTION = PAIR + 1
ARITHMETIC = 1 << 32
"""Arithmetic on terms: the question is this and the code of the operation."""
TOTAL = 1 << 33
"""The value of a sum with terms. The question is about words of memory, not about codes: its answer is not cached."""
TEXTS = TOTAL + 1
"""The concatenation of a group, which is also in memory (see `operators.concat`)."""
ROOM = TOTAL + 2
"""No question: the driver has to make room for terms that kernels make."""

# The table: its mask, then per slot the question, its two codes, and the answer.
MASK, FIRST_SLOT = 0, 1
QUESTION, A, B, ANSWER = range(4)
SLOT = 4
FREE = -1

# For each function: how far its array is from the arena, and its length, 0 if it takes more than one operand.
MEMO, MEMO_SIZE = range(2)
MEMO_WORDS = 2
NOT_KNOWN = -(2**63) + 63
"""In an array: this value is not known yet. No code and no reason is this number."""


@njit(cache=True, forceinline=True)
def known_value(m: Memory, question: int, a: int, b: int) -> int:
    """The value of a function of one name, if it has been computed; otherwise NOT_KNOWN."""
    if a == b and NAMES <= a < TERMS and FIRST_FUNCTION <= question < ARITHMETIC:
        memo = m[MEMOS] + (question - FIRST_FUNCTION) * MEMO_WORDS
        if a - NAMES < m[memo + MEMO_SIZE]:
            return m[m[memo + MEMO] + a - NAMES]
    return NOT_KNOWN


@njit(cache=True)
def ask(m: Memory, question: int, a: int, b: int) -> int:
    """The answer to a question about two codes."""
    known = known_value(m, question, a, b)
    if known != NOT_KNOWN:
        return known
    at = _slot(m, m[ANSWERS], question, a, b)
    if m[at + QUESTION] != FREE:
        return m[at + ANSWER]
    return _pair(m, a, b) if question == PAIR else ask_driver(m, question, a, b)


@njit(cache=True)
def _pair(m: Memory, a: int, b: int) -> int:
    """The pair of two operands, which nobody has made yet."""
    making = m[MAKING]
    if m[making + ANSWERS_KNOWN] == m[making + ANSWERS_ROOM] or m[making + TERMS_KNOWN] == m[making + TERMS_ROOM]:
        ask_driver(m, ROOM, 0, 0)
    number = m[making + ANSWERS_KNOWN]
    slot = _slot(m, m[ANSWERS], PAIR, a, b)
    code = number_term(m, IS_PAIR, number)
    for at in (m[making + ANSWERS_AT] + number * SLOT, slot):
        m[at + QUESTION], m[at + A], m[at + B], m[at + ANSWER] = PAIR, a, b, code
    m[making + ANSWERS_KNOWN] = number + 1
    return code


@njit(cache=True)
def ask_driver(m: Memory, question: int, a: int, b: int) -> int:
    """The driver's answer to a question."""
    key = m[KEY]
    m[key + ASKED_QUESTION], m[key + ASKED_A], m[key + ASKED_B] = question, a, b
    return call(m[ASK])


@njit(cache=True)
def _slot(m: Memory, table: int, question: int, a: int, b: int) -> int:
    """Where the answer to a question is in a table, or would be."""
    mask = m[table + MASK]
    x = mix(mix(mix(uint64(0), question), a), b)
    slot = int64(uint64(x) >> uint64(20)) & mask
    while True:
        at = table + FIRST_SLOT + slot * SLOT
        if m[at + QUESTION] == FREE or (m[at + QUESTION] == question and m[at + A] == a and m[at + B] == b):
            return at
        slot = (slot + 1) & mask


@njit(cache=True)
def enter(table: Memory, rows: np.ndarray) -> None:
    """Put answers into a table that has room for them."""
    m = pointer(table)
    for i in range(rows.shape[0]):
        at = _slot(m, 0, rows[i, QUESTION], rows[i, A], rows[i, B])
        for j in range(SLOT):
            m[at + j] = rows[i, j]
