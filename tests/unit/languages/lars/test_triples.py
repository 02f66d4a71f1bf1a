"""Properties and classes in place of predicates: they make triples."""

from __future__ import annotations

import pytest

from lasing import LasingError, parse
from lasing.errors import SourceText
from lasing.languages.lars.formatter import format_text

PREFIX = "#prefix ex: <http://ex.org/>.\n"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ex:p(X,Y) :- ex:q(X,Z), ex:r(Z,Y).", "triple(X,ex:p,Y) :- triple(X,ex:q,Z), triple(Z,ex:r,Y)."),
        (
            "ex:C(X) :- ex:D(X) in [5], not q(X).",
            "triple(X,rdf:type,ex:C) :- triple(X,rdf:type,ex:D) in [5], not q(X).",
        ),
        ("<http://ex.org/p>(X,1) :- q(X).", "triple(X,ex:p,1) :- q(X)."),
        ("ex:p(ex:a,5) at 3.", "triple(ex:a,ex:p,5) at 3."),
    ],
)
def test_a_property_or_a_class_makes_a_triple(written: str, meant: str) -> None:
    one, other = parse(PREFIX + written), parse(PREFIX + meant)
    assert (one.rules, one.data) == (other.rules, other.data)


def test_more_than_two_arguments_are_refused() -> None:
    with pytest.raises(LasingError, match="ex:p has 3 arguments"):
        parse(f"{PREFIX}q :- ex:p(1,2,3).")


def test_the_formatter_keeps_them_together() -> None:
    text = f"{PREFIX}ex:p(X, Y) :- ex:q(X, Y), ex:C(X).\n"
    assert format_text(SourceText("p", text)) == text
