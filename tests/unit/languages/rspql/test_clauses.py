"""Streaming clauses: what is read, what is left, and mistakes at their places."""

from __future__ import annotations

import pytest

from lasing.errors import Diagnostic, SourceText
from lasing.languages import SPARQL, examine
from lasing.languages.rspql.clauses import read_clauses
from lasing.languages.rspql.syntax import Everything, StreamWindow, TimeRange, TripleRange
from tests.unit.languages.rspql.queries import PREFIX, mistake_of

RSP = """PREFIX : <http://ex.org/>
REGISTER istream :out AS
SELECT * FROM NAMED WINDOW :w ON STREAM :s [RANGE PT10S STEP PT5S]
WHERE { ?a ?b "WINDOW :x { FROM STREAM" . WINDOW :w { ?x :p ?y } } # WINDOW :z {"""


def test_rsp_ql_is_read_and_sparql_remains_at_the_same_places() -> None:
    query = read_clauses(RSP)
    assert (query.dialect, query.operator, query.name, query.makes_stream) == (
        "RSP-QL", "ISTREAM", "http://ex.org/out", True,
    )  # fmt: skip
    assert query.windows == (
        StreamWindow("http://ex.org/w", "http://ex.org/s", TimeRange(10_000, 5_000), RSP.index("FROM NAMED")),
    )
    assert len(query.sparql) == len(RSP)
    assert [i for i, c in enumerate(query.sparql) if c == "\n"] == [i for i, c in enumerate(RSP) if c == "\n"]
    assert "REGISTER" not in query.sparql
    assert "FROM" not in query.sparql.replace("FROM STREAM", "")
    assert "GRAPH  :w {" in query.sparql
    assert '"WINDOW :x { FROM STREAM"' in query.sparql, "texts stay as they are"


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("[RANGE 10s STEP 1s]", TimeRange(10_000, 1_000)),
        ("[range 5 min slide 30 sec]", TimeRange(300_000, 30_000)),
        ("[RANGE 1000]", TimeRange(1_000)),
        ('[RANGE "PT1M"^^xsd:duration]', TimeRange(60_000)),
        ("[RANGE 10s TUMBLING]", TimeRange(10_000, 10_000)),
        ("[RANGE TRIPLES 20]", TripleRange(20, 20)),
    ],
)
def test_windows_of_c_sparql(clause: str, expected: object) -> None:
    query = read_clauses(
        f"REGISTER QUERY q COMPUTE EVERY 2s AS SELECT * FROM STREAM <http://s> {clause} WHERE {{ ?x ?y ?z }}"
    )
    assert query.dialect == "C-SPARQL"
    assert query.every == 2_000
    assert [window.range for window in query.windows] == [expected]


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("[RANGE 3s]", TimeRange(3_000)),
        ("[NOW]", TimeRange(0)),
        ("[ALL]", Everything()),
        ("[TRIPLES 7]", TripleRange(7)),
    ],
)
def test_each_stream_pattern_of_cqels_is_a_graph_of_its_own(clause: str, expected: object) -> None:
    stream = f"STREAM <http://s> {clause} {{ ?x ?y ?z }}"
    query = read_clauses(f"SELECT * WHERE {{ {stream} {stream} }}")
    assert query.dialect == "CQELS"
    assert [window.range for window in query.windows] == [expected, expected]
    assert len({window.graph for window in query.windows}) == 2
    assert query.sparql.count("GRAPH <urn:lasing:window:") == 2


def test_reports_are_read() -> None:
    query = read_clauses(
        "REGISTER RSTREAM <http://o> AS SELECT * FROM NAMED WINDOW <http://w> ON <http://s> [RANGE 2s] "
        "REPORT ON_CONTENT_CHANGE, NON_EMPTY_CONTENT { WINDOW <http://w> { ?x ?y ?z } }"
    )
    assert query.reports == ("ON_CONTENT_CHANGE", "NON_EMPTY_CONTENT")


@pytest.mark.parametrize(
    ("query", "mistake"),
    [
        ("SELECT * FROM STREAM <http://s> [RANGE soon] { ?x ?y ?z }", "E703 soon is not a duration | s"),
        ("SELECT * FROM STREAM <http://s> RANGE 3s { ?x ?y ?z }", "E703 expected a window such as"),
        ("REGISTER VIEW v AS SELECT * { ?x ?y ?z }", "E703 expected QUERY, STREAM, RSTREAM, ISTREAM or DSTREAM"),
        (f"{PREFIX}SELECT * {{ WINDOW :w {{ ?x ?y ?z }} }}", "E703 there is no window :w | :"),
        ("SELECT * FROM STREAM <http://s> [RANGE 3s", "E703 this window has no ] at its end | ["),
        ("SELECT * FROM STREAM s [RANGE 3s] { ?x ?y ?z }", "E702 s is not an IRI | s"),
        ("SELECT * { SERVICE <http://x> { ?x ?y ?z } }", "E702 SERVICE is not supported | SERVICE"),
        ("SELECT * { ?x ?y }", "E701 syntax error near ?x | ?x"),
        ("SELECT ?x { ?x ?y ?z }\nORDER ?x LIMIT 1", "E701 syntax error near ?x | "),
        ("SELECT ?x { ?x foo:p ?y }", "E701 the prefix foo: is not declared | foo:p"),
        ("SELECT ?x { ?x :p ?y }", "E701 the prefix : is not declared | :p"),
        ("PREFIX a: <http://a> ASK { ?x a:p 'b:c', '5'^^b:c }", "E701 the prefix b: is not declared | b:c"),
        ("PREFIX : <http://a> INSERT DATA { :a :b :c }", "E702 INSERT is not supported: it begins an update"),
        ("BASE <http://a>\ndelete where { ?x ?y ?z }", "E702 DELETE is not supported: it begins an update"),
        ("SELECT * TICK TUPLE_DRIVEN { ?x ?y ?z }", "E703 TICK TUPLE_DRIVEN is not supported | T"),
        ("REGISTER", "E703 the query ends in the middle of a clause | R"),
        ("SELECT * REPORT { ?x ?y ?z }", "E703 expected a policy after REPORT, found { | {"),
        ("SELECT * REPORT PERIODIC, OFTEN { ?x ?y ?z }", "E703 expected a policy after REPORT, found OFTEN | OFTEN"),
        ("SELECT * REPORT PERIODIC { ?x ?y ?z }", "E703 REPORT needs a window | REPORT"),
        ("REGISTER ISTREAM <http://o> AS SELECT * { ?x ?y ?z }", "E703 ISTREAM needs a window | ISTREAM"),
        ("REGISTER QUERY q COMPUTE EVERY 5s AS SELECT * { ?x ?y ?z }", "E703 COMPUTE needs a window | COMPUTE"),
        (
            "REGISTER QUERY q AS REGISTER STREAM s AS SELECT * { ?x ?y ?z }",
            "E703 a query has one REGISTER | REGISTER",
        ),
        (
            "SELECT * FROM NAMED STREAM <http://s> [NOW] FROM NAMED STREAM <http://s> [ALL] { ?x ?y ?z }",
            "E703 the stream <http://s> is declared twice | F",
        ),
        (
            "SELECT * FROM STREAM <http://s> [NOW] FROM NAMED WINDOW <http://w> ON <http://s> [ALL] { ?x ?y ?z }",
            "E703 this window is RSP-QL, but the query already has one of C-SPARQL | F",
        ),
        (
            "SELECT * FROM STREAM <http://s> [NOW] { STREAM <http://s> [ALL] { ?x ?y ?z } }",
            "E703 this window is CQELS, but the query already has one of C-SPARQL | S",
        ),
        ("SELECT * { ?x ?y ?z FILTER(<http://f>(?x)) }", "E702 there is no function <http://f> | http://f"),
        ("PREFIX f: <http://f/> ASK { ?x ?y ?z FILTER(f:g(?z)) }", "E702 there is no function <http://f/g> | f:g"),
    ],
)  # fmt: skip
def test_mistakes_have_a_place(query: str, mistake: str) -> None:
    assert mistake_of(query).startswith(mistake)


@pytest.mark.parametrize(
    ("window", "mistake"),
    [
        ("[NOW SLIDE 5s]", "a window cannot have NOW and SLIDE | ["),
        ("[ALL STEP 5s]", "a window cannot have ALL and STEP | ["),
        ("[RANGE 9s TUMBLING STEP 5s]", "a window cannot have RANGE and STEP and TUMBLING | ["),
        ("[RANGE 9s STEP 5s SLIDE 5s]", "a window cannot have RANGE and STEP and SLIDE | ["),
        ("[RANGE 9s ELEMENTS 5]", "a window cannot have RANGE and ELEMENTS | ["),
        ("[RANGE 9s TRIPLES 5]", "a window cannot have RANGE and TRIPLES | ["),
        ("[RANGE 9s RANGE 5s]", "this window has RANGE twice | RANGE"),
        ("[STEP 5s]", "this window has no size | ["),
        ("[]", "expected RANGE, ELEMENTS, TRIPLES, NOW or ALL, found ] | ["),
        ("[9s]", "expected RANGE, ELEMENTS, TRIPLES, NOW or ALL, found 9s | 9s"),
        ("[NOW please]", "expected nothing after NOW, found please | please"),
        ("[RANGE 9s TUMBLING 5s]", "expected nothing after TUMBLING, found 5s | 5s"),
        ("[RANGE 1.5s]", "1.5s is not a duration | 1.5s"),
        ("[RANGE]", "nothing is not a duration | ["),
        ("[RANGE 9s STEP 0s]", "0s is not a duration | 0s"),
        ("[ELEMENTS 0]", "expected a number of triples, found 0 | 0"),
        ("[ELEMENTS many]", "expected a number of triples, found many | many"),
        ("[RANGE 9s STEP 1s { ?x ?y ?z }", "this window has no ] at its end | ["),
    ],
)
def test_mistakes_in_a_window_have_a_place(window: str, mistake: str) -> None:
    query = f"SELECT * FROM NAMED WINDOW <http://w> ON <http://s> {window} {{ WINDOW <http://w> {{ ?x ?y ?z }} }}"
    assert mistake_of(query) == f"E703 {mistake}"


def test_all_mistakes_of_several_queries_are_found() -> None:
    from lasing.languages.rspql.lower import lower

    texts = ["SELECT * { ?x ?y }", "ASK { SERVICE <http://x> { ?x ?y ?z } }", "ASK { ?x ?y ?z }"]
    program, mistakes = lower([SourceText(f"q{i}", text, None) for i, text in enumerate(texts)], {})
    assert [mistake.code for mistake in mistakes] == ["E701", "E702"]
    assert program.outputs is not None
    assert len(program.outputs) == 1


def test_queries_that_run_together_have_one_tick() -> None:
    from lasing.languages.rspql.lower import lower

    texts = [f"ASK FROM STREAM <http://s> [RANGE 6s STEP 3s] TICK {tick} {{ ?x ?y ?z }}" for tick in ("1s", "3s")]
    _, mistakes = lower([SourceText(f"q{i}", text, None) for i, text in enumerate(texts)], {})
    assert [mistake.message for mistake in mistakes] == ["these queries have different ticks"]


def test_queries_that_run_together_make_different_streams() -> None:
    text = "REGISTER STREAM s AS CONSTRUCT WHERE { ?x ?y ?z }"
    assert [found.message for found in _mistakes(text, text)] == ["two queries make the stream s"]


def test_only_graphs_can_be_read_as_streams() -> None:
    rows = "REGISTER STREAM s AS SELECT ?x { ?x ?y ?z }"
    reader = "ASK FROM STREAM <http://e/s> [RANGE 6s STEP 3s] { ?x ?y ?z }"
    (mistake,) = _mistakes(rows, reader)
    assert mistake.message == "a stream that another query reads must be made by CONSTRUCT"


def _mistakes(*texts: str) -> list[Diagnostic]:
    """All mistakes of queries that run together, also those of their rules."""
    return examine([SourceText(f"q{i}", text, None) for i, text in enumerate(texts)], None, SPARQL.name)[1]


def test_lengths_are_whole_numbers_of_ticks() -> None:
    mistake = mistake_of("ASK FROM STREAM <http://s> [RANGE 6s STEP 3s] TICK 2s { ?x ?y ?z }")
    assert mistake.startswith("E703 3000 ms is not a whole number of ticks of 2000 ms | TICK")


@pytest.mark.parametrize(
    ("query", "windows"),
    [
        ("SELECT * FROM NAMED WINDOW <e:w> ON <e:s> [NOW] { ?x ?y ?z }", ["e:w"]),
        ("SELECT * FROM NAMED WINDOW <e:w> ON <e:s> [NOW] { WINDOW <e:w> { ?x ?y ?z } }", []),
        ("SELECT * FROM NAMED WINDOW <e:w> ON <e:s> [NOW] { WINDOW ?w { ?x ?y ?z } }", []),
        ("ASK FROM NAMED WINDOW <e:w> ON <e:s> [NOW] { FILTER NOT EXISTS { WINDOW <e:w> { ?x ?y ?z } } }", []),
        ("SELECT * FROM NAMED STREAM <e:s> [NOW] FROM STREAM <e:t> [NOW] { ?x ?y ?z }", ["e:s"]),
        ("SELECT * { STREAM <e:s> [NOW] { ?x ?y ?z } }", []),
    ],
)
def test_windows_without_a_pattern_are_a_warning(query: str, windows: list[str]) -> None:
    program, mistakes = examine([SourceText("q", query, None)], None, SPARQL.name)
    assert not mistakes
    found = [(d.code, d.message) for d in program.cautions]
    assert found == [("W108", f"the query matches nothing in the window <{window}>") for window in windows]
