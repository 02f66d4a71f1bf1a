"""value = the sum of the doubles that were added and not taken away again."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasing.compiling import njit
from lasing.engines.local import pointers
from lasing.engines.local.accumulator import ACCUMULATOR, BLOCK, LIMBS, accumulate, accumulated, empty
from lasing.engines.local.memory import HEADER, WORDS
from lasing.engines.local.pause import MOST_WORDS, OUT_OF_MEMORY, STOPPED

AT = HEADER
pointer: Any = pointers.pointer
Array = np.ndarray[Any, np.dtype[np.int64]]


@njit(cache=False)
def run(array: Array, numbers: np.ndarray[Any, Any], signs: Array, parts: Array, found: np.ndarray[Any, Any]) -> None:
    """Add or take away one number after the other, and read the sum divided by `parts` each time."""
    m = pointer(array)
    for i in range(numbers.shape[0]):
        accumulate(m, AT, numbers[i], signs[i])
        found[i] = accumulated(m, AT, 0, 0, parts[i])


@njit(cache=False)
def clear(array: Array) -> None:
    empty(pointer(array), AT)


def arena(most: int = 2**40) -> Array:
    """A header without any relations, and the words of an empty accumulator."""
    words = np.zeros(HEADER + ACCUMULATOR, np.int64)
    words[MOST_WORDS] = most
    return words


def sums(array: Array, steps: list[tuple[float, int]], parts: list[int]) -> list[float]:
    found = np.zeros(len(steps))
    numbers, signs = np.array([x for x, _ in steps]), np.array([sign for _, sign in steps], np.int64)
    run(array, numbers, signs, np.array(parts, np.int64), found)
    return [float(x) for x in found]


@st.composite
def comings_and_goings(draw: st.DrawFn) -> list[tuple[float, int]]:
    """Doubles of wild exponents that come, and may go again in any order."""
    steps: list[tuple[float, int]] = []
    there: list[float] = []
    lowest, highest = draw(st.sampled_from([(-1074, 1000), (-60, 10)]))
    exponents = st.integers(lowest, highest)
    for _ in range(draw(st.integers(1, 30))):
        if len(there) > 0 and draw(st.booleans()):
            steps.append((there.pop(draw(st.integers(0, len(there) - 1))), -1))
        else:
            number = math.ldexp(draw(st.floats(-1, 1)), draw(exponents))
            there.append(number)
            steps.append((number, 1))
    return steps


@given(comings_and_goings(), st.integers(1, 10**6))
def test_the_sum_is_exact_after_every_step(steps: list[tuple[float, int]], parts: int) -> None:
    array = arena()
    exact, expected = Fraction(0), []
    for number, sign in steps:
        exact += sign * Fraction(number)
        expected.append(float(exact / parts))
    assert sums(array, steps, [parts] * len(steps)) == expected
    clear(array)
    assert array[WORDS] == 0


def test_numbers_of_similar_magnitude_take_few_words() -> None:
    array = arena()
    sums(array, [(20 + i / 100, 1) for i in range(1000)], [1] * 1000)
    assert array[AT + LIMBS] <= 6
    assert array[WORDS] == array[AT + LIMBS]
    clear(array)


def test_an_empty_accumulator_has_no_block_and_can_be_used_again() -> None:
    array = arena()
    assert sums(array, [(0.5, 1), (1e300, 1)], [1, 1]) == [0.5, 1e300]
    clear(array)
    assert array[AT + BLOCK] == array[WORDS] == 0
    assert sums(array, [(0.25, 1)], [1]) == [0.25]
    clear(array)


@pytest.mark.parametrize("most", [0, 6])
def test_without_memory_the_engine_stops(most: int) -> None:
    array = arena(most)
    sums(array, [(0.5, 1), (1e300, 1)], [1, 1])
    assert array[STOPPED] == OUT_OF_MEMORY
    assert array[WORDS] == 0
