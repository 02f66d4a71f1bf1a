"""The edges of each dialect's windows, at both ends.

A triple comes at second 10. A window of 4 seconds that moves every 2:

    second      8   9  10  11  12  13  14  15  16
    triple              x
    RSP-QL      [ 8 … 12) closes at 12, [10 … 14) at 14, and [12 … 16) no longer has it
    C-SPARQL    ( 6 … 10] closes at 10, ( 8 … 12] at 12, and (10 … 14] no longer has it
"""

from __future__ import annotations

import pytest

import lasing
from lasing.errors import LasingError
from lasing.languages.rspql.syntax import StreamQuery, StreamWindow, TimeRange, TripleRange
from lasing.languages.rspql.windows import period_of, tick_of
from lasing.logic.checks.unknown_predicates import unknown_predicates
from tests.unit.languages.rspql.queries import EX, PREFIX, iri, mistake_of, program_of, reported

AT_TEN = [(10, "s", iri("a"), iri("p"), 1)]


def rsp(window: str, tick: str = "TICK 1s") -> str:
    clauses = f"SELECT ?x FROM NAMED WINDOW :w ON :s {window} {tick}"
    return f"{PREFIX}REGISTER RSTREAM :out AS {clauses} WHERE {{ WINDOW :w {{ ?x :p ?v }} }}"


def csparql(window: str, tick: str = "TICK 1s") -> str:
    return f"{PREFIX}REGISTER QUERY out AS SELECT ?x FROM STREAM :s {window} {tick} WHERE {{ ?x :p ?v }}"


def cqels(window: str) -> str:
    return f"{PREFIX}SELECT ?x WHERE {{ STREAM <{EX}s> {window} {{ ?x :p ?v }} }}"


@pytest.mark.parametrize(
    ("query", "times"),
    [
        (rsp("[RANGE PT4S STEP PT2S]"), [12, 14]),
        (rsp("[RANGE PT4S STEP PT1S]"), [11, 12, 13, 14]),
        (rsp("[RANGE PT1S STEP PT1S]"), [11]),
        (csparql("[RANGE 4s STEP 2s]"), [10, 12]),
        (csparql("[RANGE 4s STEP 1s]"), [10, 11, 12, 13]),
        (csparql("[RANGE 2s TUMBLING]"), [10]),
        (cqels("[RANGE 4s]"), [10]),
        (cqels("[NOW]"), [10]),
        (cqels("[ALL]"), [10]),
    ],
)
def test_a_triple_at_ten_is_reported(query: str, times: list[int]) -> None:
    assert list(reported(program_of(query), AT_TEN, 20)) == times


def test_a_triple_at_the_edge_of_a_tumbling_window_belongs_to_the_one_that_closes_there() -> None:
    facts = [(t, "s", iri(f"x{t}"), iri("p"), 1) for t in (6, 7, 8, 9)]
    tumbling = reported(program_of(csparql("[RANGE 2s TUMBLING]")), facts, 14)
    assert tumbling == {6: ["x6"], 8: ["x7", "x8"], 10: ["x9"]}
    assert reported(program_of(rsp("[RANGE PT2S STEP PT2S]")), facts, 14) == {8: ["x6", "x7"], 10: ["x8", "x9"]}


def test_the_first_windows_are_cut_at_the_start() -> None:
    facts = [(0, "s", iri("a"), iri("p"), 1)]
    assert list(reported(program_of(rsp("[RANGE PT10S STEP PT5S]")), facts, 20)) == [5, 10]


def test_the_last_triples_of_a_stream_whatever_other_streams_have() -> None:
    query = rsp("[ELEMENTS 2]")
    facts = [(1, "s", iri("a"), iri("p"), 1), (2, "s", iri("b"), iri("q"), 1), (3, "s", iri("c"), iri("p"), 1)]
    assert reported(program_of(query), facts, 3) == {1: ["a"], 2: ["a"], 3: ["c"]}


@pytest.mark.parametrize(
    ("ranges", "tick", "period"),
    [
        ([TimeRange(10_000, 5_000)], 5_000, 1),
        ([TimeRange(3_000, 2_000)], 1_000, 2),
        ([TimeRange(10_000, 5_000), TimeRange(4_000, 2_000)], 1_000, 1),
        ([TimeRange(10_000)], 1_000, 1),
        ([TimeRange(250)], 1, 1),
        ([TripleRange(5)], 1_000, 1),
        ([TripleRange(5, 5)], 1_000, None),
        ([TripleRange(5, 5), TimeRange(4_000, 2_000)], 1_000, 2),
    ],
)
def test_the_tick_divides_all_lengths(ranges: list[TimeRange | TripleRange], tick: int, period: int | None) -> None:
    windows = tuple(StreamWindow(f"w{i}", "s", found, 0) for i, found in enumerate(ranges))
    query = StreamQuery("RSP-QL", "", windows)
    assert tick_of([query]) == tick
    assert period_of(query, tick) == period


def test_a_tick_that_does_not_divide_the_lengths_is_a_mistake() -> None:
    found = mistake_of(rsp("[RANGE 4s STEP 2s]", "TICK 3s"))
    assert found == "E703 2000 ms is not a whole number of ticks of 3000 ms | TICK"


def test_queries_that_run_together_share_their_tick() -> None:
    with pytest.raises(LasingError, match="these queries have different ticks"):
        program_of(rsp("[RANGE 4s STEP 2s]", "TICK 1s"), rsp("[RANGE 4s STEP 2s]", "TICK 2s"))


def test_the_last_triples_at_each_time_point_in_c_sparql() -> None:
    facts = [(t, "s", iri(f"x{t}"), iri("p"), 1) for t in range(3)]
    assert reported(program_of(csparql("[RANGE TRIPLES 2 STEP 1]")), facts, 2) == {
        0: ["x0"],
        1: ["x0", "x1"],
        2: ["x1", "x2"],
    }


TWO = [(1, "s", iri("a"), iri("p"), 1), (1, "t", iri("b"), iri("p"), 2)]


@pytest.mark.parametrize(
    ("head", "pattern", "rows"),
    [
        ("SELECT *", "WINDOW ?w { ?x :p ?v }", ["v a 1", "w b 2"]),
        ("SELECT ?x ?w", "WINDOW ?w { ?x :p ?v } FILTER(?w = :v)", ["a v"]),
        ("SELECT *", "WINDOW ?w { ?x :p ?v } OPTIONAL { ?w :q ?z } FILTER(?w != :v)", ["w b 2 -"]),
        ("SELECT *", "{ SELECT * { WINDOW ?w { ?x :p ?v } OPTIONAL { ?w :q ?z } } }", ["v a 1 -", "w b 2 -"]),
        ("SELECT ?w (COUNT(*) AS ?n)", "WINDOW ?w { ?x :p ?v } } GROUP BY ?w", ["v 1", "w 1"]),
    ],
)
def test_the_variable_of_a_window_is_a_column(head: str, pattern: str, rows: list[str]) -> None:
    windows = "FROM NAMED WINDOW :v ON :s [RANGE 1s] FROM NAMED WINDOW :w ON :t [RANGE 1s]"
    end = "" if "GROUP" in pattern else "}"
    text = f"{PREFIX}REGISTER RSTREAM :out AS {head} {windows} WHERE {{ {pattern} {end}"
    assert reported(program_of(text), TWO, 2) == {2: rows}


def test_columns_of_messages_stay_right_after_the_variable_of_a_window() -> None:
    text = "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 1s] { WINDOW ?w { ?x :p ?v } FILTER(NONE(?x)) }"
    assert mistake_of(PREFIX + text) == "E702 there is no function NONE | NONE"


def test_in_csparql_graph_ranges_over_windows_and_named_graphs() -> None:
    clauses = "FROM NAMED STREAM :s [RANGE 1s TUMBLING] FROM NAMED STREAM :t [RANGE 1s TUMBLING]"
    text = f"{PREFIX}REGISTER QUERY out AS SELECT ?g ?x {clauses} WHERE {{ GRAPH ?g {{ ?x :p ?v }} }}"
    assert reported(program_of(text), TWO, 2) == {1: ["s a", "t b"]}
    static = lasing.rdf.graph(f"<{EX}c> <{EX}p> <{EX}o> <{EX}g> .", format="nq")
    assert reported(program_of(text, data=static), TWO, 2) == {1: ["g c", "s a", "t b"]}
    assert list(unknown_predicates(program_of(text))) == [], "that there are no named graphs is nothing to warn about"
