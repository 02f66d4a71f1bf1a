"""How measurements are taken: contenders take turns, so that what else the machine does meets all of them alike.

Every figure is a median over turns. A ratio is taken within each turn, and then the median of the ratios: bare times
differ from machine to machine and from hour to hour, ratios much less.
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
Told = Counter[tuple[int, ...]]
"""What a time point changes: rows of integers. A Counter, so that a row put out twice does not pass for one."""


def untold(_: object) -> Told:
    """What those tell who are timed, but not compared with others."""
    raise NotImplementedError("this contender is timed, not compared")


@dataclass(frozen=True)
class Contender:
    """One way to do the work: `start` prepares it, untimed, and the steps that it returns are timed.

    `told` reads what a step has returned, for comparison with what others say.
    """

    name: str
    start: Callable[[], Step]
    told: Callable[[Any], Told] = untold


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
        """How many times the baseline's time this took, turn by turn.

        >>> Timing("a", np.array([[2.0], [8.0], [3.0]])).over(Timing("b", np.array([[1.0], [4.0], [1.0]])))
        2.0
        """
        return float(np.median(self.seconds.sum(axis=1) / baseline.seconds.sum(axis=1)))


def take_turns(contenders: Sequence[Contender], steps: int, warm: int, turns: int) -> list[Timing]:
    """Let each contender do all steps, turn after turn.

    The first `warm` steps of a turn do not count, and neither does a whole first turn: windows fill, caches warm up.
    """
    seconds = {contender.name: np.zeros((turns + 1, steps)) for contender in contenders}
    for turn in range(turns + 1):
        for contender in contenders:
            step = contender.start()
            gc.collect()  # what others have left behind,
            gc.freeze()  # and what is prepared is not looked through again and again: it would not be there in earnest
            row = seconds[contender.name][turn]
            for number in range(steps):
                begun = time.perf_counter()
                step(number)
                row[number] = time.perf_counter() - begun
            gc.unfreeze()
    return [Timing(name, of_turns[1:, warm:]) for name, of_turns in seconds.items()]


class DisagreementError(Exception):
    """Two contenders that should tell the same do not, so their times mean nothing."""


def agree(one: Contender, other: Contender, steps: int) -> None:
    """Raise `DisagreementError` unless both contenders tell the same at each step."""
    first, second = one.start(), other.start()
    for number in range(steps):
        a, b = one.told(first(number)), other.told(second(number))
        if a != b:
            raise DisagreementError(
                f"at {number} only {one.name} tells {sorted((a - b).elements())[:5]}, "
                f"and only {other.name} {sorted((b - a).elements())[:5]}"
            )
