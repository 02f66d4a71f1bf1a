"""Values get codes, and codes give them back: equal values have equal codes."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lasing
from lasing.engines.local.dictionary import Dictionary
from lasing.engines.local.engine import LocalEngine
from lasing.logic.values import Value

VALUES = st.lists(
    st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
    | st.text(max_size=12),
    max_size=20,
)


ENGINES: list[LocalEngine] = []
"""A dictionary lives in the arena of its engine, which has to stay."""


def dictionary() -> Dictionary:
    ENGINES[:] = [LocalEngine(lasing.parse("q(X) :- p(X)."), 0)]
    return ENGINES[0].dictionary


@given(VALUES)
def test_a_code_gives_its_value_back(values: list[Value]) -> None:
    found = dictionary()
    with found.encoding() as encoder:
        codes = [encoder.code(value) for value in values]
        assert encoder.codes(values) == codes
        assert [found.value(code) for code in codes] == values
        assert [codes[i] == codes[j] for i in range(len(codes)) for j in range(i)] == [
            values[i] == values[j] for i in range(len(values)) for j in range(i)
        ]


@pytest.mark.parametrize("value", [0, -7, 2**60 - 1, 1 - 2**60])
def test_a_small_integer_is_its_own_code(value: int) -> None:
    with dictionary().encoding() as encoder:
        assert encoder.code(value) == value


def test_codes_are_made_only_where_nothing_is_forgotten() -> None:
    with pytest.raises(AssertionError, match="encoding"):
        dictionary().code("a")


def test_rows_that_are_held_keep_their_values_when_others_are_forgotten() -> None:
    found = dictionary()
    with found.encoding() as encoder:
        encoder.codes(["gone", "also gone", 2.5])
        held = encoder.hold(np.array([[0, encoder.code("kept"), encoder.code(0.25), 7]]), 1)
    found.collect()
    assert [found.value(code) for code in held.rows[0, 1:].tolist()] == ["kept", 0.25, 7]
    assert found.names == ["kept"]


def test_what_was_read_one_by_one_is_read_again_after_others_are_forgotten() -> None:
    engine = LocalEngine(lasing.parse("q(X) :- p(X)."), 0)
    dictionary = engine.dictionary
    with dictionary.encoding():
        rows = np.array([[0, 0, dictionary.code(value)] for value in ("a", "b", 2**61)], np.int64)
    held = dictionary.hold(rows[1:], 2)
    assert [dictionary.read[code] for code in (*rows[:, 2].tolist(), 7)] == ["a", "b", 2**61, 7]
    dictionary.collect()
    assert [dictionary.read[code] for code in held.rows[:, 2].tolist()] == ["b", 2**61]
    assert 7 not in dictionary.read, "a small number is its own code"


def test_values_are_released_with_their_engine() -> None:
    """Python's collector is not needed for that: it would come late, because it does not see how large values are."""
    engine = LocalEngine(lasing.parse("q(X) :- p(X)."), 0)
    found = ref(engine.dictionary)
    gc.disable()
    try:
        del engine
        assert found() is None
    finally:
        gc.enable()
