"""One model of a program that can have several: what is derived in it, and a search that takes it as given.

The predicates that models can differ on are *open*. Their atoms are known, because a solver has found them; the search
still works from the goal backwards for everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lasing.explain.evidence import NO_ROWS, Args, Evidence, Positions, Rows
from lasing.explain.explanation import Key
from lasing.explain.search import Search
from lasing.explain.solving import Row
from lasing.limits import Watch
from lasing.logic.program import Program
from lasing.logic.splitting import undecided
from lasing.timeline.intervals import Interval


@dataclass(frozen=True, slots=True)
class World:
    """The derived atoms of the open predicates in a model."""

    atoms: frozenset[Key]


class Worlds(Protocol):
    """Finds the models of a program at the time point of some evidence, in the order in which a run shows them."""

    def __call__(self, program: Program, evidence: Evidence, limit: int, watch: Watch | None) -> Sequence[World]: ...


class WorldSearch(Search):
    """What is derived in a model."""

    def __init__(self, evidence: Evidence, world: Iterable[Key], watch: Watch | None = None) -> None:
        super().__init__(evidence, watch)
        self.open = undecided(evidence.program)
        self._timed -= self.open
        self._rows_of_world: dict[str, Rows] = {}
        self._last = evidence.now
        for predicate, args, time in sorted(world, key=lambda key: key[2]):
            self._rows_of_world.setdefault(predicate, Rows()).add(time, args)
            self._last = max(self._last, time)

    def derived(self, predicate: str, positions: Positions, values: Args, span: Interval) -> Iterable[Row]:
        if predicate in self.open:
            return self._rows_of_world.get(predicate, NO_ROWS).matching(positions, values, span)
        return super().derived(predicate, positions, values, span)

    def last_derived(self) -> int:
        return max(self._last, super().last_derived())

    def within(self, some: Iterable[Key]) -> WorldSearch:
        """A search that knows only some atoms of the model; what is decided is the same."""
        stage = WorldSearch(self.evidence, some, self._watch)
        stage.answers = self.answers
        return stage
