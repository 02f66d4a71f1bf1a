"""Columns of terms in Spark's DataFrames: the metadata of a column says that its texts represent values of any kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lasing.connectors.arrow import AS_TERMS

MARK = {key.decode(): value.decode() for key, value in AS_TERMS.items()}
"""The metadata of a column of terms, as Spark has it."""


def is_spark_frame(thing: object) -> bool:
    """Whether a thing is a DataFrame of Spark."""
    return hasattr(thing, "isStreaming") and hasattr(thing, "mapInArrow")


def marked_columns(frame: Any) -> frozenset[str]:
    """The columns of a DataFrame that are marked as terms."""
    return frozenset(field.name for field in frame.schema if field.metadata.items() >= MARK.items())


def marked(frame: Any, columns: Iterable[str]) -> Any:
    """The DataFrame with some columns marked as terms."""
    for name in columns:
        frame = frame.withMetadata(name, MARK)
    return frame
