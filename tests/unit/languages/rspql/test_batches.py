"""Windows that move after a number of triples, at both edges.

Triples come one per second, x1 at second 1 and so on. A window of 3 triples that moves after every 2:

    second      1   2   3   4   5   6
    triple      x1  x2  x3  x4  x5  x6
    window          [ x1 x2 ]
                    [    x2 x3 x4 ]
                                [ x4 x5 x6 ]
"""

from __future__ import annotations

from typing import Any

import pytest

import lasing
from lasing.entailment import with_entailment
from lasing.logic.formulas import Atom
from lasing.logic.functions.chance import digest
from lasing.logic.program import Program
from lasing.logic.values import Iri, datatypes
from tests.unit.languages.rspql.queries import EX, PREFIX, iri, program_of, reported

TYPE, SUB_CLASS = Iri(f"{datatypes.RDF}type"), Iri(f"{datatypes.RDFS}subClassOf")
ONE_A_SECOND = [(t, "s", iri(f"x{t}"), iri("p"), t) for t in range(1, 8)]


def rsp(window: str, operator: str = "RSTREAM", head: str = "SELECT ?x", more: str = "") -> str:
    clauses = f"{head} FROM NAMED WINDOW :w ON :s {window} {more} TICK 1s"
    return f"{PREFIX}REGISTER {operator} :out AS {clauses} WHERE {{ WINDOW :w {{ ?x :p ?v }} }}"


def csparql(window: str, head: str = "SELECT ?x", compute: str = "") -> str:
    return f"{PREFIX}REGISTER QUERY out {compute} AS {head} FROM STREAM :s {window} TICK 1s WHERE {{ ?x :p ?v }}"


def cqels(window: str) -> str:
    return f"{PREFIX}SELECT ?x WHERE {{ STREAM <{EX}s> {window} {{ ?x :p ?v }} }}"


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (csparql("[RANGE TRIPLES 3]"), {3: ["x1", "x2", "x3"], 6: ["x4", "x5", "x6"]}),
        (rsp("[ELEMENTS 3 TUMBLING]"), {3: ["x1", "x2", "x3"], 6: ["x4", "x5", "x6"]}),
        (rsp("[ELEMENTS 3 STEP 2]"), {2: ["x1", "x2"], 4: ["x2", "x3", "x4"], 6: ["x4", "x5", "x6"]}),
        (rsp("[ELEMENTS 1 STEP 3]"), {3: ["x3"], 6: ["x6"]}),
        (rsp("[ELEMENTS 2 STEP 3]"), {3: ["x2", "x3"], 6: ["x5", "x6"]}),
        (rsp("[ELEMENTS 3 STEP 2]", "ISTREAM"), {2: ["x1", "x2"], 4: ["x3", "x4"], 6: ["x5", "x6"]}),
        (rsp("[ELEMENTS 3 STEP 2]", "DSTREAM"), {4: ["x1"], 6: ["x2", "x3"]}),
        (cqels("[TRIPLES 3 SLIDE 2]"), {2: ["x1", "x2"], 4: ["x3", "x4"], 6: ["x5", "x6"]}),
        (csparql("[RANGE TRIPLES 1]"), {t: [f"x{t}"] for t in range(1, 8)}),
        (csparql("[RANGE TRIPLES 8]"), {}),
        (csparql("[RANGE TRIPLES 7]"), {7: [f"x{t}" for t in range(1, 8)]}),
    ],
)
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_window_closes_with_its_last_triple(
    query: str, rows: dict[int, list[str]], engine: lasing.EngineName
) -> None:
    assert reported(program_of(query), ONE_A_SECOND, 12, engine=engine) == rows


def test_several_batches_of_a_time_point_are_evaluated_one_by_one() -> None:
    facts = [(1, "s", iri("y"), iri("p"), 0), *((2, "s", iri("y"), iri("p"), v) for v in range(1, 8))]
    counting = csparql("[RANGE TRIPLES 3]", "SELECT (COUNT(*) AS ?n) (MIN(?v) AS ?least)")
    found = reported(program_of(counting), facts, 4)
    assert list(found) == [2]
    assert [row.split()[0] for row in found[2]] == ["3", "3"], "the eighth and ninth triple are still to come"
    assert "3 0" in found[2], "the triple of the time point before is in the first batch"


def test_equal_rows_of_two_batches_come_twice() -> None:
    facts = [(1, "s", iri("y"), iri("p"), v) for v in range(4)]
    assert reported(program_of(csparql("[RANGE TRIPLES 2]", "SELECT DISTINCT ?x")), facts, 2) == {1: ["y", "y"]}


def test_a_triple_that_comes_again_counts_again() -> None:
    facts = [(t, "s", iri("y"), iri("p"), 1) for t in (1, 2, 5, 6)]
    counting = csparql("[RANGE TRIPLES 2]", "SELECT (COUNT(*) AS ?n)")
    assert reported(program_of(counting), facts, 8) == {2: ["1"], 6: ["1"]}, "a window is a set"


def test_the_triples_of_a_time_point_are_numbered_in_the_same_order_whatever_order_they_come_in() -> None:
    facts = [(1, "s", iri(f"y{i}"), iri("p"), i) for i in range(20)]
    program = program_of(csparql("[RANGE TRIPLES 7]"))
    found = reported(program, facts, 2)
    assert found == reported(program, facts[::-1], 2)
    order = sorted(facts, key=lambda fact: [digest(*fact[2:]) // n % 16 for n in (1, 16, 256)])
    assert found[1] == sorted((f"y{fact[4]}" for fact in order[:14]), key=lambda name: iri(name).iri)


def test_compute_every_reports_the_last_batch() -> None:
    query = csparql("[RANGE TRIPLES 2]", compute="COMPUTE EVERY 3s")
    assert reported(program_of(query), ONE_A_SECOND, 9) == {3: ["x1", "x2"], 6: ["x5", "x6"], 9: ["x5", "x6"]}


@pytest.mark.parametrize(("policy", "times"), [("NON_EMPTY_CONTENT", [3, 6]), ("ON_CONTENT_CHANGE", [3, 6])])
def test_policies_of_reports(policy: str, times: list[int]) -> None:
    query = rsp("[ELEMENTS 3 STEP 3]", more=f"REPORT {policy}", head="SELECT (COUNT(*) AS ?n)")
    assert list(reported(program_of(query), ONE_A_SECOND, 9)) == times


def test_a_batch_beside_a_window_of_time() -> None:
    text = f"""{PREFIX}REGISTER RSTREAM :out AS SELECT ?x ?y TICK 1s
    FROM NAMED WINDOW :batch ON :s [ELEMENTS 2 STEP 2] FROM NAMED WINDOW :time ON :s [RANGE PT2S STEP PT4S]
    WHERE {{ WINDOW :batch {{ ?x :p ?v }} WINDOW :time {{ ?y :p ?w }} }}"""
    found = reported(program_of(text), ONE_A_SECOND, 8)
    assert list(found) == [4, 6, 8], "at 2 nothing is in the window of time, which closes at 4 for the first time"
    assert found[4] == ["x3 x2", "x3 x3", "x4 x2", "x4 x3"]
    assert found[8] == ["x5 x6", "x5 x7", "x6 x6", "x6 x7"]


def test_two_batches_of_different_sizes() -> None:
    text = f"""{PREFIX}REGISTER RSTREAM :out AS SELECT ?x ?y TICK 1s
    FROM NAMED WINDOW :one ON :s [ELEMENTS 1 STEP 2] FROM NAMED WINDOW :other ON :s [ELEMENTS 1 STEP 3]
    WHERE {{ WINDOW :one {{ ?x :p ?v }} WINDOW :other {{ ?y :p ?w }} }}"""
    assert reported(program_of(text), ONE_A_SECOND, 8) == {3: ["x2 x3"], 4: ["x4 x3"], 6: ["x6 x6"]}


def test_batches_of_a_stream_that_another_query_makes() -> None:
    made = f"{PREFIX}REGISTER STREAM made AS CONSTRUCT {{ ?x :q ?v }} FROM STREAM :s [NOW] TICK 1s WHERE {{ ?x :p ?v }}"
    reads = f"{PREFIX}REGISTER QUERY out AS SELECT ?x FROM STREAM :made [RANGE TRIPLES 2] WHERE {{ ?x :q ?v }}"
    found = reported(program_of(made, reads), ONE_A_SECOND, 8, output=1)
    assert found == {2: ["x1", "x2"], 4: ["x3", "x4"], 6: ["x5", "x6"]}


def test_the_time_of_a_triple_in_a_batch() -> None:
    head = "PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#>\n"
    text = csparql("[RANGE TRIPLES 2]", "SELECT ?x (f:timestamp(?x, :p, ?v) AS ?t)")
    found = reported(program_of(head + text), ONE_A_SECOND, 3)
    assert [row.split('"')[1] for row in found[2]] == ["1970-01-01T00:00:01Z", "1970-01-01T00:00:02Z"]


@pytest.mark.parametrize("text", [csparql("[RANGE TRIPLES 2]"), rsp("[ELEMENTS 2 STEP 2]")])
def test_entailment_in_each_batch(text: str) -> None:
    schema = [Atom("triple", (iri("Kiln"), SUB_CLASS, iri("Oven")))]
    facts = [(t, "s", iri(f"k{i}"), TYPE, iri("Kiln")) for t, i in ((1, 1), (2, 2), (2, 3), (2, 4), (2, 5))]
    program = with_entailment(program_of(text.replace("?x :p ?v", "?x a :Oven"), data=schema), "rdfs")
    found = reported(program, facts, 4)
    assert list(found) == [2]
    assert len(found[2]) == 4
    assert "k1" in found[2]


def held(program: Program, facts: list[tuple[Any, ...]]) -> int:
    """How many rows a snapshot has after some facts."""
    engine = lasing.Engine(program, start=0)
    for time, *fact in facts:
        engine.push(time, [tuple(fact)])
    return int(engine.snapshot().num_rows)


def test_what_is_kept_is_bounded_by_the_size_of_a_batch() -> None:
    program = program_of(rsp("[ELEMENTS 5 STEP 2]"))
    facts: list[tuple[Any, ...]] = [(t, "s", iri(f"x{t}"), iri("p"), t) for t in range(1, 200)]
    few, many = held(program, facts[:20]), held(program, facts)
    assert many <= few + 1


def test_idle_time_is_skipped() -> None:
    engine = lasing.Engine(program_of(csparql("[RANGE TRIPLES 2]")), start=0)
    assert not engine.push(1, [("s", iri("a"), iri("p"), 1)]).added
    assert len(engine.push(10**12, [("s", iri("b"), iri("p"), 1)]).added) == 2
