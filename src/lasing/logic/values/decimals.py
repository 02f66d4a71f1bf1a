"""Exact decimals: xsd:decimal. The decimal 5 and the integer 5 are two values that compare as equal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from lasing.errors import fault
from lasing.logic.values.boxed import Boxed
from lasing.logic.values.datatypes import DECIMAL

_LEXICAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\Z", re.ASCII)
MOST_DIGITS = 1000


@dataclass(frozen=True, slots=True)
class ExactDecimal(Boxed):
    """A decimal number of at most a thousand digits before and after the point.

    >>> str(ExactDecimal(Decimal("1.50"))), ExactDecimal(Decimal(1)) == 1
    ('"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>', False)
    """

    number: Decimal

    def __post_init__(self) -> None:
        if not self.number.is_finite() or not fits(self.number):
            note = f"a decimal is finite, and has at most {MOST_DIGITS:,} digits before and after the point"
            raise fault("E506", f"{str(self.number)[:60]} is not an exact decimal", note=note)

    def __str__(self) -> str:
        return f'"{self.lexical}"^^<{DECIMAL}>'

    @property
    def lexical(self) -> str:
        """The canonical lexical form: no needless zeros, and no point in a whole number."""
        text = format(self.number, "f")
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        return "0" if text == "-0" else text


def fits(number: Decimal) -> bool:
    """Whether a finite decimal has few enough digits."""
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int), "the number is finite"
    return exponent >= -MOST_DIGITS and len(digits) + max(exponent, 0) <= MOST_DIGITS * (2 if exponent < 0 else 1)


def decimal_from(lexical: str) -> Decimal | None:
    """The number of a lexical form of xsd:decimal, or None if it is not one."""
    return Decimal(lexical) if _LEXICAL.match(lexical) else None
