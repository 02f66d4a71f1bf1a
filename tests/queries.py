"""Runs SPARQL queries on small graphs, and compares what they answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pyoxigraph as ox

import lasing
from lasing.background import with_background
from lasing.connectors.rdf.terms import term_of_value, value_of_term
from lasing.errors import LasingError, SourceText
from lasing.languages.rspql.lower import lower
from lasing.logic.checks import MISTAKES, findings
from lasing.logic.functions.promotion import ranked
from lasing.logic.program import Program
from lasing.logic.results import rows_of, shown_columns
from lasing.logic.tables import FactTable
from lasing.logic.values import Iri, datatypes

Term = ox.NamedNode | ox.BlankNode | ox.Literal
Triple = tuple[Term, Term, Term]
Row = tuple[Term | None, ...]
Engine = Literal["auto", "local", "reference"]


@dataclass(frozen=True)
class Data:
    """The default graph and the named graphs that a query reads."""

    default: tuple[Triple, ...] = ()
    named: Mapping[str, tuple[Triple, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Data:
        """From TriG."""
        found: dict[str, list[Triple]] = {}
        for quad in ox.parse(text, format=ox.RdfFormat.TRIG):
            name = "" if isinstance(quad.graph_name, ox.DefaultGraph) else quad.graph_name.value
            found.setdefault(name, []).append(_terms(quad))
        return cls(tuple(found.pop("", ())), {name: tuple(triples) for name, triples in found.items()})

    def tables(self) -> list[FactTable]:
        """The data as background facts."""
        quads = [(*_values(triple), Iri(name)) for name, triples in self.named.items() for triple in triples]
        return [
            FactTable.of("triple", map(_values, self.default), 3),
            FactTable.of("quad", quads, 4),
            FactTable.of("graph", [(Iri(name),) for name in self.named], 1),
        ]

    def store(self) -> ox.Store:
        """The data in pyoxigraph's store."""
        store = ox.Store()
        store.extend(ox.Quad(*triple) for triple in self.default)  # type: ignore[arg-type]
        for name, triples in self.named.items():
            store.add_graph(ox.NamedNode(name))
            store.extend(ox.Quad(*triple, ox.NamedNode(name)) for triple in triples)  # type: ignore[arg-type]
        return store


def _terms(triple: ox.Quad | ox.Triple) -> Triple:
    subject, predicate, value = triple.subject, triple.predicate, triple.object
    assert not isinstance(subject, ox.Triple), "RDF 1.1 has no triple terms"
    assert not isinstance(value, ox.Triple), "RDF 1.1 has no triple terms"
    return subject, predicate, value


def _values(triple: Triple) -> tuple[lasing.Value, ...]:
    return tuple(map(value_of_term, triple))


@dataclass(frozen=True)
class Solutions:
    """The answer of a SELECT query: rows, in order, in which None is a missing value."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Graph:
    """The answer of a CONSTRUCT or DESCRIBE query."""

    triples: tuple[Triple, ...]


Answer = bool | Solutions | Graph


def lowered(text: str, path: Path | None = None) -> Program:
    """The program of a query."""
    program, mistakes = lower([SourceText("query", text, path)], {})
    if mistakes:
        raise LasingError(mistakes)
    if unsound := findings(program, MISTAKES):
        raise AssertionError(f"the rules of this query have mistakes: {LasingError(unsound)}")
    return program


def answered(
    text: str, data: Data, engine: Engine = "auto", path: Path | None = None, entail: str | None = None
) -> Answer:
    """What lasing answers to a query."""
    program = lowered(text, path)
    assert program.outputs is not None, "a query has an output"
    (output,) = program.outputs
    known = with_background(program, data.tables())
    (answer,) = lasing.run(known, None, start=0, end=0, engine=engine, entail=entail)
    atoms = [atom for atom in answer.atoms if atom.predicate == output.predicate]
    match output.form:
        case "truth":
            return bool(atoms)
        case "graph":
            return Graph(tuple(_three(tuple(map(term_of_value, atom.values))) for atom in atoms))
    rows = (tuple(None if v is None else term_of_value(v) for v in row) for row in rows_of(output, atoms))
    return Solutions(shown_columns(output), tuple(rows))


def _three(terms: tuple[Term, ...]) -> Triple:
    subject, predicate, value = terms
    return subject, predicate, value


def oracle(text: str, data: Data) -> Answer:
    """What pyoxigraph answers to a query."""
    return read_answer(data.store().query(text))


def read_answer(found: ox.QueryBoolean | ox.QuerySolutions | ox.QueryTriples) -> Answer:
    """pyoxigraph's results as an answer."""
    match found:
        case ox.QueryBoolean():
            return bool(found)
        case ox.QueryTriples():
            return Graph(tuple(map(_terms, found)))
    variables = found.variables
    rows = (tuple(solution[variable] for variable in variables) for solution in found)
    return Solutions(tuple(variable.value for variable in variables), tuple(rows))


def parsed_answer(path: Path) -> Answer:
    """The answer in a file of results."""
    found = ox.parse_query_results(path=str(path))
    return read_answer(found)


# -- comparison -------------------------------------------------------------------------------------------------------

_BOOLEANS = {"1": "true", "0": "false"}


def comparable(term: Term | None) -> Term | None:
    """A term that is equal to another if they are the same, or the same number of the same datatype.

    >>> comparable(ox.Literal("01.50", datatype=ox.NamedNode(datatypes.DECIMAL))).value
    '1.5'
    """
    if not isinstance(term, ox.Literal):
        return term
    if term.datatype.value == datatypes.BOOLEAN:
        return ox.Literal(_BOOLEANS.get(term.value, term.value), datatype=term.datatype)
    number = None if term.language is not None else ranked(value_of_term(term))
    return term if number is None else ox.Literal(f"{float(number[1]):.15g}", datatype=term.datatype)


def canonical(answer: Answer) -> object:
    """What two answers have in common if they are the same bag of rows, or set of triples, but for blank nodes."""
    match answer:
        case Solutions(columns, rows):
            quads: list[ox.Quad] = []
            for row in rows:
                node = ox.BlankNode()
                quads.append(ox.Quad(node, ox.NamedNode("urn:a"), ox.NamedNode("urn:row")))
                cells = zip(columns, map(comparable, row), strict=True)
                quads += [ox.Quad(node, ox.NamedNode(f"urn:v:{c}"), term) for c, term in cells if term is not None]
            return sorted(columns), _without_labels(quads)
        case Graph(triples):
            return _without_labels(ox.Quad(s, p, comparable(o)) for s, p, o in triples)  # type: ignore[arg-type]
        case _:
            return answer


def _without_labels(quads: Iterable[ox.Quad]) -> list[str]:
    found = ox.Dataset(quads)
    found.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return sorted(map(str, found))
