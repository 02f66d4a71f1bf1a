"""Sums are exact, and rounded once."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lasing.engines.local.exact import SPREAD, add_double, first_limb, quotient, rounded

INTEGERS = st.integers(-(2**63), 2**63 - 1)
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
MOST = 1.7976931348623157e308
LIMBS = first_limb(MOST) + SPREAD


def nearest(exact: Fraction) -> float:
    """The double nearest to a number, by Python's definition."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def words(whole: int) -> tuple[int, int]:
    """The high and low words of a 128-bit integer, both signed."""
    low = whole % 2**64
    return whole >> 64, low - 2**64 if low >= 2**63 else low


@given(st.lists(DOUBLES, max_size=8), st.lists(INTEGERS, max_size=3), st.integers(1, 2**31 - 1))
@example([5e-324, 5e-324], [], 3)
@example([5e-324], [], 2)
@example([5e-324], [], 2**31 - 1)
@example([5e-324, 1e-323], [], 2)
@example([2.2250738585072014e-308, -5e-324], [], 1)
@example([MOST, MOST, -MOST], [], 1)
@example([MOST, MOST], [], 2)
@example([MOST, 9.9792015476736e291], [], 1)  # half of the last bit: it is rounded up, out of the range
@example([MOST, 9.9792015476735e291], [], 1)
@example([0.1, 0.2, -0.3], [], 1)
@example([8.98846567431158e307, 8.98846567431158e307], [], 1)
@example([-MOST, -1e300], [], 1)
@example([], [2**53, 1], 2)
@example([0.5], [2**53], 1)
@example([0.5], [2**53 + 1], 1)
@example([0.5, 5e-324], [2**53], 1)
@example([0.5], [-(2**63), -(2**63)], 1)
@example([], [], 1)
def test_a_sum_divided_is_the_nearest_double(doubles: list[float], integers: list[int], parts: int) -> None:
    limbs = np.zeros(LIMBS, np.int64)
    for number in doubles:
        add_double(limbs, 0, number, 1)
    exact = (sum(map(Fraction, doubles), Fraction(0)) + sum(integers)) / parts
    assert rounded(limbs, 0, 0, LIMBS, *words(sum(integers)), parts) == nearest(exact)


@given(st.lists(DOUBLES, max_size=6), st.lists(DOUBLES, max_size=6))
def test_what_is_taken_away_leaves_no_trace(kept: list[float], gone: list[float]) -> None:
    limbs, expected = np.zeros(LIMBS, np.int64), np.zeros(LIMBS, np.int64)
    for number in (*gone, *kept):
        add_double(limbs, 0, number, 1)
    for number in gone:
        add_double(limbs, 0, number, -1)
    for number in kept:
        add_double(expected, 0, number, 1)
    assert limbs.tolist() == expected.tolist()


@pytest.mark.parametrize("parts", [1, 7, 600])
def test_a_long_sum_is_that_of_fsum(parts: int) -> None:
    chosen = random.Random(5)
    numbers = [math.ldexp(chosen.uniform(-1, 1), chosen.randint(-1073, 1000)) for _ in range(5000)]
    limbs = np.zeros(LIMBS, np.int64)
    for number in numbers:
        add_double(limbs, 0, number, 1)
    assert rounded(limbs, 0, 0, LIMBS, 0, 0, 1) == math.fsum(numbers)
    assert rounded(limbs, 0, 0, LIMBS, 0, 0, parts) == float(sum(map(Fraction, numbers)) / parts)


@given(st.integers(-(2**127), 2**127 - 1), st.integers(1, 2**31 - 1))
def test_a_wide_integer_is_its_two_words(whole: int, parts: int) -> None:
    assert rounded(np.zeros(1, np.int64), 0, 0, 0, *words(whole), parts) == float(Fraction(whole, parts))


@given(INTEGERS, INTEGERS.filter(bool))
def test_a_quotient_of_integers_is_the_nearest_double(x: int, y: int) -> None:
    assert quotient(x, y) == float(Fraction(x, y))
