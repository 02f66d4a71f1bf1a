"""Arithmetic: `X + 1`, `abs(X)`, `round(X)`.

Plain numbers are computed as Python computes them, and kernels do the same. Typed literals and exact decimals follow
the promotions of SPARQL (see `promotion`). Instants and durations add up and subtract as in XPath:

    instant - instant = duration      instant ± duration = instant      duration ± duration = duration
    duration * number = duration      duration / number = duration      duration / duration = exact decimal
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import partial, reduce
from math import ceil, floor
from operator import add, mul, neg, sub
from typing import Any

from lasing.logic.functions import codes, reasons
from lasing.logic.functions.entry import ANY_NUMBER, Function, Kinds, Types, call, kinds
from lasing.logic.functions.moments import shifted
from lasing.logic.functions.promotion import NUMERIC, alone, exact, number_in, promoted, quotient_of_decimals, ranked
from lasing.logic.values import (
    Class,
    Duration,
    ExactDecimal,
    Instant,
    Type,
    TypedLiteral,
    Undefined,
    Value,
    is_number,
    magnitude,
    order_key,
)
from lasing.logic.values.moments import FIRST, LAST
from lasing.logic.values.numbers import LARGEST, SMALLEST

QUANTITIES = kinds("number, instant or duration", int, float, ExactDecimal, TypedLiteral, Instant, Duration)
LENGTHS = kinds("number or duration", int, float, ExactDecimal, TypedLiteral, Duration)

_COMPARED = Kinds("number, instant or duration")
_TAKEN = (Class.NUMBERS, Class.INSTANTS, Class.LOCAL_TIMES, Class.DURATIONS)

Numbers = Callable[[Any, Any], Any]


def _operation(on_numbers: Numbers, on_others: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    """An operation on two numbers, or on moments."""

    def compute(a: Value, b: Value) -> Value:
        if is_number(a) and is_number(b):
            return on_numbers(a, b)  # type: ignore[no-any-return]
        if ranked(a) is not None and ranked(b) is not None:
            return promoted(on_numbers, a, b)
        return on_others(a, b)

    return compute


def _quotient(a: Any, b: Any) -> Any:
    """Exact: an integer if it divides evenly."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b if b and a % b == 0 else a / b
    return quotient_of_decimals(a, b) if isinstance(a, Decimal) else a / b


def _whole_quotient(a: Any, b: Any) -> Any:
    if not isinstance(a, Decimal):
        return a // b
    return (a - _remainder(a, b)) / b


def _remainder(a: Any, b: Any) -> Any:
    """Has the sign of the divisor, whereas that of Python's decimals has the sign of the dividend."""
    if not isinstance(a, Decimal):
        return a % b
    if b == 0:
        raise ZeroDivisionError
    left = a % b
    return left + b if left and (left < 0) != (b < 0) else left


def _divided(a: Value, b: Value) -> Value:
    """A quotient of two numbers. That of whole numbers may be no whole number."""
    (_, x), (_, y) = number_in(a), number_in(b)
    if isinstance(x, int) and isinstance(y, int):
        return _quotient(x, y)  # type: ignore[no-any-return]
    return promoted(_quotient, a, b)


# -- moments ----------------------------------------------------------------------------------------------------------


def _moment(value: Value) -> tuple[Class, Fraction] | None:
    """The class of an instant, a local time or a duration, and its microseconds."""
    found = magnitude(value)
    if found is None or found[0] not in (Class.INSTANTS, Class.LOCAL_TIMES, Class.DURATIONS):
        return None
    return found[0], Fraction(found[1])


def _duration(microseconds: Fraction) -> Duration:
    """The duration of this length, rounded to the microsecond."""
    length = round(microseconds)
    if not SMALLEST <= length <= LARGEST:
        raise Undefined(reasons.BEYOND_64_BITS)
    return Duration(length)


def _moved(moment: Value, by: Fraction) -> Value:
    """A moment, later by some microseconds. A literal keeps its time zone."""
    if isinstance(moment, Instant):
        at = round(moment.microseconds + by)
        if not FIRST <= at <= LAST:
            raise Undefined(reasons.BEYOND_64_BITS)
        return Instant(at)
    assert isinstance(moment, TypedLiteral), "there are no other moments"
    return shifted(moment, by)


def _added(a: Value, b: Value) -> Value:
    match _moment(a), _moment(b):
        case (Class.DURATIONS, x), (Class.DURATIONS, y):
            return _duration(x + y)
        case (Class.DURATIONS, x), (_, _):
            return _moved(b, x)
        case (_, _), (Class.DURATIONS, y):
            return _moved(a, y)
    raise _not_taken(a, b)


def _subtracted(a: Value, b: Value) -> Value:
    match _moment(a), _moment(b):
        case (one, x), (other, y) if one == other:
            return _duration(x - y)
        case (Class.INSTANTS | Class.LOCAL_TIMES, _), (Class.DURATIONS, y):
            return _moved(a, -y)
    raise _not_taken(a, b)


def _multiplied(a: Value, b: Value) -> Value:
    for length, factor in ((a, b), (b, a)):
        match _moment(length), ranked(factor):
            case (Class.DURATIONS, x), (_, number):
                return _duration(x * _fraction(number))
    raise _not_taken(a, b)


def _shared(a: Value, b: Value) -> Value:
    match _moment(a), _moment(b), ranked(b):
        case (Class.DURATIONS, x), (Class.DURATIONS, y), _:
            quotient = Fraction(x, y)
            return exact(quotient_of_decimals(Decimal(quotient.numerator), Decimal(quotient.denominator)))
        case (Class.DURATIONS, x), _, (_, number):
            return _duration(x / _fraction(number))
    raise _not_taken(a, b)


def _fraction(number: Any) -> Fraction:
    try:
        return Fraction(number)
    except (OverflowError, ValueError):
        raise Undefined(reasons.BEYOND_64_BITS) from None


def _only_numbers(a: Value, b: Value) -> Value:
    raise _not_taken(a, b)


def _not_taken(*values: Value) -> Undefined:
    """Why an operation has no value: a literal that means nothing, or kinds that do not go together."""
    if all(ranked(value) is not None or _moment(value) is not None for value in values):
        return Undefined(reasons.WRONG_KIND)
    return Undefined(reasons.NOT_A_NUMBER)


def _turned(operation: Callable[[Any], Any]) -> Callable[[Value], Value]:
    """An operation on one number or duration."""

    def compute(a: Value) -> Value:
        if is_number(a):
            return operation(a)  # type: ignore[no-any-return]
        match _moment(a):
            case Class.DURATIONS, length:
                return _duration(operation(length))
        if ranked(a) is None:
            raise _not_taken(a)
        return alone(operation, a)

    return compute


def _extreme(pick: Callable[..., Value], *values: Value) -> Value:
    """The least or greatest, two at a time, as kernels do it."""

    def of_two(a: Value, b: Value) -> Value:
        one, other = magnitude(a), magnitude(b)
        if one is None or other is None or one[0] not in _TAKEN or other[0] not in _TAKEN:
            raise Undefined(reasons.NOT_A_NUMBER)
        if one[0] != other[0]:
            raise Undefined(reasons.WRONG_KIND)
        return pick(a, b, key=order_key)

    return reduce(of_two, values, values[0])


# -- rounding ---------------------------------------------------------------------------------------------------------


def rounded(number: Any) -> Any:
    """To the nearest whole number; of two that are as near, the greater one."""
    if isinstance(number, Decimal):
        return (number + Decimal("0.5")).to_integral_value(ROUND_FLOOR)
    return number if isinstance(number, int) else floor(Fraction(number) + Fraction(1, 2))


def rounded_down(number: Any) -> Any:
    return number.to_integral_value(ROUND_FLOOR) if isinstance(number, Decimal) else floor(number)


def rounded_up(number: Any) -> Any:
    return number.to_integral_value(ROUND_CEILING) if isinstance(number, Decimal) else ceil(number)


def _to_whole(operation: Callable[[Any], Any]) -> Callable[[Value], Value]:
    def compute(a: Value) -> Value:
        if ranked(a) is None:
            raise Undefined(reasons.WRONG_KIND)
        return operation(a) if is_number(a) else alone(operation, a)

    return compute


# -- the table --------------------------------------------------------------------------------------------------------


def of_numbers(types: Types) -> Type:
    """Whole numbers give a whole number; where there may be other kinds, the result may be of other kinds."""
    if "mixed" in types:
        return "mixed"
    return "integer" if all(given == "integer" for given in types) else "double"


def _double(types: Types) -> Type:
    return "mixed" if "mixed" in types else "double"


def _whole(types: Types) -> Type:
    return "mixed" if "mixed" in types else "integer"


def _infix(
    name: str, precedence: int, kernel: int, definition: Callable[[Value, Value], Value], about: str, **more: Any
) -> Function:
    result = more.get("result", of_numbers)
    gives = "a number, instant or duration"
    return Function(name, 2, 2, "infix", (QUANTITIES,), gives, result, definition, kernel, precedence, about=about)


ARITHMETIC: tuple[Function, ...] = (
    _infix("+", 1, codes.ADD, _operation(add, _added), "the sum"),
    _infix("-", 1, codes.SUBTRACT, _operation(sub, _subtracted), "the difference; of two instants, a duration"),
    _infix("*", 2, codes.MULTIPLY, _operation(mul, _multiplied), "the product"),
    _infix(
        "/",
        2,
        codes.DIVIDE,
        lambda a, b: _divided(a, b) if ranked(a) is not None and ranked(b) is not None else _shared(a, b),
        "the quotient: whole if it divides evenly, otherwise a double; of exact decimals, to 18 places",
        result=_double,
    ),
    _infix("div", 2, codes.DIV, _operation(_whole_quotient, _only_numbers), "the quotient of numbers, rounded down"),
    _infix("mod", 2, codes.MOD, _operation(_remainder, _only_numbers), "what `div` leaves"),
    Function(
        "-",
        1,
        1,
        "prefix",
        (LENGTHS,),
        "a number or duration",
        of_numbers,
        _turned(neg),
        codes.NEGATE,
        3,
        about="the negative",
    ),
    Function(
        "abs",
        1,
        1,
        "call",
        (LENGTHS,),
        "a number or duration",
        of_numbers,
        _turned(abs),
        codes.ABS,
        about="without its sign: `abs(-3)` is 3",
    ),
    Function(
        "min",
        1,
        ANY_NUMBER,
        "call",
        (_COMPARED,),
        "one of its arguments",
        of_numbers,
        partial(_extreme, min),
        codes.MIN,
        about="the least",
    ),
    Function(
        "max",
        1,
        ANY_NUMBER,
        "call",
        (_COMPARED,),
        "one of its arguments",
        of_numbers,
        partial(_extreme, max),
        codes.MAX,
        about="the greatest",
    ),
    call(
        "round",
        (NUMERIC,),
        "a number",
        _whole,
        _to_whole(rounded),
        "the nearest whole number; of two, the greater: `round(2.5)` is 3",
    ),
    call("floor", (NUMERIC,), "a number", _whole, _to_whole(rounded_down), "rounded down: `floor(-1.5)` is -2"),
    call("ceil", (NUMERIC,), "a number", _whole, _to_whole(rounded_up), "rounded up: `ceil(1.2)` is 2"),
)
