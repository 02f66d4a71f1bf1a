"""Facts out of order: what waiting for them costs, and what correcting answers costs, against feeding in order."""

from __future__ import annotations

import gc
import random
import time
import warnings
from statistics import median
from typing import Any

import lasing

DELAY, SHARE, FACTS, ROUNDS = 5, 0.01, 40_000, 5
SIZES = ((1, 100), (1, 5_000), (10, 100), (10, 5_000), (100, 100), (100, 1_000))
"""Facts at a time point, and the window in time points."""

Pushes = list[tuple[int, list[tuple[object, ...]]]]


def lateness() -> list[tuple[str, str, str]]:
    """Rows of a table: the case, microseconds per fact, and how that compares with feeding the facts in order.

    All ways take turns; the figures are medians. Late facts come 1 to 5 time points after their own.
    """
    rows = []
    for number, window in SIZES:
        program = f"hot(S) :- temp(S,V) in [{window}], V > 60. both(S) :- temp(S,V) in [10], door(S) in [10]."
        in_order = _in_order(number, max(FACTS // number, 2 * window))
        late = _some_late(in_order)
        ways: dict[str, tuple[Pushes, dict[str, Any]]] = {
            "in order": (in_order, {}),
            "in order, with a delay": (in_order, {"delay": DELAY}),
            "1 % late, with a delay": (late, {"delay": DELAY}),
            "1 % late, with corrections": (late, {"delay": DELAY, "corrections": True}),
        }
        costs: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(ROUNDS):
            for name, (pushes, options) in ways.items():
                costs[name].append(_cost(program, pushes, options))
        baseline = costs["in order"]
        case = f"{number} facts at a time point, window of {window:,}"
        for name, found in costs.items():
            ratio = median(cost / base for cost, base in zip(found, baseline, strict=True))
            rows.append((f"{case}: {name}", f"{median(found):.2f} µs", f"{ratio:.2f}x"))
    return rows


def _in_order(number: int, ticks: int) -> Pushes:
    def fact(t: int, i: int) -> tuple[object, ...]:
        name = f"s{(t * 7 + i * 13) % 500}"
        return ("temp", name, (t + i) * 7 % 100) if (t + i) % 2 else ("door", name)

    return [(t, [fact(t, i) for i in range(number)]) for t in range(ticks)]


def _some_late(in_order: Pushes) -> Pushes:
    """The same facts, some of them in a push of their own after later ones."""
    chance = random.Random(1)
    pushes: Pushes = []
    held: list[tuple[int, int, tuple[object, ...]]] = []
    for t, facts in in_order:
        kept = []
        for fact in facts:
            if chance.random() < SHARE:
                held.append((t + chance.randint(1, DELAY), t, fact))
            else:
                kept.append(fact)
        pushes.append((t, kept))
        pushes += [(time, [fact]) for due, time, fact in held if due == t]
        held = [waiting for waiting in held if waiting[0] > t]
    return pushes


def _cost(program: str, pushes: Pushes, options: dict[str, Any]) -> float:
    """Processor microseconds per fact."""
    engine = lasing.Engine(program, start=0, **options)
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        begun = time.thread_time()
        for t, facts in pushes:
            engine.push(t, facts).rows()
        spent = time.thread_time() - begun
    return spent / sum(len(facts) for _, facts in pushes) * 1e6
