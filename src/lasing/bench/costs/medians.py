"""How these measurements are taken: contenders take turns, and the median of each counts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True)
class Result:
    """A contender's median and spread, in seconds."""

    name: str
    median: float
    spread: float


def interleaved(contenders: Mapping[str, Callable[[], object]], repetitions: int = 7) -> list[Result]:
    """Run the contenders in turns, after one turn to warm up."""
    return medians({name: partial(_seconds, work) for name, work in contenders.items()}, repetitions)


def medians(contenders: Mapping[str, Callable[[], float]], repetitions: int = 7) -> list[Result]:
    """The same, for contenders that measure their own seconds."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(repetitions + 1):
        for name, measure in contenders.items():
            seconds = measure()
            if turn:
                times[name].append(seconds)
    return [Result(name, statistics.median(t), max(t) - min(t)) for name, t in times.items()]


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
