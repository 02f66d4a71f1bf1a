"""The driver's side of sums of terms (see `sums`): what a term adds to a sum, and the value of a sum with terms."""

from __future__ import annotations

import ctypes
import struct
from decimal import Decimal
from fractions import Fraction

from lasing.engines.local import sums
from lasing.engines.local.accumulator import BLOCK, FIRST, LIMBS
from lasing.engines.local.exact import BITS, UNIT
from lasing.logic.functions import reasons
from lasing.logic.functions.promotion import Rank, ranked
from lasing.logic.functions.sums import no_summand, total
from lasing.logic.values import Undefined, Value

_DIGITS = 9
_KINDS = {
    Rank.WHOLE: sums.OF_WHOLE,
    Rank.DECIMAL: sums.OF_DECIMAL,
    Rank.SINGLE: sums.OF_SINGLE,
    Rank.DOUBLE: sums.OF_DOUBLE,
}
_NO_SUMMANDS = {reasons.BEYOND_64_BITS: sums.OF_INFINITE, reasons.TOO_LONG: sums.OF_TOO_LONG}


def summand(term: Value) -> int:
    """What a term adds to a sum, in one word."""
    found = ranked(term)
    if found is None:
        return sums.NO_NUMBER
    rank, number = found
    reason = no_summand(number)
    if reason is not None:
        return _NO_SUMMANDS[reason]
    if isinstance(number, float):
        return _KINDS[rank]
    first, limbs = _digits(number)
    return _KINDS[rank] + sums.KINDS * (sums.ONES + first + sums.PLACES * len(limbs))


def bits(term: Value) -> int:
    """The bits of a term that is a double."""
    found = ranked(term)
    assert found is not None, "it is a number"
    return int(struct.unpack("q", struct.pack("d", found[1]))[0])


def limb(term: Value, place: int) -> int:
    """One of the limbs of a term that has digits, counted from its first one."""
    found = ranked(term)
    assert found is not None, "it is a number"
    return _digits(found[1])[1][place]


def _digits(number: int | Decimal) -> tuple[int, list[int]]:
    """The place of the first limb of a number, and all its limbs, which have its sign."""
    first = 0
    if isinstance(number, Decimal):
        sign, digits, exponent = number.as_tuple()
        assert isinstance(exponent, int), "the number is finite"
        first = exponent // _DIGITS
        whole = int("".join(map(str, digits))) * 10 ** (exponent - _DIGITS * first)
        number = -whole if sign else whole
    limbs, rest = [], abs(number)
    while rest:
        rest, low = divmod(rest, 10**_DIGITS)
        limbs.append(-low if number < 0 else low)
    return first, limbs


def total_at(base: int, at: int, parts: int) -> Value:
    """The value of the sum that is `at` words behind an address; divided by `parts`, unless that is 0."""
    words = words_at(base, at, sums.SUM_WORDS)
    for place, reason in ((sums.INFINITE, reasons.BEYOND_64_BITS), (sums.TOO_LONG, reasons.TOO_LONG)):
        if words[place]:
            raise Undefined(reason)
    exact = Fraction((words[sums.HIGH] << 64) + (words[sums.LOW] & (2**64 - 1)))
    block, first, count = (words[sums.LIMBS_AT + word] for word in (BLOCK, FIRST, LIMBS))
    if block:
        limbs = words_at(base, block, count)
        middle = min(max(_FIRST_DECIMAL - first, 0), count)
        exact += _number(limbs[:middle], Fraction(2**BITS), first - UNIT)
        exact += _number(limbs[middle:], Fraction(10**_DIGITS), first + middle - sums.ONES)
    counts = {Rank.DOUBLE: sums.DOUBLES, Rank.SINGLE: sums.SINGLES, Rank.DECIMAL: sums.DECIMALS}
    rank = next((rank for rank, place in counts.items() if words[place]), Rank.WHOLE)
    return total(rank, exact, parts or None)


_FIRST_DECIMAL = 70  # above the limbs of doubles, and below those of decimals


def _number(limbs: list[int], base: Fraction, first: int) -> Fraction:
    """The number that has these limbs, from place `first` on."""
    whole = 0
    for limb in reversed(limbs):
        whole = whole * int(base) + limb
    return whole * base**first if whole else Fraction(0)


def words_at(base: int, at: int, count: int) -> list[int]:
    """Some words of memory, counted from an address."""
    return list((ctypes.c_int64 * count).from_address(base + 8 * at))
