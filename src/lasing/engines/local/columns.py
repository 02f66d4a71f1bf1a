"""Arrow columns to codes and back, with a Python object only for each distinct value, not for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.connectors.arrow import EXACT, column_of
from lasing.connectors.batches import Chosen, Mixed, Terms
from lasing.engines.local.dictionary import Codes, Dictionary
from lasing.engines.local.execute import PROVISIONAL
from lasing.engines.local.memory import FOREVER
from lasing.engines.local.values import NAMES, SMALL, TERMS, WIDES
from lasing.logic.values import Value

NEVER = np.iinfo(np.int64).max
"""In a column of expiry times: the atom holds forever. If it is provisional, the column is null."""


def encode(dictionary: Dictionary, column: Any, value_of: Callable[[object], Value]) -> Codes:
    """The codes of a column; `value_of` turns a Python value into a value, or rejects it."""
    if isinstance(column, Terms | Chosen | Mixed):
        return _codes_of_parts(dictionary, column, value_of)
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_integer(chunk.type) and chunk.null_count == 0 and not pa.types.is_uint64(chunk.type):
        codes: Codes = chunk.cast(pa.int64()).to_numpy(zero_copy_only=False)
        if not len(codes) or (codes.min() > -SMALL and codes.max() < SMALL):
            return codes
    if pa.types.is_string(chunk.type) and chunk.null_count == 0:
        return dictionary.strings.codes(chunk, dictionary.codes)
    if pa.types.is_floating(chunk.type) and chunk.null_count == 0:
        numbers = chunk.cast(pa.float64()).to_numpy(zero_copy_only=False)
        if np.isfinite(numbers).all():
            return dictionary.doubles(numbers)
    return _by_value(chunk, lambda values: dictionary.codes(map(value_of, values)), value_of)


def _codes_of_parts(
    dictionary: Dictionary, column: Terms | Chosen | Mixed, value_of: Callable[[object], Value]
) -> Codes:
    if isinstance(column, Terms):
        return dictionary.column(column.values)
    if isinstance(column, Chosen):
        values, numbers = column.used()
        taken: Codes = np.array(dictionary.codes(values), np.int64)[numbers]
        return taken
    codes: Codes = np.empty(len(column), np.int64)
    for where, values in column.parts:
        codes[where] = encode(dictionary, values, value_of)
    return codes


def encode_times(column: Any, time_point: Callable[[object], int]) -> Codes:
    """The time points of an Arrow column."""
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_integer(chunk.type) and chunk.null_count == 0 and not pa.types.is_uint64(chunk.type):
        times: Codes = chunk.cast(pa.int64()).to_numpy(zero_copy_only=False)
        for time in (times.min(), times.max()) if len(times) else ():
            time_point(int(time))
        return times
    return _by_value(chunk, lambda values: list(map(time_point, values)), time_point)


def _by_value(chunk: Any, codes: Callable[[list[Any]], list[int]], refuse: Callable[[object], object]) -> Codes:
    """The codes of a column, found from those of its distinct values; a missing value is passed to `refuse`."""
    if not pa.types.is_dictionary(chunk.type):
        try:
            chunk = chunk.dictionary_encode()
        except pa.ArrowNotImplementedError:  # a column of lists, which are not values, or similar
            return np.array(codes(chunk.to_pylist()), np.int64)
    if chunk.indices.null_count:
        refuse(None)
    distinct = np.array(codes(chunk.dictionary.to_pylist()), np.int64)
    taken: Codes = distinct[chunk.indices.to_numpy(zero_copy_only=False)]
    return taken


def check(column: Any, value_of: Callable[[object], Value]) -> None:
    """Reject what `encode` would reject."""
    if isinstance(column, Terms | Chosen | Mixed):
        return  # its values are known already
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_string(chunk.type) and not chunk.null_count:
        try:
            chunk.validate(full=True)
        except pa.ArrowInvalid:
            chunk.to_pylist()  # this raises an error that says which byte is not UTF-8
            raise
    elif chunk.null_count or not pa.types.is_integer(chunk.type):
        _by_value(chunk, lambda values: [0 for _ in map(value_of, values)], value_of)


def decode(dictionary: Dictionary, codes: Codes) -> tuple[Any, bool]:
    """An Arrow column of the values: whole numbers, numbers, or text; and whether it has terms (see `column_of`)."""
    most = int(codes.max()) if len(codes) else 0
    if most < NAMES:
        return pa.array(codes), False
    if most < TERMS and codes.min() >= NAMES:
        return dictionary.arrow_names(codes, most), False
    if not ((codes >= NAMES) & (codes < WIDES)).any():
        integers, doubles = dictionary.numbers(codes)
        if not doubles.any():
            return pa.array(integers), False
        if ((integers >= -EXACT) & (integers <= EXACT) | doubles).all():
            return pa.array(np.where(doubles, integers.view(np.float64), integers)), False
    distinct, places = np.unique(codes, return_inverse=True)
    column, terms = column_of(dictionary.values(distinct))
    return column.take(pa.array(places)), terms


def decode_expiry(until: Codes) -> Any:
    """An Arrow column of times up to which rows are guaranteed; null if they are provisional."""
    return pa.array(np.where(until >= FOREVER, NEVER, until), mask=until == PROVISIONAL)
