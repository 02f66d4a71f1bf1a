"""Names that are always new: the cost of a fact at first, and after millions of names."""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Callable
from statistics import median

import lasing

FACTS, TICKS, STRETCH = 200, 20_000, 400
WINDOW = "hot(S) :- temp(S,V) in [5], V > 60."
Facts = list[tuple[object, ...]]


def _known(t: int) -> Facts:
    return [("temp", f"s{i}", (t + i) * 7 % 100) for i in range(FACTS)]


def _new(t: int) -> Facts:
    return [("temp", f"s{t}_{i}", (t + i) * 7 % 100) for i in range(FACTS)]


def _unused(t: int) -> Facts:
    return [("log", f"s{t}_{i}", (t + i) * 7 % 100) for i in range(FACTS)]


CONTENDERS: dict[str, tuple[str, Callable[[int], Facts]]] = {
    "baseline: always the same 200 names, V > 60": (WINDOW, _known),
    "new names, no comparison": ("hot(S) :- temp(S,V) in [5].", _new),
    "new names, V > 60": (WINDOW, _new),
    "new names that are compared": ("hot(S) :- temp(S,V) in [5], S > m.", _new),
    "the last of new names": ("last(M) :- M = #max{S : temp(S,V) in [5]}.", _new),
    "new names of an unused predicate": (WINDOW, _unused),
    "new names that are only counted": ("hot(S) :- temp(S,V) in [#5].", _unused),
}


def names() -> list[tuple[str, str, str]]:
    """Rows of a table: the case, processor microseconds per fact, and the growth: the last tenth of all ticks divided
    by the second, also as multiples of the baseline, which removes what else the machine did.

    Contenders take turns, a stretch of ticks each; the figures are medians of stretches.
    """
    engines = {name: lasing.Engine(program, start=0) for name, (program, _) in CONTENDERS.items()}
    costs: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    gc.collect()
    gc.freeze()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        for first in range(0, TICKS, STRETCH):
            for name, (_, facts_at) in CONTENDERS.items():
                costs[name].append(_stretch(engines[name], first, facts_at))
    gc.unfreeze()
    baseline = next(iter(costs.values()))
    rows = []
    for name, found in costs.items():
        second, last = _tenths(found)
        before, after = _tenths([cost / base for cost, base in zip(found, baseline, strict=True)])
        growth = f"{last / second:.2f}x; relative to the baseline {after / before:.2f}x"
        rows.append((name, f"{second:.2f} µs, in the end {last:.2f} µs", growth))
    return rows


def _tenths(costs: list[float]) -> tuple[float, float]:
    """The medians of the second and the last tenth."""
    tenth = len(costs) // 10
    return median(costs[tenth : 2 * tenth]), median(costs[-tenth:])


def _stretch(engine: lasing.Engine, first: int, facts_at: Callable[[int], Facts]) -> float:
    """Microseconds per fact in a stretch of ticks."""
    facts = [facts_at(t) for t in range(first, first + STRETCH)]
    begun = time.thread_time()
    for t, now in enumerate(facts, first):
        engine.push(t, now).rows()
    return (time.thread_time() - begun) / (STRETCH * FACTS) * 1e6
