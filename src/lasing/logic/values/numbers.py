"""Numbers: Python's `int`, of 64 bits, and `float`. A float of integral value is the integer: `1.0` is `1`."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Any

SMALLEST, LARGEST = -(2**63), 2**63 - 1

NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"


class Undefined(Exception):  # noqa: N818 -- no error: one instance of a rule has no value, and is counted
    """A term has no value: arithmetic on something that is not a number, division by zero, or a result beyond 64 bits.

    `value` is the element that leaves an aggregate without a value.
    """

    def __init__(self, reason: str, value: Any = None) -> None:
        super().__init__(reason)
        self.value = value


def normal(number: int | float) -> int | float:
    """The one form of a number; raises `Undefined` if it does not fit into 64 bits.

    >>> normal(2.0), normal(2.5)
    (2, 2.5)
    """
    if isinstance(number, float):
        if not isfinite(number):
            raise Undefined("a result beyond 64 bits")
        if not number.is_integer() or not SMALLEST <= number <= LARGEST:
            return number
        number = int(number)
    if not SMALLEST <= number <= LARGEST:
        raise Undefined("a result beyond 64 bits")
    return number


def number_from(text: str) -> int | float:
    """The number that some digits mean; raises `Undefined` or `ValueError` if it is beyond 64 bits.

    >>> number_from("-7"), number_from("2.50"), number_from("1e2")
    (-7, 2.5, 100)
    """
    return normal(int(text) if text.lstrip("-").isdigit() else float(text))


def double_lexical(number: float) -> str:
    """The canonical lexical form of an xsd:double.

    >>> double_lexical(18.5), double_lexical(-0.001), double_lexical(1e300), double_lexical(0.0)
    ('1.85E1', '-1.0E-3', '1.0E300', '0.0E0')
    """
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    assert isinstance(exponent, int), "the number is finite"
    text = "".join(map(str, digits)).rstrip("0") or "0"
    power = exponent + len(digits) - 1 if number else 0
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{power}"
