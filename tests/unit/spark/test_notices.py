"""Warnings of queries."""

from __future__ import annotations

import warnings

import pytest

import lasing
from lasing.spark.notices import LeftOut


def test_rows_that_lack_a_value_give_a_warning_at_first_and_in_the_end() -> None:
    left_out = LeftOut()
    with pytest.warns(lasing.LasingWarning, match="W206.*3 rows of p left out: no value in the column x"):
        left_out.batch('{"p": {"x": 3}}')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        left_out.batch(None)
        left_out.batch('{"p": {"x": 2}}')
    with pytest.warns(lasing.LasingWarning, match="1 row of r left out: no value in the column y"):
        left_out.batch('{"r": {"y": 1}, "p": {"x": 1}}')
    with pytest.warns(lasing.LasingWarning) as warned:
        left_out.end()
    assert [str(warning.message).partition(" left")[0] for warning in warned] == ["warning[W206]: 6 rows of p"]
