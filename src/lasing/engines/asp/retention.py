"""Which data facts a program can still ask for."""

from __future__ import annotations

from dataclasses import replace

from lasing.engines.reference.stream import Fact, Facts
from lasing.logic.facts import facts_of
from lasing.logic.lookback import lookback
from lasing.logic.program import Program, Signature
from lasing.timeline.intervals import Interval

_FEWEST = 64


class Retention:
    """Keeps the facts in reach of a program's windows, and forgets the others from time to time."""

    def __init__(self, program: Program, start: int) -> None:
        self.facts = Facts()
        self._timeline = Interval(start, None)
        self._program = program
        self._derived = facts_of(program).only_derived
        self._reach = lookback(program)
        self._partitions = facts_of(program).partitions
        self._size, self._enough = 0, _FEWEST

    def add(self, fact: Fact) -> None:
        if fact.predicate in self._derived:  # of which it was not said that it is in the stream as well
            found = Signature(fact.predicate, len(fact.args))
            self._program = replace(self._program, inputs=(*self._program.inputs, found))
            self._derived = facts_of(self._program).only_derived
            self._reach = lookback(self._program)
        self.facts.add(fact)
        self._size += 1

    def forget(self, now: int, at_once: bool = False) -> None:
        """Drop what is out of reach: `at_once`, or when there is as much again as there was after the last time."""
        if self._reach.points is None or (self._size < self._enough and not at_once):
            return
        log = self.facts.within(self._timeline)
        kept = {i for i, fact in enumerate(log) if fact.time >= now - self._reach.points}
        kept.update(range(max(0, len(log) - self._reach.facts), len(log)))
        for window in self._partitions:
            groups: dict[tuple[object, ...], list[int]] = {}
            for i, fact in enumerate(log):
                if fact.predicate == window.predicate:
                    key = tuple(fact.args[j] for positions in window.keys for j in positions)
                    groups.setdefault(key, []).append(i)
            kept.update(i for group in groups.values() for i in group[-window.back :])
        self.facts = Facts(log[i] for i in sorted(kept))
        self._size = len(kept)
        self._enough = max(_FEWEST, 2 * self._size)
