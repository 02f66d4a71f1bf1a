"""What is shown about rules, predicates, words and functions."""

from __future__ import annotations

import pytest

from lasing.logic.functions import FUNCTIONS
from lasing.lsp.hover import hover
from lasing.lsp.words import about_function
from tests.unit.lsp.texts import marked


def _shown(text: str) -> str:
    reading, source, offset = marked(text)
    found = hover(reading, source, offset)
    return "" if found is None else found[0]


PROGRAM = """#input temp/2. #stream alarm/1. #show alarm/1.
%! hot(S): "{S} is hot 🔥"
hot(S) :- temp(S, V) in [5], V > 30.
room(s1, kitchen).
alarm(S) :- hot(S), room(S, R), not cold(S) in [10].
cold(S) :- temp(S, V), V < 0.
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "#input temp",
            "#input te‸mp",
            ["declared with `#input`", "`temp(S, V)`", "2 rules read it"],
        ),
        ("room(S", "‸room(S", ["**room/2** background", "no rule derives it, 1 rule reads it"]),
        ("alarm(S) :-", "‸alarm(S) :-", ["a derived stream, remembered, shown", "**rule 2**"]),
        ("hot(S) :-", "‸hot(S) :-", ["derived", "“{S} is hot 🔥”", "**rule 1**"]),
        ("hot(S) :-", "hot(S) ‸:-", ["looks back 5", "engine: local", "plane: guaranteed", "key: S"]),
        ("hot(S), room", "hot(S)‸, room", ["looks back 0", "plane: counted (not)", "key: S"]),
        ("hot(S), room", "hot(‸S), room", ["`S` is a variable of this statement, in 4 places."]),
    ],
)
def test_a_program(before: str, after: str, expected: list[str]) -> None:
    shown = _shown(PROGRAM.replace(before, after, 1))
    assert [part for part in expected if part not in shown] == [], shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p :- ‸not q in [5].", "holds when a does not hold"),
        ("p :- ‸¬ q.", "holds when a does not hold"),
        ("p :- q ‸always in [5].", "every time point"),
        ("p(X) :- q(X), X ‸>= 3.", "by value"),
        ("p(X) :- q(X), ‸abs(X) > 3.", "gives a number"),
        ("p(X + 1) :- q(X), X = 1 ‸+ 1.", "the sum"),
        ("p :- #co‸unt{X : q(X)} > 2.", "how many distinct tuples"),
        ("#ti‸ck 1 sec.", "length of a time point"),
        ("#tick 1 sec.\np :- q in [5 m‸in].", "Minutes"),
        ("#const n = 5.\np :- q in [‸n].", "#const n = 5."),
        ("p(#no‸w) :- q.", "evaluation time"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert expected.lower() in _shown(text).lower()


def test_the_span_is_the_word() -> None:
    reading, source, offset = marked('p("🔥") :- ‸foo("🔥").')
    found = hover(reading, source, offset)
    assert found is not None
    assert reading.root.text[found[1].begin : found[1].end] == "foo"


def test_nothing_in_a_comment_or_an_empty_text() -> None:
    assert _shown("p :- q. % al‸ways") == ""
    assert _shown("‸") == ""


def test_a_program_with_a_mistake() -> None:
    assert "known when the program has no mistakes" in _shown("q(X) ‸:- p(X).\nr(X, Y) :- p(X).")
    assert "bro/1" in _shown("p :- ‸bro(X), r(.")


def test_every_function_has_a_line() -> None:
    assert [name for name in FUNCTIONS if not about_function(name)] == []
