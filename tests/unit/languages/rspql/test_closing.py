"""How long a finished stream goes on: until its last triple, which comes at second 5, has been reported."""

from __future__ import annotations

import pytest

import lasing
from tests.unit.languages.rspql.queries import PREFIX, iri, program_of

AT_FIVE = [(5, "s", iri("a"), iri("p"), 1)]


def last(*queries: str) -> int:
    """The time point of the last report that is not empty, which is also the last time point."""
    answers = list(lasing.run(program_of(*(PREFIX + query for query in queries)), AT_FIVE, start=0))
    assert answers[-1].atoms
    return answers[-1].time


def rsp(*windows: str, head: str = "SELECT ?x") -> str:
    clauses = " ".join(f"FROM NAMED WINDOW :w{i} ON {window}" for i, window in enumerate(windows))
    return f"REGISTER RSTREAM :made AS {head} {clauses} TICK 1s WHERE {{ WINDOW ?w {{ ?x :p ?v }} }}"


def csparql(window: str, every: str = "", stream: str = ":s") -> str:
    return f"REGISTER QUERY out {every} AS SELECT ?x FROM STREAM {stream} {window} TICK 1s WHERE {{ ?x :p ?v }}"


@pytest.mark.parametrize(
    ("query", "end"),
    [
        (rsp(":s [RANGE 4s STEP 4s]"), 8),
        (rsp(":s [RANGE 4s STEP 2s]"), 6),
        (rsp(":s [RANGE 6s STEP 5s]"), 10),
        (csparql("[RANGE 4s STEP 5s]"), 5),
        (csparql("[RANGE 4s STEP 4s]"), 8),
        (csparql("[RANGE 4s STEP 1s]", "COMPUTE EVERY 6s"), 6),
        (csparql("[RANGE 4s STEP 4s]", "COMPUTE EVERY 3s"), 9),
        (csparql("[RANGE TRIPLES 1]"), 5),
    ],
)
def test_until_the_window_that_has_it_is_reported(query: str, end: int) -> None:
    assert last(query) == end


def test_each_window_closes_once() -> None:
    assert last(rsp(":s [RANGE 6s STEP 6s]", ":s [RANGE 4s STEP 4s]")) == 8
    assert last(csparql("[RANGE 6s STEP 6s]"), csparql("[RANGE 4s STEP 4s]").replace("out", "other")) == 8


def test_what_is_made_is_read_by_the_next_query() -> None:
    made = rsp(":s [RANGE 4s STEP 4s]", head="CONSTRUCT { ?x :p ?v }")
    assert last(made, csparql("[RANGE 5s STEP 5s]", stream=":made")) == 10
    assert last(made, rsp(":made [RANGE 4s STEP 4s]").replace("RSTREAM :made", "RSTREAM :more")) == 12


def test_queries_that_read_each_other_are_gone_through_once() -> None:
    both = rsp(":s [RANGE 4s STEP 4s]", ":more [RANGE 4s STEP 4s]", head="CONSTRUCT { ?x :p ?v }")
    more = rsp(":made [RANGE 4s STEP 4s]", head="CONSTRUCT { ?x :p ?v }").replace("RSTREAM :made", "RSTREAM :more")
    assert last(both, more) == 12
