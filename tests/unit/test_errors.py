"""How findings look."""

from __future__ import annotations

import pickle

import pytest

from lasing.errors import Diagnostic, LasingError, Place, SourceText, fault, in_order, render, similar


def test_a_finding_has_its_code_place_line_caret_and_note() -> None:
    place = SourceText("prog.lars", "a.\nq(X, Yes) :- p(X).").place(8, 3)
    text = str(Diagnostic("E201", "Yes is unsafe", place, "bind it\nor not"))
    assert text == (
        "error[E201]: Yes is unsafe\n"
        "  --> prog.lars:2:6\n"
        "  |\n"
        "2 | q(X, Yes) :- p(X).\n"
        "  |      ^^^\n"
        "  = bind it\n"
        "  = or not"
    )


def test_a_warning_without_a_place() -> None:
    assert str(Diagnostic("W201", "3 facts ignored")) == "warning[W201]: 3 facts ignored"


@pytest.mark.parametrize(
    ("text", "offset", "place", "line"),
    [
        ("abc", 0, "s:1:1", "abc"),
        ("abc", 3, "s:1:4", "abc"),
        ("a\nbc\nd", 2, "s:2:1", "bc"),
        ("a\r\nbc\r\n", 4, "s:2:2", "bc"),
        ("a\n", 2, "s:2:1", ""),
        ("", 0, "s:1:1", ""),
    ],
)
def test_the_place_of_an_offset(text: str, offset: int, place: str, line: str) -> None:
    found = SourceText("s", text).place(offset)
    assert (str(found), found.text) == (place, line)


@pytest.mark.parametrize(
    ("line", "column", "length", "marked"),
    [
        ("\t\tq(Yes).", 5, 3, "Yes"),
        ("ab", 3, 1, ""),
        ("abc", 2, 99, "bc"),
        ("x" * 500 + "HERE" + "x" * 500, 501, 4, "HERE"),
        ("HERE" + "x" * 500, 1, 4, "HERE"),
        ("x" * 500 + "HERE", 501, 4, "HERE"),
    ],
)
def test_the_caret_is_below_what_is_meant(line: str, column: int, length: int, marked: str) -> None:
    *_, shown, carets = str(Diagnostic("E101", "m", Place("s", 7, column, line, length))).splitlines()
    begin, end = carets.index("^"), len(carets)
    assert shown[begin:end] == marked
    assert len(shown) < 180


def test_findings_are_sorted_by_kind_and_place_and_reported_once() -> None:
    late, early = (Diagnostic("E102", "m", Place("s", line, 1)) for line in (10, 9))
    nowhere, warning = Diagnostic("E101", "m"), Diagnostic("W101", "m", Place("s", 1, 1))
    assert in_order([warning, nowhere, late, early, late]) == [early, late, nowhere, warning]


def test_an_error_shows_all_its_findings_and_survives_pickling() -> None:
    error = LasingError([Diagnostic("E101", "one"), Diagnostic("E102", "two", Place("s", 1, 1))])
    again = pickle.loads(pickle.dumps(error))
    assert again.diagnostics == error.diagnostics
    assert str(again) == str(error) == render(error.diagnostics)


def test_an_error_without_findings_is_a_bug() -> None:
    with pytest.raises(ValueError, match="at least one"):
        LasingError([])


def test_a_fault_is_one_finding() -> None:
    assert [d.code for d in fault("E107", "m").diagnostics] == ["E107"]


@pytest.mark.parametrize(("name", "hint"), [("temprature", "did you mean temperature?"), ("zebra", ""), ("", "")])
def test_only_a_similar_name_is_suggested(name: str, hint: str) -> None:
    assert similar(name, ["door", "temperature"]) == hint


def test_an_undocumented_code_is_refused() -> None:
    with pytest.raises(ValueError, match="E999"):
        Diagnostic("E999", "what is this?")
