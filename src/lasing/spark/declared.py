"""Columns of results that have the type that a query declares, made of columns of terms."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from lasing.connectors.arrow import values_of_terms
from lasing.logic.values import ExactDecimal, Instant, Truth, Value

_ARROW = {
    "integer": pa.int64(),
    "double": pa.float64(),
    "text": pa.string(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", "UTC"),
}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def as_declared(column: Any, known: str, declared: str) -> Any:
    """An Arrow column of one type as one of another; one that is `mixed` has terms, and nulls."""
    if known == declared:
        return column
    sizes = _DECIMAL.fullmatch(declared)
    wanted = _ARROW[declared] if sizes is None else pa.decimal128(int(sizes[1]), int(sizes[2]))
    if known != "mixed" and sizes is None:
        return column.cast(wanted, safe=False)
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = chunk.dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    values = values_of_terms(distinct, "a result") if known == "mixed" else distinct
    places = None if sizes is None else int(sizes[2])
    plain = [_plain(value, places) for value in values]
    if declared == "text":
        plain = [None if value is None else str(value) for value in plain]
    return pa.array(plain, wanted).take(encoded.indices)


def _plain(value: Value | None, places: int | None) -> Any:
    match value:
        case Truth():
            return value.holds
        case Instant():
            return _EPOCH + timedelta(microseconds=value.microseconds)
        case ExactDecimal():
            return value.number if places is None else value.number.quantize(Decimal(1).scaleb(-places))
        case int() | float() if places is not None:
            return Decimal(repr(value)).quantize(Decimal(1).scaleb(-places))
        case None | int() | float() | str():
            return value
        case _:
            return str(value)


def plain_text(column: Any) -> Any:
    """What the terms in a Spark column write, without the quotes and datatypes of literals."""
    from pyspark.sql import functions as f

    inside = f.regexp_extract(column, r'(?s)^"(.*)"(?:\^\^<[^>]*>)?$', 1)
    backslash = f.lit("\0")
    for written, meant in ((f.lit("\\\\"), backslash), (f.lit('\\"'), f.lit('"')), (f.lit("\\n"), f.lit("\n"))):
        inside = f.replace(inside, written, meant)
    inside = f.replace(inside, backslash, f.lit("\\"))
    return f.when(column.startswith('"'), inside).otherwise(column)
