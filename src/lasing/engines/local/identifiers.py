"""Identifiers that kernels make (see `making`): an identifier is nothing but its operands, which lie side by side.

Their words are: a hash, the number of operands, then the operands. A table (open addressing) finds them by the hash; a
slot is one word: half of the hash, and the number of the term. Often many identifiers are made that differ only in the
last operand, such as the number of a rule, so eight neighbours there are neighbours in the table, on one line of the
cache. An identifier is first written behind all others, and stays there if the table does not have it.

So an identifier of ten operands costs one look into the table, and its operands are read, forgotten and renumbered as
the one row that they are.
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.asking import NAMES, PAIR, ROOM, TERMS, ask, ask_driver
from lasing.engines.local.collect import new_code
from lasing.engines.local.making import (
    DEPTH,
    IDENTIFIERS,
    IDENTIFIERS_ROOM,
    IS_PAIR,
    MADE_FROM,
    MAKING,
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
    depth_of,
    number_term,
)
from lasing.engines.local.memory import REGISTERS, mix
from lasing.engines.local.operators.variants import FOUND, MADE_OF, OPERANDS, OPERATOR
from lasing.engines.local.pointers import Memory, int64, pointer, uint64
from lasing.logic.values.constructed import DEEPEST

HASH, NUMBER, FIRST = range(3)
FREE = -1
HASHED = -(1 << 32)
"""The bits of a slot with the hash; the others have the number of the term."""
NOT_MADE = 0
"""In place of a code: there is no such identifier."""


@njit(cache=True)
def make(m: Memory, p: int, _t: int, _tick: int, _texts: Memory) -> None:
    """A step of a rule: the identifier made of some registers, or why there is none."""
    registers, of, number = m[REGISTERS], m[p + MADE_OF], m[p + OPERANDS]
    at = _room(m, number)
    for j in range(number):
        m[at + FIRST + j] = m[registers + m[of + j]]
    code = _identifier(m, at, number)
    if code == NOT_MADE:  # the driver knows why
        code = m[registers + m[of]]
        for j in range(1, number - 1):
            code = ask(m, PAIR, code, m[registers + m[of + j]])
        code = ask(m, m[p + OPERATOR], code, m[registers + m[of + number - 1]])
    m[p + FOUND] = code


@njit(cache=True)
def encode_identifier(array: Memory, operands: np.ndarray) -> int:
    """The code of an identifier that is known to be one."""
    m, number = pointer(array), operands.shape[0]
    at = _room(m, number)
    for j in range(number):
        m[at + FIRST + j] = operands[j]
    return _identifier(m, at, number)


@njit(cache=True)
def _room(m: Memory, number: int) -> int:
    """Where the next identifier is written, of that many operands."""
    making, more = m[MAKING], FIRST + number
    if (
        m[making + OPERANDS_USED] + more > m[making + OPERANDS_ROOM]
        or m[making + TERMS_KNOWN] == m[making + TERMS_ROOM]
        or m[making + IDENTIFIERS] == m[making + IDENTIFIERS_ROOM]
    ):
        ask_driver(m, ROOM, more, 0)
    return m[making + OPERANDS_AT] + m[making + OPERANDS_USED]


@njit(cache=True)
def _identifier(m: Memory, at: int, number: int) -> int:
    """The code of the identifier whose operands are there, behind those of all others."""
    making = m[MAKING]
    x = hash_of(m, at, number)
    slot = _slot(m, m[making + TABLE_AT], m[making + TABLE_MASK], at, number, x)
    if m[slot] != FREE:
        return WIDES - 1 - (m[slot] & ~HASHED)
    depth = int64(0)
    for j in range(number):
        depth = max(depth, depth_of(m, m[at + FIRST + j]))
    if depth >= DEEPEST or not NAMES <= m[at + FIRST] < TERMS:
        return NOT_MADE
    m[slot] = (x & HASHED) | m[making + TERMS_KNOWN]
    m[making + IDENTIFIERS] += 1
    m[at + HASH], m[at + NUMBER] = x, number
    code = number_term(m, depth + 1, m[making + OPERANDS_USED])
    m[making + OPERANDS_USED] += FIRST + number
    return code


@njit(cache=True)
def hash_of(m: Memory, at: int, number: int) -> int:
    """The hash of operands: its first three bits tell apart what differs only in the last three of the last operand."""
    x = mix(uint64(0), number)
    for j in range(number - 1):
        x = mix(x, m[at + FIRST + j])
    last = m[at + FIRST + number - 1]
    return int64(mix(x, last >> 3)) ^ int64(uint64(last & 7) << uint64(61))


@njit(cache=True, forceinline=True)
def slot_of(x: int, mask: int) -> int:
    """Where to begin to look for a hash."""
    return (int64(uint64(x) >> uint64(20)) & mask & ~7) | int64(uint64(x) >> uint64(61))


@njit(cache=True)
def _slot(m: Memory, table: int, mask: int, at: int, number: int, x: int) -> int:
    """Where an identifier is in the table, or would be."""
    making = m[MAKING]
    terms, operands = m[making + TERMS_AT], m[making + OPERANDS_AT]
    slot = slot_of(x, mask)
    while True:
        place = table + slot
        known = m[place]
        if known == FREE:
            return place
        if known & HASHED == x & HASHED:
            other = operands + m[terms + (known & ~HASHED) * TERM_WORDS + MADE_FROM]
            j = int64(0)
            if m[other + NUMBER] == number:
                while j < number and m[other + FIRST + j] == m[at + FIRST + j]:
                    j += 1
                if j == number:
                    return place
        slot = (slot + 1) & mask


@njit(cache=True)
def enter_identifiers(terms: np.ndarray, known: int, operands: np.ndarray, table: np.ndarray) -> int:
    """Put all identifiers into an empty table that has room for them. Returns how many there are."""
    mask, entered = table.shape[0] - 1, 0
    for number in range(known):
        at = terms[number, MADE_FROM]
        if at >= 0 and terms[number, DEPTH] < IS_PAIR:
            x = operands[at + HASH]
            slot = slot_of(x, mask)
            while table[slot] != FREE:
                slot = (slot + 1) & mask
            table[slot] = (x & HASHED) | number
            entered += 1
    return entered


@njit(cache=True)
def keep_terms(terms: np.ndarray, kept: np.ndarray, array: Memory, names: np.ndarray, wides: np.ndarray) -> int:
    """Keep only the terms with these numbers, which are in order. `array` has the operands of identifiers, which get
    new codes. Returns how many words of it are used then."""
    m, used = pointer(array), 0
    for i in range(kept.shape[0]):
        depth, at = terms[kept[i], DEPTH], terms[kept[i], MADE_FROM]
        terms[i, DEPTH], terms[i, MADE_FROM] = depth, -1
        if depth < IS_PAIR and at >= 0:
            number = m[at + NUMBER]
            for j in range(number):
                m[used + FIRST + j] = new_code(m[at + FIRST + j], names, wides)
            m[used + NUMBER] = number
            m[used + HASH] = hash_of(m, used, number)
            terms[i, MADE_FROM] = used
            used += FIRST + number
    return used
