"""Changes become intervals in which atoms hold: each + is paired with the - that ends it, even across batches."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from lasing.spark.spans import every_point, spans

Change = tuple[int, int, str]


def changes(*rows: Change) -> Any:
    columns = {"time": pa.int64(), "change": pa.int8(), "arg1": pa.string()}
    return pa.Table.from_pylist(
        [dict(zip(columns, row, strict=True)) for row in rows], pa.schema(list(columns.items()))
    )


def rows(table: Any) -> list[tuple[Any, ...]]:
    """Times and arguments."""
    columns = [name for name in table.column_names if not name.startswith("*")]
    return sorted(tuple(row[name] for name in columns) for row in table.to_pylist())


def test_a_plus_is_ended_by_the_minus_that_follows_it() -> None:
    #      5 6 7 8 9
    #  a   ────
    #  b     ──────→
    ended, holds = spans(changes((5, 1, "a"), (6, 1, "b"), (7, -1, "a")), None)
    assert rows(ended) == [(5, 6, "a")]
    assert rows(holds) == [(6, "b")]


def test_an_atom_may_come_and_go_several_times() -> None:
    changed = changes((1, 1, "a"), (2, -1, "a"), (4, 1, "a"), (7, -1, "a"), (9, 1, "a"))
    ended, holds = spans(changed, None)
    assert rows(ended) == [(1, 1, "a"), (4, 6, "a")]
    assert rows(holds) == [(9, "a")]


def test_what_held_before_goes_on_or_ends() -> None:
    _, held = spans(changes((1, 1, "a"), (1, 1, "b")), None)
    ended, holds = spans(changes((5, -1, "a"), (5, 1, "c")), held)
    assert rows(ended) == [(1, 4, "a")]
    assert rows(holds) == [(1, "b"), (5, "c")]


def test_batches_are_as_one() -> None:
    changed = [(1, 1, "a"), (2, 1, "b"), (3, -1, "a"), (4, 1, "a"), (6, -1, "b"), (6, -1, "a"), (8, 1, "b")]
    at_once = spans(changes(*changed), None)
    for cut in range(len(changed) + 1):
        first, held = spans(changes(*changed[:cut]), None)
        second, holds = spans(changes(*changed[cut:]), held)
        assert rows(pa.concat_tables([first, second])) == rows(at_once[0])
        assert rows(holds) == rows(at_once[1])


def test_nothing_changes() -> None:
    ended, holds = spans(changes(), None)
    assert ended.column_names == ["from", "until", "arg1"]
    assert (rows(ended), rows(holds)) == ([], [])
    _, held = spans(changes((1, 1, "a")), None)
    ended, holds = spans(changes(), held)
    assert (rows(ended), rows(holds)) == ([], [(1, "a")])


def test_an_atom_without_arguments() -> None:
    changed = pa.table({"time": [3, 5, 9], "change": pa.array([1, -1, 1], pa.int8())})
    ended, holds = spans(changed, None)
    assert rows(ended) == [(3, 4)]
    assert rows(holds) == [(9,)]
    assert rows(every_point(ended, holds, 3, 10)) == [(3,), (4,), (9,), (10,)]


def test_atoms_are_distinguished_by_all_their_arguments() -> None:
    changed = pa.table(
        {"time": [1, 1, 2], "change": pa.array([1, 1, -1], pa.int8()), "x": [1, 1, 1], "y": [2.5, 0.0, 0.0]}
    )
    ended, holds = spans(changed, None)
    assert rows(ended) == [(1, 1, 1, 0.0)]
    assert rows(holds) == [(1, 1, 2.5)]


def test_atoms_that_are_one_row_of_text_hold_as_long_as_any_of_them() -> None:
    changed = [(1, 1, "1"), (2, 1, "1"), (4, -1, "1"), (6, -1, "1")]
    assert rows(spans(changes(*changed), None)[0]) == [(1, 5, "1")]


@pytest.mark.parametrize("cut", range(5))
def test_atoms_that_are_one_row_of_text_hold_so_across_batches(cut: int) -> None:
    changed = [(1, 1, "1"), (2, 1, "1"), (4, -1, "1"), (6, -1, "1")]
    first, held = spans(changes(*changed[:cut]), None)
    second, _ = spans(changes(*changed[cut:]), held)
    assert rows(pa.concat_tables([first, second])) == [(1, 5, "1")]


def test_every_point_has_a_row_in_the_order_of_time() -> None:
    ended, holds = spans(changes((-2, 1, "a"), (0, 1, "b"), (1, -1, "a")), None)
    table = every_point(ended, holds, -1, 2)
    assert table["time"].to_pylist() == sorted(table["time"].to_pylist())
    assert rows(table) == [(-1, "a"), (0, "a"), (0, "b"), (1, "b"), (2, "b")]


def test_no_point_before_the_first_or_after_the_last() -> None:
    ended, holds = spans(changes((1, 1, "a"), (1, 1, "b"), (9, -1, "a"), (20, 1, "c")), None)
    assert rows(every_point(ended, holds, 5, 6)) == [(5, "a"), (5, "b"), (6, "a"), (6, "b")]
    assert rows(every_point(ended, holds, 7, 6)) == []
