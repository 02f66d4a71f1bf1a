"""Cells about Spark: rates in thousand events per second, turn by turn, and cells for what cannot be measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from lasing.bench.measuring.records import Cell

OURS, IDENTITY, PLAIN, JOIN = "lasing", "identity", "plain Spark", "Spark join"
RATE = "thousand events/s"
Settings = Mapping[str, int | str]


class Measurement(Protocol):
    """What an experiment measures, and with how much effort: `settings` are those of its first cell."""

    @property
    def contenders(self) -> tuple[str, ...]: ...

    @property
    def settings(self) -> Settings: ...

    def count(self) -> int: ...

    def cells(self) -> Iterator[Cell]: ...


def quartiles(values: Sequence[float]) -> tuple[float, float] | None:
    """The first and third quartile; None for a single value."""
    if len(values) < 2:
        return None
    low, high = np.quantile(values, (0.25, 0.75))
    return float(low), float(high)


def rated(
    experiment: str,
    contender: str,
    settings: Settings,
    rates: Sequence[float],
    ours: Sequence[float],
    derived: float | None = None,
    note: str = "",
) -> Cell:
    """A cell with a contender's rates, compared with ours in the same turns.

    Higher is better: a ratio of 2 means that the contender takes in twice as many events as we do.
    """
    ratio = float(np.median([rate / our for rate, our in zip(rates, ours, strict=True)]))
    notes = [note] if note else []
    if len(rates) == 1:
        notes.append("a single run")
    return Cell(
        experiment,
        contender,
        "changes",
        settings,
        float(np.median(rates)),
        quartiles(rates),
        ratio,
        derived,
        "; ".join(notes),
    )


def unmeasured(experiment: str, measurement: Measurement, why: str) -> Iterator[Cell]:
    """A cell for each contender that says why nothing was measured."""
    for contender in measurement.contenders:
        yield Cell(experiment, contender, "changes", measurement.settings, note=why)
