"""Views, derived streams, tables, operators, and how data comes in."""

from __future__ import annotations

from pathlib import Path

import pytest

import lasing
from lasing.errors import SourceText
from lasing.languages import format_program
from lasing.logic.program import Program
from lasing.logic.results import rows_of

S = "CREATE STREAM s (k VARCHAR, v DOUBLE);"


def rows(text: str, stream: object, end: int | None = None, data: object = None) -> dict[int, list[tuple[object, ...]]]:
    """The rows of the first output at each time point."""
    program = lasing.parse(text, language="cql", data=data)
    assert program.outputs is not None
    output = program.outputs[0]
    return {a.time: [*rows_of(output, a.atoms)] for a in lasing.run(program, stream, end=end)}


def test_equal_rows_at_different_times_are_two_rows() -> None:
    assert rows(f"{S} SELECT k FROM s [RANGE 5]", "s(a,1) at 1. s(a,1) at 2.")[2] == [("a",), ("a",)]


def test_a_view_over_a_view() -> None:
    text = f"{S} CREATE VIEW hot AS SELECT k, v FROM s [RANGE 1] WHERE v > 2;"
    text += " CREATE VIEW n (c) AS SELECT COUNT(*) FROM hot;"
    assert rows(f"{text} SELECT c FROM n", "s(a,1) at 1. s(a,3) at 1. s(b,4) at 2.") == {1: [(1,)], 2: [(2,)]}


def test_a_text_without_a_query_puts_out_the_views_that_nothing_reads() -> None:
    text = f"{S} CREATE VIEW a AS SELECT k FROM s [NOW]; CREATE VIEW b AS SELECT k FROM a;"
    program = lasing.parse(text, language="cql")
    assert [output.predicate for output in program.outputs or () if not output.rejects] == ["b_rows"]


def test_istream_and_dstream_are_differences_of_bags() -> None:
    stream = "s(a,1) at 1. s(a,2) at 2. s(b,2) at 2."
    assert rows(f"{S} ISTREAM(SELECT k FROM s [RANGE 1])", stream, 4) == {
        1: [("a",)],
        2: [("a",), ("b",)],
        3: [],
        4: [],
    }
    assert rows(f"{S} DSTREAM(SELECT k FROM s [RANGE 1])", stream, 4) == {
        1: [], 2: [], 3: [("a",)], 4: [("a",), ("b",)],
    }  # fmt: skip
    assert rows(f"{S} RSTREAM(SELECT k FROM s [NOW])", stream, 3) == {1: [("a",)], 2: [("a",), ("b",)], 3: []}


def test_a_derived_stream_has_windows_again() -> None:
    text = f"{S} CREATE STREAM new AS ISTREAM(SELECT k FROM s [RANGE 0]); SELECT k FROM new [RANGE 2];"
    assert rows(text, "s(a,1) at 1.", 4) == {1: [("a",)], 2: [("a",)], 3: [("a",)], 4: []}


def test_a_table_keeps_equal_rows_and_nulls() -> None:
    text = f"{S} CREATE TABLE t (n BIGINT); INSERT INTO t VALUES (1), (1), (NULL); SELECT n FROM t, s [NOW]"
    assert rows(text, "s(a,1) at 1.")[1] == [(None,), (1,), (1,)]


def test_quoted_names_comments_and_semicolons_in_texts() -> None:
    text = """CREATE STREAM "S t" ("a b" VARCHAR);
    SELECT "a b" AS "x;[y]" /* [NOW] */ FROM "S t" [NOW] WHERE "a b" <> '[;]' -- end"""
    program = lasing.parse(text, language="cql")
    assert program.outputs is not None
    assert program.outputs[0].columns[0] == "x;[y]"


def test_csv_columns_come_by_name_and_type(tmp_path: Path) -> None:
    stream, table = tmp_path / "readings.csv", tmp_path / "rooms.csv"
    stream.write_text("ts,extra,value,sensor\n2026-01-01T00:00:00Z,1,,007\n2026-01-01T00:00:01Z,1,2.5,42\n")
    table.write_text("room,sensor\nhall,42\n,007\n")
    text = (
        "CREATE STREAM readings (sensor VARCHAR, value DOUBLE, ts TIMESTAMP, TIME ts);"
        "CREATE TABLE rooms (sensor VARCHAR, room VARCHAR);"
        "SELECT sensor, room, value FROM readings [RANGE 1 MINUTE] JOIN rooms USING (sensor)"
    )
    found = rows(text, stream, data=str(table))
    assert list(found.values())[-1] == [("007", None, None), ("42", "hall", 2.5)]


def test_a_value_of_the_wrong_type_is_rejected_and_counted() -> None:
    program = lasing.parse("CREATE STREAM s (v DOUBLE NOT NULL); SELECT v FROM s [NOW]", language="cql")
    run = lasing.run(program, [(1, "s", "x"), (1, "s", 2)])
    with pytest.warns(lasing.LasingWarning, match="1 event of s rejected"):
        (answer,) = list(run)
    assert {str(atom) for atom in answer.atoms} == {"rejected_s(x)", "result(2)"}


def test_an_engine_takes_nulls() -> None:
    program: Program = lasing.parse(f"{S} SELECT k, v FROM s [NOW]", language="cql")
    update = lasing.Engine(program).push(1, [("s", "a", None)])
    assert [str(atom) for atom in update.added] == ["result(a,new(unbound))"]


def test_formatting_keeps_the_meaning_and_is_stable() -> None:
    text = "create stream s (k varchar);   \n-- select\nselect k, 'from  where' from s [now] where k like 'a%'"
    once = format_program(SourceText("q.sql", text, Path("q.sql")))
    assert once == "CREATE STREAM s (k varchar);\n-- select\nSELECT k, 'from  where' FROM s [NOW] WHERE k LIKE 'a%'\n"
    assert format_program(SourceText("q.sql", once, Path("q.sql"))) == once
