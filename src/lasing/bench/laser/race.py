"""One setting of a Laser experiment as a race: its contenders take turns, and each becomes a cell.

Incremental contenders run through the stream in every turn, after a first turn that does not count. In each turn they
first fill the window, which does not count either, and then come the time points that do. The reference engine and
clingo re-evaluate every time point. They would not finish in that time, and need not: they get the facts of the window
without evaluation, and then evaluate one time point per turn, continuing from turn to turn. That is exact, since they
keep nothing but facts. They sit out if a time point takes longer than `Patience` allows, or is predicted to.

Costs are processor microseconds per atom of input: all contenders work in one thread and wait for nothing, so on an
otherwise idle machine this is the time that passes. Input is put into each contender's own form before the clock runs,
and programs are read and compiled beforehand too.
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
from lasing.bench.measuring.records import Cell, OutputKind
from lasing.bench.measuring.turns import Contender, Step, agree
from lasing.bench.measuring.workloads import Stream

SPARK = "Spark join"
ATOMS = 8_000
"""About how many atoms count in a turn, for an effort of length 1."""
REMOVALS = 10
"""The number of time points with a full window, at which atoms leave, that do not count yet."""
SLOW_TURNS = 3
"""The number of turns for contenders that re-evaluate every time point."""
PREFIX = 3
"""The number of time points of each race whose outputs are compared too."""

MakeContender = Callable[[Task, OutputKind, Stream, int], Contender]
REEVALUATING: dict[str, MakeContender] = {SCRATCH: from_scratch, CLINGO: by_clingo}
"""The contenders that re-evaluate every time point."""


def contenders(task: Task) -> tuple[str, ...]:
    """The names of all contenders, in the order of their cells."""
    return (LASING, SCRATCH, CLINGO, DICTIONARIES, LOOP, *((SPARK,) if task.shape == "join" else ()))


@dataclass
class Patience:
    """How long a time point may take, and how long re-evaluated ones took, by contender and output.

    It predicts the time of a task from that of the task nearest in work, in proportion.
    """

    seconds: float
    _known: dict[tuple[str, OutputKind], list[tuple[Task, float]]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, effort: Effort) -> Patience:
        """A second; much less for a quick look."""
        return cls(1.0 if effort.length > 1 else 0.2)

    def learn(self, name: str, output: OutputKind, task: Task, seconds: float) -> None:
        """Remember what a time point took."""
        self._known[name, output].append((task, seconds))

    def foresees(self, name: str, output: OutputKind, task: Task) -> str:
        """Why the task is not even tried; "" if it is."""
        work = _work(name, task)
        factors = [(work / _work(name, known), known, seconds) for known, seconds in self._known[name, output]]
        if not factors:
            return ""
        factor, known, seconds = min(factors, key=lambda found: abs(log(found[0])))
        if factor * seconds <= self.seconds:
            return ""
        return f"{self.exceeded(task)}, predicted from {seconds:.2g} s at {in_words(known.settings)}"

    def exceeded(self, task: Task) -> str:
        """The note for a task that takes too long."""
        return f"more than {self.seconds:g} s a time point at {in_words(task.settings)}"


def in_words(settings: Mapping[str, int | str]) -> str:
    """Settings as text.

    >>> in_words({"window": 20, "rules": 10, "kind": "copies"})
    'window 20, rules 10, copies'
    """
    return ", ".join(f"{name} {value}" if isinstance(value, int) else value for name, value in settings.items())


def _work(name: str, task: Task) -> float:
    """The work of an evaluation, to which its time is proportional: the atoms of the window, for each copy of a rule.

    The reference engine joins without an index, so there it is pairs of atoms with the same predicate.
    """
    atoms = task.rate * (task.window + 1)
    copies, predicates = (task.rules, 1) if task.kind == COPIES else (1, task.rules)
    joins = name == SCRATCH and task.shape in ("join", "rules")
    return copies * (atoms**2 / predicates if joins else atoms)


@dataclass(frozen=True)
class Reevaluation:
    """A contender that re-evaluates every time point, with its window filled."""

    step: Step
    stream: Stream
    first: int

    def cost(self, turn: int) -> float:
        """The microseconds per atom of this turn's time point."""
        begun = clock()
        self.step(self.first + turn)
        taken = clock() - begun
        return taken * 1e6 / (self.stream.bounds[self.first + turn + 1] - self.stream.bounds[self.first + turn])


def race(task: Task, output: OutputKind, effort: Effort, patience: Patience) -> Iterator[Cell]:
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
    slow: dict[str, Reevaluation] = {}
    for name in REEVALUATING:
        found = _reevaluation(name, task, output, stream, patience)
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
    ratio = median(cost / ours for cost, ours in zip(costs, baseline, strict=False))  # in turns that both took
    return replace(cell, cost=middle, spread=(low, high), ratio=ratio)


def _reevaluation(name: str, task: Task, output: OutputKind, stream: Stream, patience: Patience) -> Reevaluation | str:
    """A re-evaluating contender with its window filled, or why there is none."""
    if name == CLINGO and not installed():
        return "clingo is not installed"
    if why := patience.foresees(name, output, task):
        return why
    first = task.window + 2
    points = first + SLOW_TURNS
    short = Stream(stream.predicates, stream.rows[: stream.bounds[points]], points)
    contender = REEVALUATING[name](task, output, short, first)
    begun = clock()
    step = contender.start()  # it evaluates the time point before
    taken = clock() - begun
    patience.learn(name, output, task, taken)
    return Reevaluation(step, short, first) if taken <= patience.seconds else patience.exceeded(task)


def probe(task: Task, output: OutputKind, patience: Patience) -> None:
    """Learn from a small task how long larger ones take."""
    for name in REEVALUATING:
        _reevaluation(name, task, output, task.stream(task.window + 2 + SLOW_TURNS), patience)


def _turns(
    fast: Sequence[Contender], slow: dict[str, Reevaluation], stream: Stream, warm: int, turns: int
) -> dict[str, list[float]]:
    """The cost of each contender in each of its turns."""
    atoms = len(stream.rows) - stream.bounds[warm]
    costs: dict[str, list[float]] = {name: [] for name in (*(c.name for c in fast), *slow)}
    gc.collect()  # as in `take_turns`: the collector does not scan the prepared data again and again
    gc.freeze()
    for turn in range(turns + 1):
        for contender in fast:
            seconds = _run(contender.start(), stream.points, warm)
            if turn:
                costs[contender.name].append(seconds * 1e6 / atoms)
        if 1 <= turn <= SLOW_TURNS:
            for name, reevaluation in slow.items():
                costs[name].append(reevaluation.cost(turn - 1))
    gc.unfreeze()
    return costs


def _run(step: Step, points: int, warm: int) -> float:
    """The seconds of the time points that count."""
    for t in range(warm):
        step(t)
    begun = clock()
    for t in range(warm, points):
        step(t)
    return clock() - begun


def _derived(task: Task, stream: Stream) -> float:
    """The size of the full answer in atoms, on average over the last time points."""
    contender = ours(task, "answers", stream)
    step = contender.start()
    sizes = [sum(map(len, step(t))) for t in range(stream.points)]
    return float(np.mean(sizes[-10:]))


def all_agree(task: Task, output: OutputKind, points: int = 7) -> None:
    """Raise `DisagreementError` unless all available contenders return the same on a small task."""
    stream = task.stream(points)
    others = [from_scratch(task, output, stream), dictionaries(task, output, stream), loops(task, output, stream)]
    if installed():
        others.append(by_clingo(task, output, stream))
    for other in others:
        if other is not None:
            agree(ours(task, output, stream), other, points)
