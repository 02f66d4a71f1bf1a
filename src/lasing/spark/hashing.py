"""Which shard a value belongs to: the same on every machine, in every run, whatever the type of its column.

1 and 1.0 are the same constant in the language, so they have the same hash; so do a date and its text.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import uint64

from lasing.compiling import njit
from lasing.connectors.rows import value_of
from lasing.logic.values import Undefined, Value, is_boxed, value_from_text

Numbers = np.ndarray[Any, np.dtype[Any]]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def shards_of(column: Any, shards: int) -> Numbers:
    """The shard of each value of an Arrow column that has no nulls.

    >>> both = shards_of(pa.array([1, 2, 3]), 4), shards_of(pa.array([1.0, 2.0, 3.0]), 4)
    >>> (both[0] == both[1]).all()
    np.True_
    """
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return (_hashes(chunk) % np.uint64(shards)).astype(np.int32)


def shard_of(value: Value, shards: int) -> int:
    """The shard of one constant."""
    return int(shards_of(pa.array([str(value) if is_boxed(value) else value]), shards)[0])


def _hashes(chunk: Any) -> Numbers:
    if pa.types.is_integer(chunk.type):
        return _mixed(chunk.cast(pa.int64()).to_numpy(zero_copy_only=False).view(np.uint64))
    if pa.types.is_floating(chunk.type):
        numbers = chunk.cast(pa.float64()).to_numpy(zero_copy_only=False)
        whole = (numbers == np.floor(numbers)) & (numbers >= -(2.0**63)) & (numbers < 2.0**63)
        as_integer = np.where(whole, numbers, 0.0).astype(np.int64)
        return _mixed(np.where(whole, as_integer.view(np.uint64), numbers.view(np.uint64)))
    if pa.types.is_large_string(chunk.type):
        chunk = chunk.cast(pa.string())
    if not pa.types.is_string(chunk.type):
        chunk = chunk.dictionary_encode() if not pa.types.is_dictionary(chunk.type) else chunk
        words = pa.array([value_of(value) for value in chunk.dictionary.to_pylist()], pa.string())
        return _hashes(pc.take(words, chunk.indices))
    if not len(chunk):
        return np.zeros(0, np.uint64)
    _, offsets, data = chunk.buffers()
    ends = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    return _as_numbers(chunk, _mixed(_hash_text(ends, text)))


_NUMBER = r"^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$"


def _as_numbers(chunk: Any, hashes: Numbers) -> Numbers:
    """Give text that reads as a number the hash of the number: beside names, engines write numbers as text."""
    rows = np.flatnonzero(pc.match_substring_regex(chunk, _NUMBER).to_numpy(zero_copy_only=False))
    if len(rows):
        found = chunk.take(pa.array(rows)).dictionary_encode()
        same = found.indices.to_numpy(zero_copy_only=False)
        for i, text in enumerate(found.dictionary.to_pylist()):
            with suppress(Undefined):  # beyond 64 bits, so no number has this text
                hashes[rows[same == i]] = _hashes(pa.array([value_from_text(text)]))[0]
    return hashes


def _mixed(numbers: Numbers) -> Numbers:
    """Spread numbers over all bits, so that their remainders are distributed evenly: the last step of SplitMix64."""
    x = numbers + _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Numbers = (x ^ (x >> np.uint64(31))) >> np.uint64(1)
    return mixed


@njit(cache=True)
def _hash_text(ends: Numbers, text: Numbers) -> Numbers:
    found = np.empty(ends.shape[0] - 1, np.uint64)
    for row in range(found.shape[0]):
        x = uint64(14695981039346656037)
        for i in range(ends[row], ends[row + 1]):
            x = (x ^ uint64(text[i])) * uint64(1099511628211)
        found[row] = x
    return found


def spread_ids(shards: int, partitions: int) -> list[int]:
    """Numbers for the shards that Spark's hash spreads over the partitions as evenly as possible.

    Spark places a group by the hash of its key. With the plain numbers 0, 1, 2, … some partitions would get several
    shards and others none.

    >>> sorted(partition_of(i, 4) for i in spread_ids(4, 4))
    [0, 1, 2, 3]
    """
    wanted = [shard % partitions for shard in range(shards)]
    found: dict[int, list[int]] = {}
    number = 0
    while any(len(found.get(p, ())) < wanted.count(p) for p in set(wanted)):
        found.setdefault(partition_of(number, partitions), []).append(number)
        number += 1
    return [found[p].pop(0) for p in wanted]


def partition_of(number: int, partitions: int) -> int:
    """The partition into which Spark puts the group of an int: Murmur3 of four bytes, with seed 42."""
    mask = 0xFFFFFFFF
    k = (number * 0xCC9E2D51) & mask
    k = (((k << 15) | (k >> 17)) & mask) * 0x1B873593 & mask
    h = 42 ^ k
    h = ((((h << 13) | (h >> 19)) & mask) * 5 + 0xE6546B64) & mask
    h ^= 4
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & mask
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & mask
    h ^= h >> 16
    return (h - (1 << 32) if h >= 1 << 31 else h) % partitions
