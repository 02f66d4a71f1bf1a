"""Costs under many settings: all contenders are prepared once, and take turns at one stretch of their streams each.

A stretch is so long that what comes round only once in a window, such as the clearing away of dead rows, is in it. So
contenders under different settings can take turns, though their streams differ in length.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from sys import getsizeof

import numpy as np

from lasing.bench.bars.dictionaries import dictionaries
from lasing.bench.measuring.contenders import Columns
from lasing.bench.measuring.course import Course
from lasing.bench.measuring.records import Cell, Output
from lasing.engines.local.execute import OUT_SIGN

OURS = "lasing"
MICROSECONDS = 1e6


@dataclass(frozen=True)
class Ready:
    """A contender whose windows are full: `go` does the stretch of a number, of which each has so many `units`.

    `size` is the bytes that its state, its stream and its program take, where that is known.
    """

    go: Callable[[int], object]
    units: float
    derived: float | None = None
    size: int = 0


@dataclass(frozen=True)
class Entry:
    """A contender under some settings, how it is prepared, and in how many turns it takes part, if not in all."""

    contender: str
    output: Output
    settings: Mapping[str, int | str]
    prepare: Callable[[], Ready]
    turns: int | None = None


def on_columns(c: Course, points: int, output: Output = "changes", units: float | None = None) -> Ready:
    """Our engine on stretches of so many time points, tick by tick; a unit is an atom where not said otherwise."""
    engine = Columns(c.program, c.stream, annotated=False)
    held = sum(int(block[:, OUT_SIGN].sum()) for block in engine.to(c.warm - 1))

    def changes(number: int) -> None:
        for t in _stretch(c, points, number):
            list(engine.to(t))

    def answers(number: int) -> None:
        for t in _stretch(c, points, number):
            list(engine.to(t))
            engine.engine.standing()

    size = engine.engine.memory_bytes + 2 * c.stream.rows.nbytes  # its own numbers for predicates make a second copy
    size += sum(getsizeof(atom) + getsizeof(atom.args) for atom in c.program.background)
    return Ready(changes if output == "changes" else answers, units or _atoms(c, points), held, size)


def on_dictionaries(c: Course, points: int) -> Ready:
    """Plain Python on stretches of so many time points."""
    step = dictionaries(c.program, c.stream).start()
    for t in range(c.warm):
        step(t)

    def go(number: int) -> None:
        for t in _stretch(c, points, number):
            step(t)

    return Ready(go, _atoms(c, points))


def _stretch(c: Course, points: int, number: int) -> range:
    first = c.warm + number * points
    return range(first, first + points)


def _atoms(c: Course, points: int) -> float:
    """Atoms in a stretch; where stretches differ, in the mean of them."""
    stretches = (c.stream.points - c.warm) // points
    return (c.stream.bounds[c.warm + stretches * points] - c.stream.bounds[c.warm]) / stretches


def measured(experiment: str, entries: Sequence[Entry], turns: int) -> list[Cell]:
    """A cell for each entry. The first turn of each does not count."""
    ready = [entry.prepare() for entry in entries]
    lasts = [min(turns, turns if entry.turns is None else entry.turns) for entry in entries]
    costs = np.full((len(entries), turns + 1), np.nan)
    gc.collect()
    gc.freeze()  # what is prepared is not looked through again and again: it would not be there in earnest
    for turn in range(turns + 1):
        for i, contender in enumerate(ready):
            if turn <= lasts[i]:
                begun = time.thread_time()  # stretches may be short: what the machine does for others must not count
                contender.go(turn)
                costs[i, turn] = (time.thread_time() - begun) / contender.units * MICROSECONDS
    gc.unfreeze()
    cells = []
    for i, (entry, contender) in enumerate(zip(entries, ready, strict=True)):
        own = _ours(entries, entry)
        ratio = None if own is None else float(np.nanmedian(costs[i, 1:] / costs[own, 1:]))
        low, middle, high = (float(q) for q in np.nanpercentile(costs[i, 1:], (25, 50, 75)))
        derived = contender.derived if own is None else ready[own].derived
        cells.append(
            Cell(experiment, entry.contender, entry.output, entry.settings, middle, (low, high), ratio, derived)
        )
    return cells


def _ours(entries: Sequence[Entry], entry: Entry) -> int | None:
    """The place of our engine's entry for the same output under the same settings."""
    same = OURS, entry.output, entry.settings
    return next((i for i, e in enumerate(entries) if (e.contender, e.output, e.settings) == same), None)
