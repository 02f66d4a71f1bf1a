"""The city of RDF streams: every query runs, and its rows are those of pyoxigraph on the content of each window."""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from math import gcd
from pathlib import Path
from typing import Any

import pytest

import lasing
from lasing.background import with_background
from lasing.connectors.rdf.mapping import read_mapping
from lasing.connectors.rdf.terms import term_of_value
from lasing.entailment import with_entailment
from lasing.errors import SourceText
from lasing.languages import read_program
from lasing.languages.rspql.clauses import read_clauses
from lasing.languages.rspql.syntax import StreamQuery, TimeRange
from lasing.logic.program import Program
from lasing.logic.results import rows_of
from lasing.logic.values import Value
from tests.golden.golden import check_golden

ox = pytest.importorskip("pyoxigraph")

CITY = Path(__file__).parents[2] / "examples" / "city-rdf"
sys.path.insert(0, str(CITY))  # the script of the example

import generate as city_rdf  # noqa: E402

QUERIES = sorted(CITY.glob("*.rq"))
TOGETHER = {"q09-jammed-roads": ("q09-jams",)}
"""Queries that read the stream of another one."""
START, END = "2026-03-02T08:00:00Z", "2026-03-02T10:00:00Z"

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"

Bag = Counter[tuple[str, ...]]
Stamped = list[tuple[int, Any]]
"""Triples with their times in milliseconds, in order."""


def test_the_files_are_those_of_the_generator(tmp_path: Path) -> None:
    city_rdf.generate(tmp_path)
    made = sorted(tmp_path.iterdir())
    assert {path.suffix for path in made} == {".csv", ".ttl"}
    for path in made:
        assert path.read_text(encoding="utf-8") == (CITY / path.name).read_text(encoding="utf-8"), path.name


def test_another_seed_and_size_give_another_city(tmp_path: Path) -> None:
    city_rdf.generate(tmp_path, hours=1, roads=12, seed=2)
    assert (tmp_path / "city.ttl").read_text(encoding="utf-8").count(" a ct:Road ") == 12
    with (tmp_path / "traffic.csv").open(encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 1 + 12 * 12


def test_there_are_twelve_questions_in_three_dialects() -> None:
    assert {path.name[:3] for path in QUERIES} == {f"q{number:02}" for number in range(1, 13)}
    assert {_clauses(path).dialect for path in QUERIES} == {"RSP-QL", "C-SPARQL", "CQELS"}
    for path in QUERIES:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith(f"# {_clauses(path).dialect}: "), "the first line says what the query asks"


@pytest.mark.parametrize("path", QUERIES, ids=[path.stem for path in QUERIES])
def test_query_reports_what_pyoxigraph_finds_in_each_window(path: Path, rewrite: bool) -> None:
    found = reports_of_lasing(path)
    assert found == reports_of_pyoxigraph(path)
    lines = [f"{time} {' '.join(row)} x{times}" for time, bag in found.items() for row, times in sorted(bag.items())]
    assert lines
    golden = Path(__file__).parent / "city-rdf" / f"{path.stem}.txt"
    check_golden(golden, "\n".join([*lines[:10], f"{len(lines)} lines"]) + "\n", rewrite)


@pytest.mark.parametrize("name", ["q04-near-events", "q06-parking-near-me", "q08-library-parking", "q10-most-polluted"])
def test_some_queries_find_nothing_without_entailment(name: str) -> None:
    assert "--entail rdfs" in (CITY / f"{name}.rq").read_text(encoding="utf-8").splitlines()[0]
    assert not reports_of_lasing(CITY / f"{name}.rq", entail=None)


def test_the_readme_has_a_command_for_each_query() -> None:
    readme = (CITY / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in QUERIES if path.name not in readme] == []


# What lasing reports.


def reports_of_lasing(path: Path, entail: str | None = "rdfs") -> dict[str, Bag]:
    """The rows that a query reports, by time."""
    names = (path.stem, *TOGETHER.get(path.stem, ()))
    program = with_entailment(with_background(_program(names), [CITY / "city.ttl", CITY / "ontology.ttl"]), entail)
    streams = {
        source.predicate: lasing.rdf.triples(CITY / f"{source.predicate}.csv", CITY / f"{source.predicate}.toml")
        for source in program.inputs or ()
    }
    assert program.outputs is not None
    output, found = program.outputs[0], {}
    for answer in lasing.run(program, streams, START, END):
        assert answer.tick is not None
        if output.form == "truth":
            rows: Bag = Counter([("yes",)] if answer.atoms else [])
        else:
            rows = Counter(tuple(map(_value_text, row)) for row in rows_of(output, answer.atoms))
        if rows:
            found[answer.tick.iso(answer.time)] = rows
    return found


def _program(names: tuple[str, ...]) -> Program:
    paths = [CITY / f"{name}.rq" for name in names]
    return read_program([SourceText(path.name, path.read_text(encoding="utf-8"), path) for path in paths])


def _value_text(value: Value | None) -> str:
    return "-" if value is None else _term_text(term_of_value(value))


def _term_text(term: Any) -> str:
    """A term; numbers are rounded, because the two systems add floating-point numbers in different orders."""
    if term is None:
        return "-"
    number = isinstance(term, ox.Literal) and re.search("#(decimal|double|integer)$", term.datatype.value)
    return f"{float(term.value):.9g}" if number else str(term)


# What pyoxigraph finds in the windows.


@dataclass(frozen=True)
class Window:
    """A window of a query: its graph (None is the default graph), its stream, and its time points before and at now."""

    graph: Any
    stream: Stamped
    oldest: int
    newest: int


def reports_of_pyoxigraph(path: Path) -> dict[str, Bag]:
    """The rows of a query, by time: pyoxigraph evaluates it whenever it reports, on the content of its windows."""
    query = _clauses(path)
    tick = _tick(query)
    period = (query.every or tick) // tick
    is_new = query.operator == "ISTREAM" or query.dialect == "CQELS"
    first, last = (_milliseconds(text) // tick for text in (START, END))
    found: dict[str, Bag] = {}
    before: Bag = Counter()
    known: dict[tuple[Any, ...], Bag] = {}
    windows = list(_windows(path, query, tick))
    for time in range(first, last + 1):
        if time % period:
            continue
        content = tuple(_content(window, time, tick) for window in windows)
        if content not in known:
            known[content] = _evaluated(query.sparql, windows, content)
        rows = known[content] if query.dialect != "C-SPARQL" or any(content) else Counter()
        reported = rows - before if is_new else rows
        before = rows
        if reported:
            found[_iso(time * tick)] = reported
    return found


def _windows(path: Path, query: StreamQuery, tick: int) -> Iterator[Window]:
    for window in query.windows:
        assert isinstance(window.range, TimeRange)
        name = window.stream.rsplit("/", 1)[1]
        points = window.range.range // tick
        oldest, newest = (points, 1) if query.dialect == "RSP-QL" else (points - 1, 0)
        graph = None if window.graph is None else ox.NamedNode(window.graph)
        yield Window(graph, _made(name) if path.stem in TOGETHER else _stream(name), oldest, newest)


def _tick(query: StreamQuery) -> int:
    """The common divisor of all lengths; a second where a window moves with time."""
    ranges = [window.range for window in query.windows if isinstance(window.range, TimeRange)]
    if any(found.step is None for found in ranges):
        return 1_000
    return gcd(*(length for found in ranges for length in (found.range, found.step or 0)))


def _content(window: Window, time: int, tick: int) -> tuple[Any, ...]:
    """The triples whose time points are in a window."""
    return tuple(t for at, t in window.stream if time - window.oldest <= at // tick <= time - window.newest)


def _evaluated(sparql: str, windows: list[Window], content: tuple[tuple[Any, ...], ...]) -> Bag:
    store = ox.Store()
    store.extend(_background())
    for window, triples in zip(windows, content, strict=True):
        graph = ox.DefaultGraph() if window.graph is None else window.graph
        store.extend(ox.Quad(t.subject, t.predicate, t.object, graph) for t in triples)
    result = store.query(sparql)
    if isinstance(result, ox.QueryBoolean):
        return Counter([("yes",)] if result else [])
    if isinstance(result, ox.QueryTriples):
        return Counter({tuple(map(_term_text, (t.subject, t.predicate, t.object))) for t in result})
    width = range(len(result.variables))
    return Counter(tuple(_term_text(row[i]) for i in width) for row in result)


@cache
def _background() -> list[Any]:
    """The static graph with what it entails, by paths instead of rules."""
    store = ox.Store()
    for name in ("city.ttl", "ontology.ttl"):
        store.load(path=CITY / name)
    prefix = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
    store.update(prefix + "INSERT { ?s ?q ?o } WHERE { ?p rdfs:subPropertyOf+ ?q . ?s ?p ?o }")
    store.update(prefix + "INSERT { ?o a ?c } WHERE { ?p rdfs:range ?c . ?s ?p ?o }")
    store.update(prefix + "INSERT { ?x a ?c } WHERE { ?x a/rdfs:subClassOf+ ?c }")
    return list(store)


@cache
def _stream(name: str) -> Stamped:
    """The triples of a table."""
    mapping = read_mapping(CITY / f"{name}.toml")
    found: Stamped = []
    with (CITY / f"{name}.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values = {column: _cell(text) for column, text in row.items()}
            for triple in mapping.triples(values, lambda _: pytest.fail("no blank nodes"), ""):  # type: ignore[arg-type]
                found.append((_milliseconds(row["ts"]), ox.Triple(*map(term_of_value, triple))))
    return found


@cache
def _made(name: str) -> Stamped:
    """The triples that a CONSTRUCT reports."""
    found: Stamped = []
    for time, bag in reports_of_pyoxigraph(CITY / f"q09-{name}.rq").items():
        for subject, predicate, level in bag:
            value = ox.Literal(level, datatype=ox.NamedNode(INTEGER))
            triple = ox.Triple(ox.NamedNode(subject[1:-1]), ox.NamedNode(predicate[1:-1]), value)
            found.append((_milliseconds(time), triple))
    return found


def _cell(text: str) -> Value:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d+\.\d+", text) else text


@cache
def _clauses(path: Path) -> StreamQuery:
    return read_clauses(path.read_text(encoding="utf-8"))


def _milliseconds(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1_000


def _iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds // 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
