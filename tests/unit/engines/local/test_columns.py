"""Arrow columns become codes and come back as the values that a Python loop would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import lasing
from lasing.connectors.rows import value_of
from lasing.engines.local.columns import NEVER, check, decode, decode_expiry, encode, encode_times
from lasing.engines.local.dictionary import Dictionary
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.execute import PROVISIONAL
from lasing.engines.local.memory import FOREVER

ENGINES: list[LocalEngine] = []
"""A dictionary lives in the arena of its engine, which has to stay."""


def dictionary() -> Dictionary:
    ENGINES[:] = [LocalEngine(lasing.parse("q(X) :- p(X)."), 0)]
    return ENGINES[0].dictionary


COLUMNS = {
    "whole numbers": pa.array([1, -5, 2**40]),
    "large ones": pa.array([1, 2**62, -(2**63)]),
    "short ones": pa.array([1, 2, 3], pa.int8()),
    "numbers": pa.array([0.5, -2.25, 1e300]),
    "names": pa.array(["a", "b", "a", ""]),
    "names by number": pa.array(["a", "b", "a"]).dictionary_encode(),
    "in chunks": pa.chunked_array([["a", "b"], ["c"]]),
    "nothing": pa.array([], pa.int64()),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_a_column_comes_back_as_it_was(column: Any) -> None:
    found = dictionary()
    with found.encoding():
        codes = encode(found, column, value_of)
        assert codes.tolist() == found.codes(map(value_of, column.to_pylist()))
        decoded, has_terms = decode(found, codes)
    assert decoded.to_pylist() == column.to_pylist()
    assert not has_terms


def test_names_and_numbers_together_are_terms() -> None:
    found = dictionary()
    with found.encoding() as encoder:
        decoded, has_terms = decode(found, np.array(encoder.codes([1, "1", "a"])))
    assert has_terms
    assert decoded.to_pylist() == ["1", '"1"', "a"]


def test_anything_but_a_value_is_refused_at_once() -> None:
    column = pa.array([[1], [2]])
    with pytest.raises(lasing.LasingError):
        check(column, value_of)
    with dictionary().encoding() as encoder, pytest.raises(lasing.LasingError):
        encode(encoder, column, value_of)


def test_times_pass_through_the_check_of_each_value() -> None:
    seen: list[object] = []

    def time_point(value: object) -> int:
        seen.append(value)
        return int(str(value))

    assert encode_times(pa.array([3, 1, 2]), time_point).tolist() == [3, 1, 2]
    assert seen == [1, 3]  # the least and the greatest are checked for all
    assert encode_times(pa.array(["3", "1", "3"]), time_point).tolist() == [3, 1, 3]


def test_an_expiry_is_a_time_or_never_or_not_known() -> None:
    column = decode_expiry(np.array([5, FOREVER, PROVISIONAL]))
    assert column.to_pylist() == [5, NEVER, None]
