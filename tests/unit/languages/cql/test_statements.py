"""Views, derived streams, tables, operators, and how data comes in."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

import lasing
from lasing.errors import SourceText
from lasing.languages import format_program
from lasing.logic.program import Program
from lasing.logic.results import rows_of
from lasing.logic.values import ExactDecimal

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


def test_operators_may_also_be_written_as_in_the_papers_on_cql() -> None:
    stream = "s(a,1) at 1. s(a,2) at 2. s(b,2) at 2."
    for around, inside in [
        ("ISTREAM(SELECT k, v FROM s [RANGE 1])", "SELECT Istream(k, v) FROM s [RANGE 1]"),
        (
            "DSTREAM(SELECT k || '(', COUNT(*) FROM s [RANGE 1] GROUP BY k)",
            "SELECT DSTREAM(k || '(', COUNT(*)) FROM s [RANGE 1] GROUP BY k",
        ),
        ("RSTREAM(SELECT * FROM s [NOW])", "SELECT RSTREAM(*) FROM s [NOW]"),
    ]:
        assert rows(f"{S} {inside}", stream, 4) == rows(f"{S} {around}", stream, 4)
    derived = f"{S} CREATE STREAM new AS SELECT ISTREAM(k) FROM s [RANGE 0]; SELECT k FROM new [RANGE 2];"
    assert rows(derived, "s(a,1) at 1.", 4) == {1: [("a",)], 2: [("a",)], 3: [("a",)], 4: []}


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


DECIMALS = "CREATE STREAM d (a DECIMAL(10,2), b DECIMAL(20,5), n BIGINT, x DOUBLE);"


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("a + b", "0.3"),
        ("a * 3 - 0.3", "0"),
        ("CAST(a AS VARCHAR)", "0.10"),
        ("CAST(a * b AS VARCHAR)", "0.0200000"),
        ("a / b", 0.5),
        ("a // b", "0"),
        ("a % 0.03", "0.01"),
        ("ROUND(a + 0.05, 1)", "0.2"),
        ("CAST(12.345 AS DECIMAL(5,2))", "12.35"),
        ("CAST(1000 AS DECIMAL(5,2))", None),
        ("CAST(a AS DOUBLE)", 0.1),
        ("COALESCE(a, x)", 0.1),
        ("LEAST(a, n)", "0.1"),
        ("FLOOR(b)", "0"),
    ],
)
def test_decimals_are_exact(expression: str, wanted: object) -> None:
    (row,) = rows(f"{DECIMALS} SELECT {expression} AS it FROM d [NOW]", [(1, "d", "0.10", "0.2", 3, 0.1)])[1]
    assert (row[0].lexical if isinstance(row[0], ExactDecimal) else row[0]) == wanted


def test_a_decimal_equals_numbers_of_other_types() -> None:
    text = f"{DECIMALS} SELECT 1 AS it FROM d [NOW] WHERE a = 0.1 AND a = x AND a IN (0.1, 5) AND a < n AND a = b / 2"
    assert rows(text, [(1, "d", "0.10", "0.2", 3, 0.1)])[1] == [(1,)]


def test_sums_of_decimals_are_exact_and_means_are_doubles() -> None:
    stream = [(1, "d", f"{i}.10", None, i, 0) for i in range(10)]
    text = f"{DECIMALS} SELECT SUM(a) AS total, AVG(a) AS mean, COUNT(DISTINCT a) AS n FROM d [NOW]"
    ((total, mean, number),) = rows(text, stream)[1]
    assert (total, mean, number) == (ExactDecimal(Decimal("46")), 4.6, 10)


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("BOOLEAN", "perhaps"),
        ("TIMESTAMP", "yesterday"),
        ("DECIMAL(4,1)", "abc"),
        ("DECIMAL(4,1)", "1000"),
        ("BOOLEAN NOT NULL", None),
    ],
)
def test_a_cell_that_cannot_be_read_is_rejected_and_counted(column: str, cell: str | None) -> None:
    program = lasing.parse(f"CREATE STREAM s (k VARCHAR, c {column}); SELECT k FROM s [NOW]", language="cql")
    run = lasing.run(
        program, [(1, "s", "a", cell), (1, "s", "b", {"B": "true", "T": "2026-01-01"}.get(column[0], "1"))]
    )
    with pytest.warns(lasing.LasingWarning, match="1 event of s rejected"):
        (answer,) = list(run)
    assert [atom.args[0] for atom in sorted(answer.atoms, key=str)] == ["a", "b"]
    assert sorted(atom.predicate for atom in answer.atoms) == ["rejected_s", "result"]


def test_an_engine_takes_nulls_of_tables() -> None:
    table = pa.table({"time": [1, 1, 2], "k": ["a", None, "b"], "v": [1.5, 2.0, None]})
    program: Program = lasing.parse(f"{S} SELECT k, v FROM s [NOW]", language="cql")
    assert lasing.Engine(program).push(1, {"s": table.slice(0, 2).drop_columns(["time"])}).added
    found = lasing.Engine(program).push_batch({"s": table})["result"]
    added = [row for row in found.to_pylist() if row["change"] > 0]
    assert {(row["k"], row["v"]) for row in added} == {("a", "1.5"), (None, "2"), ("b", None)}  # as terms
