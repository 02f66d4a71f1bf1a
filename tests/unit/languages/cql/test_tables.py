"""Tables of SQL that come from files: their rows are what CREATE TABLE says, or there is an error at its place."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lasing
from lasing.logic.results import rows_of

SETUP = "CREATE STREAM s (k VARCHAR); CREATE TABLE t (a VARCHAR NOT NULL, n BIGINT, d DECIMAL(5,2), f BOOLEAN);"
HEADER = "a,n,d,f"


def counted(text: str, path: Path) -> tuple[object, ...]:
    """How many rows the table has, and the sum of one column."""
    query = f"{SETUP}{text} SELECT COUNT(*), SUM(n) FROM t, s [NOW];"
    program = lasing.parse(query, language="cql", data=path)
    assert program.outputs is not None
    (answer,) = lasing.run(program, [(1, "s", "x")])
    (row,) = rows_of(program.outputs[0], answer.atoms)
    return tuple(row)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (",3,3,true", "a is NOT NULL, and has no value here"),
        ("x,abc,1,true", "abc is no BIGINT, as n needs"),
        ("x,1,zz,true", "zz is no DECIMAL(5,2), as d needs"),
        ("x,1,2,maybe", "maybe is no BOOLEAN, as f needs"),
        ("b,2,,", "t has this row twice"),
    ],
)
def test_a_row_that_is_none_of_the_table_is_an_error_at_its_place(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEADER}\nb,2,,\n{row}\n")
    with pytest.raises(lasing.LasingError) as found:
        counted("", path)
    (mistake,) = found.value.diagnostics
    assert (mistake.code, mistake.message) == ("E506", message)
    assert mistake.place is not None
    assert mistake.place.line == 3


def test_a_row_of_a_file_that_was_inserted_too_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEADER}\nb,2,,\n")
    with pytest.raises(lasing.LasingError, match="t has this row twice"):
        counted("INSERT INTO t (a, n) VALUES ('b', 2);", path)
    assert counted("INSERT INTO t (a, n) VALUES ('b', 3);", path) == (2, 5)


def test_a_file_adds_to_inserted_rows_that_are_equal(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEADER}\nb,2,,\nb,2,,\nc,1,,\n")
    assert counted("INSERT INTO t (a, n) VALUES ('q', 5), ('q', 5);", path) == (5, 15)


def test_json_lines_and_parquet_have_values_of_these_types(tmp_path: Path) -> None:
    lines = tmp_path / "t.jsonl"
    lines.write_text('{"a": "x", "n": 1, "d": 2.5, "f": true}\n{"a": "y", "n": null, "d": 1, "f": false}\n')
    assert counted("", lines) == (2, 1)
    table = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["x", "y"], "n": [1, None], "d": [2.5, None], "f": [True, False]}), table)
    assert counted("", table) == (2, 1)
