"""The graphs that a query names itself: FROM and FROM NAMED.

A file is read if it lies in the folder of the query, or below it, or if `--data` names it too. Any other name means
data that is given beside the query: `--data` fills the default graph, and the named graphs of TriG and N-Quads have
their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from lasing.errors import LasingError, SourceText
from lasing.languages.rspql.graphs import GRAPH, QUAD, TRIPLE
from lasing.languages.rspql.mistakes import Mistake
from lasing.logic.tables import FactTable
from lasing.logic.values import Iri


def loaded(clauses: Iterable[Any] | None, source: SourceText) -> Iterator[FactTable]:
    """The facts of the files that a query names."""
    for clause in clauses or ():
        named = clause.named is not None
        iri = str(clause.named if named else clause.default)
        path = _file(iri, source)
        if path is None:
            continue
        for table in _tables(path, source):
            if not named or table.predicate != TRIPLE:
                yield table
            else:
                yield FactTable.of(QUAD, ((*row, Iri(iri)) for row in table.rows()), 4)
        if named:
            yield FactTable.of(GRAPH, [(Iri(iri),)], 1)


def _tables(path: Path, source: SourceText) -> tuple[FactTable, ...]:
    """The facts of a file. A mistake that has no place of its own is one of the query, which names the file."""
    from lasing.connectors.rdf.background import read_graphs

    try:
        return read_graphs(path)
    except LasingError as error:
        found = source.text.find(path.name)
        place = None if found < 0 else source.place(found, len(path.name))
        raise LasingError([replace(d, place=d.place or place) for d in error.diagnostics]) from None


def _file(iri: str, source: SourceText) -> Path | None:
    """The file that an IRI names, if the query may read it."""
    parts = urlparse(iri)
    if parts.scheme != "file":
        return None
    path = Path(unquote(parts.path))
    if not source.may_read(path):
        note = "a query reads files in its own folder and below; give others with --data, or allow theirs with --allow"
        raise Mistake(f"the query may not read {path.name} in another folder", note, near=path.name, code="E704")
    return path
