"""The facts of the raw window, as rows of codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lasing.engines.local.dictionary import Coded, Codes, Dictionary
from lasing.engines.local.execute import IN_ARGS, IN_PREDICATE, IN_TIME
from lasing.logic.formulas import PartitionWindow
from lasing.raw_window import RawWindow

_LEAST = 4096
_SEVERAL = 64
"""This many blocks become one. Whenever values are forgotten, each block costs a few calls, however small it is."""


@dataclass(frozen=True, slots=True)
class HistoryState:
    """The facts at some time; the dictionary knows their blocks."""

    blocks: tuple[Coded, ...]
    joined: int
    rows: int
    newest: int | None


@dataclass
class History:
    """Encoded facts, at least those that the raw window still needs; `predicates` has the numbers of predicates."""

    dictionary: Dictionary
    raw_window: RawWindow
    predicates: Mapping[str, int]
    _blocks: list[Coded] = field(default_factory=list)
    _joined: int = 0
    """How many of the blocks, the oldest, have several others in them."""
    _rows: int = 0
    _limit: int = _LEAST
    _newest: int | None = None
    _seen: set[bytes] | None = None
    _collections: int = 0
    """The dictionary's version when `_seen` was made: its keys are made of codes, and are void after the next one."""

    def unseen(self, rows: Codes) -> Codes:
        """Rows in order of time, without those that are here already, and each of the others once.

        All facts of the newest time point are here, so this is enough to count the same fact once.
        """
        if not len(rows):
            return rows
        first, last = rows[0, IN_TIME], rows[-1, IN_TIME]
        if first != last:
            _, places = np.unique(rows, axis=0, return_index=True)
            rows = rows[np.sort(places)]
        elif len(rows) == 1 and first != self._newest:
            return rows
        now = len(rows) if first == last else int(np.searchsorted(rows[:, IN_TIME], first, side="right"))
        keys, known = _keys(rows[:now]), self._at_newest() if first == self._newest else set[bytes]()
        if len(set(keys)) == now and known.isdisjoint(keys):
            return rows
        new: dict[bytes, int] = {}
        for place, key in enumerate(keys):
            if key not in known:
                new.setdefault(key, place)
        return np.concatenate([rows[list(new.values())], rows[now:]])

    def _at_newest(self) -> set[bytes]:
        """The facts of the newest time point."""
        if self._seen is None or self._collections != self.dictionary.collections:
            self._seen, self._collections = set(), self.dictionary.collections
            for block in reversed(self._blocks):
                rows = block.rows
                if len(rows) and rows[-1, IN_TIME] != self._newest:
                    break
                self._seen.update(_keys(rows[rows[:, IN_TIME] == self._newest]))
        return self._seen

    def add(self, facts: Coded, time: int) -> None:
        """Add facts, and from time to time drop those that are no longer needed."""
        rows = facts.rows
        if not len(rows):
            return
        newest = rows.item(-1, IN_TIME)
        if newest != self._newest or self._collections != self.dictionary.collections:
            self._newest, self._seen = newest, None
        elif self._seen is not None:
            self._seen.update(_keys(rows))
        self._blocks.append(facts)
        self._rows += len(rows)
        if self._rows > self._limit:
            self._blocks, self._joined = [self.dictionary.hold(self.at(time), IN_ARGS)], 1
            self._rows = len(self._blocks[0])
            self._limit = max(_LEAST, 2 * self._rows)
        elif len(self._blocks) == self._joined + _SEVERAL:
            together = np.concatenate([block.rows for block in self._blocks[self._joined :]])
            self._blocks[self._joined :] = [self.dictionary.hold(together, IN_ARGS)]
            self._joined += 1

    def state(self) -> HistoryState:
        """What is here now, to go back to."""
        return HistoryState(tuple(self._blocks), self._joined, self._rows, self._newest)

    def go_back(self, state: HistoryState) -> None:
        """Be as at an earlier time."""
        self._blocks, self._joined = list(state.blocks), state.joined
        self._rows, self._newest, self._seen = state.rows, state.newest, None

    def rows_of(self, state: HistoryState, time: int) -> Codes:
        """The facts of an earlier state that matter from a time point on; bare."""
        return self._needed([block.rows for block in state.blocks], time)

    def at(self, time: int) -> Codes:
        """The facts that matter from a time point on, in their order; bare."""
        return self._needed([block.rows for block in self._blocks], time)

    def _needed(self, blocks: list[Codes], time: int) -> Codes:
        rows = np.concatenate(blocks or [np.zeros((0, IN_ARGS), np.int64)])
        if self.raw_window.keeps_all() or not len(rows):
            return rows

        def groups(window: PartitionWindow) -> Codes:
            return _groups(rows, self.predicates[window.predicate], [i for key in window.keys for i in key])

        found: Codes = rows[self.raw_window.needed(rows[:, IN_TIME], groups, time)]
        return found


def _keys(rows: Codes) -> list[bytes]:
    """A key for each row."""
    whole = np.dtype((np.void, rows.shape[1] * rows.itemsize))
    return np.ascontiguousarray(rows).view(whole).reshape(-1).tolist()  # type: ignore[return-value]  # bytes


def _groups(rows: Codes, predicate: int, columns: Sequence[int]) -> Codes:
    """A number for each row of a predicate, the same for rows that agree in the columns; -1 for other rows."""
    of_it = rows[:, IN_PREDICATE] == predicate
    keys = rows[of_it][:, [IN_ARGS + column for column in columns]]
    found = np.full(len(rows), -1, np.int64)
    found[of_it] = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    return found
