"""`lasing.rdf`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyoxigraph
import pytest
import rdflib

import lasing
from lasing.errors import LasingError
from lasing.logic.values import BlankNode, Iri, Value

TURTLE = '@prefix e: <http://ex.org/> . e:s e:p 5, "x" .'
EXPECTED = {(Iri("http://ex.org/s"), Iri("http://ex.org/p"), value) for value in (5, "x")}


def facts(graph: lasing.rdf.Graph, predicate: str = "triple") -> set[tuple[Value, ...]]:
    return {row for table in graph.fact_tables() if table.predicate == predicate for row in table.rows()}


def test_a_graph_comes_from_text_and_from_files(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE, encoding="utf-8")
    for graph in (
        lasing.rdf.graph(TURTLE, format="ttl"),
        lasing.rdf.graph(TURTLE.encode(), format=".ttl"),
        lasing.rdf.graph(tmp_path / "a.ttl"),
        lasing.rdf.graph(str(tmp_path / "a.ttl")),
    ):
        assert facts(graph) == EXPECTED
        assert len(graph) == 2


def test_a_graph_comes_from_rdflib_and_pyoxigraph() -> None:
    store = pyoxigraph.Store()
    store.load(TURTLE.encode(), pyoxigraph.RdfFormat.TURTLE)
    known = rdflib.Graph().parse(data=TURTLE, format="turtle")
    quads = list(pyoxigraph.parse(TURTLE, pyoxigraph.RdfFormat.TURTLE))
    for source in (store, known, quads, [quad.triple for quad in quads], pyoxigraph.Dataset(quads)):
        assert facts(lasing.rdf.graph(source)) == EXPECTED


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # rdflib uses what it deprecates
def test_named_graphs_are_quads() -> None:
    known = rdflib.Dataset()
    known.parse(data="@prefix e: <http://ex.org/> . e:g { e:s e:p 5 }", format="trig")
    row = (*(Iri(f"http://ex.org/{name}") for name in "sp"), 5, Iri("http://ex.org/g"))
    assert facts(lasing.rdf.graph(known), "quad") == {row}


def test_a_data_frame_can_have_iris_and_blank_nodes() -> None:
    table = pa.table(
        {"s": ["<http://e/a>", "_:b", "<b>"], "p": ["<http://e/p>"] * 3, "o": ["_: no", "<http://e/a>", "x"]}
    )
    assert facts(lasing.rdf.graph(table)) == {
        (Iri("http://e/a"), Iri("http://e/p"), "_: no"),
        (BlankNode("b"), Iri("http://e/p"), Iri("http://e/a")),
        ("<b>", Iri("http://e/p"), "x"),
    }
    assert lasing.query("SELECT ?o { <http://e/a> <http://e/p> ?o }", lasing.rdf.graph(table)).rows == [("_: no",)]


def test_a_graph_comes_from_a_data_frame() -> None:
    assert facts(lasing.rdf.graph(pa.table({"s": ["a"], "p": ["b"], "o": [5]}), "edge"), "edge") == {("a", "b", 5)}
    with pytest.raises(LasingError, match="3 columns, not 1"):
        lasing.rdf.graph(pa.table({"s": ["a"]}))


def test_a_graph_is_background_and_at_a_time_it_is_a_stream() -> None:
    graph = lasing.rdf.graph(TURTLE, "static", "ttl")
    program = "q(O) :- static(S,P,O), now. r(O) :- static(S,P,O)."
    (answer,) = lasing.run(program, [(1, "now")], data=graph)
    assert len(answer.atoms) == 4
    (answer,) = lasing.run("q(O) :- static(S,P,O).", graph.at(3))
    assert (answer.time, {atom.args for atom in answer.atoms}) == (3, {(5,), ("x",)})


@pytest.mark.parametrize("source", [5, "a.xyz", ("<a>", "b")])
def test_what_is_no_graph_is_refused(source: object) -> None:
    with pytest.raises(LasingError):
        lasing.rdf.graph(source)


def test_an_unknown_format_or_predicate_is_refused() -> None:
    with pytest.raises(LasingError, match="no format n3"):
        lasing.rdf.graph(TURTLE, format="n3")
    with pytest.raises(LasingError, match="not a predicate's name"):
        lasing.rdf.graph(TURTLE, "Static", "ttl")
