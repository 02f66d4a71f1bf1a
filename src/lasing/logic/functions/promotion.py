"""Numbers of all kinds, and the kind of number that two of them make: the promotions of SPARQL 1.1, §17.3.

    whole number  →  exact decimal  →  single  →  double

A whole number is an `int` or a literal of xsd:integer and the types derived from it; a single is an xsd:float. Results
of whole numbers and doubles are plain numbers, so a double of integral value is a whole number, as everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal, localcontext
from enum import IntEnum
from math import isfinite
from typing import Any

from lasing.logic.functions import reasons
from lasing.logic.functions.entry import Kinds, kinds
from lasing.logic.values import ExactDecimal, TypedLiteral, Undefined, Value, datatypes, literal, normal
from lasing.logic.values.decimals import MOST_DIGITS, fits
from lasing.logic.values.literals import numeric, single, single_lexical

NUMERIC: Kinds = kinds("number", int, float, ExactDecimal, TypedLiteral)

EXACT = Context(prec=5 * MOST_DIGITS, rounding=ROUND_HALF_EVEN)
"""Enough digits for the sum and the product of any two exact decimals."""

_CUT = Context(prec=5 * MOST_DIGITS, rounding=ROUND_DOWN)

PLACES = 18
"""The digits after the point of a quotient of exact decimals that does not end before."""


class Rank(IntEnum):
    """Kinds of numbers: each kind contains the one before it."""

    WHOLE = 0
    DECIMAL = 1
    SINGLE = 2
    DOUBLE = 3


def ranked(value: Value) -> tuple[Rank, Any] | None:
    """The kind of number that a value is, and the number; None if it is not a number."""
    match value:
        case int():
            return Rank.WHOLE, value
        case float():
            return Rank.DOUBLE, value
        case ExactDecimal():
            return Rank.DECIMAL, value.number
        case TypedLiteral():
            number = numeric(value)
            return None if number is None else (_rank(value.datatype), number)
        case _:
            return None


def number_in(value: Value) -> tuple[Rank, Any]:
    """Same as `ranked`, for a value that has to be a number."""
    found = ranked(value)
    if found is None:
        raise Undefined(reasons.NOT_A_NUMBER)
    return found


def _rank(datatype: str) -> Rank:
    if datatype in datatypes.INTEGERS:
        return Rank.WHOLE
    if datatype == datatypes.DECIMAL:
        return Rank.DECIMAL
    return Rank.SINGLE if datatype == datatypes.FLOAT else Rank.DOUBLE


def in_rank(rank: Rank, number: Any) -> Any:
    """A number, as the Python number that its kind is computed with."""
    if rank is Rank.WHOLE:
        return number
    if rank is Rank.DECIMAL:
        return number if isinstance(number, Decimal) else Decimal(number)
    return float(number)


def made(rank: Rank, number: Any) -> Value:
    """The value of a number of some kind.

    >>> made(Rank.DECIMAL, Decimal("1.50")).lexical, made(Rank.DOUBLE, 2.0)
    ('1.5', 2)
    """
    match rank:
        case Rank.WHOLE:
            return normal(int(number))
        case Rank.DECIMAL:
            return exact(number)
        case Rank.DOUBLE:
            return normal(float(number))
    rounded = single(float(number))
    if not isfinite(rounded):
        raise Undefined(reasons.BEYOND_64_BITS)
    return literal(single_lexical(rounded), datatypes.FLOAT)


def exact(number: Decimal) -> ExactDecimal:
    """The exact decimal of a number."""
    if not number.is_finite() or not fits(number):
        raise Undefined(reasons.TOO_LONG)
    return ExactDecimal(number)


def promoted(operation: Callable[[Any, Any], Any], a: Value, b: Value) -> Value:
    """An operation on two numbers, in the kind of number that holds both."""
    (one, x), (other, y) = number_in(a), number_in(b)
    rank = max(one, other)
    with localcontext(EXACT):
        return made(rank, operation(in_rank(rank, x), in_rank(rank, y)))


def alone(operation: Callable[[Any], Any], a: Value) -> Value:
    """An operation on one number, whose result is of the same kind."""
    rank, x = number_in(a)
    with localcontext(EXACT):
        return made(rank, operation(in_rank(rank, x)))


def quotient_of_decimals(a: Decimal, b: Decimal) -> Decimal:
    """Exact if it ends within 18 digits after the point; otherwise the further digits are cut off."""
    if b == 0:
        raise ZeroDivisionError
    return _CUT.quantize(_CUT.divide(a, b), Decimal(1).scaleb(-PLACES))
