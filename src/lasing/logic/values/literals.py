"""RDF literals that are not values of another kind: with a language, or with a datatype.

A literal in the canonical form of a datatype that has a kind of its own is that value: `"5"^^xsd:integer` is `5`, and
`"x"^^xsd:string` is the text x. So `literal` makes literals, and `TypedLiteral` refuses those that are another kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from math import isnan
from struct import error as struct_error
from struct import pack, unpack

from lasing.errors import fault
from lasing.logic.values import datatypes
from lasing.logic.values.boxed import Boxed
from lasing.logic.values.decimals import ExactDecimal, decimal_from, fits
from lasing.logic.values.iris import Iri
from lasing.logic.values.moments import FIRST, LAST, Duration, Instant, duration_from, instant_from
from lasing.logic.values.numbers import LARGEST, SMALLEST, double_lexical
from lasing.logic.values.texts import is_unicode, quoted
from lasing.logic.values.truth import Truth

LANGUAGE = r"@[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*"

_LANGUAGE = re.compile(rf"{LANGUAGE}\Z")
_INTEGER = re.compile(r"[+-]?[0-9]+\Z", re.ASCII)
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z", re.ASCII)
_SPECIAL = {"INF": float("inf"), "+INF": float("inf"), "-INF": float("-inf")}
_MOST_DIGITS = 1000

Native = int | float | str | Truth | ExactDecimal | Instant | Duration


@dataclass(frozen=True, slots=True)
class TaggedLiteral(Boxed):
    """A text in a language. Case does not matter in language tags, so they are kept in lower case.

    >>> str(TaggedLiteral("chat", "EN"))
    '"chat"@en'
    """

    lexical: str
    language: str

    def __post_init__(self) -> None:
        if not _LANGUAGE.match(f"@{self.language}"):
            raise fault("E506", f"{ascii(self.language)[:60]} is not a language", note="such as en or de-at")
        _check_lexical(self.lexical)
        object.__setattr__(self, "language", self.language.lower())

    def __str__(self) -> str:
        return f"{quoted(self.lexical)}@{self.language}"


@dataclass(frozen=True, slots=True)
class TypedLiteral(Boxed):
    """A lexical form with a datatype, given as an IRI without angle brackets.

    >>> str(TypedLiteral("05", datatypes.INTEGER))
    '"05"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """

    lexical: str
    datatype: str

    def __post_init__(self) -> None:
        Iri(self.datatype)
        _check_lexical(self.lexical)
        if native(self.lexical, self.datatype) is not None:
            note = "literal(lexical, datatype) makes the value that is meant, of whatever kind"
            raise fault("E506", f"{self} is a value of another kind", note=note)

    def __str__(self) -> str:
        return f"{quoted(self.lexical)}^^<{self.datatype}>"


def literal(lexical: str, datatype: str) -> Native | TypedLiteral:
    """The value of a lexical form with a datatype.

    >>> literal("5", datatypes.INTEGER), literal("05", datatypes.INTEGER).lexical, literal("x", datatypes.STRING)
    (5, '05', 'x')
    """
    Iri(datatype)
    _check_lexical(lexical)
    found = native(lexical, datatype)
    return TypedLiteral(lexical, datatype) if found is None else found


def native(lexical: str, datatype: str) -> Native | None:
    """The value of another kind that a literal is, or None if it is not one. Only the canonical form is."""
    make = _NATIVE.get(datatype)
    found = None if make is None else make(lexical)
    return None if found is None or lexical_of(found) != lexical else found


def lexical_of(value: Native) -> str:
    """The canonical lexical form of a value that has a datatype.

    >>> lexical_of(5), lexical_of(18.5), lexical_of("x")
    ('5', '1.85E1', 'x')
    """
    match value:
        case int():
            return str(value)
        case float():
            return double_lexical(value)
        case str():
            return value
        case _:
            return value.lexical


def _integer(lexical: str) -> int | None:
    number = _whole(lexical)
    return number if number is not None and SMALLEST <= number <= LARGEST else None


def _double(lexical: str) -> float | None:
    """A double that is not an integer of 64 bits: those are plain numbers and need no datatype."""
    number = float(lexical) if _DOUBLE.match(lexical) else float("inf")
    if number in (float("inf"), float("-inf")) or (number.is_integer() and SMALLEST <= number <= LARGEST):
        return None
    return number


def _decimal(lexical: str) -> ExactDecimal | None:
    number = decimal_from(lexical)
    return ExactDecimal(number) if number is not None and fits(number) else None


def _instant(lexical: str) -> Instant | None:
    found = instant_from(lexical)
    if found is None or found[1].denominator != 1 or not FIRST <= found[1] <= LAST:
        return None
    return Instant(int(found[1]))


def _duration(lexical: str) -> Duration | None:
    length = duration_from(lexical)
    if length is None or length.denominator != 1 or not SMALLEST <= length <= LARGEST:
        return None
    return Duration(int(length))


_NATIVE: dict[str, Callable[[str], Native | None]] = {
    datatypes.STRING: str,
    datatypes.INTEGER: _integer,
    datatypes.DOUBLE: _double,
    datatypes.DECIMAL: _decimal,
    datatypes.BOOLEAN: lambda lexical: Truth(lexical == "true"),
    datatypes.DATE_TIME: _instant,
    datatypes.DAY_TIME_DURATION: _duration,
}


def numeric(literal: TypedLiteral) -> int | float | Decimal | None:
    """The number that a typed literal means, exactly; None if it does not mean a number.

    >>> numeric(TypedLiteral("05", datatypes.INTEGER)), numeric(TypedLiteral("1", datatypes.DOUBLE))
    (5, 1.0)
    """
    lexical, datatype = literal.lexical, literal.datatype
    if datatype in datatypes.INTEGERS:
        return _whole(lexical)
    if datatype == datatypes.DECIMAL:
        return decimal_from(lexical)
    if datatype in (datatypes.DOUBLE, datatypes.FLOAT):
        number = _SPECIAL.get(lexical, float(lexical) if _DOUBLE.match(lexical) else float("nan"))
        if isnan(number):
            return None
        return single(number) if datatype == datatypes.FLOAT else number
    return None


def _whole(lexical: str) -> int | None:
    return int(lexical) if _INTEGER.match(lexical) and len(lexical) <= _MOST_DIGITS else None


def single(number: float) -> float:
    """The nearest number of 32 bits."""
    try:
        return float(unpack("f", pack("f", number))[0])
    except (OverflowError, struct_error):
        return float("inf") if number > 0 else float("-inf")


def single_lexical(number: float) -> str:
    """The shortest lexical form of a number of 32 bits.

    >>> single_lexical(single(0.1)), single_lexical(3.0)
    ('1.0E-1', '3.0E0')
    """
    shortest = next((text for digits in range(9) if single(float(text := f"{number:.{digits}e}")) == number), "")
    assert shortest, "nine digits are enough for 32 bits"
    return double_lexical(float(shortest))


def _check_lexical(lexical: str) -> None:
    if not is_unicode(lexical):
        raise fault("E506", f"{ascii(lexical)[:60]} is not Unicode text", note="a lone surrogate is not a character")
