"""Triples with times, as facts in columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lasing.errors import LasingError
from lasing.logic.values import Value

if TYPE_CHECKING:
    from lasing.connectors.batches import Batch  # this loads Arrow, so only when needed

Timed = tuple[int, Value, Value, Value]
"""A triple, after its time point."""


def timed_batches(found: Iterator[Timed], predicate: str) -> Iterator[Batch]:
    """Triples as facts in columns. If reading fails, the triples before that come first, and then the error."""
    from lasing.connectors.batches import ROWS

    chunk: list[Timed] = []
    try:
        for timed in found:
            chunk.append(timed)
            if len(chunk) == ROWS:
                yield _batch(chunk, predicate)
                chunk = []
    except LasingError:
        if chunk:
            yield _batch(chunk, predicate)
        raise
    if chunk:
        yield _batch(chunk, predicate)


def _batch(chunk: list[Timed], predicate: str) -> Batch:
    import numpy as np

    from lasing.connectors.batches import Batch, Part, column_of

    times, *columns = zip(*chunk, strict=True)
    args: tuple[Any, ...] = tuple(column_of(column) for column in columns)
    return Batch(np.array(times, np.int64), (Part(predicate, args),))
