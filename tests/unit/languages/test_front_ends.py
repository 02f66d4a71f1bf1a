"""Which language a text is in, and the error if there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import lasing
from lasing import languages
from lasing.errors import SourceText
from lasing.languages import LARS, front_end, is_program


def file(name: str) -> SourceText:
    return SourceText(name, "q :- p.", Path(name))


def test_the_ending_of_a_file_says_its_language() -> None:
    assert front_end([file("a.lars"), file("B.LARS")]) is LARS
    assert is_program("dir/a.lars")
    assert not is_program("a.facts")


def test_text_is_lars_and_so_is_nothing() -> None:
    assert front_end([SourceText("program", "q :- p.")]) is LARS
    assert front_end([]) is LARS


def test_a_named_language_goes_before_any_ending() -> None:
    assert front_end([file("a.rules")], "lars") is LARS


def test_an_unknown_ending_is_an_error_that_lists_what_exists(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text("q :- p.", encoding="utf-8")
    with pytest.raises(lasing.LasingError, match="E511") as error:
        lasing.parse(path)
    assert ".lars (lars)" in error.value.diagnostics[0].note
    assert lasing.parse(path, language="lars").rules


def test_an_unknown_language_is_an_error_that_lists_what_exists() -> None:
    with pytest.raises(lasing.LasingError, match=r"E305.*cobol") as error:
        lasing.parse("q :- p.", language="cobol")
    assert error.value.diagnostics[0].note == "languages are lars"


def test_programs_of_two_languages_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(LARS, name="other", endings=(".other",))
    monkeypatch.setattr(languages, "FRONT_ENDS", (LARS, other))
    assert front_end([file("a.other")]) is other
    with pytest.raises(lasing.LasingError, match=r"E511.*lars, other"):
        front_end([file("a.lars"), file("a.other")])
