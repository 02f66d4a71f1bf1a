"""Comparisons with other events are cut out of queries; what would change the meaning of a query is refused."""

from __future__ import annotations

import pytest

from lasing.events.mistakes import Mistake
from lasing.languages.dotr.filters import cut_comparisons
from lasing.languages.tesla.syntax import Constant, Constraint, Operation, Reference
from lasing.logic.values import Iri, TaggedLiteral, Truth, TypedLiteral

EX = {"": "http://ex.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"}


def constraints(condition: str, numbers: bool = False) -> list[Constraint]:
    sparql = f"SELECT ?s ?v WHERE {{ ?s :p ?v . ?s :q ?w FILTER({condition}) }}"
    return cut_comparisons(sparql, 0, EX, numbers).constraints


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("?v = A.?x", Constraint("v", "=", Reference("A", "x"))),
        ("A.?x < ?v", Constraint("v", ">", Reference("A", "x"))),
        ("(?v >= A.?x)", Constraint("v", ">=", Reference("A", "x"))),
        ("?v != A.?x + 2 * ?w", Constraint("v", "!=", Operation(
            "+", Reference("A", "x"), Operation("*", Constant(2), Reference(None, "w"))))),
        ("?v > A.?x - -1", Constraint("v", ">", Operation("-", Reference("A", "x"), Constant(-1)))),
    ],
)  # fmt: skip
def test_comparisons(condition: str, expected: Constraint) -> None:
    assert constraints(condition) == [expected]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (":hall", Iri("http://ex.org/hall")),
        ("<http://a/b>", Iri("http://a/b")),
        ('"a\\"b"', 'a"b'),
        ("'chat'@en", TaggedLiteral("chat", "en")),
        ('"05"^^xsd:integer', TypedLiteral("05", EX["xsd"] + "integer")),
        ('"5"^^<http://www.w3.org/2001/XMLSchema#integer>', 5),
        ("true", Truth(True)),
        ("1.5", 1.5),
    ],
)
def test_constants(written: str, value: object) -> None:
    sparql = f"SELECT ?v WHERE {{ ?s :p ?v FILTER(?v = {written} + A.?x) }}"
    (found,) = cut_comparisons(sparql, 0, EX).constraints
    assert isinstance(found.expression, Operation)
    assert found.expression.left == Constant(value)  # type: ignore[arg-type]


def test_other_conditions_stay() -> None:
    sparql = "SELECT ?v WHERE { ?s :p ?v FILTER(?v > 3 && ?v = A.?x && (?v < 9 || ?v > 20)) FILTER(isIRI(?s)) }"
    cut = cut_comparisons(sparql, 0, EX)
    assert "?v > 3 && true && (?v < 9 || ?v > 20)" in cut.sparql
    assert cut.constraints == [Constraint("v", "=", Reference("A", "x"))]
    assert len(cut.checked) == len(sparql)


def test_compared_variables_become_attributes() -> None:
    cut = cut_comparisons("SELECT ?s WHERE { ?s :p ?v FILTER(?v = A.?x) }", 0, EX)
    assert (cut.variables, cut.hidden) == (("s", "v"), ())
    assert cut.sparql.startswith("SELECT ?s ?v  WHERE")


def test_a_variable_that_may_be_missing_must_have_a_value() -> None:
    sparql = "SELECT ?s ?v WHERE { ?s :q 1 OPTIONAL { ?s :p ?v } FILTER(?v = A.?x) }"
    assert "FILTER(bound(?v))" in cut_comparisons(sparql, 0, EX).sparql


def test_numbers_are_cut_out_if_that_is_asked_for() -> None:
    sparql = "SELECT ?s WHERE { ?s :p ?v FILTER(?v > -5 && 9 >= ?v) }"
    assert cut_comparisons(sparql, 0, EX).constraints == []
    cut = cut_comparisons(sparql, 0, EX, constants=True)
    assert cut.constraints == [Constraint("v", ">", Constant(-5)), Constraint("v", "<=", Constant(9))]
    assert (cut.variables, cut.hidden) == (("s", "v"), ("v",))


@pytest.mark.parametrize(
    "sparql",
    [
        "SELECT ?s WHERE { ?s :q 1 OPTIONAL { ?s :p ?v FILTER(?v > 5) } }",
        "SELECT ?s WHERE { ?s :q 1 FILTER NOT EXISTS { ?s :p ?v FILTER(?v > 5) } }",
        "SELECT ?s (COUNT(?v) AS ?n) WHERE { ?s :p ?v FILTER(?v > 5) } GROUP BY ?s",
        "SELECT ?s WHERE { ?s :p ?v FILTER(?v > 5) } LIMIT 1",
    ],
)
def test_numbers_stay_where_the_meaning_would_change(sparql: str) -> None:
    assert cut_comparisons(sparql, 0, EX, constants=True).constraints == []


def test_all_variables_are_those_that_the_query_shows() -> None:
    sparql = "SELECT * WHERE { ?s :p ?v FILTER(?v = A.?x) FILTER NOT EXISTS { ?s :q ?hidden } }"
    assert cut_comparisons(sparql, 0, EX).variables == ("s", "v")


@pytest.mark.parametrize(
    ("sparql", "message"),
    [
        ("SELECT ?s WHERE { ?s :q 1 OPTIONAL { ?s :p ?v FILTER(?v = A.?x) } }", "only be named in a FILTER(… && …)"),
        ("SELECT ?s WHERE { { ?s :p ?v FILTER(?v = A.?x) } UNION { ?s :q ?v } }", "only be named in a FILTER(… && …)"),
        ("SELECT ?s WHERE { ?s :p ?v BIND(A.?x AS ?y) }", "only be named in a FILTER(… && …)"),
        ("SELECT ?s WHERE { ?s :p ?v FILTER(?v = 1 || ?v = A.?x) }", "expected && or ), but found ||"),
        ("SELECT ?s WHERE { ?s :p ?v FILTER(!(?v = A.?x)) }", "expected a value, but found !"),
        ("SELECT ?s WHERE { ?s :p ?v FILTER(A.?x = B.?y) }", "this compares no variable of the event"),
        ("SELECT ?s WHERE { ?s :p ?v FILTER(?v + 1 = A.?x) }", "this compares no variable of the event"),
        ("SELECT (MAX(?v) AS ?m) WHERE { ?s :p ?v FILTER(?v = A.?x) }", "a query with MAX cannot name another event"),
        ("SELECT ?v WHERE { ?s :p ?v FILTER(?v = A.?x) } LIMIT 3", "a query with LIMIT cannot name another event"),
        ("CONSTRUCT { ?s :p 1 } WHERE { ?s :p ?v }", "an event needs a SELECT"),
    ],
)
def test_what_is_refused(sparql: str, message: str) -> None:
    with pytest.raises(Mistake) as found:
        cut_comparisons(sparql, 0, EX)
    assert message in found.value.message
