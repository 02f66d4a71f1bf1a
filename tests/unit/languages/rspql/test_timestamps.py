"""The time of a triple: the latest at which a window has it."""

from __future__ import annotations

import pytest

from lasing.errors import LasingError
from tests.unit.languages.rspql.queries import PREFIX, iri, program_of, reported

F = "PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#>\n"
FACTS = [(t, "s", iri(x), iri("p"), iri(y)) for t, x, y in ((1, "a", "b"), (3, "b", "c"), (4, "a", "b"))]


def query(select: str, condition: str = "") -> str:
    where = f"WHERE {{ ?x :p ?y . ?y :p ?z {condition} }}"
    return f"{F}{PREFIX}REGISTER QUERY q AS SELECT {select} FROM STREAM :s [RANGE 9s STEP 1s] {where}"


def test_the_latest_time_of_a_triple() -> None:
    found = reported(program_of(query("(SECONDS(f:timestamp(?x, :p, ?y)) AS ?t)")), FACTS, 5)
    assert found == {t: [f'"{s}"^^<http://www.w3.org/2001/XMLSchema#decimal>'] for t, s in ((3, 1), (4, 4), (5, 4))}


def test_the_order_of_two_triples() -> None:
    program = program_of(query("?x ?y", "FILTER(f:timestamp(?x, :p, ?y) < f:timestamp(?y, :p, ?z))"))
    assert reported(program, FACTS, 6) == {3: ["a b"]}


def test_the_latest_time_of_a_value() -> None:
    program = program_of(query("?x (SECONDS(f:timestamp(?y)) AS ?t)"))
    found = reported(program, FACTS, 4)
    assert found == {t: [f'a "{s}"^^<http://www.w3.org/2001/XMLSchema#decimal>'] for t, s in ((3, 3), (4, 4))}


def test_static_triples_have_no_time() -> None:
    with pytest.raises(LasingError, match="static triples have no time"):
        program_of(f"{F}{PREFIX}SELECT (f:timestamp(?x, :p, ?y) AS ?t) {{ ?x :p ?y }}")
