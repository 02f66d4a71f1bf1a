"""Graphs and datasets of rdflib, as quads of pyoxigraph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad

_DEFAULT = "urn:x-rdflib:default"


def quads_of(source: Any) -> Iterator[Quad]:
    """The triples of a graph, or the quads of a dataset. Blank nodes keep their labels."""
    if not hasattr(source, "quads"):
        return (Quad(_term(s), _term(p), _term(o)) for s, p, o in source)
    return (Quad(_term(s), _term(p), _term(o), _graph(g)) for s, p, o, g in source.quads())


def _graph(name: Any) -> Any:
    name = getattr(name, "identifier", name)
    return DefaultGraph() if name is None or str(name) == _DEFAULT else _term(name)


def _term(term: Any) -> Any:
    match type(term).__name__:
        case "URIRef":
            return NamedNode(str(term))
        case "BNode":
            return BlankNode(str(term))
    if term.language is not None:
        return Literal(str(term), language=term.language)
    return Literal(str(term)) if term.datatype is None else Literal(str(term), datatype=NamedNode(str(term.datatype)))
