"""A sequence of three events with the same key, in ETALIS and as an automaton in plain Python.

A match is the three events; it starts with the first and ends with the last.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from lasing.bench.measuring.turns import ChangedRows, Contender, Step
from lasing.bench.measuring.workloads import Stream
from lasing.errors import SourceText
from lasing.languages import ETALIS, read_program
from lasing.logic.program import Program

RULE = "m(K, X, Y, Z) <- (a(K, X) SEQ b(K, Y) SEQ c(K, Z)).{}.\n"
NAMES = ("a", "b", "c")
Row = tuple[int, ...]


@dataclass(frozen=True)
class Sequence:
    """Events of three types, all equally frequent, with random keys: `rate` at a time point."""

    partial: int = 100
    """How many pairs of the first two events an event meets, on average, that the third can complete."""
    limit: int = 20
    keys: int = 50

    @property
    def rate(self) -> int:
        """Events at a time point: as many as make that number of pairs of a key within the limit."""
        of_a_type = sqrt(2 * self.partial)
        return round(3 * self.keys * of_a_type / self.limit)

    @cached_property
    def program(self) -> Program:
        """The rule, in ETALIS."""
        return read_program([SourceText("rule", RULE.format(self.limit))], language=ETALIS.name)

    def stream(self, points: int) -> Stream:
        """Events with an identifier each."""
        chance = np.random.default_rng(1)
        number = self.rate * points
        times = np.repeat(np.arange(points), self.rate)
        types, keys = chance.integers(0, 3, number), chance.integers(0, self.keys, number)
        return Stream(dict.fromkeys(NAMES, 2), np.column_stack([times, types, keys, np.arange(number)]), points)


class Automaton:
    """Keeps the first events and the pairs of the first two by key, the oldest first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._firsts: defaultdict[int, deque[Row]] = defaultdict(deque)
        self._pairs: defaultdict[int, deque[Row]] = defaultdict(deque)

    def step(self, t: int, events: list[tuple[str, int, int]]) -> list[Row]:
        """The matches that end at a time point."""
        oldest = t - self._limit
        found: list[Row] = []
        new: list[tuple[int, Row]] = []
        firsts: list[tuple[int, Row]] = []
        for name, key, number in events:
            if name == "a":
                firsts.append((key, (t, number)))
            elif name == "b":
                waiting = self._firsts[key]
                while waiting and waiting[0][0] < oldest:
                    waiting.popleft()
                new += [(key, (start, first, number)) for start, first in waiting]
            else:
                pairs = self._pairs[key]
                found += [(key, x, y, number, start, t) for start, x, y in pairs if start >= oldest]
        for key, first in firsts:
            self._firsts[key].append(first)
        for key, pair in new:
            self._pairs[key].append(pair)
        self._forget(oldest, {key for key, _ in new})
        return found

    def _forget(self, oldest: int, keys: set[int]) -> None:
        """Drop the pairs of some keys that nothing can complete any more."""
        for key in keys:
            self._pairs[key] = deque(pair for pair in self._pairs[key] if pair[0] > oldest)


def automaton(stream: Stream, limit: int) -> Contender:
    """The automaton, on tuples."""
    facts = [stream.facts(t) for t in range(stream.points)]

    def start() -> Step:
        made = Automaton(limit)
        return lambda t: made.step(t, facts[t])

    return Contender("an automaton by hand", start, _rows)


def _rows(found: list[Row]) -> ChangedRows:
    return Counter((row[-1], *row) for row in found)
