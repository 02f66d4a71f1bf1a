"""The W3C's tests of RDF 1.1 entailment: simple, RDF and RDFS, with recognised datatypes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lasing import run
from lasing.entailment import entailed, regime_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Output, Program
from lasing.logic.values import BlankNode, Iri, Value
from lasing.logic.values.spaces import data_value, datatype_of, is_literal
from tests.suites.finding import suite

pyoxigraph = pytest.importorskip("pyoxigraph", reason="reading RDF needs pyoxigraph")

from lasing.connectors.rdf.background import tables_of  # noqa: E402 - it needs pyoxigraph
from lasing.connectors.rdf.endings import rdf_ending  # noqa: E402
from lasing.connectors.rdf.files import FORMATS  # noqa: E402

MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"

Triple = tuple[Value, Value, Value]
Graph = frozenset[Triple]

FOLDER = suite("w3c/rdf-mt")


def graph(path: Path) -> Graph:
    found = pyoxigraph.parse(path=str(path), format=FORMATS[rdf_ending(path)], base_iri=path.as_uri())
    return frozenset(row for table in tables_of(found) for row in table.rows())  # type: ignore[misc]  # of three


class Manifest:
    """The tests of a manifest, in its order."""

    def __init__(self, path: Path) -> None:
        self.folder = path.parent
        self._objects: dict[tuple[Value, str], Value] = {}
        for s, p, o in graph(path):
            assert isinstance(p, Iri)
            self._objects[s, p.iri] = o
        self.tests = [
            test for test in self._list(self._objects[Iri(path.as_uri()), f"{MF}entries"]) if isinstance(test, Iri)
        ]

    def get(self, test: Value, name: str) -> Value:
        return self._objects[test, f"{MF}{name}"]

    def datatypes(self, test: Value) -> frozenset[str]:
        return frozenset(one.iri for one in self._list(self.get(test, "recognizedDatatypes")) if isinstance(one, Iri))

    def is_positive(self, test: Value) -> bool:
        kind = self._objects[test, f"{RDF}type"]
        assert isinstance(kind, Iri)
        return kind.iri == f"{MF}PositiveEntailmentTest"

    def file(self, test: Value, name: str) -> Graph | None:
        """The graph of a file; None for `false`, an inconsistency."""
        named = self.get(test, name)
        return graph(Path(named.iri.removeprefix("file://"))) if isinstance(named, Iri) else None

    def _list(self, cell: Value) -> Iterator[Value]:
        while (cell, f"{RDF}first") in self._objects:
            yield self._objects[cell, f"{RDF}first"]
            cell = self._objects[cell, f"{RDF}rest"]


def closure(given: Graph, regime: str, recognised: frozenset[str], engine: str) -> tuple[Graph, bool]:
    """All triples that hold, and whether they are inconsistent."""
    background = tuple(Atom("triple", triple) for triple in given)
    program = Program((), background, outputs=(Output.unnamed("triple", 3),))
    (answer,) = run(entailed(program, regime_of(regime, recognised)), start=0, end=0, engine=engine)  # type: ignore[arg-type]
    held: set[Triple] = set(given)
    for atom in (*answer.atoms, *regime_of(regime).axioms):
        if atom.predicate == "triple":
            s, p, o = atom.values
            held.add((s, p, o))
    return frozenset(held), any(atom.predicate == "inconsistent" for atom in answer.atoms)


def follows(wanted: Graph, held: Graph) -> bool:
    """Simple entailment: the blank nodes of `wanted` can be mapped to terms such that all its triples are held."""

    def match(rest: list[Triple], bound: Mapping[Value, Value]) -> bool:
        if not rest:
            return True
        first, *others = rest
        for candidate in held:
            extended = dict(bound)
            if all(
                extended.setdefault(term, value) == value if isinstance(term, BlankNode) else term == value
                for term, value in zip(first, candidate, strict=True)
            ) and match(others, extended):
                return True
        return False

    return match(sorted(wanted, key=lambda triple: sum(isinstance(term, BlankNode) for term in triple)), {})


def in_canonical_form(given: Graph, recognised: frozenset[str]) -> Graph:
    """The triples, with one literal for all that have the same value."""

    def form(value: Value) -> Value:
        if not is_literal(value) or datatype_of(value) not in recognised:  # type: ignore[arg-type]
            return value
        found = data_value(value)  # type: ignore[arg-type]
        return value if found is None or found.datatype not in recognised else found.literal

    return frozenset((form(s), form(p), form(o)) for s, p, o in given)


def _tests() -> list[object]:
    if FOLDER is None:
        reason = "the suite is not beside the checkout, and LASING_SUITES does not name its folder"
        return [pytest.param(None, None, marks=pytest.mark.skip(reason=reason), id="rdf-mt")]
    manifest = Manifest(FOLDER / "manifest.ttl")
    return [pytest.param(manifest, test, id=test.iri.partition("#")[2]) for test in manifest.tests]


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(("manifest", "test"), _tests())
def test_entailment(manifest: Manifest, test: Iri, engine: str) -> None:
    regime, recognised = str(manifest.get(test, "entailmentRegime")).lower(), manifest.datatypes(test)
    given, wanted = manifest.file(test, "action"), manifest.file(test, "result")
    assert given is not None
    held, inconsistent = closure(given, regime, recognised, engine)
    if wanted is None:
        assert inconsistent == manifest.is_positive(test)
        return
    holds = inconsistent or follows(in_canonical_form(wanted, recognised), held)
    assert holds == manifest.is_positive(test)


@pytest.mark.skipif(FOLDER is None, reason="there is no suite")
def test_the_whole_manifest_is_read() -> None:
    assert FOLDER is not None
    assert len(Manifest(FOLDER / "manifest.ttl").tests) == 48
