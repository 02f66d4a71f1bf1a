"""Forget values that nothing uses any more.

Names and wide values get codes when they first occur. A stream that keeps bringing new ones would fill the dictionary
although its windows are bounded. So from time to time the codes in use are marked, the others are dropped, those that
stay get new, consecutive numbers, every row is rewritten, and the indices are rebuilt.
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.making import DEPTH, IS_PAIR, MADE_FROM
from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_MORE,
    CODES_IN_BLOCK,
    DESCRIPTOR,
    FIRST_RELATION,
    FOREVER,
    HI,
    KEY,
    LO,
    LOOKED_AT,
    MORE_BLOCK,
    MORE_CODES,
    RELATIONS,
    WIDE,
    append,
    record,
)
from lasing.engines.local.pointers import Memory, pointer
from lasing.engines.local.upkeep import link_again
from lasing.engines.local.values import NAMES, TERMS, WIDES


@njit(cache=True)
def mark(array: Memory, names: np.ndarray, wides: np.ndarray) -> None:
    """Mark the names and wide values that are in some row."""
    m = pointer(array)
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        if d == m[WIDE]:
            continue
        for row in range(m[d + LO], m[d + HI]):
            b = record(m, d, row)
            for j in range(m[d + ARITY]):
                mark_code(m[b + j], names, wides)
            codes, more = m[d + MORE_CODES], b + m[d + AT_MORE]
            while codes != 0:
                if codes & 1:
                    mark_code(m[more], names, wides)
                codes, more = codes >> 1, more + 1


@njit(cache=True)
def mark_rows(rows: np.ndarray, first: int, names: np.ndarray, wides: np.ndarray) -> None:
    """Mark the names and wide values that are in the columns of some rows from `first` on."""
    for i in range(rows.shape[0]):
        for j in range(first, rows.shape[1]):
            mark_code(rows[i, j], names, wides)


@njit(cache=True)
def mark_code(code: int, names: np.ndarray, wides: np.ndarray) -> None:
    if NAMES <= code < WIDES:
        number = _number_of(code, names)
        if 0 <= number < names.shape[0]:  # words after the arguments of a row that are not codes can be anything
            names[number] = 1
    elif code >= WIDES and code - WIDES < wides.shape[0]:
        wides[code - WIDES] = 1


# What is the answer to a question: a value, a term that kernels have made (see `making`), or something else.
NO_VALUE, VALUE, MADE = range(3)
# Whether a value lives, is gone, or is a small number, which is not stored and so never goes.
DEAD, EVERLASTING, ALIVE = range(3)


@njit(cache=True)
def mark_answers(
    rows: np.ndarray,
    kinds: np.ndarray,
    kept: np.ndarray,
    names: np.ndarray,
    wides: np.ndarray,
    asked: np.ndarray,
    terms: np.ndarray,
    operands: np.ndarray,
) -> None:
    """Mark the answers that are kept, and the values that they need. A row is a question, its two operands, an answer.

    An answer is kept if its operands live, and at least one of them could be gone; then its result lives. Terms that
    kernels make are the other way round: as long as one lives, so do its operands, and it must not get another code.
    Pairs that functions were asked about (`asked`) are kept like other answers.

    Operands are older than what is made of them, so a pass forwards and one backwards find nearly everything.
    """
    number = rows.shape[0]
    done = np.zeros(terms.shape[0], np.bool_)
    nothing = np.zeros(0, np.int64)
    for i in range(number):
        if kinds[i] == VALUE:
            mark_code(rows[i, 1], asked, nothing)
            mark_code(rows[i, 2], asked, nothing)
    for i in range(number - 1, -1, -1):
        if kinds[i] == MADE and _life(rows[i, 3], asked, nothing) == ALIVE:
            mark_code(rows[i, 1], asked, nothing)
            mark_code(rows[i, 2], asked, nothing)
    changed = True
    while changed:
        changed = False
        for i in range(number):
            if not kept[i] and (kinds[i] != MADE or _life(rows[i, 3], asked, nothing) == ALIVE):
                one, other = _life(rows[i, 1], names, wides), _life(rows[i, 2], names, wides)
                if min(one, other) > DEAD and max(one, other) == ALIVE:
                    kept[i] = changed = True
                    if kinds[i] != NO_VALUE:
                        mark_code(rows[i, 3], names, wides)
        for i in range(number - 1, -1, -1):
            if kinds[i] == MADE and not kept[i] and _life(rows[i, 3], names, wides) == ALIVE:
                kept[i] = changed = True
                mark_code(rows[i, 1], names, wides)
                mark_code(rows[i, 2], names, wides)
        if _mark_operands(names, wides, terms, operands, done):
            changed = changed or number > 0


@njit(cache=True)
def _mark_operands(
    names: np.ndarray, wides: np.ndarray, terms: np.ndarray, operands: np.ndarray, done: np.ndarray
) -> bool:
    """Mark what identifiers that live were made of. Returns whether there are any for which that is not `done`."""
    some, newest = False, names.shape[0] - 1
    for number in range(terms.shape[0] - 1, -1, -1):
        at = terms[number, MADE_FROM]
        if names[newest - number] == 1 and at >= 0 and terms[number, DEPTH] < IS_PAIR and not done[number]:
            done[number] = some = True
            for j in range(operands[at + 1]):
                mark_code(operands[at + 2 + j], names, wides)
    return some


@njit(cache=True)
def _life(code: int, names: np.ndarray, wides: np.ndarray) -> int:
    """Whether a value lives."""
    if NAMES <= code < WIDES:
        number = _number_of(code, names)
        return ALIVE if 0 <= number < names.shape[0] and names[number] == 1 else DEAD
    if code >= WIDES:
        return ALIVE if code - WIDES < wides.shape[0] and wides[code - WIDES] == 1 else DEAD
    return EVERLASTING


@njit(cache=True, forceinline=True)
def _number_of(code: int, names: np.ndarray) -> int:
    """Where a name or term is in an array of all of them: names from the first on, terms from the last on backwards."""
    return code - NAMES if code < TERMS else names.shape[0] - (WIDES - code)


@njit(cache=True)
def renumber(array: Memory, names: np.ndarray, wides: np.ndarray) -> None:
    """Give all codes new numbers: names[old] and wides[old] are the new ones, or -1 if they are gone."""
    m = pointer(array)
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        if d == m[WIDE]:
            continue
        for row in range(m[d + LO], m[d + HI]):
            b = record(m, d, row)
            for j in range(m[d + ARITY]):
                m[b + j] = new_code(m[b + j], names, wides)
            codes, more = m[d + MORE_CODES], b + m[d + AT_MORE]
            while codes != 0:
                if codes & 1:
                    m[more] = new_code(m[more], names, wides)
                codes, more = codes >> 1, more + 1
            if m[d + CODES_IN_BLOCK] != 0:
                _renumber_block(m, d, b + m[d + AT_MORE], names, wides)
        link_again(m, d)
    _keep_wides(m, wides)


@njit(cache=True)
def _renumber_block(m: Memory, d: int, more: int, names: np.ndarray, wides: np.ndarray) -> None:
    """Give the codes in a row's own block new numbers. They need no mark: they are also in rows of another relation."""
    block = m[more + m[d + MORE_BLOCK] - 1]
    if block != 0:
        for i in range(m[more + m[d + CODES_IN_BLOCK] - 1]):
            m[block + i] = new_code(m[block + i], names, wides)


@njit(cache=True)
def renumber_rows(rows: np.ndarray, first: int, names: np.ndarray, wides: np.ndarray) -> None:
    """Give the codes in the columns of some rows from `first` on their new numbers, in place."""
    for i in range(rows.shape[0]):
        for j in range(first, rows.shape[1]):
            rows[i, j] = new_code(rows[i, j], names, wides)


@njit(cache=True)
def new_code(code: int, names: np.ndarray, wides: np.ndarray) -> int:
    if NAMES <= code < WIDES:
        number = _number_of(code, names)
        return NAMES + names[number] if 0 <= number < names.shape[0] else code
    if code >= WIDES and code - WIDES < wides.shape[0]:
        return WIDES + wides[code - WIDES]
    return code


@njit(cache=True)
def _keep_wides(m: Memory, wides: np.ndarray) -> None:
    """The wide values that stay, under their new numbers."""
    d, key = m[WIDE], m[KEY]
    kept = 0
    rows = np.empty((wides.shape[0], 2), np.int64)
    for row in range(wides.shape[0]):
        if wides[row] >= 0:
            b = record(m, d, row)
            rows[kept, 0], rows[kept, 1] = m[b], m[b + 1]
            kept += 1
    m[d + LO] = m[d + HI] = m[d + LOOKED_AT] = 0
    link_again(m, d)
    for i in range(kept):
        m[key], m[key + 1] = rows[i, 0], rows[i, 1]
        m[record(m, d, append(m, d, key)) + m[d + AT_H]] = FOREVER


@njit(cache=True)
def wide_values(array: Memory) -> int:
    """How many wide values there are."""
    m = pointer(array)
    return m[m[WIDE] + HI]
