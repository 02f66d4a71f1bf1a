"""Comparisons: `X < Y`. Equality is identity of values; the others go by magnitude (see `values.table`)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from lasing.logic.functions import codes
from lasing.logic.values import Value, magnitude

Comparison = Literal["<", "<=", ">", ">=", "=", "!="]


@dataclass(frozen=True, slots=True)
class ComparisonEntry:
    """A comparison: the one with the sides swapped, its opposite between comparable values, its code in kernels, and
    the test on two places in the same class; None if it tests identity.
    """

    flipped: Comparison
    opposite: Comparison
    kernel: int
    test: Callable[[Any, Any], bool] | None = None

    @property
    def orders(self) -> bool:
        """Whether it depends on which of two values comes first."""
        return self.test is not None


COMPARISONS: dict[Comparison, ComparisonEntry] = {
    "<": ComparisonEntry(">", ">=", codes.LESS, operator.lt),
    "<=": ComparisonEntry(">=", ">", codes.LESS_EQUAL, operator.le),
    ">": ComparisonEntry("<", "<=", codes.GREATER, operator.gt),
    ">=": ComparisonEntry("<=", "<", codes.GREATER_EQUAL, operator.ge),
    "=": ComparisonEntry("=", "!=", codes.EQUAL),
    "!=": ComparisonEntry("!=", "=", codes.UNEQUAL),
}


def holds(comparison: Comparison, left: Value, right: Value) -> bool:
    """Whether the comparison holds between two values. Values that do not compare are only unequal.

    >>> holds("<", 2, 2.5), holds("<", "b", "a"), holds("<", 1, "a"), holds("!=", 1, "a")
    (True, False, False, True)
    """
    test = COMPARISONS[comparison].test
    if test is None:
        return (left == right) == (comparison == "=")
    one, other = magnitude(left), magnitude(right)
    return one is not None and other is not None and one[0] == other[0] and test(one[1], other[1])
