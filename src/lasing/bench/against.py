"""Compare two versions in turns: the cost of each cell here, as a multiple of its cost at another commit.

The other commit is checked out beside this tree, into a temporary worktree. Both versions run the same experiments in
their own processes, one after the other, round by round, so that other load on the machine affects both. The ratio of
a cell is the median over rounds. The other contenders are the same in both versions: how much they seem to have changed
shows how far to trust the ratios.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import lasing
from lasing.bench.reporting.tables import is_ours

COLUMNS = ("cell", "there", "here", "here / there", "others")
SLOWER = 1.05
"""A cell counts as slower if its ratio is above this."""

Key = tuple[str, str, str, tuple[tuple[str, int | str], ...]]
"""The experiment, the contender, its output, and the settings."""
Costs = dict[Key, float]
Measure = Callable[[Path, Sequence[str], bool], Costs]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One of our cells: median costs at the other commit and here, the median ratio, and that of the others."""

    name: str
    there: float
    here: float
    ratio: float
    others: float | None

    def row(self) -> tuple[str, ...]:
        others = "" if self.others is None else f"{self.others:.3f}"
        return self.name, f"{self.there:,.4g}", f"{self.here:,.4g}", f"{self.ratio:.3f}", others


def compare(
    rev: str, names: Sequence[str], rounds: int, full: bool, measure: Measure | None = None
) -> list[Comparison]:
    """Measure experiments at another commit and here, in turns. ValueError if there is nothing to compare."""
    measure = cells_of if measure is None else measure
    here = _repository()
    there_costs: list[Costs] = []
    here_costs: list[Costs] = []
    with _checked_out(here, rev) as there:
        for turn in range(rounds):
            pairs = [(there, there_costs), (here, here_costs)]
            for tree, costs in pairs if turn % 2 == 0 else reversed(pairs):
                costs.append(measure(tree, names, full))
    found = list(comparisons(there_costs, here_costs))
    if not found:
        raise ValueError(f"{' '.join(names)}: the two versions have no cell of our engine in common")
    return found


def comparisons(there: Sequence[Costs], here: Sequence[Costs]) -> Iterator[Comparison]:
    """Our cells that were measured in every round of both versions; costs are in the order of rounds."""
    everywhere = set.intersection(*(set(costs) for costs in (*there, *here)))
    ratios = {key: median(b[key] / a[key] for a, b in zip(there, here, strict=True)) for key in everywhere}
    for key in (key for key in here[0] if key in everywhere and is_ours(key[1])):
        experiment, contender, output, settings = key
        there_too = (k for k in everywhere if (k[0], *k[2:]) == (experiment, output, settings))
        beside = [ratios[k] for k in there_too if not is_ours(k[1])]
        yield Comparison(
            ", ".join((experiment, contender, output, *(f"{name} {value}" for name, value in settings))),
            median(costs[key] for costs in there),
            median(costs[key] for costs in here),
            ratios[key],
            median(beside) if beside else None,
        )


def cells_of(tree: Path, names: Sequence[str], full: bool) -> Costs:
    """The cost of each cell of some experiments in one version, measured in its own process."""
    with TemporaryDirectory() as folder:
        quick = () if full else ("--quick",)
        command = [sys.executable, "-m", "lasing", "bench", *names, *quick, "--out", folder]
        _python(command, tree)
        lines = (Path(folder) / "cells.jsonl").read_text(encoding="utf-8").splitlines()
    return dict(filter(None, map(_cost, map(json.loads, lines[1:]))))


def _cost(cell: Mapping[str, object]) -> tuple[Key, float] | None:
    """The cost in a line of cells.jsonl; None if nothing was measured."""
    cost, settings = cell.get("cost"), cell.get("settings")
    if not isinstance(cost, int | float) or not isinstance(settings, dict):
        return None
    key = str(cell["experiment"]), str(cell["contender"]), str(cell["output"]), tuple(settings.items())
    return key, float(cost)


def _repository() -> Path:
    """The repository that contains this version."""
    package = Path(lasing.__file__).parent
    try:
        command = ["git", "-C", str(package), "rev-parse", "--show-toplevel"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        raise ValueError("another commit can only be measured from a git checkout of lasing") from None
    return Path(done.stdout.strip())


@contextmanager
def _checked_out(repository: Path, rev: str) -> Iterator[Path]:
    """Another commit in a temporary worktree, with its kernels compiled."""
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "there"
        add = ["git", "-C", str(repository), "worktree", "add", "--detach", str(tree), rev]
        done = subprocess.run(add, check=False, capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"{rev} cannot be checked out: {done.stderr.strip().splitlines()[-1]}")
        try:
            for version in (tree, repository):
                _python([sys.executable, "-c", "import lasing; lasing.run('ready :- go.').prepare()"], version)
            yield tree
        finally:
            remove = ["git", "-C", str(repository), "worktree", "remove", "--force", str(tree)]
            subprocess.run(remove, check=True, capture_output=True)


def _python(command: Sequence[str], tree: Path) -> None:
    """Run a command with the sources of a tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run(command, env=environment, cwd=tree, check=False, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{' '.join(command[1:4])} … failed: {(done.stderr or done.stdout).strip()[-500:]}")
