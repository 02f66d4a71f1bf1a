"""Spark's DataFrames as RDF streams: their rows become triples, through a mapping, where the rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from lasing.connectors.arrow import values_of_terms
from lasing.connectors.rdf.blanks import Blanks
from lasing.connectors.rdf.mapping import TripleMapping
from lasing.connectors.rows import value_of
from lasing.connectors.spark_rows import ARRIVAL, file_arrival, quoted
from lasing.connectors.spark_terms import marked, marked_columns
from lasing.connectors.tables import TIME
from lasing.errors import fault, similar
from lasing.logic.values import Value, mixed_text

SUBJECT, PREDICATE, OBJECT = TRIPLE_COLUMNS = ("subject", "predicate", "object")


def mapped_frame(
    frame: Any, mapping: TripleMapping, time: str = TIME, name: str = "the DataFrame", kept: Sequence[str] = ()
) -> Any:
    """The triples of all rows: a DataFrame with the columns time, subject, predicate and object. The last three have
    terms. `kept` are further columns of the rows that triples should have; `name` is for messages.

    Blank nodes belong to their row: rows that differ in their time or in a cell have different ones.
    """
    from pyspark.sql import functions as f

    when, cells, types = mapping.time or time, mapping.columns, dict(frame.dtypes)
    for column in (when, *cells):
        if column not in types:
            note = similar(column, types) or f"it has {', '.join(types)}"
            raise fault("E505", f"{name} has no column {column}, which {mapping.name} uses", note=note)
    arrival = None if kept or not frame.isStreaming else file_arrival(frame)
    more = [f.col(quoted(column)) for column in kept] + ([] if arrival is None else [arrival])
    rows = frame.select(
        f.col(quoted(when)).alias(TIME),
        *more,
        *(f.col(quoted(column)).alias(f"cell{i}") for i, column in enumerate(cells)),
    )
    terms = frozenset(cells.index(column) for column in marked_columns(frame) if column in cells)
    stay = [(TIME, types[when]), *((column, types[column]) for column in kept)]
    stay += [] if arrival is None else [(ARRIVAL, "string")]
    schema = ", ".join(f"{quoted(column)} {kind}" for column, kind in stay)
    made = rows.mapInArrow(
        triple_maker(mapping, len(stay), terms, name), f"{schema}, " + ", ".join(f"{c} string" for c in TRIPLE_COLUMNS)
    )
    return marked(made, TRIPLE_COLUMNS)


def triple_maker(
    mapping: TripleMapping, stay: int, terms: frozenset[int], name: str
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """For `mapInArrow`: the triples of rows. The first `stay` columns stay, the first of them is the time, and the
    others are the cells of the mapping; those at the positions `terms` are terms."""
    columns = mapping.columns
    with_blanks = any("_:" in template.text for template in mapping.templates)

    def make(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            cells = [_cells(batch.column(stay + i), column, i in terms) for i, column in enumerate(columns)]
            times = batch.column(0).to_pylist()
            rows: list[int] = []
            parts: tuple[list[str], list[str], list[str]] = ([], [], [])
            for number, values in enumerate(zip(*cells, strict=True) if cells else ((),) * batch.num_rows):
                blank = Blanks(_scope(times[number], values) if with_blanks else "")
                where = f"a row of {name} at {times[number]}"
                for triple in mapping.triples(dict(zip(columns, values, strict=True)), blank, where):
                    rows.append(number)
                    for part, value in zip(parts, triple, strict=True):
                        part.append(mixed_text(value))
            kept = [batch.column(i).take(pa.array(rows, pa.int64())) for i in range(stay)]
            names = [*batch.schema.names[:stay], *TRIPLE_COLUMNS]
            yield pa.RecordBatch.from_arrays([*kept, *(pa.array(part, pa.string()) for part in parts)], names=names)

    return make


def _cells(column: Any, name: str, terms: bool) -> list[Value | None]:
    """The cells of a column; None for a missing one. Timestamps are in UTC, wherever they are read."""
    import pyarrow as pa

    if terms:
        return values_of_terms(column.to_pylist(), name)
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        column = column.cast(pa.timestamp("us", "UTC"))
    what = f"the value of {name}"
    return [None if cell is None else value_of(cell, what=what) for cell in column.to_pylist()]


def _scope(time: object, values: tuple[Value | None, ...]) -> str:
    """A text that begins the labels of a row's blank nodes. It is the same if the row is read again."""
    written = repr((str(time), [None if value is None else mixed_text(value) for value in values]))
    return f"r{blake2b(written.encode(), digest_size=8).hexdigest()}"
