"""A pipeline's file that nobody meant to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing import LasingError
from lasing.pipeline.config import read_pipeline


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "x = " + "{a=" * 100_000, "[" * 100_000])
def test_brackets_without_end_are_an_error_of_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "deep.toml").write_text(text)
    with pytest.raises(LasingError, match=r"E611.*deep\.toml is not TOML") as caught:
        read_pipeline(tmp_path / "deep.toml")
    assert len(str(caught.value)) < 300
