"""The cost of handing out a change: integers, doubles, names, and a mix."""

from __future__ import annotations

from functools import partial

import lasing
from lasing.bench.costs.medians import interleaved

GROUPS, TICKS = 1000, 20
PROGRAMS = {
    "baseline: #sum of integers": "q(S,M) :- s(S), M = #sum{V,T : temp(S,V) at T in [2]}.",
    "#avg of integers": "q(S,M) :- s(S), M = #avg{V,T : temp(S,V) at T in [2]}.",
    "names": "q(S,N) :- temp(S,V), is(V,N).",
    "names and numbers": "q(S,N) :- temp(S,V), is(V,N). q(S,V) :- temp(S,V), V > 50.",
}
BACKGROUND = " ".join([*(f"s({i})." for i in range(GROUPS)), *(f"is({v},n{v})." for v in range(100))])


def leaving() -> list[tuple[str, str, str]]:
    """Rows of a table: the case, microseconds per change, and the ratio to the baseline."""
    updates = {name: _updates(program) for name, program in PROGRAMS.items()}
    changes = {name: sum(len(part) for one in found for part in one.rows()) for name, found in updates.items()}
    rows = []
    for form in ("rows", "to_arrow"):
        results = interleaved({name: partial(_read, found, form) for name, found in updates.items()})
        costs = [(result.name, result.median / changes[result.name]) for result in results]
        rows += [(f"{name}, {form}()", f"{cost * 1e6:.2f} µs", f"{cost / costs[0][1]:.1f}x") for name, cost in costs]
    return rows


def _read(updates: list[lasing.Update], form: str) -> None:
    for update in updates:
        getattr(update, form)()


def _updates(program: str) -> list[lasing.Update]:
    engine = lasing.Engine(f"{program} {BACKGROUND}", start=0)
    return [
        engine.push(t, [("temp", i, (i * 31 + t * t * 7 + j * 13) % 100) for i in range(GROUPS) for j in range(3)])
        for t in range(TICKS)
    ]
