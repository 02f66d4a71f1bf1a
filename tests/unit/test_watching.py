"""Progress of long runs in Python: a function hears of it, a bar is for terminals."""

from __future__ import annotations

import gc
import io
import sys
from pathlib import Path
from typing import Any

import pytest

import lasing
from lasing import LasingError, Progress
from lasing.watching import _Bar, watched

PROGRAM = "q(X) :- p(X)."


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasing.watching._PACE", 0.0)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_function_hears_how_far_a_run_has_got(tmp_path: Path, engine: Any) -> None:
    path = tmp_path / "p.csv"
    path.write_text("time,x\n" + "".join(f"{i},a\n" for i in range(100)), encoding="utf-8")
    found: list[Progress] = []
    assert len(list(lasing.run(PROGRAM, path, engine=engine, progress=found.append))) == 100
    size = path.stat().st_size
    assert all(one.size == size for one in found)
    assert [one.facts for one in found] == sorted(one.facts for one in found)
    last = found[-1]
    assert (last.read, last.facts, last.time_points, last.finished) == (size, 100, 100, True)
    assert [one.finished for one in found].count(True) == 1


@pytest.mark.usefixtures("often")
def test_a_run_without_files_has_no_size_and_an_abandoned_one_finishes() -> None:
    found: list[Progress] = []
    run = lasing.run(PROGRAM, iter([(i, "p", "a") for i in range(50)]), progress=found.append)
    next(run)
    del run
    gc.collect()
    assert found[-1].finished
    assert found[-1].size == 0


def test_frames_of_a_run_with_progress() -> None:
    found: list[Progress] = []
    tables = lasing.run(PROGRAM, "p(a) at 1. p(b) at 2.", progress=found.append).to_arrow()
    assert tables["q"].num_rows == 2
    assert found[-1].finished


def test_there_is_no_bar_without_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    assert len(list(lasing.run(PROGRAM, "p(a) at 1.", progress=True))) == 1
    assert capfd.readouterr().err == ""
    assert watched(True, None) is None


def test_a_bar_appears_once_a_run_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert watched(True, None) is not None
    bar = _Bar()
    bar(Progress(0.5, 0, 1000, 5, 5))
    assert terminal.getvalue() == ""
    bar(Progress(2.0, 500, 1000, 1234, 7))
    bar(Progress(3.0, 1000, 1000, 2345, 9, finished=True))
    assert "2,345 facts" in terminal.getvalue()


def test_something_to_call_is_needed() -> None:
    with pytest.raises(LasingError, match="E510"):
        lasing.run(PROGRAM, "p(a) at 1.", progress="yes")  # type: ignore[arg-type]
