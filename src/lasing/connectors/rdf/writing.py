"""Answers as RDF streams: the atoms of a time point are a graph, and each atom is a triple."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from pyoxigraph import BlankNode as BlankTerm
from pyoxigraph import Literal, NamedNode

from lasing.connectors.rdf.clock import PROV
from lasing.connectors.rdf.terms import Written, term_of_value
from lasing.connectors.sinks import Record, TextWriter, Time
from lasing.errors import fault
from lasing.logic.formulas import Atom
from lasing.logic.values import datatypes

Triple = tuple[Written, NamedNode, Written]


def write_rdf(batches: Iterable[Any], out: TextWriter, form: str) -> None:
    """Write answers as graphs; each time point is flushed as soon as it is known."""
    write = {"ntriples": _ntriples, "nquads": _nquads, "trig": _trig, "jsonld": _jsonld}[form]
    for batch in batches:
        for time, records in groupby(batch, key=_time):
            triples = [_triple(record.atom) for record in records if record.atom is not None]
            if triples:
                out.write("".join(write(time, triples)))
        out.flush()


def _time(record: Record) -> Time:
    time = record.fields["time"]
    assert time is not None, "an answer has a time"
    return time


def _triple(atom: Atom) -> Triple:
    note = "print only triples, such as: --show triple/3"
    if len(atom.args) != 3:
        raise fault("E516", f"{atom} is not a triple: it has {len(atom.args)} arguments", note=note)
    subject, predicate, value = map(term_of_value, atom.values)
    if isinstance(subject, Literal):
        raise fault("E516", f"{atom} is not a triple: its subject is a literal", note=note)
    if not isinstance(predicate, NamedNode):
        raise fault("E516", f"{atom} is not a triple: its predicate is not an IRI", note=note)
    return subject, predicate, value


def _stamp(time: Time) -> Literal:
    if isinstance(time, int):
        return Literal(str(time), datatype=NamedNode(datatypes.INTEGER))
    return Literal(str(time), datatype=NamedNode(datatypes.DATE_TIME))


def _graph(time: Time) -> NamedNode:
    return NamedNode(f"urn:lasing:at:{time}")


def _ntriples(time: Time, triples: list[Triple]) -> Iterator[str]:
    stamp = time if isinstance(time, int) else _stamp(time)
    return (f"{s} {p} {o} {stamp} .\n" for s, p, o in triples)


def _nquads(time: Time, triples: list[Triple]) -> Iterator[str]:
    graph = _graph(time)
    yield f"{graph} <{PROV}> {_stamp(time)} .\n"
    yield from (f"{s} {p} {o} {graph} .\n" for s, p, o in triples)


def _trig(time: Time, triples: list[Triple]) -> Iterator[str]:
    graph = _graph(time)
    yield f"{graph} <{PROV}> {_stamp(time)} .\n{graph} {{\n"
    yield from (f"  {s} {p} {o} .\n" for s, p, o in triples)
    yield "}\n"


def _jsonld(time: Time, triples: list[Triple]) -> Iterator[str]:
    nodes: dict[str, dict[str, Any]] = {}
    for s, p, o in triples:
        node = nodes.setdefault(_name(s), {"@id": _name(s)})
        node.setdefault(p.value, []).append(_json(o))
    yield json.dumps({"time": time, "@graph": list(nodes.values())}, ensure_ascii=False) + "\n"


def _name(term: Written) -> str:
    return str(term) if isinstance(term, BlankTerm) else term.value


def _json(term: Written) -> dict[str, str]:
    if not isinstance(term, Literal):
        return {"@id": _name(term)}
    if term.language is not None:
        return {"@value": term.value, "@language": term.language}
    return {"@value": term.value, "@type": term.datatype.value}
