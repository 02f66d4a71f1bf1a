"""The raw window: the facts on which answers can still depend. It is all that has to survive a failure."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lasing.engines.local.dictionary import Coded, Codes, Dictionary
from lasing.engines.local.execute import IN_ARGS, IN_PREDICATE, IN_TIME

_LEAST = 4096


@dataclass
class RawWindow:
    """Encoded facts of the last `points` time points (None: of all), the last `facts` of the stream, and, for each
    partition (predicate's number, columns, n), the last n for each key."""

    dictionary: Dictionary
    points: int | None
    facts: int
    partitions: list[tuple[int, tuple[int, ...], int]]
    _blocks: list[Coded] = field(default_factory=list)
    _rows: int = 0
    _limit: int = _LEAST

    def add(self, rows: Coded, time: int) -> None:
        """Facts have come. From time to time those that are not needed any more are dropped."""
        self._blocks.append(rows)
        self._rows += len(rows)
        if self._rows > self._limit:
            self._blocks = [self.dictionary.hold(self.at(time), IN_ARGS)]
            self._rows = len(self._blocks[0])
            self._limit = max(_LEAST, 2 * self._rows)

    def at(self, time: int) -> Codes:
        """The facts that matter from a time point on, in their order; bare."""
        rows = np.concatenate([block.rows for block in self._blocks] or [np.zeros((0, IN_ARGS), np.int64)])
        if self.points is None or not len(rows):
            return rows
        kept = rows[:, IN_TIME] >= time - self.points
        if self.facts:
            kept[-self.facts :] = True
        for predicate, columns, n in self.partitions:
            of_it = np.flatnonzero(rows[:, IN_PREDICATE] == predicate)[::-1]
            keys = rows[of_it][:, [IN_ARGS + column for column in columns]]
            kept[of_it[_occurrence(keys) < n]] = True
        found: Codes = rows[kept]
        return found


def _occurrence(keys: Codes) -> Codes:
    """Of each row, how many equal ones come before it."""
    _, groups = np.unique(keys, axis=0, return_inverse=True)
    groups = groups.reshape(-1)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    counts = np.empty(len(groups), np.int64)
    counts[order] = np.arange(len(groups)) - np.repeat(starts, np.diff(np.append(starts, len(groups))))
    return counts
