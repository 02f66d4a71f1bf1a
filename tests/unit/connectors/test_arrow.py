"""Data frames and Parquet files."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lasing.connectors.arrow import column_of, names_as_they_are, read_frame, read_parquet, table_with
from lasing.connectors.tables import Columns
from lasing.errors import LasingError
from lasing.logic.formulas import ground_atom
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick

FRAMES = pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])


@FRAMES
def test_the_rows_of_a_frame(frame: Any) -> None:
    table = frame({"time": [5, 6], "s": ["s1", "two words"], "v": [70.0, 7.5], "ok": [True, False]})
    assert list(read_frame(table, Columns("temp"))) == [
        (5, ground_atom("temp", "s1", 70, "true")),
        (6, ground_atom("temp", "two words", 7.5, "false")),
    ]


@FRAMES
def test_times_of_a_frame_may_be_dates_where_there_is_a_tick(frame: Any) -> None:
    table = frame({"ts": [datetime(1970, 1, 1, 0, 0, 59), datetime(1970, 1, 1, 0, 1)], "v": [1, 2]})
    columns = Columns("p", ("v",), "ts")
    assert [time for time, _ in read_frame(table, columns, Tick(60_000))] == [0, 1]
    with pytest.raises(LasingError, match="E503"):
        list(read_frame(table, columns))


@FRAMES
@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"t": [5], "v": [1]}, "E505"),
        ({"time": [5], "w": [1]}, "E505"),
        ({"time": [5, 4], "v": [1, 1]}, "E504"),
        ({"time": [5.5], "v": [1]}, "E502"),
        ({"time": [5], "v": [[1, 2]]}, "E506"),
        ({"time": [5], "v": [None]}, "E506"),
        ({"time": [5], "v": [float("inf")]}, "E506"),
    ],
)
def test_what_is_wrong_with_a_frame(frame: Any, data: dict[str, list[Any]], code: str) -> None:
    with pytest.raises(LasingError) as caught:
        list(read_frame(frame(data), Columns("p", ("v",))))
    assert caught.value.diagnostics[0].code == code


def test_a_wrong_row_is_named_by_its_number() -> None:
    with pytest.raises(LasingError) as caught:
        list(read_frame(pa.table({"time": [1, 2, 3], "v": [1, 2, None]}), Columns("p")))
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert place.line == 3


def test_anything_but_a_table_is_refused() -> None:
    with pytest.raises(LasingError, match="E510"):
        list(read_frame([1, 2], Columns("p")))


def test_a_categorical_column_has_its_names() -> None:
    frame = pd.DataFrame({"time": [1, 2], "s": pd.Categorical(["b", "a"])})
    assert [atom.args for _, atom in read_frame(frame, Columns("p"))] == [("b",), ("a",)]


def test_a_parquet_file_has_the_rows_of_its_table(tmp_path: Path) -> None:
    table = pa.table({"time": list(range(1_000)), "v": [f"x{i}" for i in range(1_000)]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=300)
    assert list(read_parquet(tmp_path / "a.parquet", Columns("p"))) == list(read_frame(table, Columns("p")))


@pytest.mark.parametrize(("content", "code"), [(b"time,v\n1,2\n", "E501"), (b"", "E501"), (None, "E401")])
def test_a_file_that_is_not_parquet_is_refused(tmp_path: Path, content: bytes | None, code: str) -> None:
    path = tmp_path / "a.parquet"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LasingError, match=code):
        list(read_parquet(path, Columns("p")))


def test_terms_become_plain_text_again() -> None:
    values: list[Value] = [1, "1", 'say "hi"', '"', 0.5, "x"]
    table = table_with({"time": pa.array([0] * 6)}, {"a": column_of(values), "b": column_of([1, 2, 3, 4, 5, 6])})
    plain = names_as_they_are(table)
    assert plain["a"].to_pylist() == list(map(str, values))
    assert plain["b"].equals(table["b"])
    assert plain.schema.metadata is None
