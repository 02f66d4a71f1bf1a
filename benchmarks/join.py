"""The join over a window, J: `q(A,C) :- p(A,B) in [n], p(B,C) in [n].`, each new atom joining about four.

Contenders: the local engine on encoded columns, tick by tick; the same through `step` with atoms; dictionaries in
plain Python
written for this one rule; and the reference engine, which evaluates every time point anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import lasing
from benchmarks.measure import interleaved
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.execute import IN_ARGS, IN_PREDICATE, IN_TIME, run_batch
from lasing.engines.reference.engine import ReferenceEngine

WINDOW = 20
Pairs = np.ndarray[Any, np.dtype[np.int64]]


def workload(rate: int, ticks: int) -> Pairs:
    """Pairs, `rate` a tick, over so many constants that a new atom meets about four in the window."""
    constants = max(4, rate * (WINDOW + 1) // 2)
    return np.random.default_rng(1).integers(0, constants, (ticks * rate, 2), dtype=np.int64)


def join() -> list[tuple[str, str, str]]:
    """Rows of a table: what, microseconds per atom, and as a multiple of the local engine's time."""
    rows: list[tuple[str, str, str]] = []
    for rate, ticks in ((1, 2000), (200, 120), (800, 60)):
        pairs = workload(rate, ticks)
        contenders: dict[str, Callable[[], object]] = {
            "local engine, encoded columns": partial(_encoded, pairs, rate, ticks),
            "local engine, atoms": partial(_steps, LocalEngine, pairs, rate, ticks),
            "dictionaries for this one rule": partial(_dictionaries, pairs, rate, ticks),
        }
        if rate == 1:
            contenders["reference engine"] = partial(_steps, ReferenceEngine, pairs, rate, ticks)
        results = interleaved(contenders, repetitions=3)
        for result in results:
            per_atom = result.median / len(pairs) * 1e6
            ratio = result.median / results[0].median
            rows.append((f"J, {rate} a tick: {result.name}", f"{per_atom:.2f} µs per atom", f"{ratio:.1f}x"))
    return rows


PROGRAM = f"q(A,C) :- p(A,B) in [{WINDOW}], p(B,C) in [{WINDOW}]."


def _encoded(pairs: Pairs, rate: int, ticks: int) -> int:
    engine = LocalEngine(lasing.parse(PROGRAM), 0)
    rows = np.zeros((len(pairs), IN_ARGS + 2), np.int64)
    rows[:, IN_TIME] = np.repeat(np.arange(ticks), rate)
    rows[:, IN_PREDICATE] = engine.predicates["p"]
    rows[:, IN_ARGS:] = pairs
    memory, calendar, out = engine.state()
    ranks, total = np.zeros(1, np.int64), 0
    for t in range(ticks):
        block = rows[t * rate : (t + 1) * rate]
        memory, calendar, out, written = run_batch(memory, calendar, block, t - 1, t, ranks, out)
        total += written
    return total


def _steps(make: type[LocalEngine] | type[ReferenceEngine], pairs: Pairs, rate: int, ticks: int) -> int:
    engine = make(lasing.parse(PROGRAM), 0)
    atoms = [lasing.Atom("p", (int(a), int(b))) for a, b in pairs]
    return sum(len(engine.step(t, atoms[t * rate : (t + 1) * rate]).atoms) for t in range(ticks))


def _dictionaries(pairs: Pairs, rate: int, ticks: int) -> int:
    """The same changes by hand: pairs by their first and second member, results by when they end."""
    until: dict[tuple[int, int], int] = {}
    by_first: defaultdict[int, set[int]] = defaultdict(set)
    by_second: defaultdict[int, set[int]] = defaultdict(set)
    results: dict[tuple[int, int], int] = {}
    pairs_end: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    results_end: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    changes = 0
    rows = pairs.tolist()
    for t in range(ticks):
        for pair in pairs_end.pop(t, ()):
            if until.get(pair, t) < t:
                del until[pair]
                by_first[pair[0]].discard(pair[1])
                by_second[pair[1]].discard(pair[0])
        end = t + WINDOW
        for a, b in rows[t * rate : (t + 1) * rate]:
            until[a, b] = end
            pairs_end[end + 1].append((a, b))
            by_first[a].add(b)
            by_second[b].add(a)
            found = [((a, c), until[b, c]) for c in by_first[b]] + [((z, b), until[z, a]) for z in by_second[a]]
            for result, horizon in found:
                if results.get(result, -1) < horizon:
                    changes += result not in results
                    results[result] = horizon
                    results_end[horizon + 1].append(result)
        for result in results_end.pop(t, ()):
            if results.get(result, t) < t:
                del results[result]
                changes += 1
    return changes
