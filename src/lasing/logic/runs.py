"""Runs: what derived streams remember, from one time point to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lasing.logic.facts import facts_of
from lasing.logic.lookback import rule_lookback
from lasing.logic.program import Program, per_program
from lasing.logic.values import Value


@dataclass(frozen=True, slots=True)
class Run:
    """An atom of a derived stream held at every time point from `begin` to `end`; None: up to now."""

    predicate: str
    args: tuple[Value, ...]
    begin: int
    end: int | None

    def before(self, time: int) -> Run | None:
        """The part of the run before a time point, as it was known then; None if there is none."""
        if self.begin >= time:
            return None
        return (
            self if self.end is not None and self.end < time - 1 else Run(self.predicate, self.args, self.begin, None)
        )


def runs_of(points: Iterable[tuple[int, str, tuple[Value, ...]]], now: int) -> Iterator[Run]:
    """The runs of atoms, given in order of time; those that hold at `now` are not over.

    >>> list(runs_of([(1, "p", ()), (2, "p", ()), (4, "p", ())], 4))
    [Run(predicate='p', args=(), begin=1, end=2), Run(predicate='p', args=(), begin=4, end=None)]
    """
    held: dict[tuple[str, tuple[Value, ...]], tuple[int, int]] = {}
    for time, predicate, args in points:
        begin, last = held.get((predicate, args), (time, time))
        if last < time - 1:
            yield Run(predicate, args, begin, last)
            begin = time
        held[predicate, args] = begin, time
    for (predicate, args), (begin, last) in held.items():
        yield Run(predicate, args, begin, None if last == now else last)


@per_program
def reach_of_streams(program: Program) -> dict[str, int | None]:
    """For each derived stream that rules look back on: how many time points before now (None: all of them)."""
    arity = facts_of(program).arity
    found: dict[str, int | None] = {}
    for predicate in sorted(program.remembered()):
        others = frozenset(arity) - {predicate}
        reaches = [rule_lookback(rule, others).points for rule in program.rules]
        known = [reach for reach in reaches if reach is not None]
        found[predicate] = None if len(known) < len(reaches) else max(known, default=0)
    return found
