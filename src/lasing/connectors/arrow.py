"""Arrow tables, Parquet files, and every data frame that speaks the Arrow C stream interface."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lasing.connectors.files import Progress, unreadable
from lasing.connectors.rows import Arity, Row
from lasing.connectors.tables import Columns, RowMaker
from lasing.errors import Place, fault
from lasing.logic.terms import Value, mixed_text, value_from_text
from lasing.timeline.ticks import Tick


def is_frame(thing: object) -> bool:
    """Whether a thing can be read as an Arrow table."""
    return hasattr(thing, "__arrow_c_stream__")


EXACT = 2**53
"""Up to this, a double has every integer."""

AS_TERMS = {b"lasing": b"terms"}
"""The metadata of a column whose values are text as `mixed_text` writes it, and `value_from_text` reads it."""


def column_of(values: Sequence[Value | None]) -> tuple[Any, bool]:
    """An Arrow column of constants: whole numbers, numbers, or text; and whether it has terms.

    Numbers beside names are text as well, and so are whole numbers beyond 2^53 beside others. The column then has
    terms: a name that looks like a number is in quotes, so that 1 and "1" differ.

    >>> column, terms = column_of([1, "1", "one"])
    >>> column.to_pylist(), terms
    (['1', '"1"', 'one'], True)
    """
    import pyarrow as pa

    kinds = set(map(type, values)) - {type(None)}
    if kinds == {int}:
        return pa.array(values, pa.int64()), False
    if kinds <= {str}:
        return pa.array(values, pa.string()), False
    if kinds <= {int, float} and all(abs(value) <= EXACT for value in values if isinstance(value, int)):
        return pa.array([None if value is None else float(value) for value in values], pa.float64()), False
    return pa.array([None if value is None else mixed_text(value) for value in values], pa.string()), True


def table_with(leading: Mapping[str, Any], others: Mapping[str, tuple[Any, bool]]) -> Any:
    """An Arrow table of some columns, and of others that `column_of` has made; what has terms has AS_TERMS with it."""
    import pyarrow as pa

    table = pa.table({**leading, **{name: column for name, (column, _) in others.items()}})
    for name, (_, terms) in others.items():
        if terms:
            place = table.column_names.index(name)
            table = table.set_column(place, table.schema.field(place).with_metadata(AS_TERMS), table.column(place))
    return table


def names_as_they_are(table: Any) -> Any:
    """A table in which columns of numbers and names are plain text: 1 and "1" are then the same."""
    import pyarrow as pa

    for i, kind in enumerate(table.schema):
        if kind.metadata == AS_TERMS:
            encoded = table.column(i).combine_chunks().dictionary_encode()
            words = pa.array([str(value_from_text(text)) for text in encoded.dictionary.to_pylist()], pa.string())
            table = table.set_column(i, kind.name, words.take(encoded.indices))
    return table


def read_frame(
    frame: Any, columns: Columns, tick: Tick | None = None, ordered: bool = True, arity: Arity | None = None
) -> Iterator[Row]:
    """The rows of a data frame."""
    import pyarrow as pa

    if not is_frame(frame):
        note = "pandas, Polars, DuckDB, Arrow tables and others that have __arrow_c_stream__ are"
        raise fault("E510", f"{type(frame).__name__} is not a table", note=note)
    name = f"the {type(frame).__name__}"
    try:
        reader = pa.RecordBatchReader.from_stream(frame)
    except (pa.ArrowException, ValueError, TypeError) as error:
        note = "a column has one type: numbers, text or times"
        raise fault("E510", f"{name} cannot be read as a table: {error}", note=note) from None
    index = _pandas_index(reader.schema)
    header = [column for column in reader.schema.names if column not in index]
    batches = (batch.select(header) if index else batch for batch in reader)
    return _rows(batches, header, RowMaker(name, columns, tick, ordered, arity))


def table_of(frame: Any, what: str) -> Any:
    """A data frame as an Arrow table, without the index of a pandas frame; `what` says whose it is."""
    import pyarrow as pa

    if not is_frame(frame):
        note = "pandas, Polars, DuckDB, Arrow tables and others that have __arrow_c_stream__ are"
        raise fault("E510", f"{what}: {type(frame).__name__} is not a table", note=note)
    try:
        table = pa.table(frame)
    except (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError) as error:
        note = "a column has one type: numbers, text or times"
        raise fault(
            "E510", f"{what}: the {type(frame).__name__} cannot be read as a table: {error}", note=note
        ) from None
    index, names = _pandas_index(table.schema), table.column_names
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise fault("E505", f"{what}: there are two columns {twice}")
    return table.select([name for name in table.column_names if name not in index])


def _pandas_index(schema: Any) -> list[str]:
    """The columns that are only the index of a pandas frame."""
    metadata = (schema.metadata or {}).get(b"pandas")
    stored = json.loads(metadata).get("index_columns", []) if metadata else []
    return [name for name in stored if isinstance(name, str)]


def read_parquet(
    path: Path,
    columns: Columns,
    tick: Tick | None = None,
    ordered: bool = True,
    progress: Progress | None = None,
    arity: Arity | None = None,
) -> Iterator[Row]:
    """The rows of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except OSError as error:
        raise unreadable(path, error) from None
    except pa.ArrowInvalid:
        raise fault("E501", f"{path} is not a Parquet file") from None
    share = path.stat().st_size / max(1, file.metadata.num_rows)

    def batches() -> Iterator[Any]:
        for batch in file.iter_batches():
            if progress:
                progress(int(batch.num_rows * share))
            yield batch

    return _rows(batches(), file.schema_arrow.names, RowMaker(str(path), columns, tick, ordered, arity))


def _rows(batches: Iterable[Any], header: list[str], maker: RowMaker) -> Iterator[Row]:
    maker.check(header)
    number = 0
    for batch in batches:
        for record in batch.to_pylist():
            number += 1
            yield maker.row(record, Place(maker.name, number, 1))
