"""Functions of SQL that differ from those of the other languages: rounding, remainders, LIKE, casts."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache, partial
from math import trunc
from typing import Any

from lasing.logic.functions import reasons
from lasing.logic.functions.entry import ANYTHING, TRUTH, Function, Lazy, call, kinds
from lasing.logic.functions.promotion import EXACT
from lasing.logic.values import UNBOUND, ExactDecimal, Instant, Truth, Undefined, Value, normal, order_key
from lasing.logic.values.moments import FIRST, LAST, instant_from

_NUMBER = kinds("number", int, float, ExactDecimal)
_WHOLE = kinds("whole number", int)
_TEXT = kinds("plain text", str)


Number = int | float | Decimal


def _number(value: Value) -> Number:
    if isinstance(value, ExactDecimal):
        return value.number
    assert isinstance(value, int | float), "the entries say so"
    return value


def _made(number: Number | Fraction, exact: bool) -> Value:
    """A number as a value: an exact decimal, or one of the others."""
    if isinstance(number, Fraction):
        whole = number.denominator == 1
        if exact:
            return ExactDecimal(EXACT.divide(Decimal(number.numerator), Decimal(number.denominator)))
        return normal(int(number) if whole else float(number))
    return ExactDecimal(Decimal(number)) if exact else normal(number)  # type: ignore[arg-type]  # it is no decimal


def _exact(*values: Value) -> bool:
    return any(isinstance(value, ExactDecimal) for value in values)


def _text(value: Value) -> str:
    assert isinstance(value, str), "the entries say so"
    return value


# -- numbers ----------------------------------------------------------------------------------------------------------


def _quotient(a: Value, b: Value) -> Value:
    x, y = _number(a), _number(b)
    if isinstance(x, float) or isinstance(y, float):
        return float(trunc(float(x) / float(y)))
    return _made(Fraction(trunc(Fraction(x) / Fraction(y))), _exact(a, b))


def _remainder(a: Value, b: Value) -> Value:
    """Has the sign of the dividend."""
    x, y = Fraction(_number(a)), Fraction(_number(b))
    return _made(x - y * trunc(x / y), _exact(a, b))


def _rounded(a: Value, places: Value) -> Value:
    """To some places after the point; of two that are as near, the one further from zero."""
    number, digits = _number(a), int(_number(places))
    if isinstance(number, int) and digits >= 0:
        return number
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    if not isinstance(number, Decimal) and exact and digits > 30 - exact.adjusted():
        return a
    rounded = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, EXACT)
    return ExactDecimal(rounded) if isinstance(number, Decimal) else normal(float(rounded))


def _sign(a: Value) -> Value:
    number = _number(a)
    return (number > 0) - (number < 0)


def _extreme(pick: Callable[..., Value], *operands: Lazy) -> Value:
    """The least or greatest of the operands that have a value."""
    found = []
    for operand in operands:
        try:
            found.append(operand())
        except Undefined:
            continue
    if not found:
        raise Undefined(reasons.NO_VALUE)
    return pick(found, key=order_key)


# -- texts ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _like_pattern(pattern: str, escape: str, any_case: bool) -> Any:
    """A pattern of LIKE as a regular expression."""
    import re2  # here, because most programs have no patterns

    parts, at = [], 0
    while at < len(pattern):
        letter = pattern[at]
        if escape and letter == escape and at + 1 < len(pattern):
            at += 1
            parts.append(re2.escape(pattern[at]))
        else:
            parts.append(".*" if letter == "%" else "." if letter == "_" else re2.escape(letter))
        at += 1
    return re2.compile(f"(?s{'i' if any_case else ''})" + "".join(parts))


def _like(text: Value, pattern: Value, escape: Value = "", any_case: bool = False) -> Value:
    return Truth(_like_pattern(_text(pattern), _text(escape), any_case).fullmatch(_text(text)) is not None)


def _substring(text: Value, start: Value, length: Value | None = None) -> Value:
    """Places count from 1; a negative one counts from the end."""
    letters, first = _text(text), int(_number(start))
    begin = first - 1 if first > 0 else len(letters) + first if first < 0 else -1
    if length is None:
        return letters[max(begin, 0) :]
    end = begin + int(_number(length))
    begin, end = min(begin, end), max(begin, end)
    return letters[max(begin, 0) : max(end, 0)]


def _left(text: Value, count: Value) -> Value:
    letters, number = _text(text), int(_number(count))
    return letters[:number] if number >= 0 else letters[: max(len(letters) + number, 0)]


def _right(text: Value, count: Value) -> Value:
    letters, number = _text(text), int(_number(count))
    if number < 0:
        return letters[-number:]
    return letters[-number:] if number else ""


def _trimmed(text: Value, side: Value, taken: Value = " ") -> Value:
    letters, ends = _text(text), _text(taken)
    match side:
        case "left":
            return letters.lstrip(ends)
        case "right":
            return letters.rstrip(ends)
    return letters.strip(ends)


def _replaced(text: Value, old: Value, new: Value) -> Value:
    return _text(text).replace(_text(old), _text(new)) if old else text


# -- casts ------------------------------------------------------------------------------------------------------------

_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DOUBLE = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)", re.ASCII)


def decimal_type(precision: int, scale: int) -> str:
    """The name of a type of decimals, for `cast_of`: so many digits, and so many of them after the point.

    >>> cast_of("1.005", "VARCHAR", decimal_type(10, 2)).lexical
    '1.01'
    """
    return f"DECIMAL({precision},{scale})"


def cast_of(value: Value, given: Value, wanted: Value) -> Value:
    """A value of one type of SQL as one of another; without a value if there is none."""
    match wanted:
        case "BIGINT":
            return _to_whole(value)
        case "DOUBLE":
            return _to_double(value)
        case "VARCHAR":
            return _to_text(value, given)
        case "BOOLEAN":
            return _to_truth(value)
        case "TIMESTAMP":
            return _to_moment(value)
    sizes = _DECIMAL.fullmatch(_text(wanted))
    if sizes is None:
        raise Undefined(reasons.WRONG_KIND)
    return _to_decimal(value, int(sizes[1]), int(sizes[2]))


def _reads(value: Value, wanted: Value, required: Value) -> Value:
    """Whether a value that came in can be read as one of a type of SQL."""
    if value == UNBOUND:
        return Truth(not _number(required))
    try:
        cast_of(value, "VARCHAR", wanted)
    except Undefined:
        return Truth(False)
    return Truth(True)


def _to_whole(value: Value) -> Value:
    if isinstance(value, Truth):
        return int(value.holds)
    if isinstance(value, str) and _DOUBLE.fullmatch(value.strip()):
        text = value.strip()
        return normal(int(text) if _INTEGER.fullmatch(text) else _half_up(Decimal(text)))
    if isinstance(value, ExactDecimal):
        return normal(_half_up(value.number))
    if isinstance(value, int | float):
        return normal(round(value))
    raise Undefined(reasons.WRONG_FORM)


def _half_up(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_HALF_UP))


def _to_double(value: Value) -> Value:
    if isinstance(value, Truth):
        return int(value.holds)
    if isinstance(value, str) and _DOUBLE.fullmatch(value.strip()):
        return normal(float(value.strip()))
    if isinstance(value, int | float | ExactDecimal):
        return normal(float(_number(value)))
    raise Undefined(reasons.WRONG_FORM)


def _to_decimal(value: Value, precision: int, scale: int) -> Value:
    if isinstance(value, Truth):
        number = Decimal(value.holds)
    elif isinstance(value, str) and _DOUBLE.fullmatch(value.strip()):
        number = Decimal(value.strip())
    elif isinstance(value, int | float | ExactDecimal):
        plain = _number(value)
        number = Decimal(repr(plain)) if isinstance(plain, float) else Decimal(plain)
    else:
        raise Undefined(reasons.WRONG_FORM)
    if number and number.adjusted() >= precision:  # before rounding, which would need as many digits
        raise Undefined(reasons.BEYOND_64_BITS)
    rounded = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, EXACT)
    if rounded and rounded.adjusted() >= precision - scale:
        raise Undefined(reasons.BEYOND_64_BITS)
    return ExactDecimal(rounded)


def _to_text(value: Value, given: Value) -> Value:
    if isinstance(value, str):
        return value
    if isinstance(value, Truth):
        return "true" if value.holds else "false"
    if given == "DOUBLE" and isinstance(value, int | float):
        return repr(float(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, ExactDecimal):
        sizes = _DECIMAL.fullmatch(_text(given))
        if sizes is None:
            return value.lexical
        return format(value.number.quantize(Decimal(1).scaleb(-int(sizes[2])), ROUND_HALF_UP, EXACT), "f")
    if isinstance(value, Instant):
        date, _, time = value.lexical.removesuffix("Z").partition("T")
        return f"{date} {time}"
    raise Undefined(reasons.WRONG_KIND)


def _to_truth(value: Value) -> Value:
    if isinstance(value, Truth):
        return value
    if isinstance(value, str):
        word = value.strip().lower()
        if word in ("true", "t", "1", "yes", "y", "false", "f", "0", "no", "n"):
            return Truth(word in ("true", "t", "1", "yes", "y"))
        raise Undefined(reasons.WRONG_FORM)
    if isinstance(value, int | float | ExactDecimal):
        return Truth(_number(value) != 0)
    raise Undefined(reasons.WRONG_FORM)


def _to_moment(value: Value) -> Value:
    """A text as a moment; without a time zone, it is in UTC."""
    if isinstance(value, Instant):
        return value
    if isinstance(value, str):
        text = value.strip().replace(" ", "T", 1)
        if _DATE.fullmatch(text):
            text += "T00:00:00"
        found = instant_from(text)
        if found is not None and FIRST <= found[1] <= LAST:
            return Instant(round(found[1]))
    raise Undefined(reasons.WRONG_FORM)


SQL_FUNCTIONS: tuple[Function, ...] = (
    call("sql_quotient", (_NUMBER, _NUMBER), "a number", "mixed", _quotient, "the quotient, cut off at the point"),
    call(
        "sql_remainder",
        (_NUMBER, _NUMBER),
        "a number",
        "mixed",
        _remainder,
        "what `sql_quotient` leaves, with the sign of the first argument",
    ),
    call(
        "sql_round",
        (_NUMBER, _WHOLE),
        "a number",
        "mixed",
        _rounded,
        "rounded to places after the point; of two, the one further from zero: `sql_round(-2.5, 0)` is -3",
    ),
    call("sql_sign", (_NUMBER,), "a whole number", "integer", _sign, "-1, 0 or 1"),
    call(
        "sql_least",
        (ANYTHING,),
        "one of its arguments",
        "mixed",
        partial(_extreme, min),
        "the least of the arguments that have a value",
        most=None,
        lazy=True,
    ),
    call(
        "sql_greatest",
        (ANYTHING,),
        "one of its arguments",
        "mixed",
        partial(_extreme, max),
        "the greatest of the arguments that have a value",
        most=None,
        lazy=True,
    ),
    call(
        "sql_like",
        (_TEXT, _TEXT, _TEXT),
        TRUTH,
        "mixed",
        _like,
        'whether a text matches a pattern, in which `%` is any text and `_` any character: `sql_like(X, "a%")`; a '
        "third argument is the character that takes their meaning from them",
        least=2,
    ),
    call(
        "sql_ilike",
        (_TEXT, _TEXT, _TEXT),
        TRUTH,
        "mixed",
        partial(_like, any_case=True),
        "the same, in upper or lower case",
        least=2,
    ),
    call(
        "sql_substring",
        (_TEXT, _WHOLE, _WHOLE),
        "a text",
        "text",
        _substring,
        "from a place, counted from 1 or, if it is negative, from the end, and of a length",
        least=2,
    ),
    call("sql_left", (_TEXT, _WHOLE), "a text", "text", _left, "the first characters; less than 0, all but the last"),
    call("sql_right", (_TEXT, _WHOLE), "a text", "text", _right, "the last characters; less than 0, all but the first"),
    call(
        "sql_trim",
        (_TEXT, _TEXT, _TEXT),
        "a text",
        "text",
        _trimmed,
        "without spaces, or the characters of the third text, at its `left`, `right` or `both` ends",
        least=2,
    ),
    call("sql_replace", (_TEXT, _TEXT, _TEXT), "a text", "text", _replaced, "with one text in place of another"),
    call("sql_reverse", (_TEXT,), "a text", "text", lambda text: _text(text)[::-1], "from its end to its beginning"),
    call(
        "sql_position",
        (_TEXT, _TEXT),
        "a whole number",
        "integer",
        lambda text, part: _text(text).find(_text(part)) + 1,
        "where a text first has another one, counted from 1; 0 if nowhere",
    ),
    call(
        "sql_cast",
        (ANYTHING, _TEXT, _TEXT),
        "a value",
        "mixed",
        cast_of,
        'a value of one type of SQL as one of another: `sql_cast("12", "VARCHAR", "BIGINT")` is 12',
    ),
    call(
        "sql_reads",
        (ANYTHING, _TEXT, _WHOLE),
        TRUTH,
        "mixed",
        _reads,
        "whether a value can be read as one of a type of SQL; a missing one can, unless the third argument is 1",
    ),
)
