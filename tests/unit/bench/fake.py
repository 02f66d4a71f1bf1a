"""Experiments that take no time and whose figures are all known."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lasing.bench import experiments, run
from lasing.bench.bars.blocks import Line
from lasing.bench.measuring.course import QUICK, Effort
from lasing.bench.measuring.records import Cell, Experiment, Figure
from lasing.bench.measuring.turns import DisagreementError

COSTS = {"dictionaries": 12.34, "our engine": 0.2134}


def _join(effort: Effort) -> Iterator[Cell]:
    for window in (20, 80)[: _windows(effort)]:
        settings = {"window": window, "rate": 200}
        for contender, cost in COSTS.items():
            grown = cost * (window / 20) ** 0.5
            yield Cell(
                "fake-join",
                contender,
                "changes",
                settings,
                grown,
                (0.9 * grown, 1.2 * grown),
                cost / COSTS["our engine"],
                1234,
            )
        yield Cell("fake-join", "Laser", "changes", settings, note="not installed")
        yield Cell("fake-join", "our engine", "answers", settings, 1.5, (1.5, 1.5), 1.0)
        slow = "too slow at smaller settings already" if window == 80 else ""
        yield Cell("fake-join", "clingo", "answers", settings, None if slow else 150.0, ratio=100.0, note=slow)


def _windows(effort: Effort) -> int:
    return 1 if effort is QUICK else 2


def _disagree(_: Effort) -> Iterator[Cell]:
    yield Cell("fake-quarrel", "our engine", "changes", {"window": 20}, 0.3, ratio=1.0)
    raise DisagreementError("at 3 only our engine returns [(1, 2)]")


def _bar(effort: Effort) -> Iterator[Line]:
    yield Line("speed", "fast" if effort is QUICK else "slow", "fast", effort is QUICK)
    yield Line("colour", "there is no lamp", "red", None)


JOIN = Experiment(
    name="fake-join",
    title="A join",
    question="What does a join cost?",
    cells=_join,
    count=lambda effort: 5 * _windows(effort),
    figures=(
        Figure("fake-join", "A join, by window", "window", "window", "µs per atom", only={"output": "changes"}),
        Figure("fake-slopes", "A join, on both axes", "window", "window", "µs per atom", panels="output", slope=True),
        Figure("fake-nothing", "Nothing", "window", "window", "µs per atom", only={"contender": "nobody"}),
    ),
    sentences=lambda cells: [f"Of {len(cells)} cells, {sum(cell.cost is None for cell in cells)} are empty."],
)
QUARREL = Experiment("fake-quarrel", "A quarrel", "Who is right?", _disagree, lambda _: 2)
ON_SPARK = Experiment("fake-spark", "Spark", "What does Spark cost?", _join, lambda _: 1)


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a join, one table of bars, and something on Spark can be measured."""
    monkeypatch.setattr(experiments, "EXPERIMENTS", {e.name: e for e in (JOIN, ON_SPARK)})
    monkeypatch.setattr(experiments, "ON_SPARK", frozenset(["fake-spark"]))
    monkeypatch.setattr(experiments, "SECTIONS", ("lights",))
    monkeypatch.setattr(experiments, "COSTS", ())
    monkeypatch.setattr(experiments, "GROUPS", {"spark": ("fake-spark",)})
    monkeypatch.setattr(experiments, "without_spark", lambda: "not installed: pip install 'lasing[spark]'")
    monkeypatch.setattr(run, "BLOCKS", {"lights": ("Lights", _bar)})
