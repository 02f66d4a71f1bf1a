"""What derived streams remember, for rules above choices: what held at each earlier time point that windows reach."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lasing.engines.reference.engine import remember_runs
from lasing.engines.reference.stream import Args, Derived
from lasing.logic.program import Program
from lasing.logic.runs import Run, reach_of_streams, runs_of
from lasing.timeline.intervals import Interval


class Memory:
    """The atoms of some derived streams at the time points before now; those of now are taken, and passed later."""

    def __init__(self, program: Program, streams: frozenset[str], start: int) -> None:
        self.streams = streams
        self.atoms = Derived()
        self._reach = reach_of_streams(program)
        self._held: set[tuple[str, Args]] = set()
        self._since = start
        """The time point from which on the atoms that hold are not among the remembered ones yet."""

    def take(self, now: int, held: Collection[tuple[str, Args]]) -> bool:
        """Take what holds now. Returns whether it differs from what held before."""
        before, self._held = self._held, {atom for atom in held if atom[0] in self.streams}
        self._since = now
        return before != self._held

    def pass_to(self, now: int) -> None:
        """Time has got to a time point: what held since the last one that was taken is remembered."""
        known = [reach for reach in self._reach.values() if reach is not None]
        bounded = len(known) == len(self._reach)
        oldest = now - max(known, default=0)
        for time in range(max(self._since, oldest) if bounded else self._since, now):
            for predicate, args in self._held:
                self.atoms.add(time, predicate, args)
        self._since = max(self._since, now)
        if bounded and self.streams:
            self.atoms.forget(Interval(self.atoms.first(oldest), oldest - 1))

    def restore(self, runs: Iterable[Run], time: int) -> None:
        """Add runs, as they were known at a time point."""
        remember_runs(self.atoms, (run for run in runs if run.predicate in self.streams), time, self._reach)

    def runs(self, now: int) -> Iterable[Run]:
        """What is remembered up to now."""
        standing = ((now, predicate, args) for predicate, args in self._held)
        self.pass_to(now)
        return list(runs_of([*self.atoms.all(), *standing], now))
