"""CSV files."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.connectors.csv import cell_value, read_csv
from lasing.connectors.tables import Columns
from lasing.errors import Diagnostic, LasingError
from lasing.logic.formulas import ground_atom
from lasing.logic.program import Fact
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick

TEMP = Columns("temp")


def rows(folder: Path, text: str, columns: Columns = TEMP, tick: Tick | None = None) -> list[Fact]:
    path = folder / "a.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return list(read_csv(path, columns, tick))


def finding(folder: Path, text: str, columns: Columns = TEMP) -> Diagnostic:
    with pytest.raises(LasingError) as caught:
        rows(folder, text, columns)
    return caught.value.diagnostics[0]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("70", 70),
        ("-7", -7),
        ("7.5", 7.5),
        ("1e3", 1000.0),
        ("007", "007"),
        ("0", 0),
        ("", ""),
        ("1,5", "1,5"),
        ("s1", "s1"),
        ("٣", "٣"),
        ("nan", "nan"),
        ("1_0", "1_0"),
        ("0x1F", "0x1F"),
        (" 7", " 7"),
    ],
)
def test_what_a_cell_means(cell: str, value: Value) -> None:
    assert cell_value(cell) == value
    assert isinstance(cell_value(cell), str) is isinstance(value, str)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_are_arguments_in_the_order_of_the_header(tmp_path: Path, end: str) -> None:
    text = end.join(("sensor,time,value", "s1,5,70.0", "", '"s,2",6,7.5'))
    assert rows(tmp_path, text) == [(5, ground_atom("temp", "s1", 70)), (6, ground_atom("temp", "s,2", 7.5))]


def test_chosen_columns_are_arguments_in_the_chosen_order(tmp_path: Path) -> None:
    columns = Columns("temp", ("v", "s"), "ts")
    assert rows(tmp_path, "s,ts,x,v\na,5,9,1\n", columns) == [(5, ground_atom("temp", 1, "a"))]


def test_a_predicate_column_says_what_rows_are_about(tmp_path: Path) -> None:
    text = "time,predicate,arg1,arg2\n5,p,a,1\n5,q,b,\n6,r,,\n"
    expected = [(5, ground_atom("p", "a", 1)), (5, ground_atom("q", "b")), (6, ground_atom("r"))]
    assert rows(tmp_path, text, Columns()) == expected


def test_times_may_be_dates_where_there_is_a_tick(tmp_path: Path) -> None:
    assert rows(tmp_path, "time,v\n1970-01-01 00:01:00,1\n", tick=Tick(1_000)) == [(60, ground_atom("temp", 1))]


def test_a_cell_may_have_line_breaks_and_a_file_a_mark(tmp_path: Path) -> None:
    assert rows(tmp_path, '\ufefftime,v\n5,"a\nb"\n') == [(5, ground_atom("temp", "a\nb"))]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("time,v\n5,1\n6\n", "E505", 3),
        ("time,v\n5,1,2\n", "E505", 2),
        ("time,v,v\n", "E505", 1),
        ("tim,v\n5,1\n", "E505", 1),
        ("time,v\n5,1\n4,1\n", "E504", 3),
        ("time,v\nsoon,1\n", "E502", 2),
        ("time,v\n5.5,1\n", "E502", 2),
        ("time,v\n,1\n", "E506", 2),
        ("time,v\n2026-01-01,1\n", "E503", 2),
        ("time,v\n5,9223372036854775808\n", "E506", 2),
        ("time,v\n5,1e999\n", "E506", 2),
        ('time,v\n5,"a"b\n', "E501", 2),
        ('time,v\n5,"never closed\n', "E501", 2),
    ],
)
def test_what_is_wrong_is_found_at_its_line(tmp_path: Path, text: str, code: str, line: int) -> None:
    found = finding(tmp_path, text)
    assert found.place is not None
    assert (found.code, found.place.line) == (code, line)


def test_an_empty_file_lacks_its_header(tmp_path: Path) -> None:
    assert finding(tmp_path, "").code == "E505"


def test_a_missing_column_is_answered_with_those_that_exist(tmp_path: Path) -> None:
    found = finding(tmp_path, "time,sensor,value\n", Columns("temp", ("sensr",)))
    assert "did you mean sensor?" in found.note
    assert "time, sensor, value" in found.note
