"""How constants compare, and what aggregates make of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import assert_never

from lasing.logic.formulas import AggregateFunction, Comparison
from lasing.logic.terms import Undefined, Value, normal

_NUMBERS: dict[Comparison, Callable[[int | float, int | float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NAMES: dict[Comparison, Callable[[str, str], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(comparison: Comparison, left: Value, right: Value) -> bool:
    """Whether two constants compare so. Names compare by code point; a name and a number are only unequal.

    >>> holds("<", 2, 2.5), holds("<", "b", "a"), holds("<", 1, "a"), holds("!=", 1, "a")
    (True, False, False, True)
    """
    if comparison == "=":
        return left == right
    if comparison == "!=":
        return left != right
    if isinstance(left, str):
        return isinstance(right, str) and _NAMES[comparison](left, right)
    return not isinstance(right, str) and _NUMBERS[comparison](left, right)


def aggregate(function: AggregateFunction, tuples: Iterable[tuple[Value, ...]]) -> Value | None:
    """The value of an aggregate over distinct tuples; None where it has none: min, max and avg of nothing.

    Sums are exact and rounded once, so they do not depend on the order of the tuples.

    >>> aggregate("sum", {(2, "s1"), (2, "s2"), (0.5, "s3")}), aggregate("avg", {(1,), (2,)}), aggregate("min", set())
    (4.5, 1.5, None)
    """
    rows = list(tuples)
    match function:
        case "count":
            return len(rows)
        case "sum":
            return _sum(rows, 1)
        case "avg":
            return _sum(rows, len(rows)) if rows else None
        case "min":
            return min(_comparable(rows), default=None)
        case "max":
            return max(_comparable(rows), default=None)
        case _:
            assert_never(function)


def _sum(rows: Sequence[tuple[Value, ...]], parts: int) -> int | float:
    """The sum of the first terms, divided by `parts`: exact, and rounded once."""
    exact, doubles = Fraction(0), False
    for first, *_ in rows:
        if isinstance(first, str):
            raise Undefined("arithmetic on a name", min(_names(rows)))
        exact += Fraction(first)
        doubles = doubles or isinstance(first, float)
    exact /= parts
    try:
        return normal(int(exact) if exact.denominator == 1 and not doubles else float(exact))
    except OverflowError:
        raise Undefined("a result beyond 64 bits") from None


def _comparable(rows: Sequence[tuple[Value, ...]]) -> list[Value]:
    firsts = [row[0] for row in rows]
    names = _names(rows)
    if 0 < len(names) < len(firsts):
        raise Undefined("least or greatest of names and numbers together", min(names))
    return firsts


def _names(rows: Sequence[tuple[Value, ...]]) -> list[str]:
    return [first for first, *_ in rows if isinstance(first, str)]
