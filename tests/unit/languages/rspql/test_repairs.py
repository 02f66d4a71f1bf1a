"""Repairs: rdflib reads the repaired text as the standard reads the original."""

from __future__ import annotations

import pytest

from lasing.languages.rspql.repairs import repaired


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?s !(:p|^:q) ?o", "?s (!(:p)|^(!(:q))) ?o"),
        ("?s !(^:p|^:q) ?o", "?s ^(!(:p|:q)) ?o"),
        ("?s !^:p ?o", "?s ^(!(:p)) ?o"),
        ("?s !(<http://p>|^a) ?o", "?s (!(<http://p>)|^(!(a))) ?o"),
        ("{ VALUES ?x { } }", "{ { VALUES ?x { UNDEF } FILTER (1 = 0) } }"),
        ("{ values (?x ?y) {} }", "{ { VALUES ( ?x ?y ) { (UNDEF UNDEF) } FILTER (1 = 0) } }"),
        ("PREFIX c: <http://c/> ASK { ?s ?p c:x\\? }", "PREFIX c: <http://c/> ASK { ?s ?p <http://c/x?> }"),
    ],
)
def test_other_words(text: str, expected: str) -> None:
    assert repaired(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "?s !(:p|:q) ?o",
        "FILTER (!(?x = 1))",
        "FILTER (! ?x)",
        "{ VALUES ?x { 1 } }",
        "{ } VALUES ?x { }",
        "'!(:p|^:q)' # VALUES ?x { }",
        "d:x\\?",
    ],
)
def test_as_it_was(text: str) -> None:
    assert repaired(text) == text
