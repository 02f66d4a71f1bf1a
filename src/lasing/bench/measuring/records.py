"""What a benchmark measures: cells, each a contender under some settings, and experiments that yield them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from lasing.bench.measuring.course import Effort

OutputKind = Literal["changes", "answers"]
"""What a contender returns at each time point: what has changed, or all that holds."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One contender under some settings, such as window 20 and rate 200.

    `cost` is in the experiment's unit, by default microseconds per atom of input: the median over turns, with the first
    and third quartile in `spread`. `ratio` is the median, over turns, of this cost divided by our engine's for the same
    output in the same turn. If nothing was measured, `cost` is None and `note` says why: not installed, or too slow
    even at smaller settings.
    """

    experiment: str
    contender: str
    output: OutputKind
    settings: Mapping[str, int | str]
    cost: float | None = None
    spread: tuple[float, float] | None = None
    ratio: float | None = None
    derived: float | None = None
    """The number of derived atoms that hold at a steady time point."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot of an experiment's cells: cost over a setting, with a line for each contender and value of `lines`.

    `panels` names a setting: each of its values gets its own panel, side by side, as in the paper's figures.
    """

    name: str
    title: str
    x: str
    x_label: str
    y_label: str
    lines: tuple[str, ...] = ()
    panels: str = ""
    only: Mapping[str, int | str] = field(default_factory=dict)
    slope: bool = False
    """Whether both axes are logarithmic and the legend gives each line's slope."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A question, the cells that answer it, and the pictures of them.

    `sentences` turns the cells into sentences, each with its figures.
    """

    name: str
    title: str
    question: str
    cells: Callable[[Effort], Iterator[Cell]]
    count: Callable[[Effort], int]
    figures: tuple[Figure, ...] = ()
    unit: str = "µs per atom"
    sentences: Callable[[list[Cell]], list[str]] = lambda _: []
