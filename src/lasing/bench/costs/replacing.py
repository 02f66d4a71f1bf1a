"""Another program in the place of a running one: how long that takes, against pushing the facts of its window."""

from __future__ import annotations

import gc
import time
from statistics import median

import lasing

FACTS, AT_ONCE, ROUNDS = 100_000, 100, 5
_WINDOW = FACTS // AT_ONCE
_INPUTS = "#input temp/2, door/1."
PROGRAMS = {
    "a rule with another threshold": (
        f"hot(S) :- temp(S,V) in [{_WINDOW}], V > 60.",
        f"hot(S) :- temp(S,V) in [{_WINDOW}], V > 70.",
    ),
    "a join, and a rule with a negation more": (
        f"both(S) :- temp(S,_) in [10], door(S) in [{_WINDOW}].",
        f"both(S) :- temp(S,_) in [10], door(S) in [{_WINDOW}]. silent(S) :- door(S) in [50], not temp(S,_) in [50].",
    ),
    "a count in place of a list": (
        f"hot(S) :- temp(S,V) in [{_WINDOW}], V > 60. open(S) :- door(S) in [5].",
        f"hot(S,N) :- door(S) in [5], N = #count{{V : temp(S,V) in [{_WINDOW}]}}.",
    ),
}


def replacing() -> list[tuple[str, str, str]]:
    """Rows of a table: the change, how long it takes with 100,000 facts in the window, and how that compares with
    pushing these facts into a new engine. The kernels are compiled before."""
    rows = []
    for name, (old, new) in PROGRAMS.items():
        spent, ratios = [], []
        for turn in range(ROUNDS + 1):
            engine, pushing = _filled(old)
            gc.collect()
            begun = time.perf_counter()
            engine.replace(f"{_INPUTS} {new}").rows()
            seconds = time.perf_counter() - begun
            if turn:  # the first one compiles
                spent.append(seconds)
                ratios.append(seconds / pushing)
        rows.append((name, f"{median(spent):.3f} s", f"{median(ratios):.2f}x"))
    return rows


def _filled(program: str) -> tuple[lasing.Engine, float]:
    """An engine with a full window, and how long it took to push its facts."""
    engine = lasing.Engine(f"{_INPUTS} {program}", start=0)
    begun = time.perf_counter()
    for t in range(_WINDOW):
        engine.push(t, [_fact(t, i) for i in range(AT_ONCE)])
    return engine, time.perf_counter() - begun


def _fact(t: int, i: int) -> tuple[object, ...]:
    name = f"s{(t * 7 + i * 13) % 5000}"
    return ("temp", name, (t + i) * 7 % 100) if i % 2 else ("door", name)
