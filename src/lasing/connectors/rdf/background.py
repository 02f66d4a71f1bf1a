"""Graphs as background: a triple is the fact `triple(S,P,O)`, in a named graph `quad(S,P,O,G)`."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from pyoxigraph import DefaultGraph, Quad, RdfFormat, Triple

from lasing.connectors.files import OnBytesRead, RawBlock, raw_blocks
from lasing.connectors.rdf.blanks import Blanks, scope_of
from lasing.connectors.rdf.endings import rdf_ending
from lasing.connectors.rdf.files import parsed, quads
from lasing.connectors.rdf.terms import value_of_term
from lasing.errors import LasingError, fault
from lasing.logic.tables import FactTable
from lasing.logic.values import BlankNode, Value

TRIPLE, QUAD = "triple", "quad"
_SIZE = 2**23


def read_graphs(path: Path, progress: OnBytesRead | None = None, triple: str = TRIPLE) -> tuple[FactTable, ...]:
    """The graphs of a file. Its blank nodes are its own, and have the same labels whenever it is read."""
    blank = Blanks(scope_of(str(path)))
    try:
        if rdf_ending(path) == ".nt":
            return (line_table(path, progress, triple, blank),)
        return tables_of(quads(path, progress), blank, triple)
    except LasingError as error:
        d = error.diagnostics[0]
        if d.code != "E506":  # the others say where
            raise
        raise fault(d.code, f"{path}: {d.message}", note=d.note) from None


def line_table(path: Path, progress: OnBytesRead | None, predicate: str, blank: Blanks) -> FactTable:
    """The triples of a file of N-Triples. A kernel reads lines of the common form, and pyoxigraph reads the others."""
    from lasing.connectors.rdf.columns import ScannedTriples, taken, values_of  # here, because it loads kernels

    values: list[Value] = []
    numbers: dict[bytes, int] = {}
    columns = array("i"), array("i"), array("i")

    def take(found: ScannedTriples) -> bool | None:
        places = [numbers.get(text, -1) for text in found.texts]
        new = [number for number, place in enumerate(places) if place < 0]
        terms = values_of(found, new, lambda _, label: blank(label))
        if terms is None:
            return None
        for number, term in zip(new, terms, strict=True):
            places[number] = numbers[found.texts[number]] = len(values)
            values.append(term)
        for position, column in enumerate(columns):
            column.frombytes(np.array(places, np.intc)[found.triples[:, position]].tobytes())
        return True

    for block in taken(raw_blocks(path, progress, _SIZE), False, take):
        if isinstance(block, RawBlock):
            for quad in parsed(block.raw, RdfFormat.N_TRIPLES, str(path), block.line):
                for column, term in zip(columns, (quad.subject, quad.predicate, quad.object), strict=True):
                    place = numbers.setdefault(str(term).encode(), len(values))
                    if place == len(values):
                        values.append(value_of_term(term, blank))
                    column.append(place)
    return FactTable(predicate, values, columns)


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
