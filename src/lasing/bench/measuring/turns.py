"""How measurements are taken: contenders take turns, so that other load on the machine affects all of them alike.

Every figure is a median over turns. A ratio is taken within each turn, and the figure is the median of the ratios: bare
times differ from machine to machine and from hour to hour, ratios much less.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Step = Callable[[int], Any]
ChangedRows = Counter[tuple[int, ...]]
"""The changes of a time point: rows of integers. A Counter, so that a row returned twice does not pass for one."""


def not_compared(_: object) -> ChangedRows:
    """For contenders that are timed, but not compared with others."""
    raise NotImplementedError("this contender is timed, not compared")


@dataclass(frozen=True)
class Contender:
    """One way to do the work: `start` prepares it, untimed, and the steps that it returns are timed.

    `changed_rows` converts what a step returns, to compare it with other contenders.
    """

    name: str
    start: Callable[[], Step]
    changed_rows: Callable[[Any], ChangedRows] = not_compared


@dataclass(frozen=True)
class Timing:
    """The seconds that each step took: a row for each turn, a column for each step that counts."""

    name: str
    seconds: np.ndarray[Any, np.dtype[np.float64]]

    @property
    def total(self) -> float:
        """The seconds of all steps.

        >>> Timing("slow once", np.array([[1.0, 1.0], [1.0, 2.0], [9.0, 1.0]])).total
        3.0
        """
        return float(np.median(self.seconds.sum(axis=1)))

    @property
    def step(self) -> float:
        """The seconds of the median step."""
        return float(np.median(np.median(self.seconds, axis=1)))

    def over(self, baseline: Timing) -> float:
        """The ratio of this time to the baseline's: the median over turns.

        >>> Timing("a", np.array([[2.0], [8.0], [3.0]])).over(Timing("b", np.array([[1.0], [4.0], [1.0]])))
        2.0
        """
        return float(np.median(self.seconds.sum(axis=1) / baseline.seconds.sum(axis=1)))


def take_turns(
    contenders: Sequence[Contender],
    steps: int,
    warm: int,
    turns: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Timing]:
    """Let each contender do all steps, turn after turn. The `clock` has the seconds that are measured.

    The first `warm` steps of a turn do not count, and neither does a whole first turn: windows fill, caches warm up.
    """
    seconds = {contender.name: np.zeros((turns + 1, steps)) for contender in contenders}
    for turn in range(turns + 1):
        for contender in contenders:
            step = contender.start()
            gc.collect()  # what others have left behind
            gc.freeze()  # the collector must not scan the prepared data again and again: real use has none
            row = seconds[contender.name][turn]
            for number in range(steps):
                begun = clock()
                step(number)
                row[number] = clock() - begun
            gc.unfreeze()
    return [Timing(name, of_turns[1:, warm:]) for name, of_turns in seconds.items()]


class DisagreementError(Exception):
    """Two contenders that should return the same do not, so their times mean nothing."""


def agree(one: Contender, other: Contender, steps: int) -> None:
    """Raise `DisagreementError` unless both contenders return the same at each step."""
    first, second = one.start(), other.start()
    for number in range(steps):
        a, b = one.changed_rows(first(number)), other.changed_rows(second(number))
        if a != b:
            raise DisagreementError(
                f"at {number} only {one.name} returns {sorted((a - b).elements())[:5]}, "
                f"and only {other.name} {sorted((b - a).elements())[:5]}"
            )
