"""What can be written depends on what is before."""

from __future__ import annotations

import pytest

from lasing.languages.lars.slips import AGGREGATES, SELECTIONS
from lasing.languages.lars.statements import DIRECTIVES
from lasing.logic.values import RESERVED
from lasing.lsp import words
from lasing.lsp.completion import Suggestion, completion
from tests.unit.lsp.texts import marked


def _offered(text: str) -> dict[str, Suggestion]:
    reading, source, offset = marked(text)
    return {one.text: one for one in completion(reading.program, source, offset)}


@pytest.mark.parametrize(
    ("text", "some", "none"),
    [
        ("hot(S) :- temp(S, 1).\nalarm :- h‸", ["hot", "temp", "not", "always", "abs"], ["#show", "5,-1", "S"]),
        ("#const größe = 3.\nhot(Süd) :- temp(Süd), ‸", ["Süd", "größe", "temp", "lower"], ["#show"]),
        ("hot(S) :- temp(S).\n#‸", ["#show", "#const", "#include"], ["#count", "hot"]),
        ("hot(S) :- temp(S), 3 < #‸", ["#count", "#last", "#now"], ["#show", "hot"]),
        ("hot(S) :- temp(S) in [‸", ["5,-1", "#1 by X", "T..U"], ["hot", "#show"]),
        ("hot(S) :- temp(S) in [#‸", ["#3", "#1 by X"], ["5,-1", "hot", "#count"]),
        ("hot(S) :- temp(S) in [5 ‸", ["step", "min"], ["hot", "5,-1"]),
        ("hot(S) :- temp(S) in [#1 by ‸", ["S"], ["hot", "5,-1"]),
        ("hot(S) :- temp(S) in [5], ‸", ["hot", "S"], ["5,-1"]),
        ("hot(S) :- temp(S).\n#show ‸", ["hot/1", "temp/1"], ["not", "hot"]),
        ("hot(S) :- temp(S).\n‸", ["hot", "temp"], ["S", "not"]),
    ],
)
def test_completion(text: str, some: list[str], none: list[str]) -> None:
    offered = _offered(text)
    assert [word for word in some if word not in offered] == []
    assert [word for word in none if word in offered] == []


@pytest.mark.parametrize("text", ["hot :- temp. % h‸", 'hot :- temp("h‸', "hot :- temp. %* h‸"])
def test_nothing_in_comments_and_quotes(text: str) -> None:
    assert _offered(text) == {}


def test_what_is_replaced() -> None:
    reading, _, offset = marked('p("🔥") :- hö‸, q.')
    found = completion(reading.program, 0, offset)
    assert {reading.root.text[one.replaces.begin : one.replaces.end] for one in found} == {"hö"}


def test_columns_of_predicates() -> None:
    assert _offered("hot(S) :- temp(S, V), V > 1.\nx :- ‸")["temp"].about == "temp(S, V)"


def test_the_words_are_those_of_the_language() -> None:
    assert set(words.DIRECTIVES) == set(DIRECTIVES)
    assert set(words.BRACES) == {*AGGREGATES, *SELECTIONS}
    assert set(words.KEYWORDS) == {*RESERVED, "#now"}
