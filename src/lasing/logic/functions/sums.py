"""Sums and averages of numbers of all kinds: exact, and rounded at most once, whatever the order of the terms.

A sum is a number of the widest kind among its terms, as with `+` (see `promotion`): whole numbers and exact decimals
make an exact decimal, and a double among them makes a double. The terms themselves are not rounded to that kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite

from lasing.logic.functions import reasons
from lasing.logic.functions.promotion import EXACT, Rank, made, quotient_of_decimals, ranked
from lasing.logic.values import Undefined, Value, order_key
from lasing.logic.values.decimals import fits

Number = int | float | Decimal


def summed(values: Sequence[Value], parts: int | None = None) -> Value:
    """The sum of some values; divided by `parts`, for an average.

    >>> from lasing.logic.values import ExactDecimal
    >>> tenth = ExactDecimal(Decimal("0.1"))
    >>> str(summed([1, tenth])), summed([1, tenth, 0.5]), summed([1, 2], 2)
    ('"1.1"^^<http://www.w3.org/2001/XMLSchema#decimal>', 1.6, 1.5)
    """
    found = [ranked(value) for value in values]
    if None in found:
        others = [value for value, number in zip(values, found, strict=True) if number is None]
        raise Undefined(reasons.NOT_A_NUMBER, min(others, key=order_key))
    numbers = [number for number in found if number is not None]
    for reason in (reasons.BEYOND_64_BITS, reasons.TOO_LONG):
        if any(no_summand(number) == reason for _, number in numbers):
            raise Undefined(reason)
    exact = sum((Fraction(number) for _, number in numbers), Fraction(0))
    return total(max((rank for rank, _ in numbers), default=Rank.WHOLE), exact, parts)


def no_summand(number: Number) -> str | None:
    """Why a sum with this number has no value, if it has none: a literal may be infinite, or have too many digits."""
    if isinstance(number, Decimal):
        return None if fits(number) else reasons.TOO_LONG
    return reasons.BEYOND_64_BITS if isinstance(number, float) and not isfinite(number) else None


def total(rank: Rank, exact: Fraction, parts: int | None = None) -> Value:
    """The value of an exact sum whose widest number is of this kind; divided by `parts`, for an average.

    An average of exact decimals is cut after 18 digits, as any quotient of theirs. One of whole numbers is a double if
    it is not whole.
    """
    if rank is Rank.DECIMAL:
        top, bottom = Decimal(exact.numerator), Decimal(exact.denominator)
        if parts is not None:
            return made(rank, quotient_of_decimals(top, EXACT.multiply(bottom, parts)))
        return made(rank, EXACT.divide(top, bottom))
    exact /= parts or 1
    if rank is Rank.WHOLE and exact.denominator == 1:
        return made(rank, exact)
    try:
        return made(Rank.DOUBLE if rank is Rank.WHOLE else rank, float(exact))
    except OverflowError:
        raise Undefined(reasons.BEYOND_64_BITS) from None
