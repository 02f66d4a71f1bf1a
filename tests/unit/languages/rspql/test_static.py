"""FROM and FROM NAMED: files near the query are read, others are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import lasing
from lasing.errors import LasingError
from lasing.logic.checks.unknown_predicates import unknown_predicates
from tests.unit.languages.rspql.queries import PREFIX, program_of, reported


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "queries" / "data").mkdir(parents=True)
    (tmp_path / "queries" / "data" / "a.ttl").write_text("@prefix : <http://ex.org/> . :a :p :b .")
    (tmp_path / "queries" / "b.nt").write_text("<http://ex.org/b> <http://ex.org/p> <http://ex.org/c> .\n")
    (tmp_path / "secret.ttl").write_text("@prefix : <http://ex.org/> . :s :p :t .")
    return tmp_path / "queries"


def test_files_below_the_query_are_read(folder: Path) -> None:
    text = f"{PREFIX}SELECT ?x ?z FROM <data/a.ttl> FROM <b.nt> WHERE {{ ?x :p ?y . ?y :p ?z }}"
    assert reported(program_of(text, path=folder / "q.rq"), [], 0) == {0: ["a c"]}


def test_named_graphs_have_the_names_of_their_files(folder: Path) -> None:
    text = f"{PREFIX}SELECT ?x FROM NAMED <b.nt> FROM <data/a.ttl> WHERE {{ GRAPH <b.nt> {{ ?x :p ?y }} }}"
    assert reported(program_of(text, path=folder / "q.rq"), [], 0) == {0: ["b"]}


def test_files_elsewhere_are_refused(folder: Path) -> None:
    with pytest.raises(LasingError, match=r"E704.*may not read secret\.ttl"):
        program_of("SELECT * FROM <../secret.ttl> { ?x ?y ?z }", path=folder / "q.rq")


def test_a_file_that_is_not_there_is_an_error(folder: Path) -> None:
    with pytest.raises(LasingError, match=r"E401.*none\.ttl"):
        program_of("SELECT * FROM <none.ttl> { ?x ?y ?z }", path=folder / "q.rq")


def test_a_mistake_with_a_file_is_at_its_name(folder: Path) -> None:
    (folder / "bad.ttl").write_text("<a> <b>")
    with pytest.raises(LasingError) as mistakes:
        program_of("SELECT * FROM <none.ttl> { ?x ?y ?z }", path=folder / "q.rq")
    assert str(mistakes.value.diagnostics[0].place) == "q0:1:16"
    with pytest.raises(LasingError, match=r"E501") as mistakes:
        program_of("SELECT * FROM <bad.ttl> { ?x ?y ?z }", path=folder / "q.rq")
    assert str(mistakes.value.diagnostics[0].place).startswith(str(folder / "bad.ttl")), "it has a place of its own"


def test_from_may_name_the_files_of_data(folder: Path) -> None:
    query = folder / "q.rq"
    query.write_text("SELECT * FROM <../secret.ttl> { ?x ?y ?z }")
    assert len(lasing.query(query, str(folder.parent / "secret.ttl"))) == 1
    assert len(lasing.query(query, graphs={"http://g": folder.parent / "secret.ttl"})) == 1
    assert lasing.parse(query, data=[folder.parent / "secret.ttl"]).tables
    with pytest.raises(LasingError, match=r"E704"):
        lasing.query(query, folder / "b.nt")


def test_other_names_mean_data_given_beside_the_query(folder: Path) -> None:
    text = f"{PREFIX}SELECT ?x FROM <http://ex.org/graph> WHERE {{ ?x :p ?y }}"
    assert reported(program_of(text, data=folder / "b.nt"), [], 0) == {0: ["b"]}


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("SELECT ?x FROM STREAM :s [RANGE 3s STEP 1s] WHERE { ?x :p ?v }", []),
        ("SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 3s] WHERE { WINDOW :w { ?x :p ?v } }", []),
        (
            "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 3s] WHERE { ?x a :Room . WINDOW :w { ?x :p ?v } }",
            ["the query asks about static triples, and there are none"],
        ),
        (
            "SELECT ?g FROM NAMED WINDOW :w ON :s [RANGE 3s] WHERE { GRAPH ?g { } WINDOW :w { ?x :p ?v } }",
            ["the query asks about named graphs, and there are none"],
        ),
        ("SELECT ?g ?x WHERE { ?x a :Room . GRAPH ?g { } }", []),
    ],
)
def test_static_data_that_is_missing(text: str, warned: list[str]) -> None:
    found = unknown_predicates(program_of(PREFIX + text))
    assert [(one.code, one.message) for one in found] == [("W101", message) for message in warned]
