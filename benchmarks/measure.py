"""How measurements are taken: contenders take turns, and the median of each counts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """A contender's median and spread, in seconds."""

    name: str
    median: float
    spread: float


def interleaved(contenders: dict[str, Callable[[], object]], repetitions: int = 7) -> list[Result]:
    """Run the contenders in turns, after one turn to warm up."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(repetitions + 1):
        for name, work in contenders.items():
            begun = time.perf_counter()
            work()
            if turn:
                times[name].append(time.perf_counter() - begun)
    return [Result(name, statistics.median(t), max(t) - min(t)) for name, t in times.items()]
