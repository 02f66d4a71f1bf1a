"""Positions count code units, and lines end where the protocol says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasing.lsp.positions import Encoding, Lines

TEXT = st.text(alphabet="aé→🔥\r\n\u2028\x0b", max_size=20)
ENCODINGS: tuple[Encoding, ...] = ("utf-16", "utf-8", "utf-32")


@pytest.mark.parametrize(("encoding", "units"), [("utf-16", 4), ("utf-8", 9), ("utf-32", 3)])
def test_units_of_each_encoding(encoding: Encoding, units: int) -> None:
    lines = Lines("x\né→🔥p", encoding)
    assert lines.position(5) == (1, units)
    assert lines.offset(1, units) == 5


@given(TEXT, st.sampled_from(ENCODINGS))
def test_an_offset_comes_back_unless_it_is_inside_a_line_end(text: str, encoding: Encoding) -> None:
    lines = Lines(text, encoding)
    for offset in range(len(text) + 1):
        inside = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
        assert lines.offset(*lines.position(offset)) == offset - inside


@given(TEXT)
def test_units_are_those_of_the_encoder(text: str) -> None:
    line, units = Lines(text).position(len(text))
    last = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert (line, units) == (len(last) - 1, len(last[-1].encode("utf-16-le")) // 2)


def test_only_cr_and_lf_end_a_line() -> None:
    assert Lines("a\u2028b\x0bc\rd\r\ne").position(10) == (2, 1)


def test_positions_beyond_a_line_or_the_text_are_at_its_end() -> None:
    lines = Lines("ab\r\ncd")
    assert (lines.offset(0, 99), lines.offset(9, 0)) == (2, 6)


def test_a_position_inside_a_character_is_before_it() -> None:
    assert Lines("🔥b").offset(0, 1) == 0
