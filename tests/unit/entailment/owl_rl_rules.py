"""A case for each rule of OWL 2 RL/RDF: OWL 2 Profiles, section 4.3, tables 4 to 9.

A case has the triples that match the rule, what it derives, and a variant of the triples that just fails to match, if
there is one. In `given`, `(a b c)` after a list's name is an RDF list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PREFIXES = "#prefix ex: <http://ex.org/>. #prefix owl: <http://www.w3.org/2002/07/owl#>.\n"


@dataclass(frozen=True)
class RuleCase:
    """`wanted` are atoms that the rule derives; none for an inconsistency."""

    given: str
    wanted: tuple[str, ...] = ()
    without: str | None = None
    """Triples that are not enough, or None if nothing can be left out."""


_LIST = re.compile(r"_:(\w+) = \(([^)]*)\)\.")


def facts(text: str) -> str:
    """The facts of a case, with lists written out.

    >>> facts("_:l = (ex:a ex:b).")
    'rdf:first(_:l, ex:a). rdf:rest(_:l, _:l_1). rdf:first(_:l_1, ex:b). rdf:rest(_:l_1, rdf:nil).'
    """

    def cells(found: re.Match[str]) -> str:
        items = found[2].split()
        names = [f"_:{found[1]}{f'_{i}' if i else ''}" for i in range(len(items))]
        ends = [*names[1:], "rdf:nil"]
        return " ".join(
            f"rdf:first({name}, {item}). rdf:rest({name}, {end})."
            for name, item, end in zip(names, items, ends, strict=True)
        )

    return _LIST.sub(cells, text)


ONE = '"1"^^xsd:nonNegativeInteger'
NONE = '"0"^^xsd:nonNegativeInteger'

EQUALITY = {
    "eq-ref": RuleCase(
        "ex:p(ex:a, ex:b).", ("owl:sameAs(ex:a, ex:a)", "owl:sameAs(ex:p, ex:p)", "owl:sameAs(ex:b, ex:b)")
    ),
    "eq-sym": RuleCase("owl:sameAs(ex:a, ex:b).", ("owl:sameAs(ex:b, ex:a)",), "owl:differentFrom(ex:a, ex:b)."),
    "eq-trans": RuleCase(
        "owl:sameAs(ex:a, ex:b). owl:sameAs(ex:b, ex:c).",
        ("owl:sameAs(ex:a, ex:c)",),
        "owl:sameAs(ex:a, ex:b). owl:sameAs(ex:d, ex:c).",
    ),
    "eq-rep-s": RuleCase("owl:sameAs(ex:a, ex:b). ex:p(ex:a, 1).", ("ex:p(ex:b, 1)",), "ex:p(ex:a, 1)."),
    "eq-rep-p": RuleCase(
        "owl:sameAs(ex:p, ex:q). ex:p(ex:a, 1).", ("ex:q(ex:a, 1)",), "owl:sameAs(ex:q, ex:r). ex:p(ex:a, 1)."
    ),
    "eq-rep-o": RuleCase("owl:sameAs(ex:a, ex:b). ex:p(ex:c, ex:a).", ("ex:p(ex:c, ex:b)",), "ex:p(ex:c, ex:a)."),
    "eq-diff1": RuleCase(
        "owl:sameAs(ex:a, ex:b). owl:differentFrom(ex:a, ex:b).",
        without="owl:sameAs(ex:a, ex:b). owl:differentFrom(ex:a, ex:c).",
    ),
    "eq-diff2": RuleCase(
        "owl:AllDifferent(ex:d). owl:members(ex:d, _:l). _:l = (ex:a ex:b ex:c). owl:sameAs(ex:c, ex:a).",
        without="owl:AllDifferent(ex:d). owl:members(ex:d, _:l). _:l = (ex:a ex:b). owl:sameAs(ex:c, ex:a).",
    ),
    "eq-diff3": RuleCase(
        "owl:AllDifferent(ex:d). owl:distinctMembers(ex:d, _:l). _:l = (ex:a ex:b ex:c). owl:sameAs(ex:c, ex:a).",
        without="owl:AllDifferent(ex:d). owl:distinctMembers(ex:d, _:l). _:l = (ex:a ex:b). owl:sameAs(ex:c, ex:a).",
    ),
}

PROPERTIES = {
    "prp-ap": RuleCase(
        "ex:p(ex:a, ex:b).",
        tuple(
            f"owl:AnnotationProperty({name})"
            for name in (
                *(f"rdfs:{local}" for local in ("label", "comment", "seeAlso", "isDefinedBy")),
                *(f"owl:{local}" for local in ("deprecated", "versionInfo", "priorVersion")),
                *(f"owl:{local}" for local in ("backwardCompatibleWith", "incompatibleWith")),
            )
        ),
    ),
    "prp-dom": RuleCase(
        "rdfs:domain(ex:p, ex:C). ex:p(ex:a, ex:b).", ("ex:C(ex:a)",), "rdfs:domain(ex:p, ex:C). ex:q(ex:a, ex:b)."
    ),
    "prp-rng": RuleCase(
        "rdfs:range(ex:p, ex:C). ex:p(ex:a, ex:b).", ("ex:C(ex:b)",), "rdfs:range(ex:p, ex:C). ex:p(ex:b, ex:a)."
    ),
    "prp-fp": RuleCase(
        "owl:FunctionalProperty(ex:p). ex:p(ex:x, ex:a). ex:p(ex:x, ex:b).",
        ("owl:sameAs(ex:a, ex:b)",),
        "owl:FunctionalProperty(ex:p). ex:p(ex:x, ex:a). ex:p(ex:y, ex:b).",
    ),
    "prp-ifp": RuleCase(
        "owl:InverseFunctionalProperty(ex:p). ex:p(ex:a, ex:x). ex:p(ex:b, ex:x).",
        ("owl:sameAs(ex:a, ex:b)",),
        "owl:InverseFunctionalProperty(ex:p). ex:p(ex:a, ex:x). ex:p(ex:b, ex:y).",
    ),
    "prp-irp": RuleCase(
        "owl:IrreflexiveProperty(ex:p). ex:p(ex:a, ex:a).", without="owl:IrreflexiveProperty(ex:p). ex:p(ex:a, ex:b)."
    ),
    "prp-symp": RuleCase("owl:SymmetricProperty(ex:p). ex:p(ex:a, ex:b).", ("ex:p(ex:b, ex:a)",), "ex:p(ex:a, ex:b)."),
    "prp-asyp": RuleCase(
        "owl:AsymmetricProperty(ex:p). ex:p(ex:a, ex:b). ex:p(ex:b, ex:a).",
        without="owl:AsymmetricProperty(ex:p). ex:p(ex:a, ex:b). ex:p(ex:b, ex:c).",
    ),
    "prp-trp": RuleCase(
        "owl:TransitiveProperty(ex:p). ex:p(ex:a, ex:b). ex:p(ex:b, ex:c).",
        ("ex:p(ex:a, ex:c)",),
        "owl:TransitiveProperty(ex:p). ex:p(ex:a, ex:b). ex:q(ex:b, ex:c).",
    ),
    "prp-spo1": RuleCase(
        "rdfs:subPropertyOf(ex:p, ex:q). ex:p(ex:a, ex:b).",
        ("ex:q(ex:a, ex:b)",),
        "rdfs:subPropertyOf(ex:q, ex:p). ex:p(ex:a, ex:b).",
    ),
    "prp-spo2": RuleCase(
        "owl:propertyChainAxiom(ex:p, _:l). _:l = (ex:q ex:r ex:q). "
        "ex:q(ex:a, ex:b). ex:r(ex:b, ex:c). ex:q(ex:c, ex:d).",
        ("ex:p(ex:a, ex:d)",),
        "owl:propertyChainAxiom(ex:p, _:l). _:l = (ex:q ex:r ex:q). ex:q(ex:a, ex:b). ex:r(ex:b, ex:d).",
    ),
    "prp-eqp1": RuleCase(
        "owl:equivalentProperty(ex:p, ex:q). ex:p(ex:a, ex:b).", ("ex:q(ex:a, ex:b)",), "ex:p(ex:a, ex:b)."
    ),
    "prp-eqp2": RuleCase(
        "owl:equivalentProperty(ex:p, ex:q). ex:q(ex:a, ex:b).", ("ex:p(ex:a, ex:b)",), "ex:q(ex:a, ex:b)."
    ),
    "prp-pdw": RuleCase(
        "owl:propertyDisjointWith(ex:p, ex:q). ex:p(ex:a, ex:b). ex:q(ex:a, ex:b).",
        without="owl:propertyDisjointWith(ex:p, ex:q). ex:p(ex:a, ex:b). ex:q(ex:b, ex:a).",
    ),
    "prp-adp": RuleCase(
        "owl:AllDisjointProperties(ex:d). owl:members(ex:d, _:l). _:l = (ex:p ex:q ex:r). "
        "ex:r(ex:a, ex:b). ex:p(ex:a, ex:b).",
        without="owl:AllDisjointProperties(ex:d). owl:members(ex:d, _:l). _:l = (ex:p ex:q). "
        "ex:r(ex:a, ex:b). ex:p(ex:a, ex:b).",
    ),
    "prp-inv1": RuleCase("owl:inverseOf(ex:p, ex:q). ex:p(ex:a, ex:b).", ("ex:q(ex:b, ex:a)",), "ex:p(ex:a, ex:b)."),
    "prp-inv2": RuleCase("owl:inverseOf(ex:p, ex:q). ex:q(ex:a, ex:b).", ("ex:p(ex:b, ex:a)",), "ex:q(ex:a, ex:b)."),
    "prp-key": RuleCase(
        "owl:hasKey(ex:C, _:l). _:l = (ex:p ex:q). ex:C(ex:a). ex:C(ex:b). "
        "ex:p(ex:a, 1). ex:p(ex:b, 1). ex:q(ex:a, 2). ex:q(ex:b, 2).",
        ("owl:sameAs(ex:a, ex:b)",),
        "owl:hasKey(ex:C, _:l). _:l = (ex:p ex:q). ex:C(ex:a). ex:C(ex:b). "
        "ex:p(ex:a, 1). ex:p(ex:b, 1). ex:q(ex:a, 2). ex:q(ex:b, 3).",
    ),
    "prp-npa1": RuleCase(
        "owl:sourceIndividual(ex:n, ex:a). owl:assertionProperty(ex:n, ex:p). owl:targetIndividual(ex:n, ex:b). "
        "ex:p(ex:a, ex:b).",
        without="owl:sourceIndividual(ex:n, ex:a). owl:assertionProperty(ex:n, ex:p). "
        "owl:targetIndividual(ex:n, ex:b). ex:p(ex:b, ex:a).",
    ),
    "prp-npa2": RuleCase(
        "owl:sourceIndividual(ex:n, ex:a). owl:assertionProperty(ex:n, ex:p). owl:targetValue(ex:n, 5). ex:p(ex:a, 5).",
        without="owl:sourceIndividual(ex:n, ex:a). owl:assertionProperty(ex:n, ex:p). owl:targetValue(ex:n, 5). "
        "ex:p(ex:a, 6).",
    ),
}

CLASSES = {
    "cls-thing": RuleCase("ex:p(ex:a, ex:b).", ("owl:Class(owl:Thing)",)),
    "cls-nothing1": RuleCase("ex:p(ex:a, ex:b).", ("owl:Class(owl:Nothing)",)),
    "cls-nothing2": RuleCase("owl:Nothing(ex:a).", without="owl:Thing(ex:a)."),
    "cls-int1": RuleCase(
        "owl:intersectionOf(ex:C, _:l). _:l = (ex:D ex:E ex:F). ex:D(ex:a). ex:E(ex:a). ex:F(ex:a).",
        ("ex:C(ex:a)",),
        "owl:intersectionOf(ex:C, _:l). _:l = (ex:D ex:E ex:F). ex:D(ex:a). ex:F(ex:a).",
    ),
    "cls-int2": RuleCase(
        "owl:intersectionOf(ex:C, _:l). _:l = (ex:D ex:E). ex:C(ex:a).",
        ("ex:D(ex:a)", "ex:E(ex:a)"),
        "owl:unionOf(ex:C, _:l). _:l = (ex:D ex:E). ex:C(ex:a).",
    ),
    "cls-uni": RuleCase(
        "owl:unionOf(ex:C, _:l). _:l = (ex:D ex:E). ex:E(ex:a).",
        ("ex:C(ex:a)",),
        "owl:intersectionOf(ex:C, _:l). _:l = (ex:D ex:E). ex:E(ex:a).",
    ),
    "cls-com": RuleCase(
        "owl:complementOf(ex:C, ex:D). ex:C(ex:a). ex:D(ex:a).",
        without="owl:complementOf(ex:C, ex:D). ex:C(ex:a). ex:D(ex:b).",
    ),
    "cls-svf1": RuleCase(
        "owl:someValuesFrom(ex:R, ex:D). owl:onProperty(ex:R, ex:p). ex:p(ex:a, ex:b). ex:D(ex:b).",
        ("ex:R(ex:a)",),
        "owl:someValuesFrom(ex:R, ex:D). owl:onProperty(ex:R, ex:p). ex:p(ex:a, ex:b). ex:D(ex:a).",
    ),
    "cls-svf2": RuleCase(
        "owl:someValuesFrom(ex:R, owl:Thing). owl:onProperty(ex:R, ex:p). ex:p(ex:a, ex:b).",
        ("ex:R(ex:a)",),
        "owl:someValuesFrom(ex:R, owl:Thing). owl:onProperty(ex:R, ex:p). ex:q(ex:a, ex:b).",
    ),
    "cls-avf": RuleCase(
        "owl:allValuesFrom(ex:R, ex:D). owl:onProperty(ex:R, ex:p). ex:R(ex:a). ex:p(ex:a, ex:b).",
        ("ex:D(ex:b)",),
        "owl:allValuesFrom(ex:R, ex:D). owl:onProperty(ex:R, ex:p). ex:p(ex:a, ex:b).",
    ),
    "cls-hv1": RuleCase(
        "owl:hasValue(ex:R, ex:v). owl:onProperty(ex:R, ex:p). ex:R(ex:a).",
        ("ex:p(ex:a, ex:v)",),
        "owl:hasValue(ex:R, ex:v). owl:onProperty(ex:R, ex:p). ex:S(ex:a).",
    ),
    "cls-hv2": RuleCase(
        "owl:hasValue(ex:R, ex:v). owl:onProperty(ex:R, ex:p). ex:p(ex:a, ex:v).",
        ("ex:R(ex:a)",),
        "owl:hasValue(ex:R, ex:v). owl:onProperty(ex:R, ex:p). ex:p(ex:a, ex:w).",
    ),
    "cls-maxc1": RuleCase(
        f"owl:maxCardinality(ex:R, {NONE}). owl:onProperty(ex:R, ex:p). ex:R(ex:a). ex:p(ex:a, ex:b).",
        without=f"owl:maxCardinality(ex:R, {ONE}). owl:onProperty(ex:R, ex:p). ex:R(ex:a). ex:p(ex:a, ex:b).",
    ),
    "cls-maxc2": RuleCase(
        f"owl:maxCardinality(ex:R, {ONE}). owl:onProperty(ex:R, ex:p). ex:R(ex:a). ex:p(ex:a, ex:b). ex:p(ex:a, ex:c).",
        ("owl:sameAs(ex:b, ex:c)",),
        f"owl:maxCardinality(ex:R, {ONE}). owl:onProperty(ex:R, ex:p). ex:R(ex:a). ex:p(ex:a, ex:b). ex:p(ex:d, ex:c).",
    ),
    "cls-maxqc1": RuleCase(
        f"owl:maxQualifiedCardinality(ex:R, {NONE}). owl:onProperty(ex:R, ex:p). owl:onClass(ex:R, ex:C). "
        "ex:R(ex:a). ex:p(ex:a, ex:b). ex:C(ex:b).",
        without=f"owl:maxQualifiedCardinality(ex:R, {NONE}). owl:onProperty(ex:R, ex:p). owl:onClass(ex:R, ex:C). "
        "ex:R(ex:a). ex:p(ex:a, ex:b). ex:C(ex:a).",
    ),
    "cls-maxqc2": RuleCase(
        f"owl:maxQualifiedCardinality(ex:R, {NONE}). owl:onProperty(ex:R, ex:p). owl:onClass(ex:R, owl:Thing). "
        "ex:R(ex:a). ex:p(ex:a, ex:b).",
        without=f"owl:maxQualifiedCardinality(ex:R, {NONE}). owl:onProperty(ex:R, ex:p). "
        "owl:onClass(ex:R, owl:Thing). ex:R(ex:a). ex:p(ex:b, ex:a).",
    ),
    "cls-maxqc3": RuleCase(
        f"owl:maxQualifiedCardinality(ex:R, {ONE}). owl:onProperty(ex:R, ex:p). owl:onClass(ex:R, ex:C). ex:R(ex:a). "
        "ex:p(ex:a, ex:b). ex:p(ex:a, ex:c). ex:C(ex:b). ex:C(ex:c).",
        ("owl:sameAs(ex:b, ex:c)",),
        f"owl:maxQualifiedCardinality(ex:R, {ONE}). owl:onProperty(ex:R, ex:p). owl:onClass(ex:R, ex:C). ex:R(ex:a). "
        "ex:p(ex:a, ex:b). ex:p(ex:a, ex:c). ex:C(ex:b).",
    ),
    "cls-maxqc4": RuleCase(
        f"owl:maxQualifiedCardinality(ex:R, {ONE}). owl:onProperty(ex:R, ex:p). owl:onClass(ex:R, owl:Thing). "
        "ex:R(ex:a). ex:p(ex:a, ex:b). ex:p(ex:a, ex:c).",
        ("owl:sameAs(ex:b, ex:c)",),
        f"owl:maxQualifiedCardinality(ex:R, {ONE}). owl:onProperty(ex:R, ex:p). owl:onClass(ex:R, owl:Thing). "
        "ex:p(ex:a, ex:b). ex:p(ex:a, ex:c).",
    ),
    "cls-oo": RuleCase(
        "owl:oneOf(ex:C, _:l). _:l = (ex:a ex:b).",
        ("ex:C(ex:a)", "ex:C(ex:b)"),
        "owl:unionOf(ex:C, _:l). _:l = (ex:a ex:b).",
    ),
}

AXIOMS = {
    "cax-sco": RuleCase(
        "rdfs:subClassOf(ex:C, ex:D). ex:C(ex:a).", ("ex:D(ex:a)",), "rdfs:subClassOf(ex:D, ex:C). ex:C(ex:a)."
    ),
    "cax-eqc1": RuleCase("owl:equivalentClass(ex:C, ex:D). ex:C(ex:a).", ("ex:D(ex:a)",), "ex:C(ex:a)."),
    "cax-eqc2": RuleCase("owl:equivalentClass(ex:C, ex:D). ex:D(ex:a).", ("ex:C(ex:a)",), "ex:D(ex:a)."),
    "cax-dw": RuleCase(
        "owl:disjointWith(ex:C, ex:D). ex:C(ex:a). ex:D(ex:a).",
        without="owl:disjointWith(ex:C, ex:D). ex:C(ex:a). ex:D(ex:b).",
    ),
    "cax-adc": RuleCase(
        "owl:AllDisjointClasses(ex:d). owl:members(ex:d, _:l). _:l = (ex:C ex:D ex:E). ex:E(ex:a). ex:C(ex:a).",
        without="owl:AllDisjointClasses(ex:d). owl:members(ex:d, _:l). _:l = (ex:C ex:D). ex:E(ex:a). ex:C(ex:a).",
    ),
}

DATATYPES = {
    "dt-type1": RuleCase(
        "ex:p(ex:a, ex:b).",
        ("rdfs:Datatype(xsd:integer)", "rdfs:Datatype(xsd:dateTime)", "rdfs:Datatype(rdf:PlainLiteral)"),
    ),
    "dt-type2": RuleCase(
        "ex:p(ex:a, 5). rdfs:range(ex:q, xsd:byte).",
        ("xsd:integer(5)", "xsd:byte(5)"),
        "ex:p(ex:a, 500). rdfs:range(ex:q, xsd:byte).",
    ),
    "dt-eq": RuleCase('ex:p(ex:a, "05"^^xsd:int).', ('owl:sameAs("05"^^xsd:int, 5)',), 'ex:p(ex:a, "06"^^xsd:int).'),
    "dt-diff": RuleCase("owl:sameAs(5, 6).", without='owl:sameAs(5, "05"^^xsd:int).'),
    "dt-not-type": RuleCase('ex:p(ex:a, "x"^^xsd:integer).', without='ex:p(ex:a, "12"^^xsd:integer).'),
}

SCHEMA = {
    "scm-cls": RuleCase(
        "owl:Class(ex:C).",
        (
            "rdfs:subClassOf(ex:C, ex:C)",
            "owl:equivalentClass(ex:C, ex:C)",
            "rdfs:subClassOf(ex:C, owl:Thing)",
            "rdfs:subClassOf(owl:Nothing, ex:C)",
        ),
        "owl:Thing(ex:C).",
    ),
    "scm-sco": RuleCase(
        "rdfs:subClassOf(ex:C, ex:D). rdfs:subClassOf(ex:D, ex:E).",
        ("rdfs:subClassOf(ex:C, ex:E)",),
        "rdfs:subClassOf(ex:C, ex:D). rdfs:subClassOf(ex:E, ex:D).",
    ),
    "scm-eqc1": RuleCase(
        "owl:equivalentClass(ex:C, ex:D).",
        ("rdfs:subClassOf(ex:C, ex:D)", "rdfs:subClassOf(ex:D, ex:C)"),
        "owl:disjointWith(ex:C, ex:D).",
    ),
    "scm-eqc2": RuleCase(
        "rdfs:subClassOf(ex:C, ex:D). rdfs:subClassOf(ex:D, ex:C).",
        ("owl:equivalentClass(ex:C, ex:D)",),
        "rdfs:subClassOf(ex:C, ex:D).",
    ),
    "scm-op": RuleCase(
        "owl:ObjectProperty(ex:p).",
        ("rdfs:subPropertyOf(ex:p, ex:p)", "owl:equivalentProperty(ex:p, ex:p)"),
        "owl:FunctionalProperty(ex:p).",
    ),
    "scm-dp": RuleCase(
        "owl:DatatypeProperty(ex:p).",
        ("rdfs:subPropertyOf(ex:p, ex:p)", "owl:equivalentProperty(ex:p, ex:p)"),
        "owl:AnnotationProperty(ex:p).",
    ),
    "scm-spo": RuleCase(
        "rdfs:subPropertyOf(ex:p, ex:q). rdfs:subPropertyOf(ex:q, ex:r).",
        ("rdfs:subPropertyOf(ex:p, ex:r)",),
        "rdfs:subPropertyOf(ex:p, ex:q). rdfs:subPropertyOf(ex:r, ex:q).",
    ),
    "scm-eqp1": RuleCase(
        "owl:equivalentProperty(ex:p, ex:q).",
        ("rdfs:subPropertyOf(ex:p, ex:q)", "rdfs:subPropertyOf(ex:q, ex:p)"),
        "owl:inverseOf(ex:p, ex:q).",
    ),
    "scm-eqp2": RuleCase(
        "rdfs:subPropertyOf(ex:p, ex:q). rdfs:subPropertyOf(ex:q, ex:p).",
        ("owl:equivalentProperty(ex:p, ex:q)",),
        "rdfs:subPropertyOf(ex:p, ex:q).",
    ),
    "scm-dom1": RuleCase(
        "rdfs:domain(ex:p, ex:C). rdfs:subClassOf(ex:C, ex:D).",
        ("rdfs:domain(ex:p, ex:D)",),
        "rdfs:domain(ex:p, ex:C). rdfs:subClassOf(ex:D, ex:C).",
    ),
    "scm-dom2": RuleCase(
        "rdfs:domain(ex:q, ex:C). rdfs:subPropertyOf(ex:p, ex:q).",
        ("rdfs:domain(ex:p, ex:C)",),
        "rdfs:domain(ex:q, ex:C). rdfs:subPropertyOf(ex:q, ex:p).",
    ),
    "scm-rng1": RuleCase(
        "rdfs:range(ex:p, ex:C). rdfs:subClassOf(ex:C, ex:D).",
        ("rdfs:range(ex:p, ex:D)",),
        "rdfs:range(ex:p, ex:C). rdfs:subClassOf(ex:D, ex:C).",
    ),
    "scm-rng2": RuleCase(
        "rdfs:range(ex:q, ex:C). rdfs:subPropertyOf(ex:p, ex:q).",
        ("rdfs:range(ex:p, ex:C)",),
        "rdfs:range(ex:q, ex:C). rdfs:subPropertyOf(ex:q, ex:p).",
    ),
    "scm-hv": RuleCase(
        "owl:hasValue(ex:C, ex:v). owl:onProperty(ex:C, ex:p). owl:hasValue(ex:D, ex:v). owl:onProperty(ex:D, ex:q). "
        "rdfs:subPropertyOf(ex:p, ex:q).",
        ("rdfs:subClassOf(ex:C, ex:D)",),
        "owl:hasValue(ex:C, ex:v). owl:onProperty(ex:C, ex:p). owl:hasValue(ex:D, ex:w). owl:onProperty(ex:D, ex:q). "
        "rdfs:subPropertyOf(ex:p, ex:q).",
    ),
    "scm-svf1": RuleCase(
        "owl:someValuesFrom(ex:C, ex:X). owl:onProperty(ex:C, ex:p). owl:someValuesFrom(ex:D, ex:Y). "
        "owl:onProperty(ex:D, ex:p). rdfs:subClassOf(ex:X, ex:Y).",
        ("rdfs:subClassOf(ex:C, ex:D)",),
        "owl:someValuesFrom(ex:C, ex:X). owl:onProperty(ex:C, ex:p). owl:someValuesFrom(ex:D, ex:Y). "
        "owl:onProperty(ex:D, ex:q). rdfs:subClassOf(ex:X, ex:Y).",
    ),
    "scm-svf2": RuleCase(
        "owl:someValuesFrom(ex:C, ex:Y). owl:onProperty(ex:C, ex:p). owl:someValuesFrom(ex:D, ex:Y). "
        "owl:onProperty(ex:D, ex:q). rdfs:subPropertyOf(ex:p, ex:q).",
        ("rdfs:subClassOf(ex:C, ex:D)",),
        "owl:someValuesFrom(ex:C, ex:Y). owl:onProperty(ex:C, ex:p). owl:someValuesFrom(ex:D, ex:Y). "
        "owl:onProperty(ex:D, ex:q). rdfs:subPropertyOf(ex:q, ex:p).",
    ),
    "scm-avf1": RuleCase(
        "owl:allValuesFrom(ex:C, ex:X). owl:onProperty(ex:C, ex:p). owl:allValuesFrom(ex:D, ex:Y). "
        "owl:onProperty(ex:D, ex:p). rdfs:subClassOf(ex:X, ex:Y).",
        ("rdfs:subClassOf(ex:C, ex:D)",),
        "owl:allValuesFrom(ex:C, ex:X). owl:onProperty(ex:C, ex:p). owl:allValuesFrom(ex:D, ex:Y). "
        "owl:onProperty(ex:D, ex:p). rdfs:subClassOf(ex:Y, ex:X).",
    ),
    "scm-avf2": RuleCase(
        "owl:allValuesFrom(ex:C, ex:Y). owl:onProperty(ex:C, ex:p). owl:allValuesFrom(ex:D, ex:Y). "
        "owl:onProperty(ex:D, ex:q). rdfs:subPropertyOf(ex:p, ex:q).",
        ("rdfs:subClassOf(ex:D, ex:C)",),
        "owl:allValuesFrom(ex:C, ex:Y). owl:onProperty(ex:C, ex:p). owl:allValuesFrom(ex:D, ex:Y). "
        "owl:onProperty(ex:D, ex:q). rdfs:subPropertyOf(ex:q, ex:p).",
    ),
    "scm-int": RuleCase(
        "owl:intersectionOf(ex:C, _:l). _:l = (ex:D ex:E).",
        ("rdfs:subClassOf(ex:C, ex:D)", "rdfs:subClassOf(ex:C, ex:E)"),
        "owl:unionOf(ex:C, _:l). _:l = (ex:D ex:E).",
    ),
    "scm-uni": RuleCase(
        "owl:unionOf(ex:C, _:l). _:l = (ex:D ex:E).",
        ("rdfs:subClassOf(ex:D, ex:C)", "rdfs:subClassOf(ex:E, ex:C)"),
        "owl:intersectionOf(ex:C, _:l). _:l = (ex:D ex:E).",
    ),
}

TABLES = {4: EQUALITY, 5: PROPERTIES, 6: CLASSES, 7: AXIOMS, 8: DATATYPES, 9: SCHEMA}
RULES = {name: case for table in TABLES.values() for name, case in table.items()}
