"""The W3C's manifests of tests: what is asked, of which data, and what the answer is."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

import pyoxigraph as ox

from tests.queries import Answer, Data, Graph, Row, Solutions, Term, Triple, parsed_answer

MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
SD = "http://www.w3.org/ns/sparql-service-description#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def suites() -> Path:
    """The folder of the suites: that of the variable LASING_SUITES, or `shared/suites` beside the checkout."""
    given = os.environ.get("LASING_SUITES")
    found = Path(given) if given else Path(__file__).resolve().parents[3] / "shared" / "suites"
    return found.resolve()  # the IRIs of its files are those of the files themselves


@dataclass(frozen=True)
class Case:
    """A test of a manifest. `kind` is the name of its type."""

    name: str
    kind: str
    query: Path
    data: tuple[Path, ...] = ()
    named: tuple[Path, ...] = ()
    result: Path | None = None
    regimes: frozenset[str] = frozenset()
    """The entailment regimes under which the answer is the same, by their names: RDF, RDFS, OWL-Direct, …"""

    @property
    def text(self) -> str:
        return self.query.read_text(encoding="utf-8")

    def dataset(self) -> Data:
        """The data of the test. A named graph has the IRI of its file."""
        default = tuple(triple for path in self.data for triple in graph_in(path))
        return Data(default, {path.as_uri(): graph_in(path) for path in self.named})

    def expected(self) -> Answer:
        """The answer that the test asks for."""
        assert self.result is not None, "a test of a query has a result"
        match self.result.suffix:
            case ".csv":
                return _from_csv(self.result)
            case ".ttl" | ".rdf":
                return _from_graph(graph_in(self.result))
            case _:
                return parsed_answer(self.result)


def graph_in(path: Path) -> tuple[Triple, ...]:
    """The triples of a file."""
    found = ox.parse(path=str(path), base_iri=path.as_uri())
    return tuple((quad.subject, quad.predicate, quad.object) for quad in found)


def _from_csv(path: Path) -> Solutions:
    """A table whose cells are plain texts: CSV says nothing about datatypes."""
    with path.open(encoding="utf-8", newline="") as file:
        columns, *rows = csv.reader(file)
    return Solutions(tuple(columns), tuple(tuple(_cell(text) for text in row) for row in rows))


def _cell(text: str) -> Term | None:
    if text.startswith("_:"):
        return ox.BlankNode(text[2:])
    return ox.Literal(text) if text else None


def as_csv(answer: Solutions) -> Solutions:
    """An answer as CSV shows it."""

    def cell(term: Term | None) -> Term | None:
        if term is None or isinstance(term, ox.BlankNode):
            return term
        return ox.Literal(term.value) if term.value else None

    return Solutions(answer.columns, tuple(tuple(map(cell, row)) for row in answer.rows))


def _from_graph(triples: tuple[Triple, ...]) -> Answer:
    """A graph, or the table that it describes in the vocabulary of result sets."""
    graph = _Graph(triples)
    tables = graph.subjects(f"{RDF}type", ox.NamedNode(f"{RS}ResultSet"))
    if not tables:
        return Graph(triples)
    (table,) = tables
    columns = tuple(column.value for column in graph.values(table, f"{RS}resultVariable"))
    solutions = graph.values(table, f"{RS}solution")
    solutions.sort(key=lambda solution: [int(place.value) for place in graph.values(solution, f"{RS}index")])
    rows: list[Row] = []
    for solution in solutions:
        bindings = graph.values(solution, f"{RS}binding")
        row = {graph.value(b, f"{RS}variable").value: graph.value(b, f"{RS}value") for b in bindings}
        rows.append(tuple(row.get(column) for column in columns))
    return Solutions(columns, tuple(rows))


class _Graph:
    """Triples, to look up."""

    def __init__(self, triples: tuple[Triple, ...]) -> None:
        self._triples = triples

    def subjects(self, predicate: str, value: Term) -> list[Term]:
        return [s for s, p, o in self._triples if p.value == predicate and o == value]

    def values(self, subject: Term, predicate: str) -> list[Term]:
        return [o for s, p, o in self._triples if s == subject and p.value == predicate]

    def value(self, subject: Term, predicate: str) -> Term:
        (found,) = self.values(subject, predicate)
        return found

    def members(self, first: Term) -> Iterator[Term]:
        """The members of a list."""
        while first != ox.NamedNode(f"{RDF}nil"):
            yield self.value(first, f"{RDF}first")
            first = self.value(first, f"{RDF}rest")


def cases_in(manifest: Path) -> Iterator[Case]:
    """The tests of a manifest, in its order."""
    triples = graph_in(manifest)
    graph = _Graph(triples)
    for _, predicate, entries in triples:
        if predicate.value == f"{MF}entries":
            for test in graph.members(entries):
                yield _case(graph, test, manifest.parent.name)


def _case(graph: _Graph, test: Term, folder: str) -> Case:
    def files(subject: Term, predicate: str) -> tuple[Path, ...]:
        return tuple(Path(unquote(urlparse(iri.value).path)) for iri in graph.values(subject, predicate))

    name = f"{folder}/{test.value.rpartition('#')[2]}"
    kind = graph.value(test, f"{RDF}type").value.rpartition("#")[2]
    action = graph.value(test, f"{MF}action")
    if isinstance(action, ox.NamedNode):
        (query,) = files(test, f"{MF}action")
        return Case(name, kind, query)
    (query,), (result,) = files(action, f"{QT}query"), files(test, f"{MF}result")
    regimes = frozenset(regime.value.rpartition("/")[2] for regime in _regimes(graph, action))
    return Case(name, kind, query, files(action, f"{QT}data"), files(action, f"{QT}graphData"), result, regimes)


def _regimes(graph: _Graph, action: Term) -> Iterator[Term]:
    """The entailment regimes of a test: one, or a list."""
    for found in graph.values(action, f"{SD}entailmentRegime"):
        yield from (found,) if isinstance(found, ox.NamedNode) else graph.members(found)
