"""Comparisons and aggregates of constants."""

from __future__ import annotations

from decimal import Decimal
from typing import get_args

import pytest

from lasing.logic.functions import COMPARISONS, AggregateFunction, Comparison, aggregate, holds
from lasing.logic.values import LARGEST, Duration, ExactDecimal, Instant, Iri, Truth, Undefined, Value, literal
from lasing.logic.values.datatypes import BOOLEAN, DATE_TIME, DOUBLE, INTEGER

IRI, DECIMAL, OTHER = Iri("http://ex.org/a"), ExactDecimal(Decimal(2)), Iri("http://ex.org/b")


def test_every_comparison_has_an_entry() -> None:
    assert tuple(COMPARISONS) == get_args(Comparison)


@pytest.mark.parametrize(
    ("left", "right", "true"),
    [
        (1, 2, "< <= !="),
        (2, 2, "<= >= ="),
        (2.5, 2, "> >= !="),
        (2**53 + 1, float(2**53), "> >= !="),
        ("a", "b", "< <= !="),
        ("Z", "a", "< <= !="),
        ("10", "9", "< <= !="),
        (1, "1", "!="),
        ("a", 1, "!="),
        (IRI, IRI, "="),
        (IRI, OTHER, "!="),
        (IRI, "<http://ex.org/a>", "!="),
        (DECIMAL, 2, "<= >= !="),
        (DECIMAL, 2.5, "< <= !="),
        (literal("02", INTEGER), 2, "<= >= !="),
        (literal("NaN", DOUBLE), 2, "!="),
        (literal("INF", DOUBLE), 2**63 - 1, "> >= !="),
        (Truth(False), Truth(True), "< <= !="),
        (Truth(True), literal("1", BOOLEAN), "<= >= !="),
        (Truth(True), 1, "!="),
        (Instant(0), Instant(1), "< <= !="),
        (Instant(0), literal("1970-01-01T01:00:00+01:00", DATE_TIME), "<= >= !="),
        (Instant(0), literal("1970-01-01T00:00:00", DATE_TIME), "!="),
        (Duration(1), Duration(2), "< <= !="),
        (Duration(1), Instant(1), "!="),
    ],
)
def test_which_comparisons_hold(left: Value, right: Value, true: str) -> None:
    assert {c for c in COMPARISONS if holds(c, left, right)} == set(true.split())
    assert {c for c in COMPARISONS if holds(COMPARISONS[c].flipped, right, left)} == set(true.split())


@pytest.mark.parametrize(
    ("function", "tuples", "value"),
    [
        ("count", set(), 0),
        ("sum", set(), 0),
        ("min", set(), None),
        ("max", set(), None),
        ("avg", set(), None),
        ("count", {("a",), (1,)}, 2),
        ("sum", {(2, "s1"), (2, "s2")}, 4),
        ("sum", {(0.5,), (1.5,)}, 2),
        ("sum", {(LARGEST,), (1,), (-1,)}, LARGEST),
        ("avg", {(1,), (2,)}, 1.5),
        ("avg", {(1,), (3,)}, 2),
        ("min", {(3, "a"), (1.5, "b")}, 1.5),
        ("max", {("b",), ("a",)}, "b"),
    ],
)
def test_the_value_of_an_aggregate(
    function: AggregateFunction, tuples: set[tuple[Value, ...]], value: Value | None
) -> None:
    result = aggregate(function, tuples)
    assert result == value
    assert type(result) is type(value)


def test_a_sum_does_not_depend_on_the_order() -> None:
    rows: list[tuple[Value, ...]] = [(1e17, 1), (0.1, 2), (-1e17, 3), (0.2, 4)]
    assert aggregate("sum", rows) == aggregate("sum", rows[::-1]) == aggregate("sum", [rows[i] for i in (0, 2, 1, 3)])


@pytest.mark.parametrize(
    ("function", "tuples"),
    [
        ("sum", {("a",)}),
        ("avg", {("a",), (1,)}),
        ("min", {("a",), (1,)}),
        ("sum", {(LARGEST,), (1,)}),
        ("sum", {(1.5e308, 1), (1.5e308, 2)}),
    ],
)
def test_an_aggregate_without_a_value(function: AggregateFunction, tuples: set[tuple[Value, ...]]) -> None:
    with pytest.raises(Undefined):
        aggregate(function, tuples)
