"""One setting of a Laser experiment, raced: its contenders take turns, and each of them becomes a cell.

Those who are incremental run through the stream in every turn, after a first one that does not count: first they fill
the window, which does not count either, and then come the time points that do. Those who evaluate a time point anew,
which are the reference engine and clingo, would not end in that time, and need not: they are given the facts of the
window without evaluation, and then evaluate one time point a turn, going on from turn to turn. That is exact, since
they keep nothing but facts. They sit out where a time point is foreseen to take longer than `Patience` has, or does at
first.

Costs are microseconds per atom of input, of the processor: all contenders work in one thread and wait for nothing, so
that on a machine which does nothing else it is the time that passes. What comes in is put into each contender's own
form before the clock runs, and programs are read and compiled before as well.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from statistics import median
from time import thread_time as clock

import numpy as np

from lasing.bench.laser.clingo import CLINGO, by_clingo, installed
from lasing.bench.laser.dictionaries import DICTIONARIES, dictionaries
from lasing.bench.laser.loops import LOOP, loops
from lasing.bench.laser.peers import LASING, SCRATCH, from_scratch, ours
from lasing.bench.laser.workloads import COPIES, Task
from lasing.bench.measuring.course import Effort
from lasing.bench.measuring.records import Cell, Output
from lasing.bench.measuring.turns import Contender, Step, agree
from lasing.bench.measuring.workloads import Stream

SPARK = "Spark join"
ATOMS = 8_000
"""About how many atoms of a turn count, times the effort's length."""
REMOVALS = 10
"""How many time points do not count at which the window is full already, and something goes."""
SLOW_TURNS = 3
"""In how many turns those take part who evaluate time points anew."""
PREFIX = 3
"""How many time points of each race are compared as well."""

Anew = Callable[[Task, Output, Stream, int], Contender]
ANEW: dict[str, Anew] = {SCRATCH: from_scratch, CLINGO: by_clingo}
"""Those who evaluate time points anew."""


def contenders(task: Task) -> tuple[str, ...]:
    """The names of all who take part, in the order of their cells."""
    return (LASING, SCRATCH, CLINGO, DICTIONARIES, LOOP, *((SPARK,) if task.shape == "join" else ()))


@dataclass
class Patience:
    """What time points may take, and what those took that were evaluated anew, by contender and output.

    From the one that is nearest in work it is foreseen what another takes, in proportion.
    """

    seconds: float
    _known: dict[tuple[str, Output], list[tuple[Task, float]]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, effort: Effort) -> Patience:
        """A second; much less for a quick look."""
        return cls(1.0 if effort.length > 1 else 0.2)

    def learn(self, name: str, output: Output, task: Task, seconds: float) -> None:
        """Remember what a time point took."""
        self._known[name, output].append((task, seconds))

    def foresees(self, name: str, output: Output, task: Task) -> str:
        """Why it is not even tried; "" if it is."""
        work = _work(name, task)
        factors = [(work / _work(name, known), known, seconds) for known, seconds in self._known[name, output]]
        if not factors:
            return ""
        factor, known, seconds = min(factors, key=lambda found: abs(log(found[0])))
        if factor * seconds <= self.seconds:
            return ""
        return f"{self.exceeded(task)}, as {seconds:.2g} s at {in_words(known.settings)} foretell"

    def exceeded(self, task: Task) -> str:
        """What is said of one that takes too long."""
        return f"more than {self.seconds:g} s a time point at {in_words(task.settings)}"


def in_words(settings: Mapping[str, int | str]) -> str:
    """Settings as they are told.

    >>> in_words({"window": 20, "rules": 10, "kind": "copies"})
    'window 20, rules 10, copies'
    """
    return ", ".join(f"{name} {value}" if isinstance(value, int) else value for name, value in settings.items())


def _work(name: str, task: Task) -> float:
    """What an evaluation is in proportion to: the atoms of the window, for each of many copies of a rule.

    The reference engine joins without an index, so there it is pairs of atoms, of those that have the same predicate.
    """
    atoms = task.rate * (task.window + 1)
    copies, predicates = (task.rules, 1) if task.kind == COPIES else (1, task.rules)
    joins = name == SCRATCH and task.shape in ("join", "rules")
    return copies * (atoms**2 / predicates if joins else atoms)


@dataclass(frozen=True)
class Anewed:
    """One who evaluates time points anew, at work."""

    step: Step
    stream: Stream
    first: int

    def cost(self, turn: int) -> float:
        """The microseconds per atom of this turn's time point."""
        begun = clock()
        self.step(self.first + turn)
        taken = clock() - begun
        return taken * 1e6 / (self.stream.bounds[self.first + turn + 1] - self.stream.bounds[self.first + turn])


def race(task: Task, output: Output, effort: Effort, patience: Patience) -> Iterator[Cell]:
    """The cells of a setting and output, one for each contender."""
    warm = task.window + 1 + REMOVALS
    stream = task.stream(warm + max(10, ATOMS * effort.length // task.rate))
    maybe = {
        LASING: ours(task, output, stream),
        DICTIONARIES: dictionaries(task, output, stream),
        LOOP: loops(task, output, stream),
    }
    fast = [contender for contender in maybe.values() if contender is not None]
    for contender in fast[1:]:
        agree(fast[0], contender, PREFIX)
    notes = {} if maybe[LOOP] else {LOOP: "no g++"}
    slow: dict[str, Anewed] = {}
    for name in ANEW:
        found = _anew(name, task, output, stream, patience)
        if isinstance(found, str):
            notes[name] = found
        else:
            slow[name] = found
    costs = _turns(fast, slow, stream, warm, effort.turns)
    derived = _derived(task, stream)
    for name in contenders(task):
        cell = Cell(task.shape, name, output, task.settings, derived=derived, note=notes.get(name, ""))
        if name == SPARK:
            cell = replace(cell, note="see the Spark section")
        elif name in costs:
            cell = _measured(cell, costs[name], costs[LASING])
        yield cell


def _measured(cell: Cell, costs: Sequence[float], baseline: Sequence[float]) -> Cell:
    low, middle, high = (float(q) for q in np.quantile(costs, (0.25, 0.5, 0.75)))
    ratio = median(cost / ours for cost, ours in zip(costs, baseline, strict=False))  # of turns that both took
    return replace(cell, cost=middle, spread=(low, high), ratio=ratio)


def _anew(name: str, task: Task, output: Output, stream: Stream, patience: Patience) -> Anewed | str:
    """One who evaluates anew, with the window filled; or why not."""
    if name == CLINGO and not installed():
        return "clingo is not installed"
    if why := patience.foresees(name, output, task):
        return why
    first = task.window + 2
    points = first + SLOW_TURNS
    short = Stream(stream.predicates, stream.rows[: stream.bounds[points]], points)
    contender = ANEW[name](task, output, short, first)
    begun = clock()
    step = contender.start()  # which evaluates the time point before
    taken = clock() - begun
    patience.learn(name, output, task, taken)
    return Anewed(step, short, first) if taken <= patience.seconds else patience.exceeded(task)


def probe(task: Task, output: Output, patience: Patience) -> None:
    """Learn from a task that is small what larger ones take."""
    for name in ANEW:
        _anew(name, task, output, task.stream(task.window + 2 + SLOW_TURNS), patience)


def _turns(
    fast: Sequence[Contender], slow: dict[str, Anewed], stream: Stream, warm: int, turns: int
) -> dict[str, list[float]]:
    """What each contender costs in each turn in which it takes part."""
    atoms = len(stream.rows) - stream.bounds[warm]
    costs: dict[str, list[float]] = {name: [] for name in (*(c.name for c in fast), *slow)}
    gc.collect()  # as in `take_turns`: what is prepared is not looked through again and again
    gc.freeze()
    for turn in range(turns + 1):
        for contender in fast:
            seconds = _run(contender.start(), stream.points, warm)
            if turn:
                costs[contender.name].append(seconds * 1e6 / atoms)
        if 1 <= turn <= SLOW_TURNS:
            for name, anew in slow.items():
                costs[name].append(anew.cost(turn - 1))
    gc.unfreeze()
    return costs


def _run(step: Step, points: int, warm: int) -> float:
    """The seconds that the time points take that count."""
    for t in range(warm):
        step(t)
    begun = clock()
    for t in range(warm, points):
        step(t)
    return clock() - begun


def _derived(task: Task, stream: Stream) -> float:
    """How many atoms the full answer has, on average over the last time points."""
    contender = ours(task, "answers", stream)
    step = contender.start()
    sizes = [sum(map(len, step(t))) for t in range(stream.points)]
    return float(np.mean(sizes[-10:]))


def all_agree(task: Task, output: Output, points: int = 7) -> None:
    """Raise `DisagreementError` unless all contenders that there are tell the same, on a task that is small."""
    stream = task.stream(points)
    others = [from_scratch(task, output, stream), dictionaries(task, output, stream), loops(task, output, stream)]
    if installed():
        others.append(by_clingo(task, output, stream))
    for other in others:
        if other is not None:
            agree(ours(task, output, stream), other, points)
