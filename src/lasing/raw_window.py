"""The raw window: the facts that answers can still depend on. Nothing else has to survive a failure.

Each engine keeps facts in its own form. This module decides, for all engines, which facts still matter at a time point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lasing.logic.facts import facts_of
from lasing.logic.formulas import PartitionWindow
from lasing.logic.lookback import Lookback, lookback
from lasing.logic.program import Program, Signature
from lasing.logic.runs import reach_of_streams

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Groups = Callable[[PartitionWindow], Numbers]
"""A number for the key of each fact, from 0, and -1 for facts that the window does not count."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which facts a raw window has: those of `predicates` (None: of all) as far back as the lookback of some program.

    `by_key` has the number of facts kept for each key of a partition window, by predicate and key. `streams` has, for
    each derived stream, how many time points it is remembered (None: all of them).
    """

    points: int | None
    facts: int
    by_key: Mapping[str, int]
    predicates: frozenset[str] | None
    streams: Mapping[str, int | None] = field(default_factory=dict)

    def lack(self, other: Coverage) -> str:
        """What a raw window lacks for a program that needs `other`; empty if it has everything."""
        if self.points is not None and (other.points is None or other.points > self.points):
            needed = Lookback(other.points)
            return f"it keeps the facts of the last {Lookback(self.points)}, but the program looks back {needed}"
        if other.facts > self.facts and self.points is not None:
            return f"it keeps the last {self.facts} facts, but the program counts {other.facts}"
        for key, number in other.by_key.items():
            if number > self.by_key.get(key, 0) and self.points is not None:
                return f"it does not keep the last {number} facts of {key}"
        for stream, reach in other.streams.items():
            if stream not in self.streams:
                return f"it does not remember {stream}, which is a derived stream"
            known = self.streams[stream]
            if known is not None and (reach is None or reach > known):
                return f"it remembers {stream} for {Lookback(known)}, but the program looks back {Lookback(reach)}"
        if self.predicates is not None:
            more = None if other.predicates is None else other.predicates - self.predicates
            if more is None or more:
                return f"it has no facts of {', '.join(sorted(more))}" if more else "it has only some predicates"
        return ""


def coverage(program: Program) -> Coverage:
    """Which facts the raw window of a program has."""
    facts, far = facts_of(program), lookback(program)
    by_key = {f"{w.predicate} by {w.keys}": w.back for w in sorted(facts.partitions, key=lambda w: w.back)}
    predicates = None if facts.counts_all_facts else facts.read | facts.streamed | facts.derived
    return Coverage(far.points, far.facts, by_key, predicates, reach_of_streams(program))


def needed_coverage(program: Program) -> Coverage:
    """Which facts a program needs to continue. Predicates that it derives may be in the stream too, but need not be."""
    kept = coverage(program)
    if kept.predicates is None:
        return kept
    return replace(kept, predicates=kept.predicates - facts_of(program).only_derived)


class RawWindow:
    """Which facts of a program's stream can still matter.

    A fact matters at t while it is not older than the program's lookback, while it is among the last facts that some
    `[#n]` counts, or among the last of its key that some `[#n by K]` counts.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self.partitions = facts_of(program).partitions
        self.lookback: Lookback
        self.only_derived: frozenset[str]
        self._look()

    def expect(self, predicate: str, arity: int) -> None:
        """Note that a predicate is in the stream. If the program only derives it, its facts matter from now on."""
        if predicate in self.only_derived:
            declared = (*self._program.inputs, Signature(predicate, arity))
            self._program = replace(self._program, inputs=declared)
            self._look()

    def keeps_all(self) -> bool:
        """Whether every fact matters forever."""
        return self.lookback.points is None

    def needed(self, times: Numbers, groups: Groups, now: int, whole_points: bool = False) -> Mask:
        """Which facts matter at `now` or later, including facts after `now`.

        Facts of one time point count in the given order. If that order has no meaning, use `whole_points`: then all
        facts of a time point are needed as soon as one of them may be.
        """
        if self.lookback.points is None:
            return np.ones(len(times), bool)
        found: Mask = times >= now - self.lookback.points
        if self.lookback.facts:
            found |= _newest(times, np.zeros(len(times), np.int64), now, self.lookback.facts, whole_points)
        for window in self.partitions:
            found |= _newest(times, groups(window), now, window.back, whole_points)
        return found

    def _look(self) -> None:
        self.lookback = lookback(self._program)
        self.only_derived = facts_of(self._program).only_derived


def _newest(times: Numbers, groups: Numbers, now: int, number: int, whole_points: bool) -> Mask:
    """The newest facts of each group up to a time point."""
    past = np.flatnonzero((times <= now) & (groups >= 0))[::-1]
    order = past[np.lexsort((-times[past], groups[past]))]  # by group, the newest first, of equal times the last
    first = np.flatnonzero(np.diff(groups[order], prepend=-1))
    sizes = np.diff(np.append(first, len(order)))
    found = np.zeros(len(times), bool)
    if whole_points:
        oldest = times[order[first + np.minimum(sizes, number) - 1]]
        found[order] = times[order] >= np.repeat(oldest, sizes)
    else:
        found[order] = np.arange(len(order)) - np.repeat(first, sizes) < number
    return found
