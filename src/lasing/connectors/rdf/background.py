"""Graphs as background: a triple is the fact `triple(S,P,O)`, in a named graph `quad(S,P,O,G)`."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyoxigraph import DefaultGraph, Quad, Triple

from lasing.connectors.files import OnBytesRead
from lasing.connectors.rdf.blanks import Blanks, scope_of
from lasing.connectors.rdf.files import quads
from lasing.connectors.rdf.terms import value_of_term
from lasing.errors import LasingError, fault
from lasing.logic.tables import FactTable
from lasing.logic.values import BlankNode, Value

TRIPLE, QUAD = "triple", "quad"


def read_graphs(path: Path, progress: OnBytesRead | None = None, triple: str = TRIPLE) -> tuple[FactTable, ...]:
    """The graphs of a file. Its blank nodes are its own, and have the same labels whenever it is read."""
    try:
        return tables_of(quads(path, progress), Blanks(scope_of(str(path))), triple)
    except LasingError as error:
        d = error.diagnostics[0]
        if d.code != "E506":  # the others say where
            raise
        raise fault(d.code, f"{path}: {d.message}", note=d.note) from None


def tables_of(found: Iterable[Quad | Triple], blank: Any = BlankNode, triple: str = TRIPLE) -> tuple[FactTable, ...]:
    """The facts of triples and quads. Each distinct term becomes a value once."""
    values: list[Value] = []
    numbers: dict[Any, int] = {}
    number = numbers.get
    subjects, predicates, objects = array("i"), array("i"), array("i")
    named = array("i"), array("i"), array("i"), array("i")

    def new(term: Any) -> int:
        values.append(value_of_term(term, blank))
        numbers[term] = place = len(numbers)
        return place

    term: Any
    for one in found:
        term = one.subject
        i = number(term)
        i = new(term) if i is None else i
        term = one.predicate
        j = number(term)
        j = new(term) if j is None else j
        term = one.object
        k = number(term)
        k = new(term) if k is None else k
        graph = one.graph_name if isinstance(one, Quad) else None
        if graph is None or type(graph) is DefaultGraph:
            subjects.append(i)
            predicates.append(j)
            objects.append(k)
            continue
        g = number(graph)
        for column, place in zip(named, (i, j, k, new(graph) if g is None else g), strict=True):
            column.append(place)
    tables = [FactTable(triple, values, (subjects, predicates, objects)), FactTable(QUAD, values, named)]
    return tuple(table for table in tables if len(table) or table.predicate == triple)
