"""Answers, and the two other ways to tell the same: as changes, and as intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from lasing.logic.formulas import Atom

Expiry = int | float | None
"""The last time point at which an atom is guaranteed to hold, whatever facts come: infinite where it holds for ever,
None where it is provisional. New facts may make it later, never earlier."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The atoms that hold at a time point, in the model of that time point."""

    time: int
    atoms: frozenset[Atom]
    expiries: Mapping[Atom, Expiry] = field(default_factory=dict, compare=False, repr=False)

    def expires_at(self, atom: Atom) -> Expiry:
        """Until when an atom of the answer is guaranteed; None where it is provisional."""
        if atom not in self.atoms:
            raise KeyError(f"{atom} is not in the answer at {self.time}")
        return self.expiries.get(atom)

    def __str__(self) -> str:
        return f"{self.time}: {' '.join(sorted(map(str, self.atoms)))}".rstrip()


@dataclass(frozen=True, slots=True)
class Changes:
    """What a time point adds to the answer of the one before, and what it removes.

    `expiries` has until when the added atoms are guaranteed, and those that are now guaranteed for longer than before.
    """

    time: int
    added: frozenset[Atom]
    removed: frozenset[Atom]
    expiries: Mapping[Atom, Expiry] = field(default_factory=dict, compare=False, repr=False)

    def expires_at(self, atom: Atom) -> Expiry:
        """Until when an added atom is guaranteed; None where it is provisional."""
        if atom not in self.added:
            raise KeyError(f"{atom} is not added at {self.time}")
        return self.expiries.get(atom)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


@dataclass(frozen=True, slots=True)
class Holding:
    """An atom holds at every time point from `start` to `end`, and not at those beside."""

    atom: Atom
    start: int
    end: int


def changes(answers: Iterable[Answer]) -> Iterator[Changes]:
    """Each answer as its difference from the one before; the first is all addition."""
    before: frozenset[Atom] = frozenset()
    for answer in answers:
        yield Changes(answer.time, answer.atoms - before, before - answer.atoms, answer.expiries)
        before = answer.atoms


class Standing:
    """The answer that a series of changes makes, and until when its atoms are guaranteed."""

    def __init__(self) -> None:
        self._expiries: dict[Atom, Expiry] = {}
        self._answer = Answer(0, frozenset())

    def apply(self, change: Changes) -> None:
        """Take the changes of a time point in."""
        for atom in change.removed:
            self._expiries.pop(atom, None)
        self._expiries.update(dict.fromkeys(change.added))
        self._expiries.update(change.expiries)
        if change or change.expiries:
            self._answer = Answer(change.time, frozenset(self._expiries), dict(self._expiries))

    def at(self, time: int) -> Answer:
        """The answer, as that of a time point."""
        return replace(self._answer, time=time)


def filled(moments: Iterable[Changes]) -> Iterator[Answer]:
    """The answer at every time point, from the changes at some of them: first and last, and all that have any."""
    standing, time = Standing(), None
    for change in moments:
        for idle in range(time + 1 if time is not None else change.time, change.time):
            yield standing.at(idle)
        standing.apply(change)
        time = change.time
        yield standing.at(time)


def intervals(moments: Iterable[Changes]) -> Iterator[Holding]:
    """The maximal intervals in which atoms hold, by their start and then by text, each as soon as order allows.

    >>> [(str(h.atom), h.start, h.end) for h in intervals(changes([
    ...     Answer(1, frozenset([Atom("p")])), Answer(2, frozenset([Atom("p"), Atom("q")])), Answer(3, frozenset())]))]
    [('p', 1, 2), ('q', 2, 2)]
    """
    since: dict[Atom, int] = {}
    closed: dict[tuple[int, str], Holding] = {}
    order: list[tuple[int, str]] = []
    last = 0
    for change in moments:
        last = change.time
        for atom in change.removed:
            start = since.pop(atom)
            closed[start, str(atom)] = Holding(atom, start, change.time - 1)
        for atom in change.added:
            since[atom] = change.time
            heappush(order, (change.time, str(atom)))
        while order and order[0] in closed:
            yield closed.pop(heappop(order))
    for atom, start in since.items():
        closed[start, str(atom)] = Holding(atom, start, last)
    while order:
        yield closed.pop(heappop(order))
