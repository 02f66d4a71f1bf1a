"""Queries over windows with entailment: what follows from the triples of a window leaves with them."""

from __future__ import annotations

from lasing.entailment import with_entailment
from lasing.logic.formulas import Atom
from lasing.logic.values import Iri, datatypes
from tests.unit.languages.rspql.queries import PREFIX, iri, program_of, reported

TYPE, SUB_CLASS = Iri(f"{datatypes.RDF}type"), Iri(f"{datatypes.RDFS}subClassOf")
SCHEMA = [
    Atom("triple", (iri("Kiln"), SUB_CLASS, iri("Oven"))),
    Atom("triple", (iri("Oven"), SUB_CLASS, iri("Device"))),
    Atom("triple", (iri("toaster"), TYPE, iri("Oven"))),
]
FACTS = [(1, "s", iri("k"), TYPE, iri("Kiln")), (3, "s", iri("o"), TYPE, iri("Oven"))]


def test_a_window_of_rsp_ql_has_what_its_triples_and_the_schema_entail() -> None:
    window = "FROM NAMED WINDOW :w ON :s [RANGE PT2S STEP PT1S]"
    text = f"{PREFIX}REGISTER RSTREAM :out AS SELECT ?x {window} WHERE {{ WINDOW :w {{ ?x a :Device }} }}"
    program = with_entailment(program_of(text, data=SCHEMA), "rdfs")
    assert reported(program, FACTS, 8) == {2: ["k"], 3: ["k"], 4: ["o"], 5: ["o"]}, "the toaster is not in the window"


def test_the_default_graph_of_c_sparql_has_what_static_and_streamed_triples_entail() -> None:
    text = f"{PREFIX}REGISTER QUERY q AS SELECT ?x FROM STREAM :s [RANGE 2s STEP 1s] WHERE {{ ?x a :Device }}"
    program = with_entailment(program_of(text, data=SCHEMA), "rdfs")
    assert reported(program, FACTS, 8) == {t: [*one, "toaster"] for t, one in _EXPECTED.items()}


_EXPECTED = {1: ["k"], 2: ["k"], 3: ["o"], 4: ["o"]}


def test_owl_joins_static_and_streamed_triples_in_the_default_graph() -> None:
    transitive = Atom("triple", (iri("isIn"), TYPE, Iri("http://www.w3.org/2002/07/owl#TransitiveProperty")))
    static = [transitive, Atom("triple", (iri("room"), iri("isIn"), iri("house")))]
    text = f"{PREFIX}REGISTER QUERY q AS SELECT ?x FROM STREAM :s [RANGE 2s STEP 1s] WHERE {{ ?x :isIn :house }}"
    program = with_entailment(program_of(text, data=static), "owl-rl")
    assert reported(program, [(1, "s", iri("cat"), iri("isIn"), iri("room"))], 5) == {
        1: ["cat", "room"], 2: ["cat", "room"],
    }  # fmt: skip
