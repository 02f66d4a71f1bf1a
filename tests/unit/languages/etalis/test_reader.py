"""Texts of ETALIS that are refused where they are read."""

from __future__ import annotations

import pytest

from lasing.languages.etalis.reader import read


@pytest.mark.parametrize("sign", ["- ", "("])
def test_terms_are_nested_only_so_deep(sign: str) -> None:
    found = read(f"event p(x: int). q(X) <- p(Y) WHERE X = {sign * 5000}Y.")
    assert [mistake.message for mistake in found.mistakes] == ["nested more than 50 levels deep"]
