"""What is reported about batches."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from pathlib import Path

import pytest

import lasing
from lasing.pipeline.progress import BatchFigures, Progress


def test_batches_become_lines_metrics_and_a_sum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = lasing.parse("q(Y) :- p(X), Y = 1 / X.")
    with Progress(program, tmp_path / "metrics") as progress:
        first = BatchFigures(0, events=1000, rows={"q": 3}, late=2, evaluated_until="7", state_bytes=3_200_000)
        progress.evaluated(first, Counter({"W203 0 division by zero": 2}))
        progress.finished(0, 0.5)
        progress.finished(9, 1.0)  # somebody else's
        progress.evaluated(BatchFigures(1, events=10), Counter({"W203 0 division by zero": 1, "W202": 4}))
        progress.finished(1, 0.1)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "batch 0: 1,000 events (2,000/s); evaluated until 7; state 3.2 MB; late 2; out 3 q"
    assert said[1].endswith("evaluated until nothing yet; state 0 B; late 0; out nothing")
    written = [json.loads(line) for line in (tmp_path / "metrics").read_text().splitlines()]
    assert [(w["batch"], w["events_per_second"], w["rows"]) for w in written] == [(0, 2000.0, {"q": 3}), (1, 100.0, {})]
    assert "2 batches, 1,010 events" in progress.summary()
    assert progress.summary().endswith("wrote 3 q; 2 late")
    assert [d.code for d in progress.diagnostics()] == ["W202", "W203"]
    assert "3 instances" in progress.diagnostics()[1].message


def test_rows_that_lack_a_value_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(lasing.parse("q(X) :- p(X, Y)."), tmp_path / "metrics") as progress:
        for number, missing in enumerate(({"in": {"x": 2, "y": 1}}, {}, {"in": {"x": 1_000}, "other": {"y": 1}})):
            progress.evaluated(BatchFigures(number, events=5, missing=missing), Counter())
            progress.finished(number, 0.1)
        progress.evaluated(BatchFigures(3, missing={"in": {"x": 7}}), Counter())  # Spark has not finished it
    said = capsys.readouterr().err.splitlines()
    assert [line.split("; ")[3:] for line in said] == [
        ["late 0", "left out 3", "out nothing"],
        ["late 0", "out nothing"],
        ["late 0", "left out 1,001", "out nothing"],
    ]
    written = [json.loads(line)["missing"] for line in (tmp_path / "metrics").read_text().splitlines()]
    assert written == [{"in": {"x": 2, "y": 1}}, {}, {"in": {"x": 1_000}, "other": {"y": 1}}]
    assert [d.message for d in progress.diagnostics()] == [
        "1,002 rows of source in left out: no value in the column x",
        "1 row of source in left out: no value in the column y",
        "1 row of source other left out: no value in the column y",
    ]
    assert 'missing = "error"' in (progress.diagnostics()[0].note or "")
    assert progress.summary().endswith("0 late; 1,004 rows left out for lack of a value")


def test_an_instance_without_a_value_is_shown() -> None:
    with Progress(lasing.parse("q(Y) :- p(X), Y = 1 / X."), quiet=True) as progress:
        name = "W203 0 division by zero"
        progress.evaluated(BatchFigures(0), Counter({name: 2}), {name: "for example with X = 0 at time point 3"})
        progress.evaluated(BatchFigures(1), Counter({name: 1}), {name: "for example with X = 0 at time point 9"})
    (found,) = progress.diagnostics()
    assert found.message == (
        "3 instances of this rule had no value: division by zero; for example with X = 0 at time point 3"
    )


def test_metrics_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(lasing.LasingError, match="E403"), Progress(lasing.parse("q :- p."), tmp_path / "no" / "file"):
        pass


def test_a_source_that_keeps_others_waiting_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(lasing.parse("q :- p, r.")) as progress:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for number in range(2):
                progress.evaluated(BatchFigures(number, events=5, waiting_for=["r"]), Counter())
                progress.finished(number, 0.1)
            progress.evaluated(BatchFigures(2), Counter())
            progress.finished(2, 0.1)
        progress.evaluated(BatchFigures(3, events=5, waiting_for=["r"]), Counter())
        with pytest.warns(lasing.LasingWarning, match=r"W603.*waits for source r, which has brought no fact at all"):
            progress.finished(3, 0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            progress.evaluated(BatchFigures(4, events=5, waiting_for=["r"]), Counter())
            progress.finished(4, 0.1)
    assert "evaluated until nothing yet, waiting for r;" in capsys.readouterr().err


def test_the_figures_of_old_batches_are_dropped() -> None:
    with Progress(lasing.parse("q(X) :- p(X)."), quiet=True) as progress:
        for number in range(5000):
            progress.evaluated(BatchFigures(number, events=2), Counter())
            progress.finished(number, 0.1)
    assert len(progress.done) <= 2000
    assert [batch.batch for batch in progress.done[-1000:]] == list(range(4000, 5000))
    assert "5000 batches, 10,000 events" in progress.summary()
