"""Sweep: the last probe of a guaranteed rule, if only comparisons come after it.

    head  =  what is known of it before  +  some columns of each row of a chain that satisfies the comparisons

Most of a join's time goes into its innermost loop. Here it has no stack, and sets no register that nothing reads.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_NEXT,
    HI,
    INDEX,
    INDEX_COLUMNS,
    INDEX_WIDTH,
    KEY,
    LO,
    MASK,
    OFFSET,
    REGISTERS,
    SINCE,
    STRIDE,
    UPTO,
    head_of,
    put,
)
from lasing.engines.local.operators.variants import (
    BEFORE,
    BIND,
    CHECKED,
    COLUMN,
    COMPARES,
    COMPARISON,
    FIRST_KEY,
    HEAD,
    HEAD_COLUMN,
    HEAD_REGISTERS,
    INDEX_NUMBER,
    KEYS,
    LEFT,
    NEGATED,
    REGISTER,
    RELATION,
    RIGHT,
    ROW_COLUMN,
    STEP,
    STEP_BINDS,
    STEP_FIRST_BIND,
    STOPS,
    TAKE,
    TAKEN,
    TEMPLATE,
)
from lasing.engines.local.pause import FUEL, GO_ON, STOPPED, pause
from lasing.engines.local.pointers import Memory
from lasing.engines.local.values import SMALL, compare
from lasing.logic.functions.codes import LESS

FITS, FAILS, ENDS = range(3)


@njit(cache=True)
def sweep(m: Memory, v: int, p: int, t: int, horizon: int, texts: Memory) -> None:
    """Derive the head for all rows that a probe finds, and that satisfy the comparisons after it."""
    d, head, key = m[p + RELATION], m[v + HEAD], m[KEY]
    registers, template, taken = m[REGISTERS], m[p + TEMPLATE], m[p + TAKEN]
    for j in range(m[head + ARITY]):
        m[template + j] = m[registers + m[m[v + HEAD_REGISTERS] + j]]
    keys, first_key = m[p + KEYS], m[p + FIRST_KEY]
    for j in range(keys):
        m[key + j] = m[registers + m[first_key + j]]
    q = d + INDEX + m[p + INDEX_NUMBER] * INDEX_WIDTH + INDEX_COLUMNS
    row = m[d + HI] - 1 if keys == 0 else m[head_of(m, d, m[p + INDEX_NUMBER], key)]
    value, column = (m[key], m[q]) if keys > 0 else (0, 0)
    lo, mask, offset, stride = m[d + LO], m[d + MASK], m[d + OFFSET], m[d + STRIDE]
    at_h, at_next = m[d + AT_H], m[d + AT_NEXT] + m[p + INDEX_NUMBER]
    limit = m[d + SINCE] if m[p + BEFORE] == 1 else m[d + UPTO]
    fuel = m[FUEL]
    while row >= lo:
        b = offset + (row & mask) * stride
        until = m[b + at_h]
        if (
            until >= t
            and row < limit
            and (keys == 0 or m[b + column] == value)
            and _same(m, b, q, keys, registers, first_key)
        ):
            fits = _satisfies(m, p, b, registers, texts)
            if fits == FITS:
                for j in range(m[taken]):
                    x = taken + 1 + j * TAKE
                    m[template + m[x + HEAD_COLUMN]] = m[b + m[x + ROW_COLUMN]]
                put(m, head, template, min(horizon, until))
            elif fits == ENDS:
                break
        row = row - 1 if keys == 0 else m[b + at_next]
        fuel -= 1
        if fuel < 0:
            fuel = pause(m)
            if m[STOPPED] != GO_ON:
                return
    m[FUEL] = fuel


@njit(cache=True, forceinline=True)
def _same(m: Memory, b: int, columns: int, keys: int, registers: int, first_key: int) -> bool:
    """Whether a row has the values that the probe asks for, the first of which is known to be the same."""
    same = True
    for j in range(1, keys):
        same = same and m[b + m[columns + j]] == m[registers + m[first_key + j]]
    return same


@njit(cache=True, forceinline=True)
def _satisfies(m: Memory, p: int, b: int, registers: int, texts: Memory) -> int:
    """Whether a row satisfies the comparisons; ENDS if it does not, and no row that follows does."""
    first = m[p + STEP_FIRST_BIND]
    for j in range(m[p + STEP_BINDS]):
        x = first + j * BIND
        r, value = registers + m[x + REGISTER], m[b + m[x + COLUMN]]
        if m[x + CHECKED] == 0:
            m[r] = value
        elif m[r] != value:
            return FAILS
    for _ in range(m[p + COMPARES]):
        p += STEP
        left, right = m[registers + m[p + LEFT]], m[registers + m[p + RIGHT]]
        if m[p + COMPARISON] == LESS and abs(left) < SMALL and abs(right) < SMALL:
            holds = left < right
        else:
            holds = compare(m, m[p + COMPARISON], left, right, texts)
        if holds == (m[p + NEGATED] == 1):
            return ENDS if m[p + STOPS] == 1 else FAILS
    return FITS
