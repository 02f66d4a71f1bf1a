"""Repairs: rdflib reads the repaired text as the standard reads the original."""

from __future__ import annotations

from collections import Counter

import pyoxigraph
import pytest

import lasing
from lasing.languages.rspql.repairs import checkable, repaired
from lasing.querying import Result
from tests.differential.test_rspql import Bag, answered, text
from tests.unit.languages.rspql.queries import mistake_of


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
        (
            "PREFIX a: <http://c/> PREFIX b: <http://c/> ASK { a:s b: 'a:t' # a:c\n }",
            "PREFIX a: <http://c/> PREFIX b: <http://c/> ASK { <http://c/s> <http://c/> 'a:t' # a:c\n }",
        ),
        (
            "PREFIX a: <http://c/> PREFIX a: <http://d/> ASK { a:s ?p <http://c/> }",
            "PREFIX a: <http://c/> PREFIX a: <http://d/> ASK { <http://d/s> ?p <http://c/> }",
        ),
        (
            "BASE <http://e/f> PREFIX a: <> PREFIX : <http://e/f> ASK { a:s :p 1 }",
            "BASE <http://e/f> PREFIX a: <> PREFIX : <http://e/f> ASK { <http://e/fs> <http://e/fp> 1 }",
        ),
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
        "PREFIX a: <http://a/> PREFIX b: <http://b/> ASK { a:s b:p a: }",
    ],
)
def test_as_it_was(text: str) -> None:
    assert repaired(text) == text


def test_the_columns_of_messages_stay_right() -> None:
    query = "SELECT ?y { ?x ?p ?o } GROUP BY (?x AS ?y)\nLIMIT x"
    assert len(checkable(query)) == len(query)
    assert mistake_of(query).endswith(" | LIMIT")


GRAPH = "@prefix : <http://ex.org/> . :a :p 1, 2 . :b :p 3 . :c :q 1 . :d :q 'x' ."


@pytest.mark.parametrize(
    ("query", "same"),
    [
        (
            "SELECT ?y (COUNT(*) AS ?n) { ?x ?p ?o } GROUP BY (?x AS ?y)",
            "SELECT ?y (COUNT(*) AS ?n) { ?x ?p ?o BIND(?x AS ?y) } GROUP BY ?y",
        ),
        (
            "SELECT ?y ?z (SUM(?o) AS ?n) { ?x ?p ?o } GROUP BY (?x AS ?y) (?p AS ?z) HAVING (COUNT(*) > 0)",
            "SELECT ?y ?z (SUM(?o) AS ?n) { ?x ?p ?o BIND(?x AS ?y) BIND(?p AS ?z) } GROUP BY ?y ?z",
        ),
        (
            "SELECT ?y { { SELECT ?y { ?x ?p ?o } GROUP BY (?x AS ?y) HAVING (COUNT(*) > 1) } }",
            "SELECT ?y { ?y ?p ?o } GROUP BY ?y HAVING (COUNT(*) > 1)",
        ),
        (
            "SELECT ?y (COUNT(?x) AS ?n) { ?x ?p ?o OPTIONAL { ?x :p ?u } } GROUP BY (?u AS ?y)",
            "SELECT ?y (COUNT(?x) AS ?n) { ?x ?p ?o OPTIONAL { ?x :p ?y } } GROUP BY ?y",
        ),
        (
            "SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?o } GROUP BY (?x)",
            "SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?o } GROUP BY ?x",
        ),
        (
            "SELECT (COUNT(*) AS ?n) { ?x ?p ?o } GROUP BY (?o + (1)) STR(?x) (STR(?p))",
            "SELECT (COUNT(*) AS ?n) { ?x ?p ?o } GROUP BY (?o + 1 AS ?a) (STR(?x) AS ?b) (STR(?p) AS ?c)",
        ),
    ],
)
def test_the_keys_of_groups(query: str, same: str) -> None:
    prefix = "PREFIX : <http://ex.org/>\n"
    store = pyoxigraph.Store()
    store.load(GRAPH.encode(), pyoxigraph.RdfFormat.TURTLE)
    assert bag_of_rows(lasing.query(prefix + query, lasing.rdf.graph(GRAPH, format="ttl"))) == answered(
        store, prefix + same
    )


def bag_of_rows(result: Result) -> Bag:
    names = sorted(result.columns)
    order = [result.columns.index(name) for name in names]
    return Counter(tuple(text(row[i]) for i in order) for row in result.rows)


@pytest.mark.parametrize(
    ("query", "mistake"),
    [
        (
            "SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?o } GROUP BY (?x AS ?y)",
            "E701 ?x is neither a key of GROUP BY nor in an aggregate | ?x",
        ),
        ("SELECT ?o { ?x ?p ?o } GROUP BY (?x AS ?o)", "E702 ?o is already in scope | ?o"),
        ("SELECT ?y { ?x ?p ?o } GROUP BY (?x AS)", "E701 syntax error near GROUP | GROUP"),
    ],
)
def test_keys_of_groups_that_are_mistakes(query: str, mistake: str) -> None:
    assert mistake_of(query).startswith(mistake)


def test_two_prefixes_for_one_iri() -> None:
    prefixes = "PREFIX : <http://ex.org/> PREFIX ex: <http://ex.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>"
    graph = lasing.rdf.graph(GRAPH, format="ttl")
    query = f"{prefixes} SELECT ?x {{ ?x :p ?o . ex:a :p ?o FILTER(DATATYPE(?o) = xsd:integer) }} ORDER BY ?o"
    assert [str(x) for (x,) in lasing.query(query, graph).rows] == ["<http://ex.org/a>"] * 2
