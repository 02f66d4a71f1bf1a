"""Inconsistent data of a query: a warning wherever the query runs, and nothing in its rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import lasing
from lasing.entailment.contradictions import Contradiction
from lasing.errors import LasingWarning
from lasing.logic.program import Program
from lasing.logic.values import Iri

QUERY = """
PREFIX : <http://ex.org/>
REGISTER RSTREAM <places> AS SELECT ?x
FROM NAMED WINDOW :w ON :seen [RANGE PT2S STEP PT1S]
WHERE { WINDOW :w { ?x a :Place } }
"""
SCHEMA = """@prefix : <http://ex.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:Place owl:disjointWith :Person ."""
TYPE = Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def ex(name: str) -> Iri:
    return Iri(f"http://ex.org/{name}")


def is_a(thing: str, kind: str) -> tuple[Any, ...]:
    return ("seen", ex(thing), TYPE, ex(kind))


STREAM = [(1, *is_a("a", "Place")), (3, *is_a("b", "Place")), (3, *is_a("b", "Person")), (4, *is_a("c", "Person"))]
STREAM += [(6, *is_a("d", "Place")), (6, *is_a("d", "Person"))]
AT_4 = r"W210.*inconsistent[\s\S]*by the rule cax-dw, this cannot be true at 4; 1 more[\s\S]*<http://ex.org/b>"


@pytest.fixture
def query() -> Program:
    schema = lasing.rdf.graph(SCHEMA, format="ttl")
    return lasing.parse(QUERY, language="sparql", data=schema, entail="owl-rl")


@pytest.fixture(autouse=True)
def other_warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("kind", ["local", "reference"])
def test_a_run_warns_when_it_ends(query: Program, kind: Any) -> None:
    run = lasing.run(query, STREAM, engine=kind)
    with pytest.warns(LasingWarning, match=AT_4) as warned:
        answers = list(run)
    assert len(warned) == 1
    assert {atom.predicate for answer in answers for atom in answer.atoms} == {"places"}
    shown = [answer.time for answer in answers for atom in answer.atoms if atom.values[0] == ex("b")]
    assert shown == [4, 5]
    assert run.report.atoms == sum(len(answer.atoms) for answer in answers)
    assert [found.code for found in run.diagnostics()] == ["W210"]


def test_frames_of_a_run_have_no_inconsistencies(query: Program) -> None:
    with pytest.warns(LasingWarning, match=AT_4):
        tables = lasing.run(query, STREAM).to_arrow()
    assert list(tables) == ["places"]
    with pytest.warns(LasingWarning, match=AT_4):
        assert {change.time for change in lasing.run(query, STREAM).changes()} == {2, 4, 6, 7}


def test_consistent_data_has_no_warning(query: Program) -> None:
    assert len(list(lasing.run(query, STREAM[:2]))) > 0
    engine = lasing.Engine(query, start=0)
    engine.push(1, [is_a("a", "Place")])
    assert engine.diagnostics() == []


@pytest.mark.parametrize("kind", ["local", "reference"])
def test_an_engine_warns_once_and_counts(query: Program, kind: Any) -> None:
    engine = lasing.Engine(query, start=0, engine=kind)
    engine.push(3, [is_a("b", "Place"), is_a("b", "Person")])
    with pytest.warns(LasingWarning, match=r"W210[\s\S]*by the rule cax-dw, this cannot be true at 4"):
        update = engine.advance_to(4)
    assert {atom.predicate for atom in update.added} == {"places"}
    assert {atom.predicate for atom in engine.answer().atoms} == {"places"}
    assert list(engine.holding()) == ["places"]
    engine.push(6, [is_a("d", "Place"), is_a("d", "Person")])
    later = engine.advance_to(7)  # one warning is enough
    assert [row[1] for row in later.rows()[0]] == [ex("d")]
    (found,) = engine.diagnostics()
    assert found.code == "W210"
    assert "at 4; 1 more" in str(found.note)


def test_batches_and_late_facts_are_looked_at_too(query: Program) -> None:
    terms = {"lasing": "terms"}
    schema = pa.schema([("time", pa.int64()), *(pa.field(name, pa.string(), metadata=terms) for name in "spo")])
    rows = [{"time": t, "s": str(s), "p": str(p), "o": str(o)} for t, _, s, p, o in STREAM]
    engine = lasing.Engine(query, start=0)
    with pytest.warns(LasingWarning, match=AT_4):
        tables = engine.push_batch({"seen": pa.Table.from_pylist(rows, schema)}, end=9)
    assert list(tables) == ["places"]
    engine = lasing.Engine(query, start=0, delay=3, corrections=True)
    engine.push(4, [is_a("b", "Place")])
    with pytest.warns(LasingWarning, match=r"W210[\s\S]*at 3"):
        update = engine.push(2, [is_a("b", "Person"), is_a("b", "Place")])
    assert {atom.predicate for change in update.corrections for atom in change.added} == {"places"}


def test_a_restored_engine_warns_about_what_comes_after(query: Program) -> None:
    engine = lasing.Engine(query, start=0)
    engine.push(3, [is_a("b", "Place"), is_a("b", "Person")])
    with pytest.warns(LasingWarning, match="W210"):
        engine.advance_to(4)
    restored = lasing.Engine.restore(query, engine.snapshot())
    assert restored.diagnostics() == []
    restored.push(4, [is_a("c", "Place"), is_a("c", "Person")])
    with pytest.warns(LasingWarning, match=r"W210[\s\S]*at 5"):
        restored.advance_to(5)


def test_a_program_has_inconsistencies_in_its_output() -> None:
    program = "place(X) :- triple(X, _, <http://ex.org/Place>)."
    schema = lasing.rdf.graph(SCHEMA, format="ttl")
    stream = [(3, "triple", *is_a("b", kind)[1:]) for kind in ("Place", "Person")]
    (answer,) = lasing.run(program, stream, data=schema, entail="owl-rl")
    assert "inconsistent" in {atom.predicate for atom in answer.atoms}


def test_contradictions_of_several_processes_are_joined() -> None:
    one = Contradiction((-4, "p"), "by the rule r, this cannot be true at -4\na b c", 2)
    other = Contradiction((7, "a"), "by the rule s, this cannot be true at 7\na b c", 1)
    again = [Contradiction.from_json(each.to_json()) for each in (one, other)]
    assert again == [one, other]
    assert one.to_json() < other.to_json()
    for joined in (one.joined(other), other.joined(one)):
        (found,) = joined.findings()
        assert found.note == "by the rule r, this cannot be true at -4; 2 more:\na b c"
