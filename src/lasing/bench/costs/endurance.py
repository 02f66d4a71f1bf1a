"""How far one engine goes: a thousand million facts, ten million live ones, a hundred thousand rules.

Facts are numbers, encoded before the clock runs. Cost is processor time per fact. `python -m
lasing.bench.costs.endurance 1e8` runs with another number of facts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

import numpy as np

from lasing import reading
from lasing.bench.measuring.workloads import Array
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.execute import IN_ARGS, IN_PREDICATE, IN_TIME
from lasing.limits import resident

RATE, WINDOW = 200, 20
BATCH = 5_000
"""Time points that are handed over at once."""
FEW_LIVE, FEW_RULES = 10_000, 10
MICROSECONDS, MEGABYTES = 1e6, 1e-6
Row = tuple[str, str, str]


@dataclass(frozen=True)
class Sizes:
    """How many facts go through the engine, how many of them it holds at once, and how many rules it has."""

    facts: int = 1_000_000_000
    live: int = 10_000_000
    rules: int = 100_000


def endurance(sizes: Sizes | None = None) -> list[Row]:
    """Rows of a table: the case, its cost, and how that compares with the beginning, or with less."""
    sizes = sizes or Sizes()
    return [_many_facts(sizes.facts), _many_live(sizes.live), *_many_rules(sizes.rules)]


# -- facts ------------------------------------------------------------------------------------------------------------


def _join(window: int) -> str:
    return f"q(A,C) :- p(A,B) in [{window}], r(B,C) in [{window}]."


def _many_facts(facts: int) -> Row:
    """A join whose first argument is new in every fact. Its cost and memory must not depend on what came before."""
    feed = _Feed(_join(WINDOW), _pairs(WINDOW))
    costs, memory = [], []
    batches = max(20, facts // (BATCH * RATE))
    for _ in range(batches):
        costs.append(feed.batch())
        memory.append(resident() * MEGABYTES)
    tenth = batches // 10
    second, last = median(costs[tenth : 2 * tenth]), median(costs[-tenth:])
    before, after = max(memory[tenth : 2 * tenth]), max(memory[-tenth:])
    return (
        f"{batches * BATCH * RATE:,} facts, joined over {WINDOW} time points",
        f"{last:.3f} µs a fact, {after:.0f} MB",
        f"last tenth to second: cost {last / second:.2f}x, memory {after / before:.2f}x",
    )


def _many_live(live: int) -> Row:
    """The same join over a longer window, in which as many facts find a partner."""
    costs = {}
    size = 0.0
    for number in (FEW_LIVE, live):
        window = number // RATE
        feed = _Feed(_join(window), _pairs(window))
        while feed.now <= window:
            feed.batch()
        costs[number] = median(feed.batch() for _ in range(5))
        size = feed.engine.memory_bytes * MEGABYTES
    return (
        f"{live:,} live facts, joined",
        f"{costs[live]:.3f} µs a fact, {size:,.0f} MB, {size / MEGABYTES / live:.0f} bytes a fact",
        f"{costs[live] / costs[FEW_LIVE]:.2f}x {FEW_LIVE:,} live facts",
    )


# -- rules ------------------------------------------------------------------------------------------------------------


def _many_rules(rules: int) -> Iterator[Row]:
    kinds: dict[str, Callable[[int], str]] = {
        "rules that differ in a constant": lambda i: f"h{i}(X) :- p(X,{i}) in [{WINDOW}].",
        "rules that differ in predicates": lambda i: f"h{i}(X) :- p{i}(X,V) in [{WINDOW}].",
        "rules that have thresholds of their own": lambda i: f"h{i}(X) :- p{i}(X,V) in [{WINDOW}], V > {-1 - i}.",
    }
    for kind, rule in kinds.items():
        costs, planning = {}, 0.0
        for number in (FEW_RULES, rules):
            by_constant = "differ in a constant" in kind
            inputs = ["p"] if by_constant else [f"p{i}" for i in range(number)]
            text = "\n".join([f"#input {name}/2." for name in inputs] + [rule(i) for i in range(number)])
            begun = time.process_time()
            feed = _Feed(text, _fired(number, inputs))
            planning = time.process_time() - begun
            feed.batch()
            costs[number] = median(feed.batch() for _ in range(5))
        yield (
            f"{rules:,} {kind}",
            f"{costs[rules]:.3f} µs a fact, {planning:.1f} s to read and plan",
            f"{costs[rules] / costs[FEW_RULES]:.2f}x {FEW_RULES} rules",
        )


# -- streams ----------------------------------------------------------------------------------------------------------

Draw = Callable[[np.random.Generator, LocalEngine, Array, int], None]
"""Fill in the predicates and the arguments of rows, the first of which has this number."""


class _Feed:
    """An engine and the stream that it gets, batch by batch."""

    def __init__(self, program: str, draw: Draw) -> None:
        self.engine = LocalEngine(reading.parse(program), 0)
        self.now = 0
        self._draw = draw
        self._chance = np.random.default_rng(1)

    def batch(self) -> float:
        """Feed the next time points. Returns the microseconds of processor time per fact."""
        rows = np.zeros((BATCH * RATE, self.engine.width), np.int64)
        rows[:, IN_TIME] = np.repeat(np.arange(self.now, self.now + BATCH), RATE)
        self._draw(self._chance, self.engine, rows, self.now * RATE)
        begun = time.thread_time()
        self.now += BATCH
        for _ in self.engine.evaluate(rows, self.now - 1):
            pass  # blocks of changed rows
        return (time.thread_time() - begun) / len(rows) * MICROSECONDS


def _pairs(window: int) -> Draw:
    """Facts p(A,B) and r(B,C) in turn: each finds about one partner in the window."""

    def draw(chance: np.random.Generator, engine: LocalEngine, rows: Array, first: int) -> None:
        number = np.arange(first, first + len(rows))
        is_p = number % 2 == 0
        shared = chance.integers(0, max(1, window * RATE // 2), len(rows))
        rows[:, IN_PREDICATE] = np.where(is_p, engine.predicates["p"], engine.predicates["r"])
        rows[:, IN_ARGS] = np.where(is_p, number, shared)
        rows[:, IN_ARGS + 1] = np.where(is_p, shared, number)

    return draw


def _fired(rules: int, inputs: list[str]) -> Draw:
    """Facts, each of which fires one of the rules: that of its predicate or, with one predicate, of its value."""

    def draw(chance: np.random.Generator, engine: LocalEngine, rows: Array, first: int) -> None:
        rule = chance.integers(0, rules, len(rows))
        numbers = np.array([engine.predicates[name] for name in inputs])
        rows[:, IN_PREDICATE] = numbers[rule % len(inputs)]
        rows[:, IN_ARGS] = np.arange(first, first + len(rows))
        rows[:, IN_ARGS + 1] = rule

    return draw


if __name__ == "__main__":
    for line in endurance(Sizes(facts=int(float(sys.argv[1]))) if len(sys.argv) > 1 else None):
        print(" | ".join(line))
