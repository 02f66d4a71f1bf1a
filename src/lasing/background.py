"""Background that is given beside a program: files of facts, RDF graphs, tables."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lasing.connectors.files import OnBytesRead, read_text
from lasing.connectors.lookups import LOOKUPS, read_lookup
from lasing.connectors.rdf.endings import GRAPHS, need_library, rdf_ending
from lasing.errors import LasingError, SourceText, fault
from lasing.languages import ENDINGS, is_program, read_program
from lasing.logic.checks import findings
from lasing.logic.checks.arity import arity
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.tables import FactTable
from lasing.logic.values import Iri, is_name

_NAMED = re.compile(r"(?P<predicate>[^=()/\\]+)=(?P<path>.+)", re.DOTALL)
_GRAPHS = "a graph of rdflib, pyoxigraph or lasing.rdf.graph"
_NOTE = f"background is a file that ends in {' '.join((*GRAPHS, *ENDINGS))}, or {_GRAPHS}"


def with_background(program: Program, data: Any, progress: OnBytesRead | None = None) -> Program:
    """The program with more background: a file, a graph, a table, or several of these; None is nothing.

    The triples of an RDF file are facts of `triple`, or of NAME if the file is given as `NAME=FILE`; those in named
    graphs are facts of `quad`. A program's file must have nothing but background facts.
    """
    atoms: list[Atom] = []
    tables: list[FactTable] = []
    for one in _each(data):
        match one:
            case FactTable():
                tables.append(one)
            case Atom():
                atoms.append(one)
            case str() | Path():
                found, more = _read(one, program, progress)
                atoms += found
                tables += more
            case _ if hasattr(one, "fact_tables"):
                tables += one.fact_tables()
            case _ if _is_graph(one):
                tables += _tables_of(one)
            case _:
                raise fault("E510", f"a {type(one).__name__} is not background", note=_NOTE)
    if not atoms and not tables:
        return program
    every = tuple(dict.fromkeys((*program.background, *atoms)))
    added = replace(program, background=every, tables=(*program.tables, *tables))
    if mistakes := findings(added, (arity,)):
        raise LasingError(mistakes)
    return added


def files_of(data: Any) -> list[Path]:
    """The files that background comes from, as far as it names any.

    >>> [str(path) for path in files_of(["city.ttl", "static=rooms.ttl"])]
    ['city.ttl', 'rooms.ttl']
    """
    if not isinstance(data, str | Path | list | tuple):
        return []  # what is iterated over may be there only once
    return [_named(one)[1] for one in _each(data) if isinstance(one, str | Path)]


def _each(data: Any) -> Iterator[Any]:
    if data is None:
        return
    is_one = isinstance(data, str | Path | FactTable | Atom) or hasattr(data, "fact_tables") or _is_graph(data)
    yield from data if isinstance(data, Iterable) and not is_one else (data,)


def _is_graph(data: Any) -> bool:
    """Whether it is a graph, dataset or store of rdflib or pyoxigraph."""
    return type(data).__module__.split(".")[0] in ("rdflib", "pyoxigraph") and isinstance(data, Iterable)


def _tables_of(graph: Any) -> tuple[FactTable, ...]:
    need_library("pyoxigraph", "graphs need it")
    from lasing.connectors.rdf.background import tables_of  # here, because it loads pyoxigraph
    from lasing.connectors.rdf.rdflib_graphs import quads_of

    return tables_of(quads_of(graph) if type(graph).__module__.startswith("rdflib") else graph)


def named_graph(
    iri: Iri, source: Any, progress: OnBytesRead | None = None
) -> tuple[tuple[Atom, ...], tuple[FactTable, ...]]:
    """A file or a graph under a name: its triples are facts of `quad`, and its name is one of `graph`.

    Graphs in it that have names of their own keep them.
    """
    read = with_background(Program(), source, progress)
    tables = [*read.tables, FactTable.of("triple", [a.values for a in read.background if a.predicate == "triple"], 3)]
    return (Atom("graph", (iri,)),), tuple(_renamed(t, iri) if t.predicate == "triple" else t for t in tables if len(t))


def _renamed(table: FactTable, iri: Iri) -> FactTable:
    name = array("i", [len(table.values)]) * len(table)
    return FactTable("quad", [*table.values, iri], (*table.columns, name))


def _named(given: str | Path) -> tuple[str | None, Path]:
    """A file, and the predicate of `NAME=FILE`."""
    found = _NAMED.fullmatch(given) if isinstance(given, str) and not os.path.exists(given) else None
    return (None, Path(given)) if found is None else (found["predicate"].strip(), Path(found["path"]))


def _read(
    given: str | Path, program: Program, progress: OnBytesRead | None
) -> tuple[tuple[Atom, ...], tuple[FactTable, ...]]:
    named, path = _named(given)
    if rdf_ending(path):
        need_library("pyoxigraph", f"reading {path} needs it")
        from lasing.connectors.rdf.background import TRIPLE, read_graphs  # here, because it loads pyoxigraph

        predicate = TRIPLE if named is None else named
        if not is_name(predicate):
            raise fault("E509", f"{predicate!r} is not a predicate's name", note="such as: static=city.ttl")
        return (), read_graphs(path, progress, predicate)
    if path.suffix.lower() in LOOKUPS:
        predicate = path.stem if named is None else named
        known = next((s for s in program.lookups if s.predicate == predicate.lower()), None)
        if known is None:
            names = ", ".join(s.predicate for s in program.lookups)
            note = f"it has {names}; name one: {names.split(',')[0]}={path}" if names else _NOTE
            raise fault("E511", f"{given}: the program has no table {predicate}", note=note)
        others = (fact.values for fact in program.background if fact.predicate == known.predicate)
        return (), (read_lookup(path, known, program.nulls, others),)
    if named is not None or not is_program(str(path)):
        raise fault("E511", f"{given}: which format is this?", note=_NOTE)
    found = read_program([SourceText(str(path), read_text(path), path)])
    if found.rules or found.data:
        raise fault("E510", f"{path} has more than background facts", note="give it as a program")
    return found.background, found.tables
