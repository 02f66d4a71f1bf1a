"""The layout of queries."""

from __future__ import annotations

import re

import pytest

from lasing.errors import SourceText
from lasing.languages.rspql.formatter import format_query
from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.sparql import parse
from lasing.languages.rspql.tokens import tokens
from tests.suites.finding import suite

SUITE = suite("w3c/sparql11")


def laid_out(text: str) -> str:
    return format_query(SourceText("text", text))


LAYOUTS = [
    ("select*{?s ?p ?o}", "SELECT * {\n  ?s ?p ?o\n}\n"),
    (
        "prefix : <http://e/> base <http://b/> ask{ :a a :b,:c;:p 5. }",
        "PREFIX : <http://e/>\nBASE <http://b/>\n\nASK {\n  :a a :b,\n      :c ;\n    :p 5 .\n}\n",
    ),
    (
        "select ?x where{?x ?y ?z optional{?z ?y ?x}filter(?x=1&&?y<2)bind(?x+1 as ?k)}order by desc (?x) limit 3",
        "SELECT ?x\nWHERE {\n  ?x ?y ?z\n  OPTIONAL {\n    ?z ?y ?x\n  }\n  FILTER (?x = 1 && ?y < 2)\n"
        "  BIND (?x+1 AS ?k)\n}\n"
        "ORDER BY DESC(?x)\nLIMIT 3\n",
    ),
    (
        "select * {{?a ?b ?c}union{?d ?e ?f}}",
        "SELECT * {\n  {\n    ?a ?b ?c\n  } UNION {\n    ?d ?e ?f\n  }\n}\n",
    ),
    (
        "select * {?a ?b ?c {?d ?e ?f}}",
        "SELECT * {\n  ?a ?b ?c\n  {\n    ?d ?e ?f\n  }\n}\n",
    ),
    (
        "select * {values(?a ?b){(1 undef)(2 3)}values ?c{4 5}}",
        "SELECT * {\n  VALUES (?a ?b) {\n    (1 UNDEF)\n    (2 3)\n  }\n  VALUES ?c { 4 5 }\n}\n",
    ),
    (
        "ask {?x ex:p/ex:q*|^ex:r [ex:s (1 2)]. graph ?g{?x ?y ?z}.}",
        "ASK {\n  ?x ex:p/ex:q*|^ex:r [ex:s (1 2)] .\n  GRAPH ?g {\n    ?x ?y ?z\n  } .\n}\n",
    ),
    (
        "select * {filter not exists{?a ?b ?c}filter(exists{?a ?b ?c}||isiri(?a))}",
        "SELECT * {\n  FILTER NOT EXISTS {\n    ?a ?b ?c\n  }\n"
        "  FILTER (EXISTS {\n    ?a ?b ?c\n  } || isIRI(?a))\n}\n",
    ),
    (
        "select (count (distinct ?x)as ?n)(group_concat(?y;separator='|')AS ?t){?x ?y -5 .?x ?y \"a\"@en}",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) (GROUP_CONCAT(?y ; SEPARATOR = '|') AS ?t) {\n"
        '  ?x ?y -5 .\n  ?x ?y "a"@en\n}\n',
    ),
    (
        "register rstream <o> as select ?a from named window :w on :s [range PT10S step PT5S] "
        "where {window :w{?a ?b ?c}}",
        "REGISTER RSTREAM <o> AS\nSELECT ?a\nFROM NAMED WINDOW :w ON :s [RANGE PT10S STEP PT5S]\nWHERE {\n"
        "  WINDOW :w {\n    ?a ?b ?c\n  }\n}\n",
    ),
    (
        "REGISTER QUERY Max as select ?a {stream <s> [range 10s slide 5s] {?a ?b ?c}}",
        "REGISTER QUERY Max AS\nSELECT ?a {\n  STREAM <s> [RANGE 10s SLIDE 5s] {\n    ?a ?b ?c\n  }\n}\n",
    ),
    ("\n\nask{}\n\n\n", "ASK {\n}\n"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), LAYOUTS, ids=[text[:30] for text, _ in LAYOUTS])
def test_layout(text: str, expected: str) -> None:
    assert laid_out(text) == expected
    assert laid_out(expected) == expected


def test_comments_stay_where_they_are() -> None:
    text = """# first
PREFIX ex: <http://ex.org/> # prefix
SELECT * { # all
  # own line
  ?s ?p ?o . # end


  # after a gap
  ?s ex:p # inside
     ?o
} # last
# very last"""
    assert (
        laid_out(text)
        == """# first
PREFIX ex: <http://ex.org/>  # prefix

SELECT * {  # all
  # own line
  ?s ?p ?o .  # end

  # after a gap
  ?s ex:p  # inside
  ?o
}  # last
# very last
"""
    )
    assert laid_out(laid_out(text)) == laid_out(text)


def test_a_hash_in_an_iri_or_a_text_is_no_comment() -> None:
    text = 'ASK {\n  ?s <http://e/#p> "a # b" .\n}\n'
    assert laid_out(text) == text


def test_a_text_that_is_no_query_keeps_its_tokens() -> None:
    for text in ("} ) ] {", "SELECT (", "hello ; . , world", "'unclosed"):
        assert [t.text.upper() for t in tokens(laid_out(text))] == [t.text.upper() for t in tokens(text)]


@pytest.mark.skipif(SUITE is None, reason="the W3C's suite is not here (see tests/suites/finding.py)")
def test_the_queries_of_the_w3c_mean_the_same_and_stay_as_they_are_laid_out() -> None:
    assert SUITE is not None
    compared = 0
    for number, path in enumerate(sorted(SUITE.rglob("*.rq"))):
        text = path.read_text(encoding="utf-8")
        once = laid_out(text)
        assert laid_out(once) == once, path
        if number % 6 == 0 and (before := algebra(text)) is not None:  # rdflib takes a while
            assert algebra(once) == before, path
            compared += 1
    assert compared > 50


def algebra(text: str) -> list[str] | None:
    """The terms and operators of a query, in no order, since rdflib puts blank nodes in a random one; None if it is no
    query."""
    try:
        written = str(parse(text, "http://base/")[0].algebra)
    except Mistake:
        return None
    return sorted(re.split(r"[ ,()\[\]{}]+", re.sub(r"BNode\('\w+'\)", "BNode", written)))
