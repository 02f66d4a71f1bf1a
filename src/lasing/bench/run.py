"""Measure what was selected, experiment by experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lasing.bench.bars.blocks import BLOCKS, Line
from lasing.bench.bars.ratios import COLUMNS, RATIOS, ratios
from lasing.bench.costs.tables import COLUMNS as COST_COLUMNS
from lasing.bench.costs.tables import CostTable
from lasing.bench.experiments import BARS, Selection
from lasing.bench.measuring.course import Effort
from lasing.bench.measuring.records import Cell, Experiment, Figure
from lasing.bench.measuring.turns import DisagreementError
from lasing.bench.reporting.progress import ProgressBar
from lasing.bench.reporting.tables import Section, sections

HOLDS = {True: "yes", False: "NO", None: "not measured"}


@dataclass(frozen=True)
class Measured:
    """The results of an experiment, a table or the bars; if something was not measured, `missing` says why.

    `failed` says whether contenders disagreed: then the missing results are a bug of ours.
    """

    name: str
    title: str
    question: str
    sections: tuple[Section, ...] = ()
    sentences: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    cells: tuple[Cell, ...] = ()
    unit: str = ""
    seconds: float = 0
    missing: str = ""
    failed: bool = False


def measure(
    selected: Selection, effort: Effort, progress: ProgressBar, add: Callable[[Cell], None]
) -> Iterator[Measured]:
    """Measure everything selected; report each cell at once, so that an interrupted run is not lost."""
    for experiment in selected.experiments:
        if why := selected.left_out.get(experiment.name):
            yield Measured(experiment.name, experiment.title, experiment.question, missing=why)
        else:
            yield _experiment(experiment, effort, progress, add)
    for table in selected.costs:
        yield _costs(table, selected.left_out.get(table.name, ""), progress)
    if selected.sections:
        yield _bars(selected.sections, effort, progress)


def _experiment(experiment: Experiment, effort: Effort, progress: ProgressBar, add: Callable[[Cell], None]) -> Measured:
    progress.begin(experiment.name, experiment.count(effort))
    cells: list[Cell] = []
    disagreement = ""
    try:
        for cell in experiment.cells(effort):
            cells.append(cell)
            add(cell)
            progress.advance(", ".join((cell.contender, *(f"{k} {v}" for k, v in cell.settings.items()))))
    except DisagreementError as error:
        disagreement = f"contenders disagree, so the rest was not measured: {error}"
    return Measured(
        experiment.name,
        experiment.title,
        experiment.question,
        tuple(sections(experiment, cells)),
        () if disagreement else tuple(experiment.sentences(cells)),
        experiment.figures,
        tuple(cells),
        experiment.unit,
        progress.end(),
        disagreement,
        failed=bool(disagreement),
    )


def _costs(table: CostTable, missing: str, progress: ProgressBar) -> Measured:
    if missing:
        return Measured(table.name, table.title, table.question, missing=missing)
    progress.begin(table.name, 1)
    section = Section(table.title, COST_COLUMNS, tuple(table.measure()))
    return Measured(table.name, table.title, table.question, (section,), seconds=progress.end())


def _bars(names: Sequence[str], effort: Effort, progress: ProgressBar) -> Measured:
    found, seconds = [], 0.0
    for name in names:
        progress.begin(name, 1)
        if name == RATIOS:
            found.append(Section("Others, as multiples of our engine", COLUMNS, tuple(ratios(effort))))
        else:
            title, block = BLOCKS[name]
            found.append(Section(title, ("what", "measured", "bar", "holds"), tuple(map(_row, block(effort)))))
        seconds += progress.end()
    question = "Which of our bars does the engine clear?"
    return Measured(BARS, "Bars", question, tuple(found), seconds=seconds)


def _row(line: Line) -> tuple[str, ...]:
    return line.what, line.measured, line.bar, HOLDS[line.holds]
