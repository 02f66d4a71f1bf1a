"""Reading the schema of a source."""

from __future__ import annotations

import pytest

from lasing.pipeline.schema import columns_of


def test_columns_and_types() -> None:
    text = "ts timestamp, `two words` string, n: BIGINT, d decimal(10, 2)"
    assert columns_of(text) == {"ts": "timestamp", "two words": "string", "n": "bigint", "d": "decimal(10, 2)"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ts", "'ts' is not a column and its type"),
        ("", "'' is not a column"),
        ("ts timestamp,", "'' is not a column"),
        ("x array<int>", "is not a column and its type"),
        ("x integr", "the type integr of x is not one of"),
        ("x int, x double", "two columns x"),
    ],
)
def test_a_bad_schema_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        columns_of(text)
