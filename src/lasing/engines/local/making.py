"""Terms that kernels make: identifiers such as `new(room, X)`, and pairs of operands of other functions.

    new(f, x, y)  =  the identifier made of (f, x, y);  a new one, if nobody has made it yet

All that such a term needs is a code of its own, the same for the same operands. So kernels number these terms
themselves, and enter them to be found again. The driver makes a value from the operands only when someone reads it, and
an identifier that lives never gets a second code.

Each term has two words. The first says how deep identifiers are nested in it, because they may be nested only so deep;
or that it is a pair. The second says what it was made of: for a pair, the number of its answer (see `asking`); for an
identifier, the place of its operands (see `identifiers`).
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.pointers import Memory

# The word of the arena's header that belongs to this file: how far the words about terms are from the arena.
MAKING = 42
# These words: how far the answers are from the arena, how many there are, and for how many there is room; the same for
# what is kept about each term, and for the words with the operands of identifiers; how far the table of identifiers is,
# its mask, how many there are in it, and for how many there is room.
ANSWERS_AT, ANSWERS_KNOWN, ANSWERS_ROOM, TERMS_AT, TERMS_KNOWN, TERMS_ROOM = range(6)
OPERANDS_AT, OPERANDS_USED, OPERANDS_ROOM, TABLE_AT, TABLE_MASK, IDENTIFIERS, IDENTIFIERS_ROOM = range(6, 13)
MAKING_WORDS = 13
# About each term.
DEPTH, MADE_FROM = range(2)
TERM_WORDS = 2
IS_PAIR = 1 << 20
"""In place of a depth: this is a pair of operands, which is no value."""
GIVEN = -1
"""In place of what a term was made of: kernels have not made it."""

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
def number_term(m: Memory, depth: int, made_from: int) -> int:
    """The code of a new term."""
    making = m[MAKING]
    number = m[making + TERMS_KNOWN]
    about = m[making + TERMS_AT] + number * TERM_WORDS
    m[about + DEPTH], m[about + MADE_FROM] = depth, made_from
    m[making + TERMS_KNOWN] = number + 1
    return WIDES - 1 - number
