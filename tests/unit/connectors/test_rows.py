"""Rows, and the values in them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pytest

from lasing.connectors.rows import by_time, merged, time_of, value_of
from lasing.errors import LasingError
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick

A, B, C = Atom("a"), Atom("b"), Atom("c")


@pytest.mark.parametrize(
    ("thing", "value"),
    [
        (7, 7),
        (7.0, 7),
        (-0.0, 0),
        (0.5, 0.5),
        (1e300, 1e300),
        (True, "true"),
        ("A b", "A b"),
        (date(2026, 1, 31), "2026-01-31"),
        (np.int32(7), 7),
        (np.float64(7.0), 7),
        (np.bool_(False), "false"),
        (np.str_("x"), "x"),
        (Decimal("7.00"), 7),
        (Decimal("0.1"), 0.1),
        (Decimal(2**63 - 1), 2**63 - 1),
        (Decimal("1e300"), 1e300),
    ],
)
def test_the_constant_of_a_python_value(thing: object, value: Value) -> None:
    found = value_of(thing)
    assert found == value
    assert isinstance(found, type(value))


@pytest.mark.parametrize(
    "thing",
    [None, float("nan"), float("-inf"), 2**63, pytest.param(10**5_000, id="huge"), [1], {}, b"x", Decimal("nan"), 1j],
)
def test_anything_but_a_constant_is_refused(thing: object) -> None:
    with pytest.raises(LasingError, match="E506"):
        value_of(thing)


@pytest.mark.parametrize(
    "thing", [60, 60.0, "60", " 60 ", np.int64(60), "1970-01-01T00:01:00Z", datetime(1970, 1, 1, 0, 1)]
)
def test_the_time_point_of_a_python_value(thing: object) -> None:
    assert time_of(thing, Tick(1_000)) == 60


@pytest.mark.parametrize(
    ("thing", "code"),
    [(True, "E502"), (1.5, "E502"), ("x", "E502"), (None, "E506"), (2**63, "E506"), (datetime(2026, 1, 1), "E503")],
)
def test_anything_but_a_time_is_refused(thing: object, code: str) -> None:
    with pytest.raises(LasingError, match=code):
        time_of(thing, None)


def test_a_decimal_that_no_double_equals_is_refused() -> None:
    for text in ("1e400", "-1e400", "inf", "sNaN", "1e999999999"):
        with pytest.raises(LasingError, match="E506"):
            value_of(Decimal(text))


def test_merging_keeps_the_order_of_sources_at_one_time_point() -> None:
    assert list(merged([[Fact(1, B), Fact(3, B)], [Fact(1, A), Fact(2, A), Fact(3, A)]])) == [
        Fact(1, B),
        Fact(1, A),
        Fact(2, A),
        Fact(3, B),
        Fact(3, A),
    ]


def test_sorting_keeps_the_order_of_arrival_at_one_time_point() -> None:
    assert by_time([Fact(2, B), Fact(1, C), Fact(2, A), Fact(1, A)]) == [Fact(1, C), Fact(1, A), Fact(2, B), Fact(2, A)]
