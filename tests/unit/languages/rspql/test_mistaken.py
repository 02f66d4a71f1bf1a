"""What is said of texts that are not queries, and where."""

from __future__ import annotations

import pytest

from tests.unit.languages.rspql.queries import PREFIX, mistake_of


@pytest.mark.parametrize(
    ("query", "mistake"),
    [
        ("", "E701 the query is empty | "),
        ("SELECT * { ?x ?y ?z", "E701 this { has no } | {"),
        ("SELECT * { ?x ?y ?z FILTER((?z > 1) }", "E701 this } closes nothing | }"),
        ("SELECT * { ?x ?y ?z ) }", "E701 this ) closes nothing | )"),
        ("SELECT * { ?x ?y ?z FILTER(?z > ) }\n", "E701 syntax error near FILTER | FILTER"),
        ("SELECT * { ?x ?y ?z } LIMIT -1", "E701 syntax error near - | -"),
        ("SELECT * { ?x a <not an iri> }", "E701 this is not an IRI | <not an iri>"),
        ("SELECT * { <<?x ?y ?z>> ?p ?q }", "E702 triple terms of RDF 1.2 are not supported | <<"),
        ("SELECT * { ?x ?y ?z LATERAL { ?x ?p ?q } }", "E701 syntax error near LATERAL | LATERAL"),
        ("SELECT * { ?x ?y ?z FILTER(strlenn(?z) > 1) }", "E702 there is no function strlenn | strlenn"),
        ("SELECT (?z AS ?x) { ?x ?y ?z }", "E701 ?x already has a value here | ?x"),
        ("SELECT * { ?x ?y ?z BIND(1 AS ?w) BIND(2 AS ?z) }\n", "E701 ?z already has a value here | ?z"),
        ("SELECT * { ?x ?y ?z } GROUP BY ?x", "E701 SELECT * cannot stand with GROUP BY | *"),
        ("SELECT ?y ?x { ?x ?y ?z } GROUP BY ?y\n", "E701 ?x is neither a key of GROUP BY nor in an aggregate | ?x"),
        ("SELECT ?x (COUNT(*) AS ?n) { ?x ?y ?z }", "E701 ?x is neither a key of GROUP BY nor in an aggregate | ?x"),
        ("SELECT ?x { ?x ?y ?z FILTER(COUNT(?z) > 1) }\n", "E701 COUNT cannot stand in FILTER | COUNT"),
        ("SELECT (SUM(COUNT(?x)) AS ?n) { ?x ?y ?z }", "E702 an aggregate cannot stand in another | COUNT"),
        (f"{PREFIX}ASK {{ ?x :p ?z FILTER NOT EXISTS {{ ?x ?z }} }}", "E701 syntax error near } | }"),
    ],
)
def test_mistakes_are_said_in_words_that_help(query: str, mistake: str) -> None:
    assert mistake_of(query) == mistake


def test_a_misspelt_function_has_a_similar_name() -> None:
    from lasing.errors import SourceText
    from lasing.languages.rspql.lower import lower

    _, (mistake,) = lower([SourceText("q", "SELECT (STRLENN(?x) AS ?n) { ?x ?y ?z }", None)], {})
    assert mistake.note == "did you mean STRLEN?"
