"""Aggregate functions: `#sum{V : temp(S, V)}`, over the distinct tuples of a group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lasing.logic.functions import codes, reasons
from lasing.logic.functions.comparisons import Comparison
from lasing.logic.functions.sums import summed
from lasing.logic.values import Class, Type, Undefined, Value, class_of, is_number, order_key

AggregateFunction = Literal["count", "sum", "min", "max", "avg", "concat"]

Rows = Sequence[tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class AggregateEntry:
    """An aggregate function over distinct tuples.

    `compute` returns its value for some tuples, or raises `Undefined`; `of_nothing` is its value for no tuples, if any.
    `weight` means that it is a sum, of 1 or of the first term for each tuple; `picks` means that it is the first term
    that comes before all others by this comparison; `sorts` means that the order of whole tuples matters. `result`
    gives the type of its values from that of the first terms.
    """

    compute: Callable[[Rows], Value]
    kernel: int
    result: Callable[[Type | None], Type | None]
    of_nothing: Value | None = None
    weight: Literal["one", "first"] | None = None
    picks: Comparison | None = None
    sorts: bool = False

    @property
    def is_sum(self) -> bool:
        """Whether its value follows from the number of tuples and the sum of their first terms."""
        return self.picks is None and not self.sorts

    @property
    def adds_up(self) -> bool:
        """Whether equal first terms of different tuples count more than once."""
        return self.picks is None and self.weight != "one"


def _firsts(rows: Rows) -> list[Value]:
    return [row[0] for row in rows]


def _comparable(rows: Rows) -> list[Value]:
    """The first terms, if all of them compare with one another."""
    firsts = _firsts(rows)
    if not all_compare(firsts):
        raise Undefined(reasons.NOT_COMPARABLE, min((first for first in firsts if not is_number(first)), key=order_key))
    return firsts


def all_compare(values: Iterable[Value]) -> bool:
    """Whether `<` or its opposite holds between any two of the values.

    >>> all_compare([1, 2.5]), all_compare([1, "a"]), all_compare([])
    (True, False, True)
    """
    classes = set(map(class_of, values))
    return len(classes) <= 1 and Class.WITHOUT_MAGNITUDE not in classes


def concatenation(rows: Rows) -> Value:
    """The last terms of tuples, which are texts, one after the other in the order of the tuples.

    >>> concatenation([(2, "b"), (10, "c"), (1, "a")])
    'abc'
    """
    lasts = [row[-1] for row in sorted(rows, key=lambda row: tuple(map(order_key, row)))]
    if not all(isinstance(last, str) for last in lasts):
        raise Undefined(reasons.WRONG_KIND)
    return "".join(lasts)  # type: ignore[arg-type]  # they are texts


def _same(taken: Type | None) -> Type | None:
    return taken


def _of_sum(taken: Type | None) -> Type | None:
    return taken if taken in ("integer", "mixed") else "double"


def _of_average(taken: Type | None) -> Type | None:
    return "mixed" if taken == "mixed" else "double"


AGGREGATES: dict[AggregateFunction, AggregateEntry] = {
    "count": AggregateEntry(len, codes.COUNT, lambda _: "integer", of_nothing=0, weight="one"),
    "sum": AggregateEntry(lambda rows: summed(_firsts(rows)), codes.SUM, _of_sum, of_nothing=0, weight="first"),
    "min": AggregateEntry(lambda rows: min(_comparable(rows), key=order_key), codes.LEAST, _same, picks="<"),
    "max": AggregateEntry(lambda rows: max(_comparable(rows), key=order_key), codes.GREATEST, _same, picks=">"),
    "avg": AggregateEntry(lambda rows: summed(_firsts(rows), len(rows)), codes.AVERAGE, _of_average),
    "concat": AggregateEntry(concatenation, codes.CONCATENATION, lambda _: "text", of_nothing="", sorts=True),
}


def aggregate(function: AggregateFunction, tuples: Iterable[tuple[Value, ...]]) -> Value | None:
    """The value of an aggregate over distinct tuples; None if it has none: min, max and avg of nothing.

    >>> aggregate("sum", {(2, "s1"), (2, "s2"), (0.5, "s3")}), aggregate("avg", {(1,), (2,)}), aggregate("min", set())
    (4.5, 1.5, None)
    """
    rows, entry = list(tuples), AGGREGATES[function]
    return entry.compute(rows) if rows else entry.of_nothing
