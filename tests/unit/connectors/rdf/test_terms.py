"""RDF terms as values, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode as BlankTerm
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse

from lasing.connectors.rdf.terms import Term, term_of_value, value_of_term
from lasing.errors import LasingError
from lasing.logic.values import BlankNode, Constructed, Iri, TaggedLiteral, TypedLiteral, Value, datatypes
from tests.values import ONE_OF_EACH, any_value

XSD = datatypes.XSD
_text = st.text(st.characters(codec="utf-8"), max_size=8)
_lexical = st.one_of(
    _text,
    st.integers().map(str),
    st.floats().map(str),
    st.from_regex(r"[+-]?0?[0-9]{1,22}(\.[0-9]{0,3})?", fullmatch=True),
)
_datatype = st.sampled_from(
    [f"{XSD}{name}" for name in ("integer", "decimal", "double", "float", "boolean", "dateTime", "string", "long")]
    + [f"{XSD}dayTimeDuration", "http://ex.org/t"]
)
terms: st.SearchStrategy[Term] = st.one_of(
    st.from_regex(r"[a-z]{1,5}:[a-zA-Z0-9/.,()é-]{0,8}(#[a-z]{0,3})?", fullmatch=True).map(NamedNode),
    st.from_regex(r"[A-Za-z0-9_]{1,4}", fullmatch=True).map(BlankTerm),
    _text.map(Literal),
    st.tuples(_text, st.sampled_from(("en", "EN-us", "de-AT-1996"))).map(lambda p: Literal(p[0], language=p[1])),
    st.tuples(_lexical, _datatype).map(lambda p: Literal(p[0], datatype=NamedNode(p[1]))),
)


@given(terms)
def test_a_term_comes_back_as_it_was(term: Term) -> None:
    assert term_of_value(value_of_term(term)) == term


@given(any_value())
def test_a_value_comes_back_as_it_was_unless_it_was_constructed(value: Value) -> None:
    if isinstance(value, Iri) and value.iri.count("#") > 1:
        with pytest.raises(LasingError, match="is not an RDF term"):
            term_of_value(value)
    elif not isinstance(value, Constructed):
        assert value_of_term(term_of_value(value)) == value


@given(st.lists(terms, max_size=6))
def test_terms_that_differ_are_values_that_differ(several: list[Term]) -> None:
    assert len(set(several)) == len({value_of_term(term) for term in several})


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("<http://ex.org/a>", Iri("http://ex.org/a")),
        ("_:b1", BlankNode("b1")),
        ('"x"', "x"),
        ('""', ""),
        (f'"x"^^<{XSD}string>', "x"),
        ('"x\\u0001\\n"', "x\x01\n"),
        ('"chat"@EN-gb', TaggedLiteral("chat", "en-gb")),
        (f'"5"^^<{XSD}integer>', 5),
        (f'"05"^^<{XSD}integer>', TypedLiteral("05", f"{XSD}integer")),
        (f'"9223372036854775808"^^<{XSD}integer>', TypedLiteral("9223372036854775808", f"{XSD}integer")),
        (f'"1.85E1"^^<{XSD}double>', 18.5),
        (f'"18.5"^^<{XSD}double>', TypedLiteral("18.5", f"{XSD}double")),
    ],
)
def test_what_terms_mean(written: str, value: Value) -> None:
    (quad,) = parse(f"<x:s> <x:p> {written} .", RdfFormat.N_TRIPLES)
    assert value_of_term(quad.object) == value


def test_every_kind_of_value_has_a_term() -> None:
    assert len({term_of_value(value) for value in ONE_OF_EACH}) == len(ONE_OF_EACH)


def test_a_constructed_identifier_is_a_blank_node_of_its_own() -> None:
    one, other = (term_of_value(Constructed("room", (n,))) for n in (1, 2))
    assert isinstance(one, BlankTerm)
    assert one != other


@pytest.mark.parametrize("written", ["<<( <x:s> <x:p> <x:o> )>>", '"a"@en--ltr'])
def test_terms_of_rdf_1_2_are_refused(written: str) -> None:
    (quad,) = parse(f"<x:s> <x:p> {written} .", RdfFormat.N_TRIPLES)
    with pytest.raises(LasingError, match="not supported"):
        value_of_term(quad.object)


def test_a_triple_is_no_value() -> None:
    with pytest.raises(LasingError, match="triple term"):
        value_of_term(Triple(NamedNode("x:s"), NamedNode("x:p"), NamedNode("x:o")))


def test_an_iri_with_a_space_of_another_script_is_refused() -> None:
    with pytest.raises(LasingError, match="is not an IRI"):
        value_of_term(NamedNode("http://ex.org/a\u3000b"))
