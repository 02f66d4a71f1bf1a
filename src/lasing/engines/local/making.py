"""Terms that kernels make: pairs of operands, and identifiers such as `new(room, X)`.

    new(f, x, y)  =  the term of the question (new, pair(f, x), y);  a new one, if nobody has asked it yet

All that such a term needs is a code of its own, the same for the same operands. So kernels number these terms
themselves, and enter the answers to be found again. The driver makes a value from the operands only when someone reads
it. Answers about terms that live are kept, so a term never gets a second code.

Identifiers may be nested only so deep, and their first operand must be a name. Each term has words that say how deep
identifiers are nested in it. Where an identifier would have no value, kernels ask the driver for the reason. They also
call it to make room.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.pointers import Memory, int64
from lasing.logic.values.constructed import DEEPEST

# The word of the arena's header that belongs to this file: how far the words about terms are from the arena.
MAKING = 42
# These words: how far the answers are from the arena, how many there are, and for how many there is room; the same for
# what is kept about each term.
ANSWERS_AT, ANSWERS_KNOWN, ANSWERS_ROOM, TERMS_AT, TERMS_KNOWN, TERMS_ROOM = range(6)
MAKING_WORDS = 6
# About each term: how deep identifiers are nested in it, and, if kernels have made it, the place of the
# answer that it is.
DEPTH, MADE_BY = range(2)
TERM_WORDS = 2
OPERANDS = 1 << 20
"""A pair of operands has this and their depth: it is no value."""
NO_IDENTIFIER = DEEPEST + 1
"""The depth of operands from which no identifier can be made, because the first is not a name."""

NAMES = 2**61
TERMS = 2**61 + 2**60
WIDES = 2**62
"""Names have codes from NAMES on, terms those before WIDES, downwards."""


@njit(cache=True)
def depth_of(m: Memory, code: int) -> int:
    """How deep identifiers are nested in a value."""
    if TERMS <= code < WIDES:
        return m[m[m[MAKING] + TERMS_AT] + (WIDES - 1 - code) * TERM_WORDS + DEPTH]
    return 0


@njit(cache=True)
def depth_made(m: Memory, a: int, b: int) -> int:
    """How deep identifiers are nested in the operands of a question, if the first of them all is a name."""
    depth = depth_of(m, a)
    if depth >= OPERANDS:
        depth -= OPERANDS
    elif not NAMES <= a < TERMS:
        depth = int64(NO_IDENTIFIER)
    return max(depth, depth_of(m, b))


@njit(cache=True)
def has_room(m: Memory) -> bool:
    """Whether there is room for one more answer and one more term."""
    making = m[MAKING]
    return m[making + ANSWERS_KNOWN] < m[making + ANSWERS_ROOM] and m[making + TERMS_KNOWN] < m[making + TERMS_ROOM]


@njit(cache=True)
def number_term(m: Memory, depth: int) -> int:
    """The code of a new term, which is the next answer."""
    making = m[MAKING]
    number = m[making + TERMS_KNOWN]
    about = m[making + TERMS_AT] + number * TERM_WORDS
    m[about + DEPTH], m[about + MADE_BY] = depth, m[making + ANSWERS_KNOWN]
    m[making + TERMS_KNOWN] = number + 1
    return WIDES - 1 - number
