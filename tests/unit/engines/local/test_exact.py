"""Sums are exact, and rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from lasing.engines.local.exact import LIMBS, add_double, add_integer, add_wide, to_double

INTEGERS = st.integers(-(2**63), 2**63 - 1)
NUMBERS = st.one_of(INTEGERS, st.floats(allow_nan=False, allow_infinity=False))


@given(st.lists(NUMBERS, min_size=1, max_size=8), st.integers(1, 1000))
@example([5e-324, 5e-324], 3)
@example([1.7976931348623157e308, 1.7976931348623157e308, -1.7976931348623157e308], 1)
@example([0.1, 0.2, -0.3], 1)
@example([8.98846567431158e307, 8.98846567431158e307], 1)
@example([-1.7976931348623157e308, -1e300], 1)
@example([2**53, 1], 2)
def test_a_sum_divided_is_the_nearest_double(numbers: list[int | float], parts: int) -> None:
    limbs = np.zeros(LIMBS, np.int64)
    for number in numbers:
        if isinstance(number, int):
            add_integer(limbs, number)
        else:
            add_double(limbs, number)
    exact = sum(map(Fraction, numbers), Fraction(0)) / parts
    try:
        expected = float(exact)
    except OverflowError:
        expected = math.inf if exact > 0 else -math.inf
    assert to_double(limbs, parts) == expected


@given(st.integers(-(2**60), 2**60), INTEGERS)
def test_a_wide_integer_is_its_two_words(high: int, low: int) -> None:
    limbs = np.zeros(LIMBS, np.int64)
    add_wide(limbs, high, low)
    assert to_double(limbs, 1) == float(high * 2**64 + low % 2**64)
