"""Background beside a program."""

from __future__ import annotations

from pathlib import Path

import pytest

import lasing
from lasing.errors import LasingError
from lasing.logic.tables import FactTable
from lasing.logic.values import Iri
from tests.command import lasing as command

PROGRAM = "#prefix e: <http://ex.org/>. q(S,O) :- triple(S,e:p,O), see(S)."
TURTLE = "@prefix e: <http://ex.org/> . e:a e:p 5, 'x' . e:b e:p 6 ."
SEE = [(1, "see", Iri("http://ex.org/a"))]
A = Iri("http://ex.org/a")


@pytest.fixture
def turtle(tmp_path: Path) -> Path:
    path = tmp_path / "static.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return path


@pytest.mark.parametrize("engine", ["local", "reference", "clingo"])
def test_a_graph_is_background_for_every_engine(turtle: Path, engine: str) -> None:
    (answer,) = lasing.run(PROGRAM, SEE, engine=engine, data=[turtle])  # type: ignore[arg-type]
    assert {atom.args for atom in answer.atoms} == {(A, 5), (A, "x")}


def test_an_engine_takes_it_too_and_a_parsed_program(turtle: Path) -> None:
    engine = lasing.Engine(PROGRAM, data=str(turtle))
    assert {atom.args for atom in engine.push(1, [("see", A)]).added} == {(A, 5), (A, "x")}
    (answer,) = lasing.run(lasing.parse(PROGRAM, data=turtle), SEE)
    assert len(answer.atoms) == 2


def test_a_predicate_can_be_named(turtle: Path) -> None:
    (answer,) = lasing.run("q(O) :- static(S,P,O), see(S).", SEE, data=f"static={turtle}")
    assert {atom.args for atom in answer.atoms} == {(5,), ("x",)}


def test_files_of_facts_and_tables_are_background(tmp_path: Path) -> None:
    (tmp_path / "more.lars").write_text("triple(<http://ex.org/a>,<http://ex.org/p>,7).", encoding="utf-8")
    table = FactTable.of("triple", [(A, Iri("http://ex.org/p"), 8)])
    (answer,) = lasing.run(PROGRAM, SEE, data=[tmp_path / "more.lars", table])
    assert {atom.args for atom in answer.atoms} == {(A, 7), (A, 8)}


def test_a_program_with_rules_is_not_background(tmp_path: Path) -> None:
    (tmp_path / "more.lars").write_text("a :- b.", encoding="utf-8")
    with pytest.raises(LasingError, match="more than background facts"):
        lasing.run(PROGRAM, SEE, data=tmp_path / "more.lars")


@pytest.mark.parametrize(
    ("data", "code"), [("a.xyz", "E511"), ("none.ttl", "E401"), (5, "E510"), ("A b=none.ttl", "E509")]
)
def test_what_is_not_background_is_refused(data: object, code: str) -> None:
    with pytest.raises(LasingError) as raised:
        lasing.run(PROGRAM, SEE, data=data)
    assert raised.value.diagnostics[0].code == code


def test_a_triple_has_three_arguments(turtle: Path) -> None:
    with pytest.raises(LasingError, match="triple has 3 arguments"):
        lasing.run("q(S) :- triple(S,P).", SEE, data=turtle)


def test_commands_take_it(turtle: Path) -> None:
    (turtle.parent / "p.lars").write_text(PROGRAM, encoding="utf-8")
    (turtle.parent / "s.facts").write_text("see(<http://ex.org/a>) at 1.", encoding="utf-8")
    done = command("run", "p.lars", "s.facts", "--data", "static.ttl", "-q", folder=turtle.parent)
    assert done.stdout.splitlines() == ["q(<http://ex.org/a>,5) at 1.", "q(<http://ex.org/a>,x) at 1."]
    done = command("check", "p.lars", "--data", "static.ttl", folder=turtle.parent)
    assert "rules     1, with 3 background and 0 data facts" in done.stdout


def test_graphs_of_other_libraries_are_background(turtle: Path) -> None:
    rdflib, pyoxigraph = pytest.importorskip("rdflib"), pytest.importorskip("pyoxigraph")
    of_rdflib, store = rdflib.Graph().parse(turtle), pyoxigraph.Store()
    store.load(path=str(turtle), format=pyoxigraph.RdfFormat.TURTLE)
    query = "SELECT ?s ?p ?o { ?s ?p ?o }"
    expected = lasing.query(query, turtle).rows
    assert expected
    for graph in (of_rdflib, store, [of_rdflib], lasing.rdf.graph(of_rdflib)):
        assert lasing.query(query, graph).rows == expected
    for graph in (rdflib.URIRef("http://ex.org/a"), pyoxigraph.NamedNode("http://ex.org/a")):
        with pytest.raises(LasingError, match="E51"):
            lasing.query(query, graph)
