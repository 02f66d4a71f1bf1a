"""Arrow tables, Parquet files, and every data frame that has the Arrow C stream interface."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lasing.connectors.files import OnBytesRead, unreadable
from lasing.connectors.missing import Gaps
from lasing.connectors.rows import Arity
from lasing.connectors.tables import Columns, RowMaker
from lasing.errors import LasingError, Place, fault
from lasing.logic.program import Fact
from lasing.logic.values import Undefined, Value, is_number, mixed_text, value_from_text
from lasing.timeline.ticks import Tick


def is_frame(thing: object) -> bool:
    """Whether a thing can be read as an Arrow table."""
    return hasattr(thing, "__arrow_c_stream__") or _is_lazy(thing)


EXACT = 2**53
"""A double can hold every integer up to this."""

AS_TERMS = {b"lasing": b"terms"}
"""The metadata of a column of text that `mixed_text` writes and `value_from_text` reads."""


def has_terms(field: Any) -> bool:
    """Whether the texts of a column represent values of any kind."""
    return (field.metadata or {}).get(b"lasing") == b"terms"


def values_of_terms(texts: Sequence[str | None], name: str) -> list[Value | None]:
    """The values of texts in a column that has terms; `name` is for messages."""
    found: list[Value | None] = []
    for text in texts:
        try:
            found.append(None if text is None else value_from_text(text))
        except (Undefined, ValueError):
            raise fault("E506", f"the value of {name} is beyond 64 bits: {str(text)[:60]}") from None
    return found


def column_of(values: Sequence[Value | None]) -> tuple[Any, bool]:
    """An Arrow column of values: whole numbers, numbers, or text; and whether it has terms.

    If numbers and names are mixed, all are text, and so are whole numbers beyond 2^53 mixed with doubles, and values of
    other kinds. The column then has terms: a name that looks like another value is in quotes, so that 1 and "1" differ.

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
        return pa.array([float(value) if is_number(value) else None for value in values], pa.float64()), False
    return pa.array([None if value is None else mixed_text(value) for value in values], pa.string()), True


def table_with(leading: Mapping[str, Any], others: Mapping[str, tuple[Any, bool]]) -> Any:
    """An Arrow table of some columns and of others made by `column_of`; those with terms get AS_TERMS as metadata."""
    import pyarrow as pa

    table = pa.table({**leading, **{name: column for name, (column, _) in others.items()}})
    for name, (_, terms) in others.items():
        if terms:
            place = table.column_names.index(name)
            table = table.set_column(place, table.schema.field(place).with_metadata(AS_TERMS), table.column(place))
    return table


def names_as_they_are(table: Any) -> Any:
    """A table in which columns of numbers and names are plain text: 1 and "1" are then equal."""
    import pyarrow as pa

    for i, kind in enumerate(table.schema):
        if has_terms(kind):
            encoded = table.column(i).combine_chunks().dictionary_encode()
            words = pa.array([str(value_from_text(text)) for text in encoded.dictionary.to_pylist()], pa.string())
            table = table.set_column(i, kind.name, words.take(encoded.indices))
    return table


def _is_lazy(thing: object) -> bool:
    """Whether a thing is a lazy frame of Polars, which must be collected to get its rows."""
    return type(thing).__name__ == "LazyFrame" and callable(getattr(thing, "collect", None))


def collected(frame: Any) -> Any:
    """A data frame that can be read; a lazy frame is collected first."""
    return frame.collect() if _is_lazy(frame) else frame


class ArrowSource:
    """Record batches with their columns; `name` is for messages."""

    def __init__(self, name: str, header: list[str], batches: Iterator[Any]) -> None:
        self.name = name
        self.header = header
        self.batches = batches


def frame_source(frame: Any) -> ArrowSource:
    """The record batches of a data frame, without the index of a pandas frame."""
    import pyarrow as pa

    if not is_frame(frame):
        note = "tables are those of pandas, Polars, DuckDB and Arrow, and others that have __arrow_c_stream__"
        raise fault("E510", f"{type(frame).__name__} is not a table", note=note)
    name = f"the {type(frame).__name__}"
    try:
        reader = pa.RecordBatchReader.from_stream(collected(frame))
    except (pa.ArrowException, ValueError, TypeError) as error:
        note = "a column has one type: numbers, text or times"
        raise fault("E510", f"{name} cannot be read as a table: {error}", note=note) from None
    index = _pandas_index(reader.schema)
    header = [column for column in reader.schema.names if column not in index]

    def batches() -> Iterator[Any]:
        while True:
            try:
                batch = next(reader, None)
            except (pa.ArrowException, OSError) as error:
                raise fault("E510", f"{name} cannot be read to its end: {error}") from None
            if batch is None:
                return
            yield batch.select(header) if index else batch

    return ArrowSource(name, header, batches())


def read_frame(
    frame: Any,
    columns: Columns,
    tick: Tick | None = None,
    ordered: bool = True,
    arity: Arity | None = None,
    gaps: Gaps | None = None,
) -> Iterator[Fact]:
    """The rows of a data frame."""
    source = frame_source(frame)
    return _rows(source, RowMaker(source.name, columns, tick, ordered, arity, gaps or Gaps()))


def table_of(frame: Any, what: str) -> Any:
    """A data frame as an Arrow table, without the index of a pandas frame; `what` names it in messages."""
    import pyarrow as pa

    if not is_frame(frame):
        note = "tables are those of pandas, Polars, DuckDB and Arrow, and others that have __arrow_c_stream__"
        raise fault("E510", f"{what}: {type(frame).__name__} is not a table", note=note)
    try:
        table = pa.table(collected(frame))
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


_ROWS = 2**16


def parquet_source(path: Path, progress: OnBytesRead | None = None, columns: list[str] | None = None) -> ArrowSource:
    """The record batches of a Parquet file, with all columns or the named ones."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        names = list(file.schema_arrow.names)
        share = path.stat().st_size / max(1, file.metadata.num_rows)
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise unreadable(path, error) from None
        raise damaged(path, error) from None
    chosen = None if columns is None or any("." in name for name in names) else columns  # a dot means a nested column

    def batches() -> Iterator[Any]:
        reader = file.iter_batches(_ROWS, columns=chosen)
        while True:
            try:
                batch = next(reader, None)
                if batch is None:
                    return
                batch.validate(full=True)
            except (*_DAMAGE, pa.ArrowException) as error:
                raise damaged(path, error) from None
            if progress:
                progress(int(batch.num_rows * share))
            yield batch

    return ArrowSource(str(path), names, batches())


_DAMAGE = (OSError, ValueError, TypeError, KeyError, IndexError, OverflowError, NotImplementedError, MemoryError)
"""What Arrow raises if the bytes of a file are damaged; this includes its own exceptions."""


def damaged(path: Path, error: BaseException) -> LasingError:
    """The error for a file that is not Parquet, or is damaged."""
    reason = " ".join(str(error).split())
    note = f"Arrow says: {reason[:200]}" if reason else ""
    return fault("E501", f"{path} is not a Parquet file, or is damaged", note=note)


def read_parquet(
    path: Path,
    columns: Columns,
    tick: Tick | None = None,
    ordered: bool = True,
    progress: OnBytesRead | None = None,
    arity: Arity | None = None,
    gaps: Gaps | None = None,
) -> Iterator[Fact]:
    """The rows of a Parquet file."""
    source = parquet_source(path, progress)
    return _rows(source, RowMaker(str(path), columns, tick, ordered, arity, gaps or Gaps()))


def _rows(source: ArrowSource, maker: RowMaker) -> Iterator[Fact]:
    maker.check(source.header)
    number = 0
    for batch in source.batches:
        yield from rows_of(batch, maker, number)
        number += batch.num_rows


def rows_of(batch: Any, maker: RowMaker, number: int) -> Iterator[Fact]:
    """The rows of a record batch; `number` rows came before it."""
    bad = maker.gaps.bad
    for i, record in enumerate(_records(batch), number + 1):
        try:
            place = Place(maker.name, i, 1)
            row = maker.row(_readable(record, place), place)
        except LasingError as error:
            shown = {name: f"({value})" if isinstance(value, _Unreadable) else value for name, value in record.items()}
            bad.take(error, Place(maker.name, i, 1, str(shown)))
            continue
        if row and not bad.stopping:
            yield row
    bad.stop()


class _Unreadable(Exception):  # noqa: N818 -- a value, until its row is read
    """In place of a cell that Python cannot represent: the reason."""


def _readable(record: dict[str, object], place: Place) -> dict[str, object]:
    """The record, if all its cells can be read."""
    for column, value in record.items():
        if isinstance(value, _Unreadable):
            raise fault("E506", f"the value of {column} cannot be read: {value}", replace(place, cell=column))
    return record


def _records(batch: Any) -> Iterator[dict[str, object]]:
    """The rows of a record batch as dictionaries."""
    terms = [field.name for field in batch.schema if has_terms(field)]
    try:
        records = batch.to_pylist()
        for column in terms:
            for record, value in zip(records, values_of_terms(batch[column].to_pylist(), column), strict=True):
                record[column] = value
        yield from records
        return
    except (ValueError, OverflowError, TypeError, LasingError):  # Python cannot represent some value: find it
        pass
    for i in range(batch.num_rows):
        record = {}
        for column in batch.schema.names:
            try:
                found = batch[column][i].as_py()
                record[column] = values_of_terms([found], column)[0] if column in terms else found
            except LasingError as error:
                record[column] = _Unreadable(error.diagnostics[0].message)
            except (ValueError, OverflowError, TypeError) as error:
                record[column] = _Unreadable(str(error))
        yield record
