"""Text to tokens."""

from __future__ import annotations

import pytest

from lasing.errors import SourceText
from lasing.languages.lars.tokens import tokenize


def tokens(text: str, comments: bool = False) -> list[tuple[str, str]]:
    """Kind and text of each token of a text without mistakes."""
    found, mistakes = tokenize(SourceText("text", text), comments)
    assert not mistakes
    return [pair for pair in zip(found.kinds, found.texts, strict=True) if pair[0] != "END"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("tram_7", "NAME"),
        ("größe", "NAME"),
        ("Id", "VARIABLE"),
        ("Ähre", "VARIABLE"),
        ("_x", "VARIABLE"),
        ("_", "VARIABLE"),
        ("18.5", "NUMBER"),
        ("1e-3", "NUMBER"),
        ('"a \\" % b"', "STRING"),
        ("<http://ex.org/a#b>", "IRI"),
        ("#show", "DIRECTIVE"),
        ("always", "always"),
    ],
)
def test_a_single_token(text: str, kind: str) -> None:
    assert tokens(text) == [(kind, text)]


@pytest.mark.parametrize(
    ("alias", "kind"),
    [("¬", "not"), ("∧", "and"), ("∨", "or"), ("→", "->"), ("←", ":-"), ("◇", "◇"), ("□", "□"), ("⊞", "⊞")],
)
def test_unicode_aliases_mean_words(alias: str, kind: str) -> None:
    assert [k for k, _ in tokens(f"p{alias}q")] == ["NAME", kind, "NAME"]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("[1..5]", "[ 1 .. 5 ]"),
        ("p at 1.q.", "p at 1 . q ."),
        ("X<=3", "X <= 3"),
        ("X<y", "X < y"),
        ("p:-q", "p :- q"),
        ("#3 by X", "# 3 by X"),
        ("1.5.", "1.5 ."),
        ("X-1", "X - 1"),
    ],
)
def test_where_tokens_end(text: str, texts: str) -> None:
    assert [t for _, t in tokens(text)] == texts.split()


@pytest.mark.parametrize("comment", ["% to the end . of the line", "%* block\n . *%", "%", "%**%"])
def test_comments_are_left_out_unless_asked_for(comment: str) -> None:
    assert [k for k, _ in tokens(f"p {comment}\n q")] == ["NAME", "NAME"]
    assert tokens(f"p {comment}\n q", comments=True)[1] == ("COMMENT", comment)


@pytest.mark.parametrize(
    ("text", "code", "place", "length"),
    [
        ("p.\n%* never", "E101", "text:2:1", 2),
        ('p("never).\nq.', "E102", "text:1:3", 8),
        (r'p("\x").', "E102", "text:1:3", 4),
        ("p & q.", "E103", "text:1:3", 1),
        ("p.\n  ?", "E103", "text:2:3", 1),
    ],
)
def test_anything_but_a_token_is_found_at_its_place(text: str, code: str, place: str, length: int) -> None:
    (finding,) = tokenize(SourceText("text", text))[1]
    assert finding.code == code
    assert finding.place is not None
    assert (str(finding.place), finding.place.length) == (place, length)


def test_every_bad_character_is_found_and_reading_goes_on() -> None:
    found, mistakes = tokenize(SourceText("text", "p & q ! r."))
    assert len(mistakes) == 2
    assert [t for k, t in zip(found.kinds, found.texts, strict=True) if k == "NAME"] == ["p", "q", "r"]
