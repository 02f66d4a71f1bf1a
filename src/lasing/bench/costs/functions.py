"""Functions of a column of names: the same rule with and without them, over a million rows with 10,000 names."""

from __future__ import annotations

import gc
import random
import time
from statistics import median

import pyarrow as pa

import lasing

ROWS, NAMES, AT_ONCE, ROUNDS = 1_000_000, 10_000, 1000, 7

RULES: dict[str, dict[str, str]] = {
    "a filter": {
        "baseline: q(X)": "q(X) :- p(X, V), V > 20.",
        "q(lower(X))": "q(lower(X)) :- p(X, V), V > 20.",
        'contains(X, "7") = true': 'q(X) :- p(X, V), V > 20, contains(X, "7") = true.',
        "q(@f(X)), a function of the user": "q(@f(X)) :- p(X, V), V > 20.",
    },
    "a window": {
        "baseline: q(X, V)": "q(X, V) :- p(X, V) in [2], V > 20.",
        "q(lower(X), V)": "q(lower(X), V) :- p(X, V) in [2], V > 20.",
    },
    "a copy, which costs nothing": {
        "baseline: q(X, V)": "q(X, V) :- p(X, V).",
        "q(lower(X), V)": "q(lower(X), V) :- p(X, V).",
    },
    "a copy of one column": {
        "baseline: q(X)": "q(X) :- n(X).",
        "q(lower(X))": "q(lower(X)) :- n(X).",
    },
}
"""p has names and values, n only names. Without a function, a rule that only copies is left out of the plan."""


def functions() -> list[tuple[str, str, str]]:
    """Rows of a table: the rule, processor microseconds per row, and the multiple of the baseline: the median of the
    ratios of rounds; all rules take turns in each round."""
    chance = random.Random(1)
    known = [f"Sensor {i:05d}" for i in range(NAMES)]
    names = pa.array([known[chance.randrange(NAMES)] for _ in range(ROWS)])
    values = pa.array([chance.randrange(100) for _ in range(ROWS)])
    times = pa.array([i // AT_ONCE for i in range(ROWS)])
    tables = {
        "p": pa.table({"time": times, "name": names, "value": values}),
        "n": pa.table({"time": times, "name": names}),
    }
    rows = []
    for group, rules in RULES.items():
        costs: dict[str, list[float]] = {name: [] for name in rules}
        for _ in range(ROUNDS + 1):
            for name, program in rules.items():
                costs[name].append(_cost(program, tables))
        baseline = next(iter(costs.values()))
        for name, found in costs.items():
            ratio = median(
                cost / base for cost, base in zip(found[1:], baseline[1:], strict=True)
            )  # the first compiles
            rows.append((f"{group}: {name}", f"{median(found[1:]) / ROWS * 1e6:.2f} µs", f"{ratio:.2f}x"))
    return rows


def _cost(program: str, tables: dict[str, pa.Table]) -> float:
    """The processor seconds for all rows of the predicate that a rule reads."""
    engine = lasing.Engine(program, start=0, functions={"f": str.swapcase})
    predicate = "n" if "n(X)" in program else "p"
    gc.collect()
    begun = time.process_time()
    engine.push_batch({predicate: tables[predicate]})
    return time.process_time() - begun
