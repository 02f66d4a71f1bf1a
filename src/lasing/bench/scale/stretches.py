"""Costs under many settings: all contenders are prepared once, and in turn run one stretch of their streams each.

A stretch is long enough to include work that happens only once per window, such as clearing dead rows. So contenders
under different settings can take turns, though their streams differ in length.
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
from lasing.bench.measuring.records import Cell, OutputKind
from lasing.engines.local.execute import OUT_SIGN

OURS = "lasing"
MICROSECONDS = 1e6


@dataclass(frozen=True)
class Ready:
    """A contender whose windows are full: `go` runs the stretch with a given number. Each stretch has `units` units.

    `size` is the bytes of its state, its stream and its program, if known.
    """

    go: Callable[[int], object]
    units: float
    derived: float | None = None
    size: int = 0


@dataclass(frozen=True)
class Entry:
    """A contender under some settings, how to prepare it, and its number of turns, if not all."""

    contender: str
    output: OutputKind
    settings: Mapping[str, int | str]
    prepare: Callable[[], Ready]
    turns: int | None = None


def on_columns(c: Course, points: int, output: OutputKind = "changes", units: float | None = None) -> Ready:
    """Our engine on stretches of `points` time points, tick by tick; a unit is an atom, unless `units` is given."""
    engine = Columns(c.program, c.stream, annotated=False)
    held = sum(int(block[:, OUT_SIGN].sum()) for block in engine.to(c.warm - 1))

    def changes(number: int) -> None:
        for t in _stretch(c, points, number):
            list(engine.to(t))

    def answers(number: int) -> None:
        for t in _stretch(c, points, number):
            list(engine.to(t))
            engine.engine.standing()

    size = engine.engine.memory_bytes + 2 * c.stream.rows.nbytes  # renumbering the predicates makes a second copy
    size += sum(getsizeof(atom) + getsizeof(atom.args) for atom in c.program.background)
    return Ready(changes if output == "changes" else answers, units or _atoms(c, points), held, size)


def on_dictionaries(c: Course, points: int) -> Ready:
    """Plain Python on stretches of `points` time points."""
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
    """Atoms in a stretch; the mean, if stretches differ."""
    stretches = (c.stream.points - c.warm) // points
    return (c.stream.bounds[c.warm + stretches * points] - c.stream.bounds[c.warm]) / stretches


def measured(experiment: str, entries: Sequence[Entry], turns: int) -> list[Cell]:
    """A cell for each entry. The first turn of each does not count."""
    ready = [entry.prepare() for entry in entries]
    lasts = [min(turns, turns if entry.turns is None else entry.turns) for entry in entries]
    costs = np.full((len(entries), turns + 1), np.nan)
    gc.collect()
    gc.freeze()  # the collector must not scan the prepared data again and again: real use has none
    for turn in range(turns + 1):
        for i, contender in enumerate(ready):
            if turn <= lasts[i]:
                begun = time.thread_time()  # stretches may be short: other load on the machine must not count
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
    """The index of our engine's entry for the same output and settings."""
    same = OURS, entry.output, entry.settings
    return next((i for i, e in enumerate(entries) if (e.contender, e.output, e.settings) == same), None)
