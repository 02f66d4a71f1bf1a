"""Sums: the exact sum of numbers of all kinds, to which a number is added, or from which it is taken, at constant cost.

    value  =  the sum of the terms that were added and not taken away again, as `logic.functions.sums` defines it

Integers are summed in 128 bits, and doubles in a superaccumulator (see `accumulator`). Other numbers, such as exact
decimals, are values of Python: kernels ask once what such a term adds to a sum (see `totals`), and remember it.

- A double adds its bits, as any other double.
- A whole number or an exact decimal adds its digits, nine at a time: limb ONES + i of the accumulator counts units of
  10^(9·i). The limbs of doubles are all below. As there, nothing is carried over.

A sum without such terms is read by kernels, and otherwise by Python: its value may be an exact decimal itself.
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.accumulator import (
    ACCUMULATOR,
    BLOCK,
    FIRST,
    accumulate,
    accumulated,
    empty,
    make_room,
    merge_limbs,
)
from lasing.engines.local.asking import BITS, LIMB, SUMMAND, TOTAL, ask, ask_driver
from lasing.engines.local.exact import quotient
from lasing.engines.local.memory import WIDE, record
from lasing.engines.local.pointers import Memory, int64, uint64
from lasing.engines.local.values import (
    BEYOND_64_BITS,
    DOUBLE,
    WIDES,
    code_of_double,
    code_of_integer,
    is_name,
    is_term,
)

# The words of a sum: how many terms are doubles; the sum of the integers (high and low words); the accumulator; how
# many terms only Python knows; how many of these are exact decimals, how many are singles, and how many leave the sum
# without a value because they are infinite or too long.
DOUBLES, HIGH, LOW, LIMBS_AT = range(4)
TERMS, DECIMALS, SINGLES, INFINITE, TOO_LONG = range(LIMBS_AT + ACCUMULATOR, LIMBS_AT + ACCUMULATOR + 5)
SUM_WORDS = TOO_LONG + 1

# What a term adds to a sum is its kind; for digits, there follow the first limb and the number of limbs.
NO_NUMBER, OF_INFINITE, OF_TOO_LONG, OF_SINGLE, OF_DOUBLE, OF_WHOLE, OF_DECIMAL = range(7)
KINDS, PLACES = 8, 1024
ONES = 184
"""The limb of the accumulator that counts ones. The limbs of doubles end below 68, and decimals have 112 below this."""


@njit(cache=True)
def is_no_number(m: Memory, code: int) -> bool:
    """Whether a value has no place in a sum."""
    return is_name(code) and not (is_term(code) and ask(m, SUMMAND, code, code) % KINDS != NO_NUMBER)


@njit(cache=True)
def add(m: Memory, at: int, code: int, sign: int) -> int:
    """Add a value to the sum at m[at…], or take it away. Returns `sign` if the value is not a number, otherwise 0."""
    if is_name(code):
        return _add_term(m, at, code, sign) if is_term(code) else sign
    wide = record(m, m[WIDE], code - WIDES) if code >= WIDES else int64(0)
    if code >= WIDES and m[wide] == DOUBLE:
        bits = m[wide + 1]
        m[at + DOUBLES] += sign
        accumulate(m, at + LIMBS_AT, np.int64(bits).view(np.float64), sign)
    else:
        x = m[wide + 1] if code >= WIDES else code
        low = uint64(m[at + LOW])
        total = low + uint64(x) if sign > 0 else low - uint64(x)
        carry = int64(total < low) if sign > 0 else -int64(total > low)
        m[at + LOW] = int64(total)
        m[at + HIGH] += carry + sign * (x >> 63)
    return 0


@njit(cache=True)
def _add_term(m: Memory, at: int, code: int, sign: int) -> int:
    """Same as `add`, for a value that only Python knows."""
    summand = ask(m, SUMMAND, code, code)
    kind = summand % KINDS
    if kind == NO_NUMBER:
        return sign
    m[at + TERMS] += sign
    if kind == OF_INFINITE:
        m[at + INFINITE] += sign
    elif kind == OF_TOO_LONG:
        m[at + TOO_LONG] += sign
    elif kind in (OF_SINGLE, OF_DOUBLE):
        m[at + (SINGLES if kind == OF_SINGLE else DOUBLES)] += sign
        accumulate(m, at + LIMBS_AT, np.int64(ask(m, BITS, code, code)).view(np.float64), sign)
    else:
        m[at + DECIMALS] += sign if kind == OF_DECIMAL else 0
        first, limbs = summand // KINDS % PLACES, summand // KINDS // PLACES
        if make_room(m, at + LIMBS_AT, first, limbs):
            for i in range(limbs):
                digits = ask(m, LIMB, code, i)
                m[m[at + LIMBS_AT + BLOCK] - m[at + LIMBS_AT + FIRST] + first + i] += sign * digits
    return 0


@njit(cache=True)
def merge(m: Memory, at: int, other: int, sign: int) -> None:
    """Add all terms of the sum at m[other…] to the one at m[at…], or take them away."""
    low, x = uint64(m[at + LOW]), uint64(m[other + LOW])
    total = low + x if sign > 0 else low - x
    carry = int64(total < low) if sign > 0 else -int64(total > low)
    m[at + LOW] = int64(total)
    m[at + HIGH] += carry + sign * m[other + HIGH]
    m[at + DOUBLES] += sign * m[other + DOUBLES]
    for word in range(TERMS, SUM_WORDS):
        m[at + word] += sign * m[other + word]
    merge_limbs(m, at + LIMBS_AT, other + LIMBS_AT, sign)


@njit(cache=True)
def clear(m: Memory, at: int) -> None:
    """Make a sum that of no terms."""
    empty(m, at + LIMBS_AT)
    for word in range(SUM_WORDS):
        m[at + word] = 0


@njit(cache=True)
def tidy(m: Memory, at: int) -> None:
    """Give back the block of a sum that no longer needs one."""
    if m[at + DOUBLES] == 0 and m[at + TERMS] == 0:
        empty(m, at + LIMBS_AT)


@njit(cache=True)
def has_doubles(m: Memory, at: int) -> bool:
    """Whether a sum is one of doubles, which kernels round."""
    return m[at + DOUBLES] > 0 and m[at + TERMS] == 0


@njit(cache=True)
def double_of(m: Memory, at: int, parts: int) -> float:
    """The double nearest to a sum that has doubles, divided by `parts`, unless that is 0."""
    return accumulated(m, at + LIMBS_AT, m[at + HIGH], m[at + LOW], max(parts, 1))


@njit(cache=True)
def value_of(m: Memory, at: int, parts: int) -> int:
    """The code of a sum of numbers, or why it has no value; divided by `parts`, unless that is 0."""
    if m[at + TERMS] > 0:
        return ask_driver(m, TOTAL, at, parts)
    high, low, parts = m[at + HIGH], m[at + LOW], max(parts, 1)
    if m[at + DOUBLES] > 0:
        return code_of_double(m, accumulated(m, at + LIMBS_AT, high, low, parts))
    if high == (low >> 63):
        return code_of_integer(m, low // parts) if low % parts == 0 else code_of_double(m, quotient(low, parts))
    if parts == 1:
        return BEYOND_64_BITS
    whole, exact = _divide(high, uint64(low), parts)
    if exact:
        return code_of_integer(m, whole)
    return code_of_double(m, accumulated(m, at + LIMBS_AT, high, low, parts))


@njit(cache=True)
def _divide(high: int, low: int, parts: int) -> tuple[int, bool]:
    """A 128-bit sum of `parts` 64-bit integers, divided by their number, so that the quotient fits into 64 bits; and
    whether it is exact."""
    negative = high < 0
    if negative:
        low = uint64(0) - low
        high = -high - (1 if low != uint64(0) else 0)
    remainder, quotient = uint64(high), uint64(0)
    for bit in range(63, -1, -1):
        remainder = (remainder << uint64(1)) | ((low >> uint64(bit)) & uint64(1))
        quotient <<= uint64(1)
        if remainder >= uint64(parts):
            remainder -= uint64(parts)
            quotient |= uint64(1)
    return int64(uint64(0) - quotient) if negative else int64(quotient), remainder == uint64(0)
