"""Which data facts a program can still ask for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np

from lasing.engines.reference.stream import Facts
from lasing.logic.formulas import PartitionWindow
from lasing.logic.program import Fact, Program
from lasing.logic.terms import Term
from lasing.raw_window import Numbers, RawWindow
from lasing.timeline.intervals import Interval

_FEWEST = 64


class Retention:
    """Keeps the facts within reach of a program's windows, and drops the others from time to time."""

    def __init__(self, program: Program, start: int) -> None:
        self.facts = Facts()
        self._timeline = Interval(start, None)
        self._raw_window = RawWindow(program)
        self._size, self._enough = 0, _FEWEST

    def add(self, fact: Fact) -> None:
        self._raw_window.expect(fact.atom.predicate, len(fact.atom.args))
        self.facts.add(fact)
        self._size += 1

    def forget(self, now: int, at_once: bool = False) -> None:
        """Drop what is out of reach: `at_once`, or when there are twice as many facts as after the last time."""
        if self._raw_window.keeps_all() or (self._size < self._enough and not at_once):
            return
        log = self.facts.within(self._timeline)
        times = np.array([fact.time for fact in log], np.int64)
        needed = self._raw_window.needed(times, lambda window: _groups(log, window), now)
        self.facts = Facts(compress(log, needed))
        self._size = int(needed.sum())
        self._enough = max(_FEWEST, 2 * self._size)


def _groups(log: Sequence[Fact], window: PartitionWindow) -> Numbers:
    """A number for the key of each fact that the window counts, -1 for the others."""
    numbers: dict[tuple[Term, ...], int] = {}
    found = np.full(len(log), -1, np.int64)
    for i, fact in enumerate(log):
        if fact.atom.predicate == window.predicate:
            key = tuple(fact.atom.args[j] for positions in window.keys for j in positions)
            found[i] = numbers.setdefault(key, len(numbers))
    return found
