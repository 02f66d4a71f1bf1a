"""Bad rows: a run stops at them with several errors, or leaves them out, in every format, live or not."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lasing
from lasing import LasingError, LasingWarning
from lasing.connectors.bad_rows import BadRow

PROGRAM = "q(X) :- p(X)."
FILES = {
    "p.csv": (b"time,x\n1,a\nrubbish\n2,b\nsoon,c\n3,\xff\n4,d\n", [(3, "E505"), (5, "E502"), (6, "E402")], "abd"),
    "p.jsonl": (
        b'{"time": 1, "x": "a"}\n{{{\n{"time": 2, "x": "b"}\n{"time": 3, "x": [1]}\n\xff\n{"time": 4, "x": "d"}\n',
        [(2, "E501"), (4, "E506"), (5, "E402")],
        "abd",
    ),
    "p.facts": (
        b"p(a) at 1.\np(;\np(b) at 2. p(c,c) at 2.\np(x) at soon.\n\xff\np(d) at 4.\n",
        [(2, "E501"), (3, "E508"), (4, "E501"), (5, "E402")],
        "abd",
    ),
}


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("name", FILES)
def test_bad_rows_are_left_out_and_handed_over(tmp_path: Path, name: str, engine: str) -> None:
    data, wrong, good = FILES[name]
    (tmp_path / name).write_bytes(data)
    found: list[BadRow] = []
    run = lasing.run(PROGRAM, tmp_path / name, engine=engine, bad_rows=found.append)  # type: ignore[arg-type]
    with pytest.warns(LasingWarning, match="W209"):
        answers = [str(atom) for answer in run for atom in answer.atoms]
    assert answers == [f"q({x})" for x in good]
    assert [(row.line, row.code) for row in found] == wrong
    assert all(row.file == str(tmp_path / name) and row.reason and row.row for row in found)


@pytest.mark.parametrize(
    ("rows", "place", "row", "reason"),
    [
        ('2,"b"x\n', 3, '2,"b"x', "expected after"),
        ('2,"b,c",d\n', 3, '2,"b,c",d', "3 cells"),
        ('2,"b\nc",d\n', 3, '2,"b\nc",d', "3 cells"),
        ('2,b\n3,"c\n4,d\n', 4, '3,"c\n4,d', "none closes it"),
    ],
)
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_bad_row_of_csv_is_handed_over_as_it_is(
    tmp_path: Path, rows: str, place: int, row: str, reason: str, engine: str
) -> None:
    (tmp_path / "p.csv").write_text(f"time,x\n1,a\n{rows}", encoding="utf-8")
    found: list[BadRow] = []
    run = lasing.run(PROGRAM, tmp_path / "p.csv", engine=engine, bad_rows=found.append)  # type: ignore[arg-type]
    with pytest.warns(LasingWarning, match="W209"):
        list(run)
    assert [(bad.line, bad.row) for bad in found] == [(place, row)]
    assert reason in found[0].reason


def test_a_line_that_is_left_out_is_the_one_that_is_handed_over() -> None:
    found: list[BadRow] = []
    text = "p(a) at 1.\nnonsense\np(b) at 2.\n"
    with pytest.warns(LasingWarning, match="W209"):
        answers = [str(atom) for answer in lasing.run(PROGRAM, text, bad_rows=found.append) for atom in answer.atoms]
    assert answers == ["q(a)", "q(b)"]
    assert [(row.line, row.row) for row in found] == [(2, "nonsense")]
    with pytest.raises(LasingError, match=r":3:1") as failed:
        list(lasing.run(PROGRAM, text))
    assert "expected at and a time" in str(failed.value)


COLUMNS = {
    "p.csv": ("time,x\n1,a\nsoon,b\n3,c\n2,d\n", ["time", "time"]),
    "p.jsonl": ('{"time": 1, "x": 1}\n{"time": 2, "x": [1]}\n{"time": 3, "y": 1}\n', ["x", "y"]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_bad_row_of_a_table_names_the_column(tmp_path: Path, name: str) -> None:
    text, columns = COLUMNS[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    found: list[BadRow] = []
    with pytest.warns(LasingWarning, match="W209"):
        list(lasing.run(PROGRAM, tmp_path / name, bad_rows=found.append))
    assert [row.column for row in found] == columns


TRIPLES = "out(S,O) :- triple(S,P,O)."
TIME = "<http://www.w3.org/ns/prov#generatedAtTime>"
GRAPHS = {
    "t.nt": (
        "<a:s> <a:p> 1 .\n<a:s> <a:p> <a:o> 1 .\nrubbish\n<a:s> <a:p> <a:b c> 2 .\n<a:s> <a:p> <a:q> 2 .\n"
        "<a:s> <a:p> <a:o> 1 .\n<a:s> <a:p> <a:r> soon .\n",
        [(1, "E501"), (3, "E501"), (4, "E501"), (6, "E504"), (7, "E502")],
        ["<a:o>", "<a:q>"],
    ),
    "t.jsonld": (
        '{"time": 1, "@id": "a:s", "a:p": {"@id": "a:o"}}\n{{{\n{"time": "x", "@id": "a:s", "a:p": 1}\n'
        '{"time": 2, "@id": "a:s", "a:p": {"@id": "a:q"}}\n{"time": 3, "@id": [1], "a:p": 2}\n',
        [(2, "E501"), (3, "E502"), (5, "E501")],
        ["<a:o>", "<a:q>"],
    ),
    "t.nq": (
        f'<a:g> {TIME} "1" .\n<a:s> <a:p> <a:o> <a:g> .\nrubbish\n<a:h> {TIME} "x" .\n<a:s> <a:p> <a:z> <a:h> .\n'
        f'<a:i> {TIME} "2" .\n<a:s> <a:p> <a:q> <a:i> .\n<a:s> <a:p> <a:y> <a:j> .\n',
        [(3, "E501"), (0, "E502"), (0, "E502")],
        ["<a:o>", "<a:q>"],
    ),
}


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("name", GRAPHS)
def test_bad_lines_of_graphs_are_left_out(tmp_path: Path, name: str, engine: str) -> None:
    data, wrong, good = GRAPHS[name]
    (tmp_path / name).write_text(data, encoding="utf-8")
    found: list[BadRow] = []
    run = lasing.run(TRIPLES, tmp_path / name, engine=engine, bad_rows=found.append)  # type: ignore[arg-type]
    with pytest.warns(LasingWarning, match="W209"):
        answers = [str(atom.args[1]) for answer in run for atom in answer.atoms]
    assert sorted((row.line, row.code) for row in found) == sorted(wrong)
    assert answers == good
    assert all(row.row for row in found)


TEXT = "p(a) at 1.\n!rubbish\np(b,b) at 2.\np(c) at 3.\np(d) at 2.\n"
ROWS = [(1, "p", "a"), (2, "P", "x"), "rubbish", (2, "p", "b", "b"), (3, "p", "c"), (2, "p", "d"), (4, "p", 2**70)]
MADE = {
    "text": (TEXT, [(2, "E501"), (3, "E508"), (5, "E504")]),
    "rows": (ROWS, [(2, "E509"), (3, "E510"), (4, "E508"), (6, "E504"), (7, "E506")]),
    "an iterator": (iter(ROWS), [(2, "E509"), (3, "E510"), (4, "E508"), (6, "E504"), (7, "E506")]),
}


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("name", ["text", "rows"])
def test_bad_rows_of_things_in_memory_are_left_out(name: str, engine: str) -> None:
    stream, wrong = MADE[name]
    found: list[BadRow] = []
    run = lasing.run(PROGRAM, stream, engine=engine, bad_rows=found.append)  # type: ignore[arg-type]
    with pytest.warns(LasingWarning, match="W209"):
        assert [str(atom) for answer in run for atom in answer.atoms] == ["q(a)", "q(c)"]
    assert [(row.line, row.code) for row in found] == wrong
    assert all(row.row for row in found)


@pytest.mark.parametrize("name", MADE)
def test_a_list_reports_several_errors_and_an_iterator_the_first(name: str) -> None:
    stream, wrong = MADE[name]
    with pytest.raises(LasingError) as caught:
        list(lasing.run(PROGRAM, stream))
    assert [d.code for d in caught.value.diagnostics] == [code for _, code in wrong][: 1 if name[:2] == "an" else 9]


def test_after_a_row_far_ahead_the_warning_says_what_may_have_happened() -> None:
    rows = [(1, "p", "a"), (10**9, "p", "b"), (2, "p", "c"), (3, "p", "d")]
    with pytest.warns(LasingWarning, match="a single row whose time is wrong and far ahead"):
        list(lasing.run(PROGRAM, rows, bad_rows="skip").changes())


def test_cells_that_python_cannot_represent_are_bad_rows(tmp_path: Path) -> None:
    far = pa.array([0, 2**60, 3], pa.int64()).cast(pa.timestamp("ms"))
    pq.write_table(pa.table({"time": [1, 2, 3], "x": far}), tmp_path / "p.parquet")
    found: list[BadRow] = []
    with pytest.warns(LasingWarning, match="W209"):
        answers = list(lasing.run(PROGRAM, tmp_path / "p.parquet", bad_rows=found.append))
    assert [len(answer.atoms) for answer in answers] == [1, 0, 1]
    assert [(row.line, row.column, row.code) for row in found] == [(2, "x", "E506")]


@pytest.mark.parametrize("name", FILES)
def test_a_run_that_stops_reports_several_errors(tmp_path: Path, name: str) -> None:
    data, wrong, _ = FILES[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(LasingError) as caught:
        list(lasing.run(PROGRAM, tmp_path / name))
    known = [d for d in wrong if d[1] != "E402"]  # a file is text up to there
    assert [(d.place.line if d.place else 0, d.code) for d in caught.value.diagnostics] == known


def test_a_row_of_a_table_is_named_by_its_number(tmp_path: Path) -> None:
    pq.write_table(pa.table({"time": ["1", "soon", "3"], "x": ["a", "b", "c"]}), tmp_path / "p.parquet")
    found: list[BadRow] = []
    with pytest.warns(LasingWarning, match="1 bad row of"):
        answers = list(lasing.run(PROGRAM, tmp_path / "p.parquet", bad_rows=found.append))
    assert [len(answer.atoms) for answer in answers] == [1, 0, 1]
    assert [(row.line, row.code, row.row) for row in found] == [(2, "E502", "{'time': 'soon', 'x': 'b'}")]


@pytest.mark.parametrize(("share", "stops"), [(0.2, True), (0.25, False), (None, False)])
def test_too_large_a_share_stops_the_run(tmp_path: Path, share: float | None, stops: bool) -> None:
    (tmp_path / "p.csv").write_text("time,x\n1,a\n2,b\nsoon,c\n4,d\n", encoding="utf-8")
    run = lasing.run(PROGRAM, tmp_path / "p.csv", bad_rows="skip", max_bad_rows=share)
    if stops:
        with pytest.raises(LasingError, match=r"1 of 4 rows are bad, more than a share of 0\.2") as caught:
            list(run)
        assert [d.code for d in caught.value.diagnostics] == ["E502", "E517"]
    else:
        with pytest.warns(LasingWarning, match="W209"):
            assert len(list(run)) == 4


def test_a_run_that_is_all_wrong_stops_early(tmp_path: Path) -> None:
    read: list[BadRow] = []
    (tmp_path / "p.csv").write_text("time,x\n" + "soon,c\n" * 1000, encoding="utf-8")
    with pytest.raises(LasingError, match="E517"):
        list(lasing.run(PROGRAM, tmp_path / "p.csv", bad_rows=read.append, max_bad_rows=0.5))
    assert len(read) == 100


@pytest.mark.parametrize(
    "options", [{"bad_rows": "ignore"}, {"max_bad_rows": 0.1}, {"bad_rows": "skip", "max_bad_rows": 2}]
)
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(LasingError, match="E510"):
        lasing.run(PROGRAM, "p(a) at 1.", **options)  # type: ignore[arg-type]
