"""RDF in Python: graphs as background or as streams, and mappings from tables to triples.

>>> import lasing
>>> static = lasing.rdf.graph("<http://ex.org/s1> <http://ex.org/room> <http://ex.org/r7> .", format="ttl")
>>> program = "hot(R) :- temp(S,V), V > 30, triple(S,<http://ex.org/room>,R)."
>>> for answer in lasing.run(program, "temp(<http://ex.org/s1>, 35) at 1.", data=static):
...     print(answer)
1: hot(<http://ex.org/r7>)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lasing.connectors.arrow import is_frame
from lasing.connectors.rdf.endings import GRAPHS, need_library, rdf_ending
from lasing.connectors.rdf.mapped import Mapped
from lasing.connectors.rdf.mapped_spark import mapped_frame
from lasing.connectors.rdf.mapping import TripleMapping, read_mapping
from lasing.connectors.sources import file_source, mapped
from lasing.connectors.spark_terms import is_spark_frame
from lasing.connectors.tables import TIME, Table
from lasing.errors import fault
from lasing.logic.tables import FactTable
from lasing.logic.values import BlankNode, Iri, Value, is_name

__all__ = ["Graph", "TripleMapping", "graph", "mapping", "triples"]

TRIPLE = "triple"


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph, or several: give it as `data=`, or as a stream with `at`."""

    tables: tuple[FactTable, ...]

    def fact_tables(self) -> tuple[FactTable, ...]:
        """Its facts, in columns."""
        return self.tables

    def __len__(self) -> int:
        return sum(map(len, self.tables))

    def at(self, time: Any) -> Iterator[tuple[Any, ...]]:
        """Its facts at a time, as rows of a stream."""
        return ((time, table.predicate, *row) for table in self.tables for row in table.rows())


def graph(source: Any, predicate: str = TRIPLE, format: str | None = None) -> Graph:  # noqa: A002 -- users know the word
    """A graph from a file, an rdflib graph or dataset, a pyoxigraph store or dataset, triples or quads of either, or a
    data frame with three columns; from text, if you name the `format`: ttl, nt, rdf, jsonld, trig, nq.

    A triple is a fact of the predicate; one in a named graph is a fact of `quad`. Blank nodes of a file or a text are
    its own; those of objects keep their labels. In a data frame, text such as `<http://ex.org/a>` or `_:a` is an IRI or
    a blank node.
    """
    if not is_name(predicate):
        raise fault("E509", f"{predicate!r} is not a predicate's name", note="such as: triple")
    if is_frame(source):
        return Graph((_of_frame(source, predicate),))
    need_library("pyoxigraph", "graphs need it")
    from lasing.connectors.rdf import background, blanks, files, rdflib_graphs

    if isinstance(source, str | bytes) and format is not None:
        ending = f".{format.lower().removeprefix('.')}"
        if ending not in files.FORMATS:
            raise fault("E511", f"there is no format {format}", note=f"formats are {' '.join(e[1:] for e in GRAPHS)}")
        text = source if isinstance(source, str) else source.decode()
        found = files.parsed(text, files.FORMATS[ending], "text")
        return Graph(background.tables_of(found, blanks.Blanks(blanks.scope_of(text)), predicate))
    if isinstance(source, str | Path):
        path = Path(source)
        if not rdf_ending(path):
            raise fault("E511", f"{path}: which format is this?", note=f"graphs end in {' '.join(GRAPHS)}")
        return Graph(background.read_graphs(path, triple=predicate))
    if not isinstance(source, Iterable):
        raise fault("E510", f"a {type(source).__name__} is not a graph", note="such as a file, or an rdflib graph")
    if type(source).__module__.startswith("rdflib"):
        source = rdflib_graphs.quads_of(source)
    try:
        return Graph(background.tables_of(source, triple=predicate))
    except AttributeError:
        note = "such as a file, an rdflib graph, or triples of pyoxigraph"
        raise fault(
            "E510", f"a {type(source).__name__} of other things than triples is not a graph", note=note
        ) from None


def _of_frame(frame: Any, predicate: str) -> FactTable:
    from lasing.connectors.arrow import has_terms, table_of, values_of_terms
    from lasing.connectors.rows import value_of

    table = table_of(frame, predicate)
    if table.num_columns not in (3, 4):
        raise fault("E505", f"a graph has 3 columns, not {table.num_columns}", note="subject, predicate, object")
    columns: list[list[Value]] = []
    for field in table.schema:
        cells = table[field.name].to_pylist()
        terms = values_of_terms(cells, field.name) if has_terms(field) else map(_term, cells)
        columns.append([value_of(cell, what=f"a value of {field.name}") for cell in terms])
    return FactTable.of(predicate if table.num_columns == 3 else "quad", zip(*columns, strict=True), table.num_columns)


_IRI = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]*:[^<>\"{}|^`\\\x00-\x20]*>")
_BLANK = re.compile(r"_:\w[\w.-]*")


def _term(cell: Any) -> Any:
    """A cell of a data frame; text such as `<http://ex.org/a>` and `_:a` is an IRI and a blank node."""
    if not isinstance(cell, str):
        return cell
    if _IRI.fullmatch(cell):
        return Iri(cell[1:-1])
    return BlankNode(cell[2:]) if _BLANK.fullmatch(cell) else cell


def mapping(source: str | Path) -> TripleMapping:
    """A mapping from the rows of a table to triples, from a file."""
    return read_mapping(Path(source))


def triples(table: Any, how: TripleMapping | str | Path, time: str = TIME, predicate: str | None = None) -> Any:
    """The rows of a table as a stream of triples: of a CSV, JSON lines or Parquet file, or of a data frame.

    The time column is the one that the mapping names, or `time`. For a DataFrame of Spark, the triples are a DataFrame
    with the columns time, subject, predicate and object, to which `lasing.spark.reason` can be applied.
    """
    known = how if isinstance(how, TripleMapping) else mapping(how)
    if is_spark_frame(table):
        return mapped_frame(table, known, time)
    source = file_source(str(table), time) if isinstance(table, str | Path) else Table(table, time=time)
    made = mapped(source, known)
    return Mapped(made.source, made.mapping, predicate or made.predicate)
