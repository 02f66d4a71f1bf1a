"""Codes of Arrow strings, by their bytes."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lasing.engines.local.strings import Strings

COLUMNS = st.lists(st.lists(st.text(max_size=6), max_size=30), min_size=1, max_size=5)


@given(COLUMNS, st.integers(0, 3))
def test_equal_texts_have_equal_codes_and_only_new_ones_are_asked_for(columns: list[list[str]], skip: int) -> None:
    known: dict[str, int] = {}
    asked: list[str] = []

    def ask(texts: list[str]) -> list[int]:
        asked.extend(set(texts))
        return [known.setdefault(text, len(known)) for text in texts]

    strings = Strings()
    for column in columns:
        codes = strings.codes(pa.array(column, pa.string())[skip:], ask)  # type: ignore[arg-type]  # a list will do
        assert codes.tolist() == [known[text] for text in column[skip:]]
    assert len(asked) == len(set(asked)) == len(known)


def test_many_names() -> None:
    strings = Strings()
    names = [f"sensor {i}" for i in range(20_000)]
    column = pa.array(names)
    first = strings.codes(
        column, lambda texts: [names.index(text) if len(texts) < 9 else i for i, text in enumerate(texts)]
    )
    assert first.tolist() == list(range(20_000))
    assert strings.codes(column.take([7, 7, 19_999]), lambda _: []).tolist() == [7, 7, 19_999]
