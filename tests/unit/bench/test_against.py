"""Two versions in turns: which cells are compared, and how."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lasing.bench import against
from lasing.bench.against import Comparison, Costs, Key, comparisons
from lasing.cli import app


def key(contender: str, window: int = 20) -> Key:
    return "join", contender, "changes", (("window", window),)


OURS, OTHER = key("our engine"), key("dictionaries")


def test_the_ratio_of_a_cell_is_the_median_over_rounds() -> None:
    there: list[Costs] = [{OURS: 1.0, OTHER: 10.0}, {OURS: 2.0, OTHER: 20.0}, {OURS: 1.0, OTHER: 10.0}]
    here: list[Costs] = [{OURS: 1.1, OTHER: 10.0}, {OURS: 2.0, OTHER: 22.0}, {OURS: 3.0, OTHER: 10.0}]
    (found,) = comparisons(there, here)
    assert found == Comparison("join, our engine, changes, window 20", 1.0, 2.0, 1.1, 1.0)
    assert found.row() == ("join, our engine, changes, window 20", "1", "2", "1.100", "1.000")


def test_cells_that_one_version_lacks_are_not_compared() -> None:
    there: list[Costs] = [{OURS: 1.0}]
    here: list[Costs] = [{OURS: 1.0, key("our engine", 80): 2.0}]
    assert [found.name for found in comparisons(there, here)] == ["join, our engine, changes, window 20"]


def test_versions_take_turns_and_the_other_one_is_gone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    trees: list[Path] = []

    def measure(tree: Path, names: Sequence[str], full: bool) -> Costs:
        assert (names, full) == (["join"], False)
        assert (tree / "src" / "lasing").is_dir()
        trees.append(tree)
        return {OURS: 1.0}

    monkeypatch.setattr(against, "_python", lambda *_: None)
    (found,) = against.compare("HEAD", ["join"], 2, False, measure)
    there, here = trees[0], trees[1]
    assert trees == [there, here, here, there]
    assert found.ratio == 1.0
    assert not there.exists()
    listed = subprocess.run(["git", "-C", str(here), "worktree", "list"], check=True, capture_output=True, text=True)
    assert str(there) not in listed.stdout


def test_an_unknown_commit_is_refused() -> None:
    done = CliRunner().invoke(app, ["bench", "join", "--against", "no-such-commit"])
    assert done.exit_code == 2
    assert "cannot be checked out" in done.output.replace("\n", " ")


def test_experiments_have_to_be_named() -> None:
    assert CliRunner().invoke(app, ["bench", "--against", "HEAD"]).exit_code == 2


def test_lines_without_a_cost_are_skipped() -> None:
    line = {"experiment": "join", "contender": "our engine", "output": "changes", "settings": {"window": 20}}
    assert against._cost(line) is None
    assert against._cost({**line, "cost": 2}) == (OURS, 2.0)
