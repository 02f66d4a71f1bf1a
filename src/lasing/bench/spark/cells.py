"""Cells about Spark: rates in thousand events a second, turn by turn, and those of what cannot be measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from lasing.bench.measuring.records import Cell

OURS, IDENTITY, PLAIN, JOIN = "lasing", "identity", "plain Spark", "Spark join"
RATE = "thousand events/s"
Settings = Mapping[str, int | str]


class Measurement(Protocol):
    """What an experiment measures, and with which effort: `settings` are those of its first cell."""

    @property
    def contenders(self) -> tuple[str, ...]: ...

    @property
    def settings(self) -> Settings: ...

    def count(self) -> int: ...

    def cells(self) -> Iterator[Cell]: ...


def quartiles(values: Sequence[float]) -> tuple[float, float] | None:
    """The first and third quartile; none of a single value."""
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
    """A cell of a contender's rates, and ours in the same turns.

    The more, the better: a ratio of 2 says that the contender takes in twice as many events as we do.
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
    """A cell for each contender that says why there is nothing."""
    for contender in measurement.contenders:
        yield Cell(experiment, contender, "changes", measurement.settings, note=why)
