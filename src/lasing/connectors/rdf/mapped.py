"""Tables as RDF streams: the rows of any table, through a mapping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.rdf.blanks import Blanks, scope_of
from lasing.connectors.rdf.mapping import TripleMapping
from lasing.errors import LasingError, Place
from lasing.logic.program import Fact
from lasing.logic.values import Iri, Value

MISSING = Iri("lasing:missing")
"""In place of a missing cell, between the table and the mapping."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A table and the mapping that makes graphs of its rows; their triples are facts of the predicate.

    `source` is a file of rows or a `Table`, whose arguments are the columns of the mapping.
    """

    source: Any
    mapping: TripleMapping
    predicate: str | None = None


def mapped_triples(
    rows: Iterator[Fact], mapping: TripleMapping, name: str, bad: BadRows
) -> Iterator[tuple[int, Value, Value, Value]]:
    """The triples of all rows, each after its time point. Each row has blank nodes of its own.

    `bad` has counted the rows of the table as good; one that the mapping refuses is counted again, as bad.
    """
    scope, columns = scope_of(name), mapping.columns
    for number, (time, atom) in enumerate(rows, 1):
        values = (None if value == MISSING else value for value in atom.values)
        row = dict(zip(columns, values, strict=True))
        try:
            found = list(mapping.triples(row, Blanks(f"{scope}r{number}"), f"row {number} of {name}"))
        except LasingError as error:
            bad.rows -= 1
            bad.take(error, Place(name, number, 1, str(row)))
            continue
        if not bad.stopping:
            yield from ((time, s, p, o) for s, p, o in found)
    bad.stop()
