"""The five experiments of the Laser paper (Section 4), on generated streams: Figures 2, 3 and 5.

Each runs for two outputs: the changes at a time point, which our engine returns, and the full answer at each time
point, which Laser returns. `race` says how they are measured, `workloads` what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import get_args

from lasing.bench.laser.dictionaries import DICTIONARIES
from lasing.bench.laser.loops import LOOP
from lasing.bench.laser.peers import LASING, SCRATCH
from lasing.bench.laser.race import SPARK, Patience, all_agree, contenders, in_words, probe, race
from lasing.bench.laser.workloads import COPIES, DIFFERENT, Task, box, cooling, diamond, join, rules
from lasing.bench.measuring.course import Effort
from lasing.bench.measuring.records import Cell, Experiment, Figure, OutputKind

OUTPUTS: tuple[OutputKind, ...] = get_args(OutputKind)
WINDOWS, RATES, RULES = (1, 20, 40, 80), (200, 400, 800), (10, 20, 50, 100)

Grid = Callable[[Effort], list[Task]]
"""The settings of an experiment, from small to large."""


def _chosen(values: tuple[int, ...], effort: Effort, quick: tuple[int, ...]) -> tuple[int, ...]:
    return values if effort.length > 1 else quick


def windows_and_rates(make: Callable[[int, int], Task], effort: Effort) -> list[Task]:
    """A workload in each window at each rate."""
    windows, rates = _chosen(WINDOWS, effort, (1, 20)), _chosen(RATES, effort, (200, 800))
    return [make(window, rate) for rate in rates for window in windows]


def numbers_of_rules(effort: Effort) -> list[Task]:
    """Many rules, alike or not, in each window."""
    windows, numbers = _chosen(WINDOWS, effort, (1, 20)), _chosen(RULES, effort, (10, 100))
    return [rules(w, number, kind) for kind in (COPIES, DIFFERENT) for w in windows for number in numbers]


def cells(grid: Grid, small: tuple[Task, ...], middling: Task, effort: Effort) -> Iterator[Cell]:
    """All cells of an experiment, once all contenders agree on small tasks.

    A middling task shows first how long the contenders take that re-evaluate every time point.
    """
    for task in small:
        for output in OUTPUTS:
            all_agree(task, output)
    patience = Patience.of(effort)
    for output in OUTPUTS:
        probe(middling, output, patience)
    for task in grid(effort):
        for output in OUTPUTS:
            yield from race(task, output, effort, patience)


def count(grid: Grid, effort: Effort) -> int:
    """The number of cells to measure."""
    return sum(len(contenders(task)) for task in grid(effort)) * len(OUTPUTS)


# -- the sentences -------------------------------------------------------------------------------------------------


def sentences(found: list[Cell]) -> list[str]:
    """How our cost grows, how the others compare, and what was not measured."""
    said = []
    for output in OUTPUTS:
        mine = [cell for cell in found if cell.contender == LASING and cell.output == output and cell.cost is not None]
        if not mine:
            continue
        low, high = (pick(mine, key=_cost) for pick in (min, max))
        said.append(
            f"For {output} lasing takes {_cost(low):.2g} µs per atom at {_where(low)}, and {_cost(high):.2g} at "
            f"{_where(high)}, where {high.derived or 0:,.0f} derived atoms hold."
        )
        said += _growths(mine, output)
        for name in dict.fromkeys(cell.contender for cell in found if cell.contender not in (LASING, SPARK)):
            theirs = [cell for cell in found if cell.contender == name and cell.output == output]
            said += _against(name, theirs) if theirs else []
    return said


def _growths(mine: list[Cell], output: OutputKind) -> Iterator[str]:
    """How our cost changes from the least to the greatest value of each setting, with the others fixed."""
    for setting in ("window", "rate", "rules"):
        values = sorted({int(cell.settings[setting]) for cell in mine if setting in cell.settings})
        if len(values) < 2:
            continue
        least, most = (
            {_others(cell, setting): _cost(cell) for cell in mine if cell.settings[setting] == end}
            for end in (values[0], values[-1])
        )
        factors = sorted(cost / least[rest] for rest, cost in most.items() if rest in least)
        ends = f"{setting} {values[0]} to {values[-1]}"
        yield f"From {ends} an atom's cost for {output} becomes {_range(factors)} of what it was."


def _against(name: str, theirs: list[Cell]) -> Iterator[str]:
    """How long another contender takes, and in plain words where it is faster than we are."""
    ratios = sorted(cell.ratio for cell in theirs if cell.ratio is not None)
    output, who = theirs[0].output, WORDS.get(name, name)
    if not ratios:
        yield f"For {output} {who} was not measured: {theirs[0].note}."
        return
    only = "" if len(ratios) == len(theirs) else f", at the {len(ratios)} settings of {len(theirs)} that were measured"
    faster = sum(ratio < 1 for ratio in ratios)
    if faster == len(ratios):
        slower = sorted(1 / ratio for ratio in ratios)
        yield f"For {output} {who} is faster: lasing takes {_range(slower)} as long{only}."
    else:
        also = f"; it is faster at {faster} of {len(ratios)} settings" if faster else ""
        yield f"For {output} {who} takes {_range(ratios)} as long as lasing{only}{also}."


WORDS = {SCRATCH: "evaluation from scratch", DICTIONARIES: "plain Python with dictionaries", LOOP: "the C++ loop"}
"""Contenders whose names do not read well in a sentence."""


def _range(factors: list[float]) -> str:
    """
    >>> _range([0.52, 1.0, 1234.5])
    '0.5x to 1,234x'
    """
    low, high = (f"{factor:,.0f}" if factor >= 10 else f"{factor:.1f}" for factor in (factors[0], factors[-1]))
    return f"{low}x" if low == high else f"{low}x to {high}x"


def _cost(cell: Cell) -> float:
    return cell.cost or 0.0


def _others(cell: Cell, setting: str) -> tuple[tuple[str, int | str], ...]:
    return tuple((name, value) for name, value in cell.settings.items() if name != setting)


def _where(cell: Cell) -> str:
    return in_words(cell.settings)


# -- the experiments -----------------------------------------------------------------------------------------------

Y = "µs per atom of input"


def _experiment(
    name: str,
    figure: str,
    title: str,
    question: str,
    grid: Grid,
    small: tuple[Task, ...],
    middling: Task,
    x: str = "window",
) -> Experiment:
    """Two pictures: changes and answers. For many rules, two of each: copies and different rules."""
    panels, x_label = ("rate", "window, in time points") if x == "window" else ("window", "rules")
    kinds = [{}] if x == "window" else [{"kind": COPIES}, {"kind": DIFFERENT}]
    figures = tuple(
        Figure(
            "-".join(("laser", name, *kind.values(), output)),
            f"{title}{''.join(f' ({k})' for k in kind.values())}: {output} (Laser's Figure {figure})",
            x,
            x_label,
            f"average runtime, {Y}",
            panels=panels,
            only={**kind, "output": output},
        )
        for kind in kinds
        for output in OUTPUTS
    )
    return Experiment(
        name, title, question, partial(cells, grid, small, middling), partial(count, grid), figures, sentences=sentences
    )


LASER: tuple[Experiment, ...] = (
    _experiment(
        "diamond",
        "2(a)",
        "Sometime in a window",
        "What does q(A,B) :- p(A,B) in [w] cost, as windows and rates grow?",
        partial(windows_and_rates, diamond),
        (diamond(2, 6),),
        diamond(1, 50),
    ),
    _experiment(
        "box",
        "2(b)",
        "Always in a window",
        "What does q(X) :- p(X) always in [w] cost, as windows and rates grow?",
        partial(windows_and_rates, box),
        (box(2, 12),),
        box(1, 50),
    ),
    _experiment(
        "join",
        "3(a)",
        "A join of two windows",
        "What does q(A,C) :- p(A,B) in [w], p(B,C) in [w] cost, as windows and rates grow?",
        partial(windows_and_rates, join),
        (join(2, 6),),
        join(1, 50),
    ),
    _experiment(
        "rules",
        "3(b)",
        "Many joins",
        "What do many join rules cost, identical or different, at 200 atoms per time point?",
        numbers_of_rules,
        (rules(2, 3, COPIES, 6), rules(2, 3, DIFFERENT, 6)),
        rules(1, 5, COPIES, 50),
        x="rules",
    ),
    _experiment(
        "cooling",
        "5",
        "The cooling system",
        "What does the program of Laser's Figure 4 cost, with times in heads, always and negation?",
        partial(windows_and_rates, cooling),
        (cooling(2, 2), cooling(2, 40)),
        cooling(1, 50),
    ),
)
"""The paper's experiments, in its order."""
