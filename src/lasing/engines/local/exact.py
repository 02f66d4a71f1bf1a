"""Exact sums and quotients of numbers, rounded once: a sum does not depend on the order of its terms.

A sum of doubles is a row of limbs: limb i counts units of 2^(32·i - 1088), so that limb UNIT counts ones, and the least
double is in limb 0. A double is added to three limbs, or subtracted from them, and nothing is carried over:

    limb i  =  the sum of what each term has in limb i

So a limb depends only on the terms that are there now, whatever came and went before. Each term has less than 2^33 in
a limb, so a limb has room for 2^29 terms. Limbs are carried, divided and rounded only when the sum is read.
"""

from __future__ import annotations

import math

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.pointers import Memory, int64, uint64

UNIT = 34
SPREAD = 3
"""How many limbs a double is added to."""
BITS = 32
_PADDING = 14  # the bits of limb 0 below the least double, 2^-1074
_FRACTION = 3  # limbs below a sum that its quotient needs: a divisor takes 31 bits, and 54 bits decide the rounding
_LOW = 0xFFFFFFFF
_MANTISSA = 2**52
_LEAST_EXPONENT = -1074
_EXACT = 2**53
_ENOUGH = uint64(2**55)


@njit(cache=True)
def quotient(x: int, y: int) -> float:
    """The quotient of two 64-bit integers, the second not zero, rounded to the nearest double."""
    if -_EXACT <= x <= _EXACT and -_EXACT <= y <= _EXACT:
        return x / y
    a, b = _magnitude(x), _magnitude(y)
    whole, rest, shift = a // b, a % b, 0
    while whole < _ENOUGH and rest != uint64(0):  # more bits of the fraction, so that a single rounding is enough
        rest <<= uint64(1)
        whole <<= uint64(1)
        shift += 1
        if rest >= b:
            rest -= b
            whole |= uint64(1)
    if rest != uint64(0):
        whole |= uint64(1)  # there is a remainder beyond the bits that are kept
    result = math.ldexp(float(whole), -shift)
    return -result if (x < 0) != (y < 0) else result


@njit(cache=True)
def _magnitude(x: int) -> int:
    return uint64(x) if x >= 0 else uint64(-(x + 1)) + uint64(1)


@njit(cache=True, forceinline=True)
def _position(bits: int) -> int:
    """The place of a double's last bit, counted from the beginning of limb 0."""
    return max((bits >> 52) & 0x7FF, 1) - 1 + _PADDING


@njit(cache=True, forceinline=True)
def first_limb(x: float) -> int:
    """The first of the SPREAD limbs that a finite double is added to."""
    return _position(int64(np.float64(x).view(np.int64))) // BITS


@njit(cache=True, forceinline=True)
def add_double(limbs: Memory, origin: int, x: float, sign: int) -> None:
    """Add a finite double, or subtract it; limb 0 is, or would be, at limbs[origin]."""
    bits = int64(np.float64(x).view(np.int64))
    position = _position(bits)
    mantissa = bits & (_MANTISSA - 1)
    if (bits >> 52) & 0x7FF > 0:
        mantissa |= _MANTISSA
    if bits < 0:
        sign = -sign
    at, shift = origin + position // BITS, position % BITS
    low, high = (mantissa & _LOW) << shift, (mantissa >> BITS) << shift
    limbs[at] += sign * (low & _LOW)
    limbs[at + 1] += sign * ((low >> BITS) + (high & _LOW))
    limbs[at + 2] += sign * (high >> BITS)


@njit(cache=True)
def rounded(limbs: Memory, origin: int, first: int, last: int, high: int, low: int, parts: int) -> float:
    """The sum of the limbs from `first` to before `last` and of a 128-bit integer, divided by `parts` < 2^31 and
    rounded to the nearest double, half to even; infinite if it is too large.

    The integer is high · 2^64 + low, with an unsigned low word; limb 0 is, or would be, at limbs[origin].
    """
    while first < last and limbs[origin + last - 1] == 0:
        last -= 1
    while first < last and limbs[origin + first] == 0:
        first += 1
    bottom, top = first, last
    if high != 0 or low != 0:
        bottom, top = (min(first, UNIT), max(last, UNIT + 4)) if first < last else (UNIT, UNIT + 4)
    bottom -= _FRACTION if parts > 1 else 0
    digits = np.zeros(top - bottom + 1, np.int64)
    for i in range(first, last):
        digits[i - bottom] = limbs[origin + i]
    if high != 0 or low != 0:
        digits[UNIT - bottom] += low & _LOW
        digits[UNIT - bottom + 1] += (low >> BITS) & _LOW
        digits[UNIT - bottom + 2] += high & _LOW
        digits[UNIT - bottom + 3] += high >> BITS
    negative = _carry(digits)
    if negative:
        for i in range(digits.shape[0]):
            digits[i] = -digits[i]
        _carry(digits)
    result = _nearest(digits, bottom, _divide(digits, parts))
    return -result if negative else result


@njit(cache=True)
def _carry(digits: np.ndarray) -> bool:
    """Bring every digit except the last into 0…2^32-1. Returns whether the number is negative."""
    carry, last = int64(0), digits.shape[0] - 1
    for i in range(last):
        value = digits[i] + carry
        digits[i] = value & _LOW
        carry = value >> BITS
    digits[last] += carry
    return digits[last] < 0


@njit(cache=True)
def _divide(digits: np.ndarray, parts: int) -> bool:
    """Divide a number by another one below 2^31. Returns whether there is a remainder."""
    remainder = int64(0)
    if parts > 1:
        for i in range(digits.shape[0] - 1, -1, -1):
            value = (remainder << BITS) | digits[i]
            digits[i] = value // parts
            remainder = value % parts
    return remainder != 0


@njit(cache=True)
def _nearest(digits: np.ndarray, bottom: int, remainder: bool) -> float:
    """The double nearest to a number whose first digit is in limb `bottom`, and which may have a remainder below."""
    top = digits.shape[0] - 1
    while top >= 0 and digits[top] == 0:
        top -= 1
    if top < 0:
        return 0.0
    second = digits[top - 1] if top >= 1 else int64(0)
    third = digits[top - 2] if top >= 2 else int64(0)
    length = int64(math.frexp(float(digits[top]))[1])  # in bits: 1…32
    # The first 64 bits, and whether anything follows them.
    leading = (uint64(digits[top]) << uint64(BITS)) | uint64(second)
    leading = (leading << uint64(BITS - length)) | (uint64(third) >> uint64(length))
    follows = remainder or third & ((1 << length) - 1) != 0
    for i in range(top - 2):
        follows = follows or digits[i] != 0
    exponent = BITS * (bottom + top - UNIT) + length - 64
    dropped = max(11, _LEAST_EXPONENT - exponent)  # a double has 53 bits, and none below its least exponent
    if dropped > 64:
        return 0.0
    kept = leading >> uint64(dropped) if dropped < 64 else uint64(0)
    half = uint64(1) << uint64(dropped - 1)
    if leading & half != uint64(0) and (follows or leading & (half - uint64(1)) != uint64(0) or kept & uint64(1)):
        kept += uint64(1)
    exponent += dropped
    if exponent + 53 + (kept == _EXACT) > 1024:  # 2^53, if it was rounded up, has one bit more
        return math.inf
    return math.ldexp(float(kept), exponent)
