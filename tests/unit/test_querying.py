"""`lasing.query`: rows, yes or no, and graphs from files."""

from __future__ import annotations

import gzip
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import lasing
from lasing.cli.query_table import table_text
from lasing.errors import LasingWarning
from lasing.logic.values import Iri, TaggedLiteral

DATA = """
@prefix ex: <http://ex.org/> .
ex:a ex:name "Ada" ; ex:mail ex:m1 .
ex:b ex:name "Bob", "Bo"@en .
ex:c ex:name "Bob" .
"""
PREFIX = "PREFIX ex: <http://ex.org/>\n"


@pytest.fixture
def graph() -> Any:
    return lasing.rdf.graph(DATA, format="ttl")


def test_rows_are_in_order_with_duplicates_and_none_where_there_is_no_value(graph: Any) -> None:
    found = lasing.query(PREFIX + "SELECT ?n ?m { ?s ex:name ?n OPTIONAL { ?s ex:mail ?m } } ORDER BY DESC(?n)", graph)
    assert found.columns == ("n", "m")
    assert found.rows == [(TaggedLiteral("Bo", "en"), None), ("Bob", None), ("Bob", None), ("Ada", ex("m1"))]
    assert found[1] == ("Bob", None)
    assert len(found[1:3]) == 2
    assert bool(found)
    assert dict(found.prefixes) == {"ex": "http://ex.org/"}


def test_arrow_has_nulls_and_the_columns_of_the_query(graph: Any) -> None:
    query = PREFIX + "SELECT ?n ?m { ?s ex:name ?n OPTIONAL { ?s ex:mail ?m } } ORDER BY ?m"
    table = lasing.query(query, graph).to_arrow()
    assert table.column_names == ["n", "m"]
    assert table["m"].to_pylist() == [None, None, None, "<http://ex.org/m1>"]
    assert lasing.query("SELECT ?a ?b { ?a <http://none/> ?b }", graph).to_arrow().num_rows == 0


def test_ask_is_true_or_false(graph: Any) -> None:
    assert lasing.query('ASK { ?s ?p "Ada" }', graph)
    no = lasing.query('ASK { ?s ?p "Eve" }', graph)
    assert not no
    assert no.form == "truth"
    assert no.rows == []


def test_construct_has_triples(graph: Any) -> None:
    found = lasing.query(PREFIX + "CONSTRUCT { ?n ex:of ?s . ?s ex:is ?n } { ?s ex:name ?n ; ex:mail ?m }", graph)
    assert found.form == "graph"
    assert found.rows == [(ex("a"), ex("is"), "Ada")]  # a text is no subject


def test_named_graphs_have_names_and_files_may_be_compressed(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(DATA, encoding="utf-8")
    with gzip.open(tmp_path / "b.nt.gz", "wt") as file:
        file.write('<http://ex.org/x> <http://ex.org/name> "Xi" .\n')
    (tmp_path / "own.trig").write_text("@prefix ex: <http://ex.org/> . ex:g3 { ex:y ex:name 'Yo' } ex:z ex:name 'Zo' .")
    graphs = {"http://ex.org/g1": tmp_path / "b.nt.gz", "<http://ex.org/g2>": tmp_path / "own.trig"}
    found = lasing.query(PREFIX + "SELECT ?g ?n { GRAPH ?g { ?s ex:name ?n } }", str(tmp_path / "a.ttl"), graphs=graphs)
    assert set(found.rows) == {(ex("g1"), "Xi"), (ex("g3"), "Yo"), (ex("g2"), "Zo")}
    empty = tmp_path / "empty.ttl"
    empty.write_text("")
    assert lasing.query("SELECT ?g { GRAPH ?g {} }", graphs={"http://e/": empty}).rows == [(Iri("http://e/"),)]


def test_a_graph_needs_an_absolute_name(graph: Any) -> None:
    with pytest.raises(lasing.LasingError, match=r"E511.*not the name of a graph"):
        lasing.query("ASK {}", graphs={"g": graph})


def test_entailment_holds_for_queries_too() -> None:
    text = (
        "@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        "ex:Dog rdfs:subClassOf ex:Pet . ex:rex a ex:Dog ."
    )
    data = lasing.rdf.graph(text, format="ttl")
    query = PREFIX + "ASK { ex:rex a ex:Pet }"
    assert not lasing.query(query, data)
    assert lasing.query(query, data, entail="rdfs")


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_engines_agree(graph: Any, engine: Any) -> None:
    query = PREFIX + "SELECT ?n (COUNT(*) AS ?k) { ?s ex:name ?n } GROUP BY ?n ORDER BY ?k ?n"
    assert lasing.query(query, graph, engine=engine).rows == [("Ada", 1), (TaggedLiteral("Bo", "en"), 1), ("Bob", 2)]


def test_streams_and_programs_are_refused(tmp_path: Path, graph: Any) -> None:
    stream = "SELECT ?s FROM NAMED WINDOW <w> ON <s> [RANGE PT5S] { WINDOW <w> { ?s ?p ?o } }"
    with pytest.raises(lasing.LasingError, match=r"E706.*streams"):
        lasing.query(stream, graph)
    path = tmp_path / "p.lars"
    path.write_text("q(X) :- triple(X,_,_).")
    with pytest.raises(lasing.LasingError, match=r"E706.*program"):
        lasing.query(path, graph)


def test_mistakes_have_their_place() -> None:
    with pytest.raises(lasing.LasingError, match="E701") as error:
        lasing.query("SELECT ?x { ?x ?y }")
    assert error.value.diagnostics[0].place is not None


def test_a_file_that_a_query_names_must_have_a_known_ending() -> None:
    with pytest.raises(lasing.LasingError, match=r"E511.*people\.xyz: which format"):
        lasing.query("SELECT * FROM <people.xyz> { ?s ?p ?o }")


def test_limits_hold(graph: Any) -> None:
    with pytest.raises(lasing.LasingError, match="E304"):
        lasing.query("SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", graph, max_atoms=20)


def ex(name: str) -> Iri:
    return Iri(f"http://ex.org/{name}")


def test_inconsistent_data_is_a_warning() -> None:
    schema = """@prefix : <http://ex.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        :Place owl:disjointWith :Person . :kitchen a :Place ."""
    asked = "SELECT ?x { ?x a <http://ex.org/Place> }"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(lasing.query(asked, lasing.rdf.graph(schema, format="ttl"), entail="owl-rl")) == 1
    both = lasing.rdf.graph(f"{schema} :kitchen a :Person .", format="ttl")
    with pytest.warns(LasingWarning, match=r"W210.*inconsistent[\s\S]*by the rule cax-dw"):
        assert len(lasing.query(asked, both, entail="owl-rl")) == 1


def test_a_query_without_data_is_a_warning() -> None:
    with pytest.warns(lasing.LasingWarning, match=r"W101.*asks about triples, and there are none"):
        assert not lasing.query("SELECT * { ?s ?p ?o }")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lasing.query("SELECT (1 AS ?x) {}").rows == [(1,)]


def test_the_table_shows_blank_nodes_as_such() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = lasing.query('SELECT (BNODE("x") AS ?b) {}')
    assert re.fullmatch(r"b\n─+\n_:new[0-9a-f]{24}\n", table_text(found))
