"""Results of queries in the formats of the W3C: rows and yes or no as JSON, XML, CSV and TSV, graphs as RDF."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QueryResultsFormat, RdfFormat, Triple, parse_query_results
from pyoxigraph import serialize as serialize_graph

from lasing.connectors.rdf.terms import term_of_value
from lasing.errors import fault
from lasing.logic.results import Row
from lasing.logic.values import Value, datatypes

ROWS: dict[str, QueryResultsFormat] = {
    "csv": QueryResultsFormat.CSV,
    "tsv": QueryResultsFormat.TSV,
    "json": QueryResultsFormat.JSON,
    "xml": QueryResultsFormat.XML,
}
GRAPHS: dict[str, RdfFormat] = {
    "turtle": RdfFormat.TURTLE,
    "ntriples": RdfFormat.N_TRIPLES,
    "nquads": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "jsonld": RdfFormat.JSON_LD,
    "rdfxml": RdfFormat.RDF_XML,
}


def json_term(value: Value) -> dict[str, str]:
    """A value in the JSON of SPARQL's results.

    >>> json_term(5)
    {'type': 'literal', 'value': '5', 'datatype': 'http://www.w3.org/2001/XMLSchema#integer'}
    """
    term = term_of_value(value)
    match term:
        case NamedNode():
            return {"type": "uri", "value": term.value}
        case BlankNode():
            return {"type": "bnode", "value": term.value}
        case Literal() if term.language is not None:
            return {"type": "literal", "value": term.value, "xml:lang": term.language}
        case _:
            more = {} if term.datatype.value == datatypes.STRING else {"datatype": term.datatype.value}
            return {"type": "literal", "value": term.value, **more}


def json_row(columns: Sequence[str], row: Row) -> dict[str, dict[str, str]]:
    """A row in the JSON of SPARQL's results; a column without a value is left out."""
    return {name: json_term(value) for name, value in zip(columns, row, strict=True) if value is not None}


def rows_text(columns: Sequence[str], rows: Iterable[Row], form: str) -> str:
    """Rows in one of the formats for rows."""
    if form == "csv":
        return _csv(columns, rows)
    bindings = [json_row(columns, row) for row in rows]
    return _text({"head": {"vars": list(columns)}, "results": {"bindings": bindings}}, form)


def _csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """CSV as the W3C has it: terms without marks, so that an IRI looks like a text. Lines end as in our other files."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow("" if value is None else _plain(value) for value in row)
    return out.getvalue()


def _plain(value: Value) -> str:
    term = term_of_value(value)
    return str(term) if isinstance(term, BlankNode) else term.value


def truth_text(holds: bool, form: str) -> str:
    """Yes or no in one of the formats for rows."""
    return _text({"head": {}, "boolean": holds}, form)


def _text(result: dict[str, Any], form: str) -> str:
    if form == "json":
        return _json_by_line(result)
    written = parse_query_results(json.dumps(result), QueryResultsFormat.JSON).serialize(format=ROWS[form])
    assert written is not None, "it is written to memory"
    return written.decode().removesuffix("\n") + "\n"


def _json_by_line(result: dict[str, Any]) -> str:
    """JSON with a line for each row."""
    written = json.dumps({name: part for name, part in result.items() if name != "results"}, ensure_ascii=False)
    if "results" not in result:
        return written + "\n"
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in result["results"]["bindings"])
    lines = f"[\n{rows}\n]" if rows else "[]"
    return f'{written[:-1]}, "results": {{"bindings": {lines}}}}}\n'


def graph_text(triples: Iterable[Row], form: str, prefixes: Mapping[str, str]) -> str:
    """Triples in one of the formats for graphs."""
    found = [_triple(row) for row in triples]
    quads = form in ("nquads", "trig", "jsonld")
    made: list[Any] = [Quad(t.subject, t.predicate, t.object) for t in found] if quads else list(found)
    written = serialize_graph(made, format=GRAPHS[form], prefixes=_valid(prefixes))
    assert written is not None, "it is written to memory"
    return written.decode().removesuffix("\n") + "\n" if written else ""


def _valid(prefixes: Mapping[str, str]) -> dict[str, str]:
    """The prefixes with an absolute IRI: a relative one has lost what it is relative to."""
    return {name: iri for name, iri in prefixes.items() if ":" in iri}


def _triple(row: Row) -> Triple:
    subject, predicate, value = (term_of_value(v) for v in row if v is not None)
    if isinstance(subject, Literal) or not isinstance(predicate, NamedNode):
        raise fault("E516", f"{subject} {predicate} {value} is not a triple")
    return Triple(subject, predicate, value)
