"""Answers, and two other forms of the same information: changes and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from heapq import heappop, heappush

from lasing.errors import LasingError, fault
from lasing.logic.formulas import Atom
from lasing.logic.html import changes_html, models_html
from lasing.timeline.ticks import Tick, time_text

Expiry = int | float | None
"""A time point up to which an atom is guaranteed to hold without a break, whatever facts come: infinite if it holds
forever, None if it is provisional. The guarantee is always kept, and never about the past. New facts may move the time
point later, never earlier. It need not be the last such time point: see docs/reference/python.md."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What holds at a time point: a set of atoms for each answer stream. There may be none, one or several of these.

    Answer streams that differ only in what is not shown at this time point count once. If times came in as dates,
    `tick` says how long a time point is.
    """

    time: int
    models: tuple[frozenset[Atom], ...]
    expiries: Mapping[Atom, Expiry] = field(default_factory=dict, compare=False, repr=False)
    tick: Tick | None = field(default=None, compare=False, repr=False)

    @classmethod
    def single(cls, time: int, atoms: frozenset[Atom], expiries: Mapping[Atom, Expiry] | None = None) -> Answer:
        """The answer of a program that has exactly one."""
        return cls(time, (atoms,), {} if expiries is None else expiries)

    @property
    def atoms(self) -> frozenset[Atom]:
        """The atoms that hold, if there is exactly one answer stream; otherwise an error."""
        if len(self.models) != 1:
            note = "Answer.models has all of them, Answer.certain what holds in each, Answer.possible what holds in any"
            found = f"there are {len(self.models)} answer streams" if self.models else "there is no answer stream"
            raise fault(
                "E309", f"{found} at {time_text(self.time, self.tick)}, but you asked for exactly one", note=note
            )
        return self.models[0]

    @property
    def certain(self) -> frozenset[Atom]:
        """The atoms that hold in every answer stream that was found; none if there is no answer stream."""
        return frozenset.intersection(*self.models) if self.models else frozenset()

    @property
    def possible(self) -> frozenset[Atom]:
        """The atoms that hold in some answer stream that was found."""
        return frozenset().union(*self.models)

    def expires_at(self, atom: Atom) -> Expiry:
        """Until when an atom of the answer is guaranteed; None if it is provisional."""
        if atom not in self.atoms:
            raise KeyError(f"{atom} is not in the answer at {self.time}")
        return self.expiries.get(atom)

    @property
    def instant(self) -> datetime | None:
        """When the time point begins, in UTC, if times came in as dates; otherwise None."""
        return _instant(self.time, self.tick)

    def __str__(self) -> str:
        time = time_text(self.time, self.tick)
        if len(self.models) == 1:
            return f"{time}: {model_text(self.atoms)}".rstrip()
        models = " ".join(f"{{{model_text(model)}}}" for model in self.models)
        return f"{time}: {models or 'no answer stream'}"

    def _repr_html_(self) -> str:
        return models_html(time_text(self.time, self.tick), self.models)


def _instant(time: int, tick: Tick | None) -> datetime | None:
    return None if tick is None else tick.instant(time)


def model_text(model: Iterable[Atom]) -> str:
    """The atoms of a model, sorted."""
    return " ".join(sorted(map(str, model)))


@dataclass(frozen=True, slots=True)
class Changes:
    """What a time point adds to the answer of the one before, and what it removes.

    `expiries` says until when atoms are guaranteed: the added ones, and those that are now guaranteed for longer.
    """

    time: int
    added: frozenset[Atom]
    removed: frozenset[Atom]
    expiries: Mapping[Atom, Expiry] = field(default_factory=dict, compare=False, repr=False)
    tick: Tick | None = field(default=None, compare=False, repr=False)

    @property
    def instant(self) -> datetime | None:
        """When the time point begins, in UTC, if times came in as dates; otherwise None."""
        return _instant(self.time, self.tick)

    def expires_at(self, atom: Atom) -> Expiry:
        """Until when an added atom is guaranteed; None if it is provisional."""
        if atom not in self.added:
            raise KeyError(f"{atom} is not added at {self.time}")
        return self.expiries.get(atom)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)

    def _repr_html_(self) -> str:
        return changes_html(time_text(self.time, self.tick), self.added, self.removed)


@dataclass(frozen=True, slots=True)
class Holding:
    """An atom holds at every time point from `since` until `until`, but not just before or after."""

    atom: Atom
    since: int
    until: int


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
        self._answer = Answer.single(0, frozenset())

    def apply(self, change: Changes) -> None:
        """Apply the changes of a time point."""
        for atom in change.removed:
            self._expiries.pop(atom, None)
        self._expiries.update(dict.fromkeys(change.added))
        self._expiries.update(change.expiries)
        if change or change.expiries:
            self._answer = Answer.single(change.time, frozenset(self._expiries), dict(self._expiries))

    def at(self, time: int) -> Answer:
        """The answer, for a time point."""
        return replace(self._answer, time=time)


def filled(moments: Iterable[Changes]) -> Iterator[Answer]:
    """The answer at every time point, from the changes at the first, at the last, and at all those with changes."""
    standing, time = Standing(), None
    for change in moments:
        for idle in range(time + 1 if time is not None else change.time, change.time):
            yield standing.at(idle)
        standing.apply(change)
        time = change.time
        yield standing.at(time)


def repeated(answers: Iterable[Answer]) -> Iterator[Answer]:
    """The answer at every time point, from those at the first, at the last, and wherever it differs."""
    last: Answer | None = None
    for answer in answers:
        if last is not None:
            yield from (replace(last, time=idle) for idle in range(last.time + 1, answer.time))
        yield answer
        last = answer


def intervals(moments: Iterable[Changes]) -> Iterator[Holding]:
    """The maximal intervals in which atoms hold, ordered by start and then by text, each as early as the order allows.

    >>> [(str(h.atom), h.since, h.until) for h in intervals(changes([
    ...     Answer.single(1, frozenset([Atom("p")])), Answer.single(2, frozenset([Atom("p"), Atom("q")])),
    ...     Answer.single(3, frozenset())]))]
    [('p', 1, 2), ('q', 2, 2)]
    """
    since: dict[Atom, int] = {}
    closed: dict[tuple[int, str], Holding] = {}
    order: list[tuple[int, str]] = []
    last = 0
    try:
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
    except (LasingError, KeyboardInterrupt):  # what has ended is certain, whatever would have followed
        yield from (closed[key] for key in sorted(closed))
        raise
    for atom, start in since.items():
        closed[start, str(atom)] = Holding(atom, start, last)
    while order:
        yield closed.pop(heappop(order))
