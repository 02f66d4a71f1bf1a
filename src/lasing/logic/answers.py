"""Answers, and the two other ways to tell the same: as changes, and as intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from lasing.logic.formulas import Atom


@dataclass(frozen=True, slots=True)
class Answer:
    """The atoms that hold at a time point, in the model of that time point."""

    time: int
    atoms: frozenset[Atom]

    def __str__(self) -> str:
        return f"{self.time}: {' '.join(sorted(map(str, self.atoms)))}".rstrip()


@dataclass(frozen=True, slots=True)
class Changes:
    """What a time point adds to the answer of the one before, and what it removes."""

    time: int
    added: frozenset[Atom]
    removed: frozenset[Atom]


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
        yield Changes(answer.time, answer.atoms - before, before - answer.atoms)
        before = answer.atoms


def intervals(answers: Iterable[Answer]) -> Iterator[Holding]:
    """The maximal intervals in which atoms hold, by their start and then by text, each as soon as order allows.

    >>> [(str(h.atom), h.start, h.end) for h in intervals([
    ...     Answer(1, frozenset([Atom("p")])), Answer(2, frozenset([Atom("p"), Atom("q")])), Answer(3, frozenset())])]
    [('p', 1, 2), ('q', 2, 2)]
    """
    since: dict[Atom, int] = {}
    closed: dict[tuple[int, str], Holding] = {}
    order: list[tuple[int, str]] = []
    last = 0
    for change in changes(answers):
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
