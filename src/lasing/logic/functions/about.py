"""Functions about values: their kind, their text, and values of another kind made from them."""

from __future__ import annotations

import re
from decimal import Decimal
from math import trunc
from typing import Any
from urllib.parse import urljoin

from lasing.errors import LasingError
from lasing.logic.functions import reasons
from lasing.logic.functions.entry import ANYTHING, TRUTH, Function, call, kinds
from lasing.logic.functions.promotion import Rank, made, ranked
from lasing.logic.functions.texts import PLAIN, letters
from lasing.logic.values import (
    BlankNode,
    Constructed,
    Duration,
    ExactDecimal,
    Instant,
    Iri,
    TaggedLiteral,
    Truth,
    TypedLiteral,
    Undefined,
    Value,
    datatypes,
    literal,
    value_text,
)
from lasing.logic.values.constructed import DEEPEST
from lasing.logic.values.decimals import decimal_from
from lasing.logic.values.literals import lexical_of, native
from lasing.logic.values.moments import instant_from
from lasing.logic.values.numbers import number_from

IRIS = kinds("IRI", Iri)
IRIS_AND_TEXTS = kinds("IRI or plain text", Iri, str)
NO_IDENTIFIERS = kinds(
    "anything but a blank node or identifier",
    int, float, str, ExactDecimal, Truth, Instant, Duration, Iri, TaggedLiteral, TypedLiteral,
)  # fmt: skip
LITERALS = kinds(
    "number, text or literal",
    int, float, str, ExactDecimal, Truth, Instant, Duration, TaggedLiteral, TypedLiteral,
)  # fmt: skip


def _text(value: Value) -> Value:
    """A plain number as programs write it; otherwise the lexical form."""
    return value_text(value) if isinstance(value, float) else lexical(value)


def lexical(value: Value) -> Value:
    match value:
        case Iri():
            return value.iri
        case TaggedLiteral() | TypedLiteral():
            return value.lexical
        case BlankNode() | Constructed():
            raise Undefined(reasons.WRONG_KIND)
        case _:
            return lexical_of(value)


def _resolved(value: Value, base: Value) -> Value:
    return value if isinstance(value, Iri) else _iri(urljoin(str(base), str(value)))


def _number(value: Value) -> Value:
    """The number that a value is, means or writes; an exact decimal stays one."""
    if isinstance(value, str):
        try:
            return number_from(value.strip())
        except ValueError:
            raise Undefined(reasons.WRONG_FORM) from None
    if isinstance(value, Truth):
        return int(value.holds)
    found = ranked(value)
    if found is None:
        raise Undefined(reasons.WRONG_KIND)
    rank, number = found
    return made(Rank.DOUBLE if rank is Rank.SINGLE else rank, number)


def _iri(value: Value) -> Value:
    if isinstance(value, Iri):
        return value
    try:
        return Iri(letters(value))
    except LasingError:
        raise Undefined(reasons.WRONG_FORM) from None


def _datatype(value: Value) -> Value:
    match value:
        case TypedLiteral():
            return Iri(value.datatype)
        case TaggedLiteral():
            return Iri(datatypes.LANG_STRING)
        case _:
            return Iri(_DATATYPES[type(value)])


_DATATYPES: dict[type, str] = {
    int: datatypes.INTEGER,
    float: datatypes.DOUBLE,
    str: datatypes.STRING,
    ExactDecimal: datatypes.DECIMAL,
    Truth: datatypes.BOOLEAN,
    Instant: datatypes.DATE_TIME,
    Duration: datatypes.DAY_TIME_DURATION,
}


def _typed(text: Value, datatype: Value) -> Value:
    assert isinstance(datatype, Iri), "the entry says so"
    return literal(letters(text), datatype.iri)


_WELL_FORMED = re.compile(
    r"""(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})  # a language
        (?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?  # a script and a region
        (?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*  # variants
        (?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?  # extensions, and private use
      |x(?:-[a-z\d]{1,8})+""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
"""The language tags of BCP 47, which are those of RDF literals."""


def _tagged(text: Value, language: Value) -> Value:
    if not _WELL_FORMED.fullmatch(letters(language)):
        raise Undefined(reasons.WRONG_FORM)
    try:
        return TaggedLiteral(letters(text), letters(language))
    except LasingError:
        raise Undefined(reasons.WRONG_FORM) from None


def _new(function: Value, *args: Value) -> Value:
    if not isinstance(function, str):
        raise Undefined(reasons.WRONG_KIND)
    if any(isinstance(arg, Constructed) and arg.depth >= DEEPEST for arg in args):
        raise Undefined(reasons.TOO_LONG)
    return Constructed(function, args)


# -- casts: SPARQL 1.1, §17.5 -----------------------------------------------------------------------------------------


def cast(value: Value, datatype: Value) -> Value:
    assert isinstance(datatype, Iri), "the entry says so"
    make = _CASTS.get(datatype.iri)
    if make is None or isinstance(value, TaggedLiteral):
        raise Undefined(reasons.WRONG_KIND)
    return make(value)  # type: ignore[no-any-return]


def _number_of(value: Value) -> tuple[Rank, Any]:
    """The number that a cast starts from."""
    if isinstance(value, Truth):
        return Rank.WHOLE, int(value.holds)
    found = ranked(value)
    if found is None:
        raise Undefined(reasons.WRONG_KIND)
    return found


def _to_integer(value: Value) -> Value:
    if isinstance(value, str):
        return made(Rank.WHOLE, _read(value, datatypes.INTEGER))
    return made(Rank.WHOLE, trunc(_number_of(value)[1]))


def _to_decimal(value: Value) -> Value:
    if isinstance(value, str):
        number = decimal_from(value.strip())
        if number is None:
            raise Undefined(reasons.WRONG_FORM)
        return made(Rank.DECIMAL, number)
    number = _number_of(value)[1]
    return made(Rank.DECIMAL, Decimal(repr(number)) if isinstance(number, float) else Decimal(number))


def _to_float(rank: Rank, datatype: str, value: Value) -> Value:
    number = _read(value, datatype) if isinstance(value, str) else _number_of(value)[1]
    return made(rank, float(number))


def _to_truth(value: Value) -> Value:
    if isinstance(value, Truth):
        return value
    if isinstance(value, str) or (isinstance(value, TypedLiteral) and value.datatype == datatypes.BOOLEAN):
        written = lexical(value)
        if written in ("true", "1", "false", "0"):
            return Truth(written in ("true", "1"))
        raise Undefined(reasons.WRONG_FORM)
    return Truth(bool(_number_of(value)[1]))


def _to_moment(value: Value) -> Value:
    if isinstance(value, Instant):
        return value
    if isinstance(value, str) or (isinstance(value, TypedLiteral) and value.datatype == datatypes.DATE_TIME):
        written = str(lexical(value)).strip()
        if instant_from(written) is None:
            raise Undefined(reasons.WRONG_FORM)
        return literal(written, datatypes.DATE_TIME)
    raise Undefined(reasons.WRONG_KIND)


def _read(text: str, datatype: str) -> Any:
    """The number that a text writes in a datatype."""
    found: Any = native(text.strip(), datatype)
    if found is None:
        given = literal(text.strip(), datatype)
        found = None if not isinstance(given, TypedLiteral) else (ranked(given) or (None, None))[1]
    if found is None:
        raise Undefined(reasons.WRONG_FORM)
    return found


_CASTS: dict[str, Any] = {
    datatypes.STRING: _text,
    datatypes.INTEGER: _to_integer,
    datatypes.DECIMAL: _to_decimal,
    datatypes.FLOAT: lambda value: _to_float(Rank.SINGLE, datatypes.FLOAT, value),
    datatypes.DOUBLE: lambda value: _to_float(Rank.DOUBLE, datatypes.DOUBLE, value),
    datatypes.BOOLEAN: _to_truth,
    datatypes.DATE_TIME: _to_moment,
}


ABOUT_FUNCTIONS: tuple[Function, ...] = (
    call(
        "text",
        (NO_IDENTIFIERS,),
        "a text",
        "text",
        _text,
        'a value as plain text: `text(18.5)` is `"18.5"`, `text(<http://a>)` is `"http://a"`',
    ),
    call(
        "lexical",
        (NO_IDENTIFIERS,),
        "a text",
        "text",
        lexical,
        'its lexical form in RDF: `lexical(18.5)` is `"1.85E1"`, and otherwise as `text`',
    ),
    call(
        "number",
        (LITERALS,),
        "a number",
        "mixed",
        _number,
        'the number that it is, means or writes: `number("12")` is 12; of truth values, 0 or 1',
    ),
    call("iri", (IRIS_AND_TEXTS,), "an IRI", "mixed", _iri, "the IRI that a text writes"),
    call(
        "resolve",
        (IRIS_AND_TEXTS, PLAIN),
        "an IRI",
        "mixed",
        _resolved,
        'the IRI that a text writes, relative to another one: `resolve("a", "http://ex.org/")`',
    ),
    call("datatype", (LITERALS,), "an IRI", "mixed", _datatype, "its datatype: `datatype(5)` is `xsd:integer`"),
    call(
        "lang",
        (LITERALS,),
        "a text",
        "text",
        lambda value: value.language if isinstance(value, TaggedLiteral) else "",
        'the language of a text, or `""`: `lang("chat"@fr)` is `fr`',
    ),
    call(
        "literal",
        (PLAIN, IRIS),
        "a literal",
        "mixed",
        _typed,
        'a text with a datatype: `literal("5", xsd:integer)` is 5',
    ),
    call("tagged", (PLAIN, PLAIN), "a text", "mixed", _tagged, "a text in a language: `tagged(chat, fr)`"),
    call(
        "cast",
        (NO_IDENTIFIERS, IRIS),
        "a literal",
        "mixed",
        cast,
        "converted to the datatype `xsd:` `string`, `integer`, `decimal`, `float`, `double`, `boolean` or `dateTime`",
    ),
    call("is_iri", (ANYTHING,), TRUTH, "mixed", lambda value: Truth(isinstance(value, Iri)), "whether it is an IRI"),
    call(
        "is_blank",
        (ANYTHING,),
        TRUTH,
        "mixed",
        lambda value: Truth(isinstance(value, BlankNode | Constructed)),
        "whether it is a blank node or an identifier that `new` made",
    ),
    call(
        "is_literal",
        (ANYTHING,),
        TRUTH,
        "mixed",
        lambda value: Truth(not isinstance(value, Iri | BlankNode | Constructed)),
        "whether it is a number, a text or another literal",
    ),
    call(
        "is_number",
        (ANYTHING,),
        TRUTH,
        "mixed",
        lambda value: Truth(ranked(value) is not None),
        "whether it is a number, or a literal that means one",
    ),
    call(
        "new",
        (ANYTHING,),
        "an identifier",
        "mixed",
        _new,
        "an identifier that is the same for the same arguments and differs from all other values; the first "
        "argument is a name: `new(room, X)`",
        most=None,
        makes=True,
    ),
)
