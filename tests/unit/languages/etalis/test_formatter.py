"""The layout of ETALIS: a statement a line; formatting changes nothing but white space and the case of keywords."""

from __future__ import annotations

import pytest

from lasing.errors import LasingError, SourceText
from lasing.languages.etalis.formatter import format_rules
from lasing.languages.etalis.reader import read

WILD = """% orders
event order(id:string,amount:float) , paid( id ).   % inputs
tick 1 min.


settled(I,A)<-(order(I,A) seq paid(I)).10 min where A>100,not large ( A ) , A = -5+2.
quiet(I) <- not(paid(_)).[order(I,_),paid(I)]   .
/* block */ long(I, A, B) <- ((order(I, A) SEQ paid(I)).10 min AND (order(I, B) SEQ paid(I)).20 min) SEQ paid(I) % mid
  where A<B.
x <- p.3 seq q.
large(100). small(X) :- large(Y), X = Y-1.
"""
LAID_OUT = """% orders
event order(id: string, amount: float), paid(id).  % inputs
tick 1 min.

settled(I, A) <- (order(I, A) SEQ paid(I)).10 min WHERE A > 100, not large(A), A = -5 + 2.
quiet(I) <- NOT(paid(_)).[order(I, _), paid(I)].
/* block */
% mid
long(I, A, B) <-
    ((order(I, A) SEQ paid(I)).10 min AND (order(I, B) SEQ paid(I)).20 min) SEQ paid(I)
    WHERE A < B.
x <- p.3 SEQ q.
large(100).
small(X) :- large(Y), X = Y - 1.
"""


def formatted(text: str) -> str:
    return format_rules(SourceText("p.etalis", text))


def test_a_statement_a_line() -> None:
    assert formatted(WILD) == LAID_OUT


def test_formatting_again_changes_nothing() -> None:
    assert formatted(LAID_OUT) == LAID_OUT


def test_the_meaning_stays() -> None:
    before, after = read(WILD), read(LAID_OUT)
    assert not before.mistakes
    assert (before.rules, before.statics, before.events) == (after.rules, after.statics, after.events)


def test_a_text_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(LasingError, match="E731"):
        formatted('e <- p("a).')
