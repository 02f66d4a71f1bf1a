"""Arrow tables, Parquet files, and every data frame that speaks the Arrow C stream interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lasing.connectors.files import Progress, unreadable
from lasing.connectors.rows import Row
from lasing.connectors.tables import Columns, RowMaker
from lasing.errors import Place, fault
from lasing.timeline.ticks import Tick


def is_frame(thing: object) -> bool:
    """Whether a thing can be read as an Arrow table."""
    return hasattr(thing, "__arrow_c_stream__")


def read_frame(frame: Any, columns: Columns, tick: Tick | None = None, ordered: bool = True) -> Iterator[Row]:
    """The rows of a data frame."""
    import pyarrow as pa

    if not is_frame(frame):
        note = "pandas, Polars, DuckDB, Arrow tables and others that have __arrow_c_stream__ are"
        raise fault("E510", f"{type(frame).__name__} is not a table", note=note)
    reader = pa.RecordBatchReader.from_stream(frame)
    return _rows(reader, reader.schema.names, f"the {type(frame).__name__}", columns, tick, ordered)


def read_parquet(
    path: Path,
    columns: Columns,
    tick: Tick | None = None,
    ordered: bool = True,
    progress: Progress | None = None,
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

    return _rows(batches(), file.schema_arrow.names, str(path), columns, tick, ordered)


def _rows(
    batches: Iterable[Any], header: list[str], name: str, columns: Columns, tick: Tick | None, ordered: bool
) -> Iterator[Row]:
    maker = RowMaker(name, columns, tick, ordered)
    maker.check(header)
    number = 0
    for batch in batches:
        for record in batch.to_pylist():
            number += 1
            yield maker.row(record, Place(name, number, 1))
