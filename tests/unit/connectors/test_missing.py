"""A missing value means the same on each way in: no fact, an error, or another value."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lasing
from lasing.errors import LasingError, LasingWarning

PROGRAM = "mean(S, A) :- temp(S, _) in [9], A = #avg{V : temp(S, V) in [9]}."
ROWS: list[tuple[int | None, str | None, int | None]] = [(1, "a", 10), (2, "a", None), (3, "a", 20), (4, None, 30)]


def streams(folder: Path) -> dict[str, Any]:
    columns: dict[str, list[Any]] = dict(
        zip(("time", "sensor", "value"), map(list, zip(*ROWS, strict=True)), strict=True)
    )
    cells = "\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in ROWS)
    (folder / "temp.csv").write_text(f"time,sensor,value\n{cells}\n", encoding="utf-8")
    pl.DataFrame(columns).write_ndjson(folder / "temp.jsonl")
    pq.write_table(pa.table(columns), folder / "temp.parquet")
    return {
        "CSV": folder / "temp.csv",
        "JSON lines": folder / "temp.jsonl",
        "Parquet": folder / "temp.parquet",
        "Arrow": {"temp": pa.table(columns)},
        "pandas": {"temp": pd.DataFrame(columns).astype({"value": "Int64"})},
        "Polars": {"temp": pl.DataFrame(columns)},
        "a lazy frame": {"temp": pl.LazyFrame(columns)},
        "rows": [(time, "temp", *args) for time, *args in ROWS],
    }


WAYS = ("CSV", "JSON lines", "Parquet", "Arrow", "pandas", "Polars", "a lazy frame", "rows")


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("way", WAYS)
def test_a_missing_value_is_no_fact(way: str, engine: Any, tmp_path: Path) -> None:
    with pytest.warns(LasingWarning, match=r"W206.*1 row .*\n.*\n.*W206|W206"):
        answers = list(lasing.run(PROGRAM, streams(tmp_path)[way], engine=engine))
    assert str(answers[-1]) == "3: mean(a,15)"


@pytest.mark.parametrize("way", WAYS)
def test_what_is_left_out_is_counted_by_column(way: str, tmp_path: Path) -> None:
    run = lasing.run(PROGRAM, streams(tmp_path)[way])
    with pytest.warns(LasingWarning, match="W206"):
        list(run)
    columns = {column for _, column in run.report.missing}
    assert columns == ({"argument 1", "argument 2"} if way == "rows" else {"sensor", "value"})
    assert set(run.report.missing.values()) == {1}


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("way", WAYS)
def test_a_missing_value_may_be_an_error(way: str, engine: Any, tmp_path: Path) -> None:
    with pytest.raises(LasingError) as caught:
        list(lasing.run(PROGRAM, streams(tmp_path)[way], engine=engine, missing="error"))
    assert caught.value.diagnostics[0].code == "E506"


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("way", WAYS)
def test_a_missing_value_may_be_replaced(way: str, engine: Any, tmp_path: Path) -> None:
    answers = list(lasing.run(PROGRAM, streams(tmp_path)[way], engine=engine, missing=0, end=3))
    assert str(answers[-1]) == "3: mean(a,10)"


def test_a_table_may_have_a_rule_of_its_own() -> None:
    frame = pa.table({"time": [1, 2], "sensor": ["a", "a"], "value": [10, None]})
    run = lasing.run(PROGRAM, {"temp": lasing.Table(frame, missing=30)}, missing="error")
    assert [str(answer) for answer in run] == ["1: mean(a,10)", "2: mean(a,20)"]
    with pytest.raises(LasingError, match="E506"):
        list(lasing.run(PROGRAM, {"temp": lasing.Table(frame, missing="error")}))


def test_a_batch_may_have_a_rule_of_its_own() -> None:
    frame = pa.table({"time": [1, 2], "sensor": ["a", "a"], "value": [10, None]})
    engine = lasing.Engine(PROGRAM)
    engine.push_batch({"temp": frame}, missing=30)
    assert str(engine.answer()) == "2: mean(a,20)"
    with pytest.raises(LasingError, match="E506"):
        lasing.Engine(PROGRAM).push_batch({"temp": frame}, missing="error")
    with pytest.raises(LasingError, match="E506"):
        lasing.Engine(PROGRAM).push_batch({"temp": frame}, missing="none")
    with pytest.warns(LasingWarning, match="W206"):
        engine.push_batch({"temp": pa.table({"time": [3, 4], "sensor": ["a", None], "value": [50, 60]})})
    assert [d.code for d in engine.diagnostics()] == ["W206"]
    assert str(engine.answer()) == "3: mean(a,30)"


def test_a_missing_time_is_not_replaced() -> None:
    frame = pa.table({"time": [1, None], "sensor": ["a", "a"], "value": [10, 20]})
    with pytest.raises(LasingError, match="E506"):
        lasing.Engine(PROGRAM).push_batch({"temp": frame}, missing=0)
    with pytest.raises(LasingError, match="E506"):
        list(lasing.run(PROGRAM, {"temp": frame}, missing=0))


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(LasingError, match="E510"):
        lasing.run(PROGRAM, "temp(a,1) at 1.", missing=None)  # type: ignore[arg-type]
    with pytest.raises(LasingError, match="E506"):
        lasing.run(PROGRAM, "temp(a,1) at 1.", missing=float("nan"))


def test_the_empty_text_goes_out_and_in(tmp_path: Path) -> None:
    from lasing.connectors.sinks import header, records, write_csv

    run = lasing.run("q(X) :- p(X).", [(1, "p", "")])
    out = io.StringIO()
    write_csv(records(run.moments(), "answers", int), out, header("answers", False, 1))
    (tmp_path / "q.csv").write_text(out.getvalue(), encoding="utf-8")
    assert [str(answer) for answer in lasing.run("r(X) :- q(X).", tmp_path / "q.csv")] == ['1: r("")']


@pytest.mark.parametrize("nothing", [None, pd.NA, pd.NaT, np.datetime64("NaT")], ids=str)
def test_every_python_null_is_a_missing_value(nothing: object) -> None:
    rows = [(1, "temp", "a", 10), (1, "temp", "b", nothing)]
    with pytest.warns(LasingWarning, match="W206"):
        (answer,) = lasing.run("q(S, V) :- temp(S, V).", rows)
    assert [str(atom) for atom in answer.atoms] == ["q(a,10)"]
    (filled,) = lasing.run("q(S, V) :- temp(S, V).", rows, missing=7)
    assert sorted(str(atom) for atom in filled.atoms) == ["q(a,10)", "q(b,7)"]
    engine = lasing.Engine("q(S, V) :- temp(S, V).")
    with pytest.warns(LasingWarning, match="W206"):
        update = engine.push(1, [row[1:] for row in rows])
    assert [str(atom) for atom in update.added] == ["q(a,10)"]
    with pytest.raises(LasingError, match="E506"):
        list(lasing.run("q(S, V) :- temp(S, V).", rows, missing="error"))
