"""A value belongs to one shard, whatever the type of its column, and we can predict Spark's hash."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from lasing.connectors.rows import value_of
from lasing.logic.values import Value
from lasing.spark.hashing import partition_of, shard_of, shards_of, spread_ids

MANY = 1 << 30  # enough shards that two values hardly ever share one by chance

# SELECT hash(x), with x of type int, in Spark 4.3
SPARK = {
    0: 933211791,
    1: -559580957,
    2: 1765031574,
    3: -1823081949,
    4: -397064898,
    5: 1023896466,
    7: 1079293707,
    10: -1401210078,
    42: 29417773,
    99: -554831819,
    100: 751823303,
    255: -673326395,
    1000: -14577491,
    65536: 1017081869,
    123456789: -598405280,
    2147483647: 133916647,
    -1: -1604776387,
    -2: -1160545675,
    -100: -1080202046,
    -2147483648: 723455942,
}


@pytest.mark.parametrize(("number", "hashed"), SPARK.items())
def test_partitions_are_those_of_spark(number: int, hashed: int) -> None:
    for partitions in (1, 2, 7, 200):
        assert partition_of(number, partitions) == hashed % partitions


@pytest.mark.parametrize(("shards", "partitions"), [(1, 1), (4, 4), (3, 8), (8, 3), (5, 200), (40, 40)])
def test_ids_are_spread_over_partitions(shards: int, partitions: int) -> None:
    ids = spread_ids(shards, partitions)
    assert len(set(ids)) == shards
    found = Counter(partition_of(number, partitions) for number in ids)
    assert len(found) == min(shards, partitions)
    assert max(found.values()) - min(found.values()) <= 1
    assert [partition_of(number, partitions) for number in ids] == [i % partitions for i in range(shards)]


@pytest.mark.parametrize("number", [0, 1, -1, 7, 2**53, -(2**53), 2**62, -(2**63)])
def test_a_number_is_the_same_in_columns_of_integers_and_of_doubles(number: int) -> None:
    wanted = shard_of(number, MANY)
    assert shards_of(pa.array([number], pa.int64()), MANY) == [wanted]
    assert shards_of(pa.array([float(number)]), MANY) == [wanted]
    assert shards_of(pa.chunked_array([pa.array([float(number)])]), MANY) == [wanted]


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()])
def test_the_width_of_a_column_does_not_matter(kind: pa.DataType) -> None:
    assert shards_of(pa.array([-7, 0, 100], kind), MANY).tolist() == [shard_of(n, MANY) for n in (-7, 0, 100)]


def test_zero_has_no_sign() -> None:
    assert shard_of(-0.0, MANY) == shard_of(0.0, MANY) == shard_of(0, MANY)


def test_different_values_are_in_different_shards() -> None:
    numbers: list[Value] = [0, 1, -1, 2**63 - 1, -(2**63), 2.5, -2.5, 1e19, 1e300]
    texts: list[Value] = ["", "a", "b", "ab", "é", "e", "日本", "a\0", "9" * 30, "1e999"]
    assert len({shard_of(value, MANY) for value in [*numbers, *texts]}) == len(numbers) + len(texts)


def test_text_is_the_same_in_columns_of_any_kind() -> None:
    texts = ["a", "", "é", "日本", "a", "two words"]
    wanted = [shard_of(text, MANY) for text in texts]
    for column in (
        pa.array(texts),
        pa.array(texts, pa.large_string()),
        pa.array(texts).dictionary_encode(),
        pa.array(["left", *texts, "out"]).slice(1, len(texts)),
        pa.chunked_array([texts[:2], texts[2:]]),
    ):
        assert shards_of(column, MANY).tolist() == wanted


def test_dates_times_and_truth_values_are_their_text() -> None:
    moment = datetime(2024, 2, 29, 12, 30, tzinfo=UTC)
    columns = {
        date(2024, 2, 29): pa.date32(),
        moment: pa.timestamp("us", "UTC"),
        True: pa.bool_(),
        False: pa.bool_(),
    }
    for value, kind in columns.items():
        text = value_of(value)
        assert isinstance(text, str)
        assert shards_of(pa.array([value], kind), MANY) == [shard_of(text, MANY)]


def test_a_number_among_names_is_where_it_is_alone() -> None:
    # an engine's output has numbers as text in a column that also has names
    texts = pa.array([str(value) for value in (1, 2.5, 1e-05, 1e19, -7, "a")])
    assert shards_of(texts, MANY).tolist() == [shard_of(value, MANY) for value in (1, 2.5, 1e-05, 1e19, -7, "a")]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.string(), pa.date32()])
def test_no_rows(kind: pa.DataType) -> None:
    assert shards_of(pa.array([], kind), 4).tolist() == []


def test_shards_are_about_even() -> None:
    for column in (
        pa.array(range(4000)),
        pa.array([f"s{i}" for i in range(4000)]),
        pa.array([i / 8 for i in range(4000)]),
    ):
        sizes = Counter(shards_of(column, 4).tolist())
        assert sorted(sizes) == [0, 1, 2, 3]
        assert min(sizes.values()) > 800
