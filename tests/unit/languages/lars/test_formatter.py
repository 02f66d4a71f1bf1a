"""The layout of programs."""

from __future__ import annotations

import pytest

from lasing.errors import LasingError, SourceText
from lasing.languages.lars.formatter import WIDTH, format_text
from lasing.languages.lars.tokens import Tokens, tokenize

LONG = ", ".join(f"condition_{i}(X) in [10]" for i in range(6))


def laid_out(text: str) -> str:
    return format_text(SourceText("text", text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q(X,Y):-p( X ),not r(Y)in[5].", "q(X, Y) :- p(X), not r(Y) in [5].\n"),
        ("a:-p  in [ # 3 , + 2 ].", "a :- p in [#3,+2].\n"),
        ("a:-p in[T .. U],t(T,U).", "a :- p in [T..U], t(T, U).\n"),
        ("a:-p  in [ 5 , - 1 step 2 ].", "a :- p in [5,-1 step 2].\n"),
        ("a(#now):-p at#now-1,X=- #now.", "a(#now) :- p at #now - 1, X = -#now.\n"),
        (":~a in[5 , -1].[ 1,-1 ]", ":~ a in [5,-1]. [1, -1]\n"),
        ("a:-p(X),X>-1,X- -2<3*X.", "a :- p(X), X > -1, X - -2 < 3 * X.\n"),
        ("#show p / 2,q/1 .", "#show p/2, q/1.\n"),
        ("a:-#count{X:p(X)}>=3.", "a :- #count{X : p(X)} >= 3.\n"),
        ("a;b.", "a ; b.\n"),
        ("{ a;b at T }:-c at T.", "{a ; b at T} :- c at T.\n"),
        ("1{p( X ):q(X),not r}1:-c.", "1 {p(X) : q(X), not r} 1 :- c.\n"),
        ("n+1<={ a }<=-1 .", "n + 1 <= {a} <= -1.\n"),
        (":~a,p( X ).[ X @ 2,b ]c.", ":~ a, p(X). [X@2, b]\nc.\n"),
        (":~a.\n[1]\n\n:~b.c.", ":~ a. [1]\n\n:~ b.\nc.\n"),
        (":~@T @U a,b.[(X)@-1]", ":~ @T @U a, b. [(X)@-1]\n"),
        ("#minimize{ 1@2,X:p(X);2:q }.", "#minimize{1@2, X : p(X) ; 2 : q}.\n"),
        ("a.b.", "a.\nb.\n"),
        ("\n\n\na.\n\n\n\nb.\n\n", "a.\n\nb.\n"),
        ("", ""),
    ],
)
def test_white_space(text: str, expected: str) -> None:
    assert laid_out(text) == expected


def test_a_long_rule_takes_a_line_for_each_literal() -> None:
    lines = laid_out(f"a(X) :- {LONG}.").splitlines()
    assert lines[0] == "a(X) :-"
    assert lines[1] == "    condition_0(X) in [10],"
    assert len(lines) == 7
    assert max(map(len, lines)) <= WIDTH


def test_long_lists_take_a_line_for_each_element() -> None:
    elements = " ; ".join(f"{i}@2, X : condition_{i}(X) in [10]" for i in range(4))
    lines = laid_out(f"#minimize{{{elements}}}.").splitlines()
    assert lines[0] == "#minimize{0@2, X : condition_0(X) in [10] ;"
    assert lines[3] == "    3@2, X : condition_3(X) in [10]}."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("% head\na.%tail\n", "% head\na.  %tail\n"),
        ("a:-b, % why b\n c.", "a :-\n    b,  % why b\n    c.\n"),
        ("a:-b,\n % about c\n c.", "a :-\n    b,\n    % about c\n    c.\n"),
        ("%* two\n lines *%\na.", "%* two\n lines *%\na.\n"),
        ("a % why\n.", "a % why\n.\n"),
        (":~ a.[1] % why\nb.", ":~ a. [1]  % why\nb.\n"),
        (":~ a. % why\n[1]\nb.", ":~ a. % why\n[1]\nb.\n"),
        (":~ a, % why\n b.[1]", ":~\n    a,  % why\n    b. [1]\n"),
    ],
)
def test_comments_stay_with_what_they_are_about(text: str, expected: str) -> None:
    assert laid_out(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        f"a(X) :- {LONG}. % end\n",
        "a:-b, % 1\n % 2\n c % 3\n, d.\n\n% 4\n\n%* 5 *% e. %* 6\n7 *% f.",
        "⊞ [5]",
        "a :- ¬ p, ⊞[5] ◇ (p ∧ q), @T r, s at -1, x(- 3, Y-1, -Y).",
        "broken ( [ , . statement :- .",
    ],
)
def test_formatting_keeps_every_token_and_comment_and_is_done_after_one_go(text: str) -> None:
    once = laid_out(text)
    assert laid_out(once) == once
    before, after = (tokenize(SourceText("text", t), comments=True)[0] for t in (text, once))
    for comments in (False, True):
        assert _texts(after, comments) == _texts(before, comments)


def _texts(tokens: Tokens, comments: bool) -> list[str]:
    pairs = zip(tokens.kinds, tokens.texts, strict=True)
    return [text.rstrip() for kind, text in pairs if (kind == "COMMENT") is comments]


def test_a_text_that_is_not_made_of_tokens_is_left_alone() -> None:
    with pytest.raises(LasingError) as caught:
        laid_out("a & b.")
    assert caught.value.diagnostics[0].code == "E103"
