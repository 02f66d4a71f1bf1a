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
        b"p(a) at 1.\np(\np(b) at 2. p(c,c) at 2.\np(x) at soon.\n\xff\np(d) at 4.\n",
        [(3, "E501"), (3, "E508"), (4, "E501"), (5, "E402")],
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
