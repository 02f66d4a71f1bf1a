"""Rows on their way to shards: each shard gets its own rows, and a summary of all."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from lasing import LasingError
from lasing.connectors.spark_rows import ARRIVAL
from lasing.spark import packing
from lasing.spark.hashing import shard_of
from lasing.spark.packing import Packer, instants_of
from lasing.spark.slices import Slices
from lasing.spark.tables import from_bytes

Packed = tuple[int, list[tuple[Any, ...]] | None, tuple[int, int, int] | int]


def packer(columns: str = "time k v", **options: Any) -> Packer:
    given = {"key": None, "unit": None, "shards": 1, "places": (0,), **options}
    return Packer("p", 3, tuple(columns.split()), **given)


def batch(*rows: tuple[Any, ...], kinds: tuple[Any, ...] = (pa.int64(), pa.string(), pa.float64())) -> Any:
    arrays = [pa.array([row[i] for row in rows], kind) for i, kind in enumerate(kinds)]
    return pa.record_batch(arrays, names=[f"c{i}" for i in range(len(kinds))])


def packed(packer: Packer, *batches: Any) -> list[Packed]:
    """The place, the facts, and how many there are in all, of a stream with the oldest and what the newest closes."""
    found = []
    for sent in packer(batches):
        for row in sent.to_pylist():
            assert row["input"] == 3
            facts = None if row["facts"] is None else _rows(from_bytes(row["facts"]))
            known = row["number"]
            if row["marks"] is not None:
                marks = from_bytes(row["marks"])
                known = known, min(marks["time"].to_pylist()), max(marks["closed"].to_pylist())
            found.append((row["place"], facts, known))
    return found


def _rows(table: Any) -> list[tuple[Any, ...]]:
    assert table.column_names == ["time", *(f"arg{i}" for i in range(1, table.num_columns))]
    return [tuple(row.values()) for row in table.to_pylist()]


ROWS = [(5, "a", 1.0), (3, "b", 2.5), (9, "c", -1.0), (3, "a", 0.0)]


def test_one_shard_gets_all_as_it_comes() -> None:
    assert packed(packer(), batch(*ROWS)) == [(0, ROWS, (4, 3, 8))]


def test_rows_go_to_the_shard_of_their_key_and_all_get_the_time() -> None:
    found = packed(packer(key=0, shards=3, places=(10, 20, 30)), batch(*ROWS))
    assert [place for place, _, _ in found] == [10, 20, 30]
    assert {known for _, _, known in found} == {(4, 3, 8)}
    for shard, (_, facts, _) in enumerate(found):
        assert (facts or []) == [row for row in ROWS if shard_of(row[1], 3) == shard]


def test_a_shard_without_rows_gets_the_time() -> None:
    found = packed(packer(key=0, shards=2, places=(0, 1)), batch((7, "a", 1.0)))
    assert sorted(found, key=lambda row: row[1] is None) == [
        (shard_of("a", 2), [(7, "a", 1.0)], (1, 7, 6)),
        (1 - shard_of("a", 2), None, (1, 7, 6)),
    ]


def test_without_a_key_every_shard_gets_all() -> None:
    assert packed(packer(shards=2, places=(4, 5)), batch(*ROWS)) == [(4, ROWS, (4, 3, 8)), (5, ROWS, (4, 3, 8))]


def test_batches_of_a_task_are_packed_together() -> None:
    assert packed(packer(), batch(*ROWS[:1]), batch(), batch(*ROWS[1:])) == [(0, ROWS, (4, 3, 8))]


def test_many_rows_are_packed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_MOST_ROWS", 2)
    found = packed(packer(), *(batch(row) for row in ROWS), batch())
    assert found == [(0, ROWS[:2], (2, 3, 4)), (0, ROWS[2:], (2, 3, 8))]


def test_a_delay_leaves_time_points_open() -> None:
    kinds = (pa.timestamp("us", "UTC"), pa.string())
    rows = [(1_999_999, "a"), (2_000_000, "b")]
    for delay, closed in ((0, 1), (1, 0), (1_000_000, 0), (1_000_001, -1)):
        ((_, _, known),) = packed(packer("time k", unit=1_000_000, delay=delay), batch(*rows, kinds=kinds))
        assert known == (2, 1, closed)


def test_every_shard_learns_when_rows_arrived_and_what_they_close() -> None:
    rows = [(5, "a", "2"), (3, "b", "1"), (9, "c", "3"), (3, "a", "3"), (4, "d", "1")]
    kinds = (pa.int64(), pa.string(), pa.string())
    for row in packer("time k", key=0, shards=2, places=(0, 1), delay=1)([batch(*rows, kinds=kinds)]):
        for part in row.to_pylist():
            marks = [tuple(mark.values()) for mark in from_bytes(part["marks"]).to_pylist()]
            # 3 arrived again later and closed nothing more, which does not matter
            assert marks == [("1", 3, 1), ("1", 4, 2), ("2", 5, 3), ("3", 9, 7)]
            facts = from_bytes(part["facts"]).to_pylist()
            assert {(fact["time"], fact["arg1"], fact[ARRIVAL]) for fact in facts} <= set(rows)


def test_no_rows() -> None:
    assert packed(packer()) == []
    assert packed(packer(), batch(), batch()) == []


def test_no_arguments() -> None:
    found = packed(packer("time", shards=2, places=(0, 1)), batch((4,), (2,), kinds=(pa.int32(),)))
    assert found == [(0, [(4,), (2,)], (2, 2, 3)), (1, [(4,), (2,)], (2, 2, 3))]


def test_a_row_that_lacks_a_value_is_counted_for_one_shard_and_goes_to_none() -> None:
    gaps = [(None, "x", None), (7, None, 2.5), (50, "x", None), (7, None, None)]
    with_gaps = batch(gaps[0], *ROWS[:2], *gaps[1:3], *ROWS[2:], gaps[3])
    dividing = packer(key=0, shards=3, places=(10, 20, 30))
    assert packed(dividing, with_gaps) == packed(dividing, batch(*ROWS))
    for sent in dividing([with_gaps]):
        assert sent["missing"].to_pylist() == ['{"time": 1, "k": 2, "v": 1}', None, None]


def test_all_shards_learn_of_rows_that_all_lack_a_value() -> None:
    dividing = packer(key=0, shards=2, places=(0, 1))
    assert packed(dividing, batch((7, None, 2.5))) == [(0, None, 0), (1, None, 0)]
    with_arrivals = batch((7, None, "1"), kinds=(pa.int64(), pa.string(), pa.string()))
    assert packed(packer("time k"), with_arrivals) == [(0, None, 0)]


def test_a_missing_value_may_be_replaced_by_another() -> None:
    filled = packed(packer(missing=-1), batch(ROWS[0], (7, "x", None)))
    assert filled == [(0, [ROWS[0], (7, "x", -1.0)], (2, 5, 6))]
    for row in ((7, None, 1.0), (None, "x", 1.0)):  # a number is no text, and there is no other time
        with pytest.raises(LasingError, match="E506"):
            packed(packer(missing=-1), batch(ROWS[0], row))


@pytest.mark.parametrize("missing", range(3))
def test_a_missing_value_may_be_refused_with_its_row(missing: int) -> None:
    row: list[Any] = [7, "x", 2.5]
    row[missing] = None
    shown = ", ".join(f"{name}={value!r}" for name, value in zip(("time", "k", "v"), row, strict=True))
    with pytest.raises(LasingError) as error:
        packed(packer(missing="error"), batch(ROWS[0], tuple(row), ROWS[1]))
    (found,) = error.value.diagnostics
    assert found.code == "E506"
    assert found.message == f"a row for p has no value for {['time', 'k', 'v'][missing]}: {shown}"


def test_the_time_of_a_time_point_is_cut_off() -> None:
    kinds = (pa.timestamp("us", "UTC"), pa.string())
    rows = [(1_999_999, "a"), (2_000_000, "b"), (-1, "c"), (-1_000_000, "d")]
    found = packed(packer("time k", unit=1_000_000), batch(*rows, kinds=kinds))
    assert found == [(0, [(1, "a"), (2, "b"), (-1, "c"), (-1, "d")], (4, -1, 1))]


def test_text_and_numbers_come_as_they_are() -> None:
    rows = [(1, "", 2**63 - 1), (-(2**62), "é 日本", -(2**63)), (2**62, 'a"\n', 0)]
    found = packed(packer(), batch(*rows, kinds=(pa.int64(), pa.string(), pa.int64())))
    assert found == [(0, rows, (3, -(2**62), 2**62 - 1))]


def test_zero_has_no_sign() -> None:
    ((_, facts, _),) = packed(packer("time v"), batch((1, -0.0), (1, 0.0), kinds=(pa.int64(), pa.float64())))
    assert facts is not None
    assert list(map(str, facts)) == ["(1, 0.0)", "(1, 0.0)"]  # one fact, so that it is counted once


def test_timestamps_among_arguments_are_in_utc() -> None:
    moment = datetime(2024, 1, 1, 12, tzinfo=UTC)
    for zone in ("UTC", "Europe/Vienna", None):
        value = moment if zone else moment.replace(tzinfo=None)
        kinds = (pa.int64(), pa.timestamp("us", zone), pa.date32(), pa.bool_())
        given = batch((1, value, date(2024, 2, 29), True), kinds=kinds)
        assert packed(packer("time k d b"), given) == [(0, [(1, moment, date(2024, 2, 29), True)], (1, 1, 0))]


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        (pa.array([1, -1], pa.int8()), [1, -1]),
        (pa.array([2**63 - 1, -(2**63)], pa.int64()), [2**63 - 1, -(2**63)]),
        (pa.array([1, -1], pa.timestamp("us")), [1, -1]),
        (pa.array([1, -1], pa.timestamp("us", "UTC")), [1, -1]),
        (pa.array([1, -1], pa.timestamp("us", "Asia/Tokyo")), [1, -1]),  # an instant is the same in all zones
        (pa.array([1, -1], pa.timestamp("s")), [1_000_000, -1_000_000]),
        (pa.array([date(1970, 1, 2), date(1969, 12, 31)]), [86_400_000_000, -86_400_000_000]),
        (pa.chunked_array([[1], [2]]), [1, 2]),
        (pa.array([], pa.date32()), []),
    ],
)
def test_instants(column: Any, wanted: list[int]) -> None:
    assert instants_of(column).tolist() == wanted


def test_slices_get_the_facts_on_which_they_look_back() -> None:
    slices = Slices((0, 4, 8), (-2, 2))
    found = packed(packer(slices=slices, places=(7, 8)), batch(*ROWS[:2], (1, "d", 0.5), (9, "e", 0.5), (-3, "f", 0.5)))
    assert [(place, facts) for place, facts, _ in found] == [
        (7, [(1, "d", 0.5), (3, "b", 2.5)]),
        (8, [(3, "b", 2.5), (5, "a", 1.0)]),
    ]


def test_slices_and_shards() -> None:
    slices = Slices((0, 4, 8), (0, 2))
    found = packed(packer(key=0, shards=2, slices=slices, places=(1, 2, 3, 4)), batch(*ROWS))
    assert [place for place, _, _ in found] == [1, 2, 3, 4]
    for place, facts, _ in found:
        first, last = [(0, 3), (2, 7)][(place - 1) // 2]
        mine = [row for row in ROWS if first <= row[0] <= last and shard_of(row[1], 2) == (place - 1) % 2]
        assert (facts or []) == sorted(mine, key=lambda row: row[0])


def test_an_extra_column_says_which_slice_a_row_is_for() -> None:
    slices = Slices((0, 4, 8, 12), (0, 2, 6))
    kinds = (pa.int64(), pa.string(), pa.int32())
    given = batch((1, "a", 1), (1, "a", 2), (3, "b", 2), kinds=kinds)
    found = packed(packer("time k", slices=slices, places=(5, 6, 7)), given)
    assert [(place, facts) for place, facts, _ in found] == [(6, [(1, "a")]), (7, [(1, "a"), (3, "b")])]
