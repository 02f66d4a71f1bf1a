"""Arithmetic of RDF literals, as SPARQL has it: the datatype of a result follows from those of the operands.

Plain arithmetic has one kind of number: `1.5 + 0.5` is 2. Here a double stays a double, so the same sum is
`"2.0E0"^^xsd:double`, and a quotient of whole numbers is an exact decimal.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from math import copysign, inf, isfinite, nan
from operator import add, mul, neg, sub
from typing import Any

from lasing.logic.functions import reasons
from lasing.logic.functions.arithmetic import ARITHMETIC, QUANTITIES, rounded, rounded_down, rounded_up
from lasing.logic.functions.entry import Function, call
from lasing.logic.functions.promotion import (
    EXACT,
    NUMERIC,
    Rank,
    exact,
    in_rank,
    number_in,
    quotient_of_decimals,
    ranked,
)
from lasing.logic.values import Undefined, Value, datatypes, literal, normal
from lasing.logic.values.literals import single, single_lexical
from lasing.logic.values.numbers import double_lexical

_PLAIN: dict[str, Function] = {f"{function.name}/{function.least}": function for function in ARITHMETIC}


def typed(rank: Rank, number: Any) -> Value:
    """The literal of a number of some kind.

    >>> str(typed(Rank.DOUBLE, 2.0)), typed(Rank.WHOLE, 2)
    ('"2.0E0"^^<http://www.w3.org/2001/XMLSchema#double>', 2)
    """
    match rank:
        case Rank.WHOLE:
            return normal(int(number))
        case Rank.DECIMAL:
            return exact(number if isinstance(number, Decimal) else Decimal(number))
    value = single(float(number)) if rank is Rank.SINGLE else float(number)
    datatype = datatypes.FLOAT if rank is Rank.SINGLE else datatypes.DOUBLE
    if not isfinite(value):
        return literal("NaN" if value != value else "INF" if value > 0 else "-INF", datatype)
    return literal(single_lexical(value) if rank is Rank.SINGLE else double_lexical(value), datatype)


def _operation(operator: Callable[[Any, Any], Any], plain: str) -> Callable[[Value, Value], Value]:
    """An operation on two numbers; what are not numbers are instants and durations."""

    def compute(a: Value, b: Value) -> Value:
        one, other = ranked(a), ranked(b)
        if one is None or other is None:
            return _PLAIN[f"{plain}/2"].compute(a, b)
        rank = max(one[0], other[0])
        with localcontext(EXACT):
            return typed(rank, operator(in_rank(rank, one[1]), in_rank(rank, other[1])))

    return compute


def _divided(a: Value, b: Value) -> Value:
    one, other = ranked(a), ranked(b)
    if one is None or other is None:
        return _PLAIN["//2"].compute(a, b)
    return _quotient(max(one[0], other[0]), one[1], other[1])


def _quotient(rank: Rank, a: Any, b: Any) -> Value:
    if rank in (Rank.WHOLE, Rank.DECIMAL):
        return exact(quotient_of_decimals(Decimal(a), Decimal(b)))
    x, y = float(a), float(b)
    if y == 0:
        return typed(rank, nan if x == 0 or x != x else copysign(float("inf"), x) * copysign(1.0, y))
    return typed(rank, x / y)


def _alone(operation: Callable[[Any], Any]) -> Callable[[Value], Value]:
    def compute(a: Value) -> Value:
        rank, number = number_in(a)
        if isinstance(number, float) and not isfinite(number):
            return typed(rank, operation(number) if operation in (neg, abs) else number)
        with localcontext(EXACT):
            return typed(rank, operation(in_rank(rank, number)))

    return compute


def _negative(a: Value) -> Value:
    return _PLAIN["-/1"].compute(a) if ranked(a) is None else _alone(neg)(a)


_KINDS: dict[int, tuple[Rank, float]] = {
    0: (Rank.WHOLE, 0.0),
    1: (Rank.DECIMAL, 0.0),
    2: (Rank.SINGLE, 0.0),
    4: (Rank.DOUBLE, 0.0),
    8: (Rank.SINGLE, inf),
    16: (Rank.DOUBLE, inf),
    32: (Rank.SINGLE, -inf),
    64: (Rank.DOUBLE, -inf),
}
"""Kinds of numbers, and what they add to the sum of the finite ones. The sum of some of the keys has them all."""


def _kind(a: Value) -> Value:
    rank, number = number_in(a)
    beyond = number if isinstance(number, float) and not isfinite(number) else 0.0
    return next(key for key, kind in _KINDS.items() if kind == (rank, beyond))


def _summed(total: Value, kinds: Value) -> tuple[Rank, Any]:
    """A sum, and the kind of number that holds all its terms."""
    _, number = number_in(total)
    if not isinstance(kinds, int) or not 0 <= kinds < 2 * max(_KINDS):
        raise Undefined(reasons.WRONG_KIND)
    found = [kind for key, kind in _KINDS.items() if key & kinds]
    rank = max((rank for rank, _ in found), default=Rank.WHOLE)
    if rank < Rank.SINGLE and not isfinite(number):
        raise Undefined(reasons.WRONG_KIND)
    beyond = sum(term for _, term in found)
    if beyond != 0:  # which holds for NaN, the sum of both infinities
        return rank, beyond
    return rank, _decimal(number) if rank is Rank.DECIMAL else number


def _total(total: Value, kinds: Value) -> Value:
    return typed(*_summed(total, kinds))


def _average(total: Value, kinds: Value, count: Value) -> Value:
    _, number = number_in(count)
    return 0 if number == 0 else _quotient(*_summed(total, kinds), number)


def _decimal(number: Any) -> Decimal:
    return number if isinstance(number, Decimal) else Decimal(number)


RDF_NUMBER_FUNCTIONS: tuple[Function, ...] = (
    call("rdf_add", (QUANTITIES, QUANTITIES), "a literal", "mixed", _operation(add, "+"), "the sum"),
    call("rdf_subtract", (QUANTITIES, QUANTITIES), "a literal", "mixed", _operation(sub, "-"), "the difference"),
    call("rdf_multiply", (QUANTITIES, QUANTITIES), "a literal", "mixed", _operation(mul, "*"), "the product"),
    call(
        "rdf_divide",
        (QUANTITIES, QUANTITIES),
        "a literal",
        "mixed",
        _divided,
        "the quotient; of whole numbers, an exact decimal",
    ),
    call("rdf_negate", (QUANTITIES,), "a literal", "mixed", _negative, "the negative"),
    call("rdf_abs", (NUMERIC,), "a literal", "mixed", _alone(abs), "without its sign"),
    call("rdf_round", (NUMERIC,), "a literal", "mixed", _alone(rounded), "the nearest whole number"),
    call("rdf_floor", (NUMERIC,), "a literal", "mixed", _alone(rounded_down), "rounded down"),
    call("rdf_ceil", (NUMERIC,), "a literal", "mixed", _alone(rounded_up), "rounded up"),
    call(
        "rdf_kind",
        (NUMERIC,),
        "a whole number",
        "integer",
        _kind,
        "which kind of number: 0 whole, 1 decimal, 2 float, 4 double; from 8 on, infinite ones",
    ),
    call(
        "rdf_total",
        (NUMERIC, NUMERIC),
        "a literal",
        "mixed",
        _total,
        "a sum as a number of the kinds that a sum of `rdf_kind` names",
    ),
    call(
        "rdf_average",
        (NUMERIC, NUMERIC, NUMERIC),
        "a literal",
        "mixed",
        _average,
        "such a sum, divided by a number of terms",
    ),
)
