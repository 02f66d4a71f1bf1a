"""OWL 2 RL: what some rules of each table derive, and which inconsistencies are found."""

from __future__ import annotations

import pytest

from lasing import run

PREFIXES = "#prefix ex: <http://ex.org/>. #prefix owl: <http://www.w3.org/2002/07/owl#>.\n"

DERIVED = {
    "eq-rep-s": ("owl:sameAs(ex:a, ex:b). ex:p(ex:a, 1).", "ex:p(ex:b, 1)"),
    "prp-fp": ("owl:FunctionalProperty(ex:p). ex:p(ex:x, ex:a). ex:p(ex:x, ex:b).", "owl:sameAs(ex:a, ex:b)"),
    "prp-trp": ("owl:TransitiveProperty(ex:p). ex:p(ex:a, ex:b). ex:p(ex:b, ex:c).", "ex:p(ex:a, ex:c)"),
    "prp-inv1": ("owl:inverseOf(ex:p, ex:q). ex:p(ex:a, ex:b).", "ex:q(ex:b, ex:a)"),
    "prp-spo2": (
        "owl:propertyChainAxiom(ex:p, _:l). rdf:first(_:l, ex:q). rdf:rest(_:l, _:m). rdf:first(_:m, ex:r). "
        "rdf:rest(_:m, rdf:nil). ex:q(ex:a, ex:b). ex:r(ex:b, ex:c).",
        "ex:p(ex:a, ex:c)",
    ),
    "prp-key": (
        "owl:hasKey(ex:C, _:l). rdf:first(_:l, ex:p). rdf:rest(_:l, _:m). rdf:first(_:m, ex:q). "
        "rdf:rest(_:m, rdf:nil). ex:C(ex:a). ex:C(ex:b). ex:p(ex:a, 1). ex:p(ex:b, 1). ex:q(ex:a, 2). ex:q(ex:b, 2).",
        "owl:sameAs(ex:a, ex:b)",
    ),
    "cls-int1": (
        "owl:intersectionOf(ex:C, _:l). rdf:first(_:l, ex:D). rdf:rest(_:l, _:m). rdf:first(_:m, ex:E). "
        "rdf:rest(_:m, rdf:nil). ex:D(ex:a). ex:E(ex:a).",
        "ex:C(ex:a)",
    ),
    "cls-svf1": (
        "owl:someValuesFrom(ex:R, ex:D). owl:onProperty(ex:R, ex:p). ex:p(ex:a, ex:b). ex:D(ex:b).",
        "ex:R(ex:a)",
    ),
    "cls-maxc2": (
        'owl:maxCardinality(ex:R, "1"^^xsd:nonNegativeInteger). owl:onProperty(ex:R, ex:p). ex:R(ex:a). '
        "ex:p(ex:a, ex:b). ex:p(ex:a, ex:c).",
        "owl:sameAs(ex:b, ex:c)",
    ),
    "cax-eqc1": ("owl:equivalentClass(ex:C, ex:D). ex:C(ex:a).", "ex:D(ex:a)"),
    "dt-eq": ('ex:p(ex:a, "05"^^xsd:int).', "ex:p(ex:a, 5)"),
    "scm-dom1": ("rdfs:domain(ex:p, ex:C). rdfs:subClassOf(ex:C, ex:D).", "rdfs:domain(ex:p, ex:D)"),
    "scm-uni": (
        "owl:unionOf(ex:C, _:l). rdf:first(_:l, ex:D). rdf:rest(_:l, rdf:nil).",
        "rdfs:subClassOf(ex:D, ex:C)",
    ),
}

INCONSISTENT = {
    "eq-diff1": "owl:sameAs(ex:a, ex:b). owl:differentFrom(ex:a, ex:b).",
    "prp-irp": "owl:IrreflexiveProperty(ex:p). ex:p(ex:a, ex:a).",
    "prp-asyp": "owl:AsymmetricProperty(ex:p). ex:p(ex:a, ex:b). ex:p(ex:b, ex:a).",
    "prp-pdw": "owl:propertyDisjointWith(ex:p, ex:q). ex:p(ex:a, ex:b). ex:q(ex:a, ex:b).",
    "cls-nothing2": "owl:Nothing(ex:a).",
    "cls-com": "owl:complementOf(ex:C, ex:D). ex:C(ex:a). ex:D(ex:a).",
    "cax-dw": "owl:disjointWith(ex:C, ex:D). ex:C(ex:a). ex:D(ex:a).",
    "dt-not-type": 'ex:p(ex:a, "x"^^xsd:integer).',
    "dt-diff": "owl:sameAs(5, 6).",
}


@pytest.mark.parametrize(("given", "wanted"), DERIVED.values(), ids=DERIVED)
def test_a_rule_derives(given: str, wanted: str) -> None:
    (answer,) = run(f"{PREFIXES}{given} yes :- {wanted}.", start=0, end=0, entail="owl-rl")
    assert {atom.predicate for atom in answer.atoms} == {"yes"}


@pytest.mark.parametrize(("rule", "given"), INCONSISTENT.items())
def test_an_inconsistency_is_found(rule: str, given: str) -> None:
    (answer,) = run(f"{PREFIXES}{given} yes :- ex:never(ex:a).", start=0, end=0, entail="owl-rl")
    assert rule in {atom.values[0] for atom in answer.atoms if atom.predicate == "inconsistent"}
