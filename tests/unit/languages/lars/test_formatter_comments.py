"""Comments survive formatting wherever they are, and formatting twice is formatting once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasing.errors import SourceText
from lasing.languages.lars.formatter import format_text
from lasing.languages.lars.tokens import tokenize

ODD = {
    "two block comments on their own line": "p :- q,\n   %* a *% %* b *%\n   r.\n",
    "a block comment over lines inside of an atom": "p :- q( % c1\n  %* c2\n  more *%\n  a).\n",
    "a space that separates two tokens": "#const n = 1.\nq :- p in [# n+1].\n",
    "a comment before the full stop": "p :- q % why\n.\n",
    "a comment behind the neck": "p :- % why\n  q.\n",
    "a comment before the neck": "p % head\n  :- q.\n",
    "carriage returns": "p :- q.\r\n% c\r\nr :- s.\r\n",
    "no last line end": "p :- q. % end",
    "only a comment": "% nothing else",
    "a comment before a penalty": ":~ a. % why\n % more\n [1@2]\nb.",
    "a comment inside of a penalty": ":~ a. [1@ % why\n 2] % end\n",
    "a penalty that is never closed": ":~ a. [1@2 b. c :- p in [5].",
    "no penalty": ":~ a. % why\nb.",
    "comments between elements": "{a % a\n ; b} % c\n 1. #minimize{1 : a ; % b\n % c\n 2 : d}.",
    "nothing": "",
}


def words(text: str) -> list[str]:
    tokens, mistakes = tokenize(SourceText("text", text), comments=True)
    assert not mistakes
    return [word.rstrip() for word in tokens.texts]


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_layouts_keep_every_token_and_comment(text: str) -> None:
    formatted = format_text(SourceText("text", text))
    assert words(formatted) == words(text)
    assert format_text(SourceText("text", formatted)) == formatted


PIECES = [
    "p",
    "q(X,",
    "X)",
    ",",
    " :- ",
    ".",
    "\n",
    " ",
    "% c\n",
    "%* b *%",
    "%* x\ny *%",
    "[5]",
    " in ",
    "not ",
    "#show p/1.\n",
    "-",
    "(",
    ")",
    ":~ ",
    "[",
    "]",
    "{",
    "}",
    " ; ",
    "@",
    "1",
    "#minimize",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_layout_keeps_every_token_and_comment(text: str) -> None:
    formatted = format_text(SourceText("text", text))
    assert words(formatted) == words(text)
    assert format_text(SourceText("text", formatted)) == formatted
