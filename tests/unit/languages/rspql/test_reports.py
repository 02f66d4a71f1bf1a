"""When queries report, and what: each policy and each stream operator on one small stream."""

from __future__ import annotations

import pytest

import lasing
from lasing.errors import LasingError
from lasing.logic.checks import CAUTIONS, MISTAKES, findings
from tests.unit.languages.rspql.queries import PREFIX, iri, program_of, reported

FACTS = [(t, "s", iri(x), iri("p"), v) for t, x, v in ((1, "a", 1), (2, "a", 2), (2, "b", 3), (6, "a", 9))]


def query(operator: str, more: str = "", head: str = "SELECT ?x ?v", window: str = "[RANGE PT2S STEP PT1S]") -> str:
    clauses = f"{head} FROM NAMED WINDOW :w ON :s {window} {more}"
    return f"{PREFIX}REGISTER {operator} :out AS {clauses} WHERE {{ WINDOW :w {{ ?x :p ?v }} }}"


@pytest.mark.parametrize(
    ("operator", "rows"),
    [
        ("RSTREAM", {2: ["a 1"], 3: ["a 1", "a 2", "b 3"], 4: ["a 2", "b 3"], 7: ["a 9"], 8: ["a 9"]}),
        ("ISTREAM", {2: ["a 1"], 3: ["a 2", "b 3"], 7: ["a 9"]}),
        ("DSTREAM", {4: ["a 1"], 5: ["a 2", "b 3"], 9: ["a 9"]}),
    ],
)
def test_streams(operator: str, rows: dict[int, list[str]]) -> None:
    assert reported(program_of(query(operator)), FACTS, 12) == rows


@pytest.mark.parametrize(
    ("operator", "rows"),
    [
        ("RSTREAM", {2: ["a"], 3: ["a", "a", "b"], 4: ["a", "b"], 7: ["a"], 8: ["a"]}),
        ("ISTREAM", {2: ["a"], 3: ["a", "b"], 7: ["a"]}),
        ("DSTREAM", {4: ["a"], 5: ["a", "b"], 9: ["a"]}),
    ],
)
def test_streams_of_bags_count_equal_rows(operator: str, rows: dict[int, list[str]]) -> None:
    assert reported(program_of(query(operator, head="SELECT ?x")), FACTS, 12) == rows


def test_a_report_needs_content_if_the_query_says_so() -> None:
    counting = query("RSTREAM", head="SELECT (COUNT(*) AS ?n)")
    assert list(reported(program_of(counting), FACTS, 10)) == list(range(11))
    with_content = query("RSTREAM", "REPORT NON_EMPTY_CONTENT", head="SELECT (COUNT(*) AS ?n)")
    assert reported(program_of(with_content), FACTS, 10) == {2: ["1"], 3: ["3"], 4: ["2"], 7: ["1"], 8: ["1"]}


def test_istream_and_dstream_compare_with_the_last_report_even_if_windows_were_empty_since() -> None:
    facts = [(t, "s", iri("a"), iri("p"), v) for t, v in ((1, 1), (6, 1), (6, 2))]
    new = query("ISTREAM", "REPORT NON_EMPTY_CONTENT", window="[RANGE PT1S STEP PT1S]")
    assert reported(program_of(new), facts, 9) == {2: ["a 1"], 7: ["a 2"]}, "a 1 was in the report before"
    gone = query("DSTREAM", "REPORT NON_EMPTY_CONTENT", window="[RANGE PT1S STEP PT1S]")
    assert reported(program_of(gone), [*facts, (8, "s", iri("a"), iri("p"), 2)], 9) == {9: ["a 1"]}


def test_a_report_when_the_content_changes() -> None:
    changing = query("RSTREAM", "REPORT ON_CONTENT_CHANGE", head="SELECT (COUNT(*) AS ?n)")
    found = reported(program_of(changing), FACTS, 12)
    assert found == {2: ["1"], 3: ["3"], 4: ["2"], 5: ["0"], 7: ["1"], 9: ["0"]}


def test_c_sparql_reports_when_a_window_closes_with_content_or_as_often_as_it_says() -> None:
    rest = "AS SELECT (COUNT(*) AS ?n) FROM STREAM :s [RANGE 2s STEP 1s] WHERE { ?x :p ?v }"
    at_each_step = program_of(f"{PREFIX}REGISTER QUERY q {rest}")
    assert reported(at_each_step, FACTS, 10) == {1: ["1"], 2: ["3"], 3: ["2"], 6: ["1"], 7: ["1"]}
    every_two = program_of(f"{PREFIX}REGISTER QUERY q COMPUTE EVERY 2s {rest}")
    assert reported(every_two, FACTS, 10) == {2: ["3"], 6: ["1"]}


def test_cqels_reports_what_is_new() -> None:
    text = f"{PREFIX}SELECT ?x WHERE {{ STREAM :s [RANGE 2s] {{ ?x :p ?v }} }}"
    assert reported(program_of(text), FACTS, 10) == {1: ["a"], 2: ["a", "b"], 6: ["a"]}


def test_a_query_reads_the_stream_that_another_makes() -> None:
    pattern = "FROM STREAM :s [RANGE 1s STEP 1s] WHERE { ?x :p ?v FILTER(?v > 1) }"
    hot = f"{PREFIX}REGISTER STREAM hot AS CONSTRUCT {{ ?x a :Hot }} {pattern}"
    count = f"{PREFIX}REGISTER QUERY n AS SELECT ?x FROM STREAM :hot [RANGE 3s STEP 1s] WHERE {{ ?x a :Hot }}"
    program = program_of(hot, count)
    assert [str(signature) for signature in program.inputs] == ["s/3"]
    assert reported(program, FACTS, 10, output=1) == {
        2: ["a", "b"], 3: ["a", "b"], 4: ["a", "b"], 6: ["a"], 7: ["a"], 8: ["a"],
    }  # fmt: skip


def test_only_graphs_are_streams() -> None:
    table = f"{PREFIX}REGISTER STREAM t AS SELECT ?x FROM STREAM :s [RANGE 1s STEP 1s] WHERE {{ ?x :p ?v }}"
    reader = f"{PREFIX}REGISTER QUERY n AS SELECT ?x FROM STREAM :t [RANGE 3s STEP 1s] WHERE {{ ?x a :Hot }}"
    with pytest.raises(LasingError, match="must be made by CONSTRUCT"):
        program_of(table, reader)


def test_a_window_variable_ranges_over_windows() -> None:
    windows = "FROM NAMED WINDOW :w ON :s [RANGE PT2S STEP PT1S] FROM NAMED WINDOW :long ON :s [RANGE PT4S STEP PT1S]"
    text = f"{PREFIX}REGISTER RSTREAM :out AS SELECT ?in ?v {windows} WHERE {{ WINDOW ?in {{ :b :p ?v }} }}"
    assert reported(program_of(text), FACTS, 8) == {
        3: ["long 3", "w 3"], 4: ["long 3", "w 3"], 5: ["long 3"], 6: ["long 3"],
    }  # fmt: skip


@pytest.mark.parametrize("operator", ["RSTREAM", "ISTREAM", "DSTREAM"])
@pytest.mark.parametrize("form", ["SELECT ?x", "SELECT (1 AS ?one)", "ASK", "CONSTRUCT { ?x :is :new }"])
def test_a_pattern_that_nothing_can_match_is_a_warning(operator: str, form: str) -> None:
    text = query(operator, "REPORT ON_CONTENT_CHANGE", form).replace("?x :p ?v", "?x :p ?v FILTER(1 < 1)")
    program = program_of(text)
    assert reported(program, FACTS, 12) == {}
    warned = [(caution.code, caution.message) for caution in findings(program, (*MISTAKES, *CAUTIONS))]
    assert warned == [("W102", "the query never has a result: no data can satisfy its pattern")]


def test_a_query_reads_a_stream_that_nothing_can_be_on() -> None:
    never = "REGISTER STREAM none AS CONSTRUCT { ?x a :X } FROM STREAM :s [RANGE 1s] { ?x ?y ?z FILTER(1 < 1) }"
    count = f"{PREFIX}SELECT (COUNT(*) AS ?n) FROM NAMED WINDOW :w ON :none [RANGE 1s] {{ WINDOW :w {{ ?x a :X }} }}"
    assert reported(program_of(PREFIX + never, count), FACTS, 3, output=1) == {t: ["0"] for t in range(4)}


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize(
    ("operator", "counts"), [("RSTREAM", {6: ["6"], 12: ["2"]}), ("ISTREAM", {6: ["3"], 12: ["1"]})]
)
def test_blank_nodes_of_two_reports_are_two(
    operator: str, counts: dict[int, list[str]], engine: lasing.EngineName
) -> None:
    made = query(operator, head="CONSTRUCT { _:b :of ?x }").replace(":out", ":made")
    clauses = "SELECT (COUNT(?b) AS ?n) FROM NAMED WINDOW :w ON :made [RANGE PT6S STEP PT6S]"
    count = f"{PREFIX}REGISTER RSTREAM :out AS {clauses} WHERE {{ WINDOW :w {{ ?b :of ?x }} }}"
    found = reported(program_of(made, count), FACTS, 12, output=1, engine=engine)
    assert {time: rows for time, rows in found.items() if time} == counts


def test_blank_nodes_of_two_queries_are_two() -> None:
    one, other = (query("RSTREAM", head="CONSTRUCT { _:b :of ?x }").replace(":out", name) for name in (":m", ":n"))
    windows = "FROM STREAM :m [RANGE 1s TUMBLING] FROM STREAM :n [RANGE 1s TUMBLING]"
    count = f"{PREFIX}REGISTER QUERY out AS SELECT (COUNT(DISTINCT ?b) AS ?n) {windows} WHERE {{ ?b :of ?x }}"
    found = reported(program_of(one, other, count), FACTS, 4, output=2)
    assert found == {2: ["2"], 3: ["6"], 4: ["4"]}
