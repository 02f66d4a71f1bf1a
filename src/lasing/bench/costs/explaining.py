"""How long an explanation takes: a program of 20 rules over a window of 100,000 facts, asked while the engine runs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from statistics import median

import pyarrow as pa

import lasing

FACTS, SENSORS, AT_ONCE, ROUNDS = 100_000, 1000, 1000, 7
BAR = 0.5
"""The seconds in which an explanation should be there."""


def program() -> str:
    """Twenty rules: thresholds, joins, negation, an aggregate, a selection, a recursion, and layers on top."""
    layers = [f"alert{i}(R) :- alert{i - 1}(R), not quiet{i}(R) in [100]." for i in range(1, 9)]
    return "\n".join(
        (
            "hot(S) :- temp(S, V) in [100], V > 95.",
            "cold(S) :- temp(S, V) in [100], V < 5.",
            "steady(S) :- seen(S), not hot(S), not cold(S).",
            "seen(S) :- temp(S, V) in [100].",
            "busy(S, N) :- seen(S), N = #count{V, T : temp(S, V) at T in [100]}.",
            "latest(S, V) :- seen(S), (T, V) = #last{U, W : temp(S, W) at U in [100]}.",
            "swing(S) :- hot(S), cold(S).",
            "near(R, S) :- room(R, S).",
            "near(R, S) :- near(R, U), next(U, S).",
            "alert0(R) :- near(R, S), swing(S), busy(S, N), N > 10.",
            "calm(R) :- room(R, S), not alert0(R).",
            "top(R) :- alert8(R), room(R, S), latest(S, V).",
            *layers,
        )
    )


def explaining() -> list[tuple[str, str, str]]:
    """Rows of a table: the question, the median of its processor seconds, and how that compares with the bar."""
    chance = random.Random(1)
    background = "".join(f"room(r{i // 20}, s{i}). " for i in range(SENSORS))
    background += "".join(f"next(s{i}, s{i + 1}). " for i in range(SENSORS - 1) if i % 20 != 19)
    engine = lasing.Engine(f"{program()}\n{background}", start=0)
    engine.push_batch(
        {
            "temp": pa.table(
                {
                    "time": [i // AT_ONCE for i in range(FACTS)],
                    "sensor": [f"s{chance.randrange(SENSORS)}" for _ in range(FACTS)],
                    "value": [chance.randrange(101) for _ in range(FACTS)],
                }
            )
        }
    )
    engine.push(FACTS // AT_ONCE - 1, [("quiet3", "r0")])
    held = {atom.predicate: str(atom) for atom in sorted(engine.answer().atoms, key=str)}
    questions: dict[str, Callable[[], object]] = {
        f"why {held['top']}, ten rules deep": lambda: str(engine.explain(held["top"])),
        f"why {held['hot']}": lambda: str(engine.explain(held["hot"])),
        f"why {held['busy']}, of all readings of a sensor": lambda: str(engine.explain(held["busy"])),
        "why not top(nowhere)": lambda: str(engine.why_not("top(nowhere)")),
        "why not top(r0), seven rules deep": lambda: str(engine.why_not("top(r0)")),
    }
    if "steady" in held:
        questions[f"why {held['steady']}, by negation"] = lambda: str(engine.explain(held["steady"]))
    rows = []
    for name, ask in questions.items():
        costs = []
        for _ in range(ROUNDS):
            begun = time.process_time()
            ask()  # each question begins anew, with its own indexes
            costs.append(time.process_time() - begun)
        found = median(costs)
        verdict = "in time" if found <= BAR else "too slow"
        rows.append(
            (f"{name}, in a window of {FACTS:,} facts", f"{found:.3f} s of a core", f"{verdict}: at most {BAR} s")
        )
    return rows
