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
    "numbers of any magnitude": pa.array([5e-324, -1.7976931348623157e308, 2.0**63, -0.0, 3.0]),
    "short numbers": pa.array([0.5, 0.1, 3.0], pa.float32()),
    "shorter numbers": pa.array(np.array([0.5, 0.1, 3.0], np.float16)),
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


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(number: float) -> None:
    found = dictionary()
    with found.encoding(), pytest.raises(lasing.LasingError, match="is not a number"):
        encode(found, pa.array([0.5, number]), value_of)


def test_a_double_has_one_code_however_it_comes() -> None:
    found = dictionary()
    with found.encoding():
        first = found.code(0.5)
        codes = encode(found, pa.array([0.25, 0.5, 1.0, -(2.0**63), 2.0**60]), value_of)
        assert codes.tolist() == [found.code(0.25), first, 1, found.code(-(2**63)), found.code(2**60)]
    found.collect()
    with found.encoding():
        assert encode(found, pa.array([0.25, 0.25]), value_of).tolist() == [found.code(0.25)] * 2
        assert found.value(found.code(0.25)) == 0.25


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
