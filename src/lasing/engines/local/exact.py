"""Exact sums and quotients of numbers, rounded once: a sum does not depend on the order of its terms.

A sum's accumulator is a fixed-point number in limbs of 32 bits, wide enough for every double and for 2^31 terms; limb
UNIT starts at the unit 2^-1074, and the limbs below it are room for the fraction of a quotient.
"""

from __future__ import annotations

import math

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.pointers import int64, uint64

UNIT = 4
LIMBS = 80
_LOWEST = 1074
_LOW = uint64(0xFFFFFFFF)
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


@njit(cache=True)
def add_integer(limbs: np.ndarray, x: int) -> None:
    """Add a 64-bit integer."""
    _add(limbs, _magnitude(x), 1 if x >= 0 else -1, _LOWEST)


@njit(cache=True)
def add_double(limbs: np.ndarray, x: float) -> None:
    """Add a finite double."""
    fraction, exponent = math.frexp(abs(x))
    shift = max(exponent - 53, -_LOWEST)
    mantissa = uint64(math.ldexp(fraction, exponent - shift))
    _add(limbs, mantissa, 1 if x >= 0 else -1, shift + _LOWEST)


@njit(cache=True)
def add_wide(limbs: np.ndarray, high: int, low: int) -> None:
    """Add a 128-bit integer: high · 2^64 + low, with an unsigned low word."""
    _add(limbs, uint64(low), 1, _LOWEST)
    _add(limbs, uint64(abs(high)), 1 if high >= 0 else -1, _LOWEST + 64)


@njit(cache=True)
def _add(limbs: np.ndarray, magnitude: int, sign: int, position: int) -> None:
    at, shift = UNIT + position // 32, uint64(position % 32)
    low, high = (magnitude & _LOW) << shift, (magnitude >> uint64(32)) << shift
    limbs[at] += sign * int64(low & _LOW)
    limbs[at + 1] += sign * int64((low >> uint64(32)) + (high & _LOW))
    limbs[at + 2] += sign * int64(high >> uint64(32))


@njit(cache=True)
def to_double(limbs: np.ndarray, parts: int) -> float:
    """The accumulated sum divided by `parts`, rounded to the nearest double; infinite if it is too large."""
    negative = _carry(limbs)
    if negative:
        for i in range(limbs.shape[0]):
            limbs[i] = -limbs[i]
        _carry(limbs)
    remainder = int64(0)
    for i in range(limbs.shape[0] - 1, -1, -1):
        value = (remainder << 32) | limbs[i]
        limbs[i] = value // parts
        remainder = value % parts
    top = limbs.shape[0] * 32 - 1
    while top >= 0 and not _bit(limbs, top):
        top -= 1
    if top < 0:
        return 0.0
    lowest = max(top - 52, UNIT * 32)
    kept = int64(0)
    for position in range(top, lowest - 1, -1):
        kept = 2 * kept + _bit(limbs, position)
    if lowest > 0 and _bit(limbs, lowest - 1):
        sticky = remainder != 0
        for position in range(lowest - 1):
            sticky = sticky or _bit(limbs, position) == 1
        if sticky or kept & 1:
            kept += 1
    result = math.ldexp(float(kept), lowest - UNIT * 32 - _LOWEST)
    return -result if negative else result


@njit(cache=True)
def _carry(limbs: np.ndarray) -> bool:
    """Bring every limb except the last into 0…2^32-1. Returns whether the number is negative."""
    carry = int64(0)
    for i in range(limbs.shape[0] - 1):
        value = limbs[i] + carry
        limbs[i] = value & 0xFFFFFFFF
        carry = value >> 32
    limbs[limbs.shape[0] - 1] += carry
    return limbs[limbs.shape[0] - 1] < 0


@njit(cache=True, forceinline=True)
def _bit(limbs: np.ndarray, position: int) -> int:
    return (limbs[position // 32] >> (position % 32)) & 1
