"""leaders = the first n of the group's terms, from the best to the worst, for some n <= ROOM."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasing.compiling import njit
from lasing.engines.local import pointers
from lasing.engines.local.memory import HEADER
from lasing.engines.local.operators.leaders import BEST, KNOWN, LEADERS, ROOM, enter, forget, strike
from lasing.logic.functions.codes import GREATEST, LEAST

pointer: Any = pointers.pointer
Array = np.ndarray[Any, np.dtype[np.int64]]


@njit(cache=False)
def come(array: Array, function: int, term: int, others: int) -> None:
    m = pointer(array)
    enter(m, HEADER, function, term, others, m)


@njit(cache=False)
def go(array: Array, term: int) -> None:
    strike(pointer(array), HEADER, term)


@njit(cache=False)
def begin(array: Array) -> None:
    forget(pointer(array), HEADER)


@given(st.sampled_from([LEAST, GREATEST]), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30)), max_size=120))
def test_the_leaders_are_the_first_of_all_terms(function: int, steps: list[tuple[int, int]]) -> None:
    """Terms come and, three times in ten, go again in any order."""
    array, terms = np.zeros(HEADER + LEADERS, np.int64), list[int]()
    begin(array)
    for way, number in steps:
        if way < 3 and terms:
            gone = terms.pop(number % len(terms))
            go(array, gone)
        else:
            come(array, function, number, len(terms))
            terms.append(number)
        known = int(array[HEADER + KNOWN])
        leaders = array[HEADER + BEST : HEADER + BEST + ROOM].tolist()
        assert leaders[:known] == sorted(terms, reverse=function == GREATEST)[:known]
        assert not any(leaders[known:])


@pytest.mark.parametrize("function", [LEAST, GREATEST])
def test_as_many_leaders_are_known_as_there_is_room_for(function: int) -> None:
    array = np.zeros(HEADER + LEADERS, np.int64)
    for number in range(3 * ROOM):
        come(array, function, (number * 7) % (3 * ROOM), number)
    assert array[HEADER + KNOWN] == ROOM
