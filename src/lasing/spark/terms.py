"""Columns of terms on Spark: their texts represent values of any kind, and their metadata says so (`lasing: terms`).

Among the facts that go to shards, such texts are canonical: equal values have equal texts, so that tables can be
sorted, grouped and compared without reading them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from lasing.connectors.arrow import AS_TERMS, values_of_terms
from lasing.logic.values import Value, mixed_text


def with_marks(table: Any, columns: Collection[str]) -> Any:
    """An Arrow table with some columns marked as terms. Spark's own Arrow tables have no marks."""
    fields = [field.with_metadata(AS_TERMS) if field.name in columns else field for field in table.schema]
    return table.cast(pa.schema(fields)) if columns else table


def canonical(column: Any, name: str) -> Any:
    """A column of terms, each in the canonical text of its value; `name` is for messages."""
    return _rewritten(column, name, mixed_text)


def plain(column: Any, name: str) -> Any:
    """A column of terms as text by which shards are found: a name that looks like another value loses its quotes."""
    return _rewritten(column, name, str)


def canonical_rows(shown: Mapping[int, str]) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """For `mapInArrow`: rows in which the columns at some positions become canonical; they have names for messages."""

    def rewrite(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            columns = [canonical(c, shown[i]) if i in shown else c for i, c in enumerate(batch.columns)]
            yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)

    return rewrite


def _rewritten(column: Any, name: str, text_of: Callable[[Value], str]) -> Any:
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = chunk.cast(pa.string()).dictionary_encode()
    values = values_of_terms(encoded.dictionary.to_pylist(), name)
    texts = [None if value is None else text_of(value) for value in values]
    return pa.array(texts, pa.string()).take(encoded.indices)
