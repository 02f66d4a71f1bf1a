"""Value spaces: which datatypes contain the value of a literal, and which literals have the same value.

A lexical form with white space around it is ill-formed, as in RDF. The values of xsd:integer and of the types derived
from it are also values of xsd:decimal; those of xsd:float, xsd:double and xsd:decimal are never the same.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isinf, isnan
from xml.etree.ElementTree import ParseError, fromstring

from lasing.logic.values import datatypes
from lasing.logic.values.blanks import BlankNode
from lasing.logic.values.constructed import Constructed
from lasing.logic.values.datatypes import DOUBLE, FLOAT, RDF, RDFS, XSD
from lasing.logic.values.decimals import ExactDecimal, decimal_from, fits
from lasing.logic.values.iris import Iri
from lasing.logic.values.literals import (
    Native,
    TaggedLiteral,
    TypedLiteral,
    literal,
    native,
    numeric,
    single_lexical,
)
from lasing.logic.values.moments import Duration, Instant, duration_from, instant_from
from lasing.logic.values.numbers import LARGEST, SMALLEST, double_lexical
from lasing.logic.values.table import Value
from lasing.logic.values.truth import Truth

Literal = Native | TaggedLiteral | TypedLiteral

_INTEGER = re.compile(r"[+-]?[0-9]+\Z", re.ASCII)
_SPECIAL = {"INF": float("inf"), "+INF": float("inf"), "-INF": float("-inf"), "NaN": float("nan")}

_RANGES: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
_TEXTS: dict[str, str] = {
    "string": r"(?s:.*)",
    "normalizedString": r"[^\t\n\r]*",
    "token": r"(?:[^\t\n\r ]+(?: [^\t\n\r ]+)*)?",
    "language": r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*",
    "NMTOKEN": r"[\w.:\-·]+",
    "Name": r"[^\W\d][\w.:\-·]*|:[\w.:\-·]*",
    "NCName": r"[^\W\d][\w.\-·]*",
}
_TEXT_PATTERNS = {f"{XSD}{name}": re.compile(pattern) for name, pattern in _TEXTS.items()}
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

LITERAL = f"{RDFS}Literal"
PLAIN_LITERAL = f"{RDF}PlainLiteral"


@dataclass(frozen=True, slots=True)
class DataValue:
    """A value in a space, and the datatype and lexical form of the literal that stands for it."""

    space: str
    key: object
    datatype: str
    lexical: str
    language: str = ""

    @property
    def literal(self) -> Value:
        """The one literal for this value."""
        return TaggedLiteral(self.lexical, self.language) if self.language else literal(self.lexical, self.datatype)


def data_value(value: Literal) -> DataValue | None:
    """The value of a literal; None if its lexical form is not one of its datatype. The datatype must be known.

    >>> data_value(TypedLiteral("010", f"{XSD}int")).literal, data_value(TypedLiteral("x", f"{XSD}int"))
    (10, None)
    """
    match value:
        case TaggedLiteral(lexical, language):
            return DataValue("language", (lexical, language), datatypes.LANG_STRING, lexical, language)
        case TypedLiteral(lexical, datatype):
            return _READERS[datatype](lexical, datatype)
        case str():
            return _text(value, datatypes.STRING)
        case int():
            return _decimal(Decimal(value))
        case float():
            return _floating(value, DOUBLE)
        case ExactDecimal():
            return _decimal(value.number)
        case Truth():
            return _boolean(value.lexical, datatypes.BOOLEAN)
        case Instant():
            return _moment(value.lexical, datatypes.DATE_TIME)
        case Duration():
            return _duration(value.lexical, datatypes.DAY_TIME_DURATION)


def contains(datatype: str, value: DataValue) -> bool:
    """Whether the value space of a datatype contains a value. The datatype must be known.

    >>> contains(f"{XSD}byte", data_value(5)), contains(f"{XSD}byte", data_value(500))
    (True, False)
    """
    if datatype == LITERAL:
        return True
    if datatype == PLAIN_LITERAL:
        return value.space in ("text", "language")
    if datatype in datatypes.INTEGERS:
        if value.space != "decimal" or not isinstance(value.key, Fraction) or value.key.denominator != 1:
            return False
        least, most = _RANGES[datatype.removeprefix(XSD)]
        return (least is None or least <= value.key) and (most is None or value.key <= most)
    if datatype in _TEXT_PATTERNS:
        return value.space == "text" and _TEXT_PATTERNS[datatype].fullmatch(value.lexical) is not None
    if datatype == f"{XSD}dateTimeStamp":
        return value.space == "moment" and isinstance(value.key, tuple) and value.key[0] is True
    return value.space == _SPACES[datatype]


def is_literal(value: Value) -> bool:
    """Whether a value is a literal in RDF."""
    return not isinstance(value, Iri | BlankNode | Constructed)


# -- readers: from a lexical form to a value --------------------------------------------------------------------------


def _decimal(number: Decimal) -> DataValue:
    """A decimal; the literal of a whole one is an integer."""
    key = Fraction(number)
    if key.denominator == 1:
        return DataValue("decimal", key, datatypes.INTEGER, str(key.numerator))
    return DataValue("decimal", key, datatypes.DECIMAL, ExactDecimal(number).lexical if fits(number) else str(number))


def _read_decimal(lexical: str, _datatype: str) -> DataValue | None:
    number = decimal_from(lexical)
    return None if number is None else _decimal(number)


def _read_integer(lexical: str, datatype: str) -> DataValue | None:
    number = decimal_from(lexical) if _INTEGER.match(lexical) else None
    found = None if number is None else _decimal(number)
    return found if found is not None and contains(datatype, found) else None


def _read_floating(lexical: str, datatype: str) -> DataValue | None:
    if lexical in _SPECIAL:
        return _floating(_SPECIAL[lexical], datatype)
    known = native(lexical, datatype)
    number = known if known is not None else numeric(TypedLiteral(lexical, datatype))
    return None if number is None else _floating(float(number), datatype)  # type: ignore[arg-type]


def _floating(number: float, datatype: str) -> DataValue:
    if isnan(number) or isinf(number):
        lexical = "NaN" if isnan(number) else "INF" if number > 0 else "-INF"
    else:
        lexical = single_lexical(number) if datatype == FLOAT else double_lexical(number)
    return DataValue(datatype, lexical, datatype, lexical)


def _text(lexical: str, datatype: str) -> DataValue | None:
    if _NO_TEXT.search(lexical) or not _TEXT_PATTERNS[datatype].fullmatch(lexical):
        return None
    return DataValue("text", lexical, datatypes.STRING, lexical)


def _plain(lexical: str, _datatype: str) -> DataValue | None:
    text, at, language = lexical.rpartition("@")
    if not at:
        return None
    if not language:
        return _text(text, datatypes.STRING)
    return data_value(TaggedLiteral(text, language)) if _TEXT_PATTERNS[f"{XSD}language"].fullmatch(language) else None


def _boolean(lexical: str, datatype: str) -> DataValue | None:
    if lexical not in ("true", "false", "1", "0"):
        return None
    holds = lexical in ("true", "1")
    return DataValue("boolean", holds, datatype, "true" if holds else "false")


def _moment(lexical: str, datatype: str) -> DataValue | None:
    found = instant_from(lexical)
    if found is None or (datatype != datatypes.DATE_TIME and not found[0]):
        return None
    zoned, microseconds = found
    if zoned and microseconds.denominator == 1:
        try:
            return DataValue("moment", found, datatypes.DATE_TIME, Instant(int(microseconds)).lexical)
        except ValueError:
            pass  # beyond the years that have a canonical form
    return DataValue("moment", found, datatypes.DATE_TIME, lexical)


def _duration(lexical: str, datatype: str) -> DataValue | None:
    length = duration_from(lexical)
    if length is None:
        return None
    whole = length.denominator == 1 and SMALLEST <= length <= LARGEST
    return DataValue("duration", length, datatype, Duration(int(length)).lexical if whole else lexical)


def _hexadecimal(lexical: str, datatype: str) -> DataValue | None:
    if len(lexical) % 2 or not re.fullmatch(r"[0-9A-Fa-f]*", lexical):
        return None
    return DataValue("hexadecimal", lexical.upper(), datatype, lexical.upper())


def _base64(lexical: str, datatype: str) -> DataValue | None:
    try:
        octets = b64decode(lexical.replace(" ", "").encode("ascii"), validate=True)
    except (NotBase64, UnicodeEncodeError):
        return None
    return DataValue("base64", octets, datatype, b64encode(octets).decode("ascii"))


def _as_written(lexical: str, datatype: str) -> DataValue:
    return DataValue(datatype, lexical, datatype, lexical)


def _xml(lexical: str, datatype: str) -> DataValue | None:
    if "<!" in lexical.replace("<![CDATA[", "").replace("<!--", ""):
        return None  # a document type, which content cannot have
    try:
        fromstring(f"<x>{lexical}</x>")
    except ParseError:
        return None
    return _as_written(lexical, datatype)


_READERS: dict[str, Callable[[str, str], DataValue | None]] = {
    **dict.fromkeys(datatypes.INTEGERS, _read_integer),
    **dict.fromkeys(_TEXT_PATTERNS, _text),
    datatypes.DECIMAL: _read_decimal,
    FLOAT: _read_floating,
    DOUBLE: _read_floating,
    datatypes.BOOLEAN: _boolean,
    datatypes.DATE_TIME: _moment,
    f"{XSD}dateTimeStamp": _moment,
    datatypes.DAY_TIME_DURATION: _duration,
    f"{XSD}hexBinary": _hexadecimal,
    f"{XSD}base64Binary": _base64,
    f"{XSD}anyURI": _as_written,
    f"{RDF}XMLLiteral": _xml,
    f"{RDF}HTML": _as_written,
    PLAIN_LITERAL: _plain,
    datatypes.LANG_STRING: lambda _lexical, _datatype: None,  # it has no lexical forms without a language
    LITERAL: lambda _lexical, _datatype: None,
}

_SPACES: dict[str, str] = {
    datatypes.DECIMAL: "decimal",
    FLOAT: FLOAT,
    DOUBLE: DOUBLE,
    datatypes.BOOLEAN: "boolean",
    datatypes.DATE_TIME: "moment",
    datatypes.DAY_TIME_DURATION: "duration",
    f"{XSD}hexBinary": "hexadecimal",
    f"{XSD}base64Binary": "base64",
    f"{XSD}anyURI": f"{XSD}anyURI",
    f"{RDF}XMLLiteral": f"{RDF}XMLLiteral",
    f"{RDF}HTML": f"{RDF}HTML",
    datatypes.LANG_STRING: "language",
}

KNOWN_DATATYPES: frozenset[str] = frozenset(_READERS)
"""The datatypes with a value space here."""


def datatype_of(value: Literal) -> str:
    """The datatype of a literal, as an IRI without angle brackets.

    >>> datatype_of("x") == datatypes.STRING
    True
    """
    match value:
        case TypedLiteral():
            return value.datatype
        case TaggedLiteral():
            return datatypes.LANG_STRING
        case str():
            return datatypes.STRING
        case int():
            return datatypes.INTEGER
        case float():
            return DOUBLE
        case ExactDecimal():
            return datatypes.DECIMAL
        case Truth():
            return datatypes.BOOLEAN
        case Instant():
            return datatypes.DATE_TIME
        case Duration():
            return datatypes.DAY_TIME_DURATION
