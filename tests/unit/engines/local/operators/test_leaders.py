"""leaders = the first n of the group's terms, from the best to the worst, for some n."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasing.compiling import njit
from lasing.engines.local import pointers
from lasing.engines.local.memory import HEADER, WORDS
from lasing.engines.local.operators import leaders
from lasing.engines.local.operators.leaders import BLOCK, KNOWN, LEADERS, RING, ROOM, enter, expect, forget, strike
from lasing.engines.local.pause import MOST_WORDS, OUT_OF_MEMORY, STOPPED
from lasing.logic.functions.codes import GREATEST, LEAST

pointer: Any = pointers.pointer
Array = np.ndarray[Any, np.dtype[np.int64]]


@njit(cache=False)
def come(array: Array, function: int, term: int, others: int) -> None:
    m = pointer(array)
    enter(m, HEADER, function, term, others, m)


@njit(cache=False)
def go(array: Array, function: int, term: int) -> None:
    m = pointer(array)
    strike(m, HEADER, function, term, m)


@njit(cache=False)
def search(array: Array, function: int, terms: Array) -> None:
    """As a fold does when nothing is known."""
    m = pointer(array)
    expect(m, HEADER, terms.shape[0])
    for i in range(terms.shape[0]):
        enter(m, HEADER, function, terms[i], i, m)


@njit(cache=False)
def begin(array: Array) -> None:
    forget(pointer(array), HEADER)


@njit(cache=False)
def read(array: Array, found: Array) -> None:
    m, at = pointer(array), HEADER
    size = m[at + leaders.SIZE] if m[at + BLOCK] != 0 else ROOM
    ring = m[at + BLOCK] if m[at + BLOCK] != 0 else at + RING
    for i in range(found.shape[0]):
        found[i] = m[ring + (m[at + leaders.START] + i) % size]


def arena(most: int = 2**40) -> Array:
    array = np.zeros(HEADER + LEADERS, np.int64)
    array[MOST_WORDS] = most
    return array


def known(array: Array) -> list[int]:
    """The leaders, from the best on."""
    found = np.zeros(int(array[HEADER + KNOWN]), np.int64)
    read(array, found)
    return [int(term) for term in found]


def first(terms: list[int], function: int, number: int) -> list[int]:
    return sorted(terms, reverse=function == GREATEST)[:number]


FUNCTIONS = st.sampled_from([LEAST, GREATEST])


@given(FUNCTIONS, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30)), max_size=120), st.booleans())
def test_the_leaders_are_the_first_of_all_terms(function: int, steps: list[tuple[int, int]], searches: bool) -> None:
    """Terms come and, three times in ten, go again in any order."""
    array, terms = arena(), list[int]()
    begin(array)
    for way, number in steps:
        if way < 3 and terms:
            go(array, function, terms.pop(number % len(terms)))
        else:
            come(array, function, number, len(terms))
            terms.append(number)
        if searches and terms and not array[HEADER + KNOWN]:
            search(array, function, np.array(terms, np.int64))
        found = known(array)
        assert found == first(terms, function, len(found))
        if not array[HEADER + BLOCK]:
            assert np.count_nonzero(array[HEADER + RING :]) == np.count_nonzero(found)
    begin(array)
    assert array[WORDS] == 0


@pytest.mark.parametrize("function", [LEAST, GREATEST])
def test_as_many_leaders_are_known_as_there_is_room_for(function: int) -> None:
    array = arena()
    for number in range(3 * ROOM):
        come(array, function, (number * 7) % (3 * ROOM), number)
    assert array[HEADER + KNOWN] == ROOM


@pytest.mark.parametrize("function", [LEAST, GREATEST])
@pytest.mark.parametrize("order", ["rising", "falling", "random", "rising with noise"])
def test_a_group_in_a_window_is_searched_a_few_times(function: int, order: str) -> None:
    """2,000 terms, of which the last 700 are in the window."""
    chance, array, terms, searches = np.random.default_rng(1), arena(), list[int](), 0
    for time in range(2000):
        term = {"rising": time, "falling": -time, "random": int(chance.integers(0, 5000))}.get(order)
        term = time + int(chance.integers(0, 20)) if term is None else term
        come(array, function, term, len(terms))
        terms.append(term)
        if len(terms) > 700:
            go(array, function, terms.pop(0))
        if not array[HEADER + KNOWN]:
            searches += 1
            search(array, function, np.array(terms[::-1], np.int64))
        if time % 50 == 0:
            found = known(array)
            assert found == first(terms, function, len(found))
    assert searches <= 6
    assert bool(array[WORDS]) == (order != "random" and searches > 0)
    begin(array)
    assert array[WORDS] == 0


@settings(max_examples=20)  # each example is 20,000 calls from Python
@given(FUNCTIONS, st.integers(0, 2**32))
def test_terms_that_come_and_go_in_the_middle_of_many(function: int, seed: int) -> None:
    """If there are very many on both sides, the further ones are forgotten, and the others are still the first."""
    chance, array = np.random.default_rng(seed), arena()
    terms = [int(term) for term in chance.permutation(1500)]
    for _ in range(8):
        begin_again = np.array(sorted(terms, reverse=function == LEAST), np.int64)
        while array[HEADER + KNOWN]:
            go(array, function, known(array)[0])
        search(array, function, begin_again)
    assert array[HEADER + KNOWN] == len(terms)
    for _ in range(40):
        if chance.integers(0, 2):
            go(array, function, terms.pop(int(chance.integers(0, len(terms)))))
        else:
            term = int(chance.integers(0, 1500))
            come(array, function, term, len(terms))
            terms.append(term)
        found = known(array)
        assert found == first(terms, function, len(found))
        assert found
    begin(array)


def test_without_memory_the_engine_stops() -> None:
    array = arena(0)
    search(array, LEAST, np.arange(100))
    assert array[STOPPED] == OUT_OF_MEMORY
    assert known(array) == list(range(ROOM))
    assert array[WORDS] == 0
