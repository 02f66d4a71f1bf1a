"""Tokens: what is in an IRI, a string or a comment is no syntax."""

from __future__ import annotations

import pytest

from lasing.languages.rspql.tokens import tokens


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<http://a#b>", [("iri", "<http://a#b>")]),
        ("?x<?y", [("variable", "?x"), ("mark", "<"), ("variable", "?y")]),
        ("?x <= 5 && ?y>3", [*kinds("?x"), ("mark", "<="), ("number", "5"), ("mark", "&&"), *kinds("?y>3")]),
        ("'a { # b' # c }", [("string", "'a { # b'")]),
        ('"""a "quoted" b"""', [("string", '"""a "quoted" b"""')]),
        (r"'it\'s'", [("string", r"'it\'s'")]),
        ("'x'@en-GB", [("string", "'x'"), ("word", "@en-GB")]),
        ("'5'^^xsd:int", [("string", "'5'"), ("mark", "^^"), ("word", "xsd:int")]),
        (":a.b .", [("word", ":a.b"), ("mark", ".")]),
        (":a.", [("word", ":a"), ("mark", ".")]),
        ("_:b0 .", [("blank", "_:b0"), ("mark", ".")]),
        ("1.5e3 .5 7", [("number", "1.5e3"), ("number", ".5"), ("number", "7")]),
        (r"c:x\?", [("word", r"c:x\?")]),
        ("10s", [("word", "10s")]),
    ],
)  # fmt: skip
def test_kinds(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected


def test_places() -> None:
    text = "SELECT ?x { ?x a :c. } # all"
    assert all(text[token.offset : token.end] == token.text for token in tokens(text))


def test_words_in_any_case() -> None:
    (token,) = tokens("Select")
    assert token.is_word("SELECT", "ASK")
    assert not token.is_word("ASK")
