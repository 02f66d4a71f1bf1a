"""Spark's DataFrames as RDF streams: their rows become triples, through a mapping, where the rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from lasing.connectors.arrow import values_of_terms
from lasing.connectors.rdf.blanks import Blanks
from lasing.connectors.rdf.mapping import TripleMapping
from lasing.connectors.rows import value_of
from lasing.connectors.spark_rows import ARRIVAL, BAD, file_arrival, quoted, refused
from lasing.connectors.spark_terms import marked, marked_columns
from lasing.connectors.tables import TIME
from lasing.errors import LasingError, fault, similar
from lasing.logic.values import Value, mixed_text

SUBJECT, PREDICATE, OBJECT = TRIPLE_COLUMNS = ("subject", "predicate", "object")


def mapped_frame(
    frame: Any, mapping: TripleMapping, time: str = TIME, name: str = "the DataFrame", kept: Sequence[str] = ()
) -> Any:
    """The triples of all rows: a DataFrame with the columns time, subject, predicate and object. The last three have
    terms. `kept` are further columns of the rows that triples should have; `name` is for messages.

    Blank nodes belong to their row: rows that differ in their time or in a cell have different ones. If the rows have a
    column that says which of them are bad, the triples have it too: a bad row is a row without a triple.
    """
    from pyspark.sql import functions as f

    when, cells, types = mapping.time or time, mapping.columns, dict(frame.dtypes)
    for column in (when, *cells):
        if column not in types:
            note = similar(column, types) or f"it has {', '.join(types)}"
            raise fault("E505", f"{name} has no column {column}, which {mapping.name} uses", note=note)
    arrival = None if kept or not frame.isStreaming else file_arrival(frame)
    says_bad = BAD in types
    more = [f.col(quoted(column)) for column in kept] + ([] if arrival is None else [arrival])
    more += [f.col(quoted(BAD))] if says_bad else []
    rows = frame.select(
        f.col(quoted(when)).alias(TIME),
        *more,
        *(f.col(quoted(column)).alias(f"cell{i}") for i, column in enumerate(cells)),
    )
    terms = frozenset(cells.index(column) for column in marked_columns(frame) if column in cells)
    stay = [(TIME, types[when]), *((column, types[column]) for column in kept)]
    stay += [] if arrival is None else [(ARRIVAL, "string")]
    stay += [(BAD, "string")] if says_bad else []
    schema = ", ".join(f"{quoted(column)} {kind}" for column, kind in stay)
    made = rows.mapInArrow(
        triple_maker(mapping, len(stay), terms, name, says_bad),
        f"{schema}, " + ", ".join(f"{c} string" for c in TRIPLE_COLUMNS),
    )
    return marked(made, TRIPLE_COLUMNS)


def triple_maker(
    mapping: TripleMapping, stay: int, terms: frozenset[int], name: str, says_bad: bool = False
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """For `mapInArrow`: the triples of rows. The first `stay` columns stay, the first of them is the time, and the
    others are the cells of the mapping; those at the positions `terms` are terms. If the last column that stays
    `says_bad`, it gets what the mapping refuses as well."""
    columns = mapping.columns
    with_blanks = any("_:" in template.text for template in mapping.templates)

    def make(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            bad: dict[int, str] = {}
            if says_bad:
                bad = {i: text for i, text in enumerate(batch.column(stay - 1).to_pylist()) if text is not None}
            read = _cells_one_by_one if says_bad else _cells
            cells = [read(batch.column(stay + i), column, i in terms) for i, column in enumerate(columns)]
            times = batch.column(0).to_pylist()
            rows: list[int] = []
            parts: tuple[list[str | None], list[str | None], list[str | None]] = ([], [], [])

            def triples(number: int, values: Sequence[Any], times: Sequence[Any] = times) -> list[Any]:
                for value in values:
                    if isinstance(value, LasingError):
                        raise value
                blank = Blanks(_scope(times[number], tuple(values)) if with_blanks else "")
                where = f"a row of {name} at {times[number]}"
                return list(mapping.triples(dict(zip(columns, values, strict=True)), blank, where))

            for number, values in enumerate(zip(*cells, strict=True) if cells else ((),) * batch.num_rows):
                made: list[Any] = []
                try:
                    made = [(None, None, None)] if number in bad else triples(number, values)
                except LasingError as error:
                    if not says_bad:
                        raise
                    shown = {"time": str(times[number]), **dict(zip(columns, map(str, values), strict=True))}
                    bad[number] = refused(shown, error.diagnostics[0].code, error.diagnostics[0].message)
                    made = [(None, None, None)]
                for triple in made:
                    rows.append(number)
                    for part, value in zip(parts, triple, strict=True):
                        part.append(None if value is None else mixed_text(value))
            kept = [batch.column(i).take(pa.array(rows, pa.int64())) for i in range(stay)]
            if says_bad:
                kept[-1] = pa.array([bad.get(number) for number in rows], pa.string())
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


def _cells_one_by_one(column: Any, name: str, terms: bool) -> list[Value | LasingError | None]:
    """The same, with the error instead of a cell that cannot be read."""
    try:
        return list(_cells(column, name, terms))
    except LasingError:
        pass
    found: list[Value | LasingError | None] = []
    for number in range(len(column)):
        try:
            found += _cells(column.slice(number, 1), name, terms)
        except LasingError as error:
            found.append(error)
    return found


def _scope(time: object, values: tuple[Value | None, ...]) -> str:
    """A text that begins the labels of a row's blank nodes. It is the same if the row is read again."""
    written = repr((str(time), [None if value is None else mixed_text(value) for value in values]))
    return f"r{blake2b(written.encode(), digest_size=8).hexdigest()}"
