"""From time point to time point: data comes in, the answer at that time point comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from lasing.engines.reference.model import derive
from lasing.engines.reference.stream import Derived, Facts, Stream
from lasing.engines.reference.structure import Structure, background_of
from lasing.limits import Watch
from lasing.logic.answers import Answer, Changes
from lasing.logic.dependencies import stratify
from lasing.logic.examples import Example
from lasing.logic.formulas import Atom, Formula
from lasing.logic.idle import Settling
from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run, reach_of_streams, runs_of
from lasing.logic.values import Value
from lasing.timeline.intervals import Interval


class ReferenceEngine:
    """Evaluates a stratified program from scratch at each time point, from all the data up to it.

    `dropped_heads` counts derived atoms that lay before the start, `failures` the instances that had no value, by rule
    and reason, and `examples` has one for each. If it knows how the program settles, it skips time points at which
    nothing can change. What is derived of a derived stream at a time point is data for all later ones.
    """

    def __init__(
        self, program: Program, start: int, watch: Watch | None = None, settling: Settling | None = None
    ) -> None:
        self._watch = watch
        self._settling = settling
        self._busy = self._changed_at = start
        self.dropped_heads = 0
        self.failures: Counter[tuple[int, str]] = Counter()
        self.examples: dict[tuple[int, str], Example] = {}
        self._program = program
        self._strata = stratify(program)
        self._output = program.output()
        self._background = background_of(program.all_background())
        self._timeline = Interval(start, None)
        self._data = Facts()
        self._streams = sorted(program.remembered())
        self._remembered = Derived()
        self._orders: dict[object, tuple[Formula, ...]] = {}
        self._last = Answer.single(start - 1, frozenset())

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Changes]:
        """What changes up to a time point, given its new data: time point by time point."""
        while (idle := self._last.time + 1) < time:
            if self._settling is not None and self._settling.settled(idle - 1, self._busy, self._changed_at):
                self._last = replace(self._last, time=time - 1)
                self._remember_the_same(idle - 1, time - 1, self._settling.reach)
            else:
                yield self._changed(self.step(idle, ()))
        yield self._changed(self.step(time, atoms))

    def recall(self, time: int, facts: Iterable[Fact], runs: Iterable[Run] = ()) -> Changes:
        """Add past data, and what derived streams remember, and return what holds at a time point, without evaluating
        earlier ones."""
        for at, atom in facts:
            self._add(at, atom)
        remember_runs(self._remembered, runs, time, reach_of_streams(self._program))
        self._changed_at = max(self._changed_at, time)
        return self._changed(self.step(time, ()))

    def remembered_before(self, time: int) -> Derived:
        """What derived streams remember from before a time point, which may have been evaluated already, with less
        data."""
        self._remembered.forget(Interval(time, None))
        return self._remembered

    def remembered(self) -> Iterable[Run]:
        """What derived streams remember."""
        return runs_of(self._remembered.all(), self._last.time)

    def _add(self, time: int, atom: Atom) -> None:
        self._data.add(Fact(time, atom))
        self._busy = max(self._busy, time)

    def _changed(self, answer: Answer) -> Changes:
        before, self._last = self._last.atoms, answer
        if answer.atoms != before:
            self._changed_at = answer.time
        return Changes(answer.time, answer.atoms - before, before - answer.atoms, dict.fromkeys(answer.atoms))

    def step(self, time: int, atoms: Iterable[Atom]) -> Answer:
        """The answer at a time point, given its new data. Time points come in order."""
        for atom in atoms:
            self._add(time, atom)
        stream = Stream(self._timeline, self._data, Derived(), remembered=self.remembered_before(time))
        m = Structure(stream, self._background, time, self._orders, watch=self._watch)
        self.dropped_heads += derive(self._program, self._strata, m)
        for (rule, _), reason in m.failures.items():
            self.failures[rule, reason] += 1
        self.examples = m.examples | self.examples
        self._remember(m, time)
        return Answer.single(time, frozenset(self._held(m, time)))

    def _remember(self, m: Structure, time: int) -> None:
        """Add the answer of a time point to the derived streams."""
        for predicate in self._streams:
            held = list(m.stream.at(time, predicate))
            for args in held:
                self._remembered.add(time, predicate, args)
            if set(held) != set(self._remembered.at(time - 1, predicate)):
                self._changed_at = time

    def _remember_the_same(self, last: int, end: int, reach: int) -> None:
        """Add the answer of a time point to all later ones that some window still reaches from `end`."""
        for predicate in self._streams:
            held = list(self._remembered.at(last, predicate))
            for time in range(max(last + 1, end - reach), end + 1):
                for args in held:
                    self._remembered.add(time, predicate, args)

    def facts(self) -> Iterable[Fact]:
        """All data so far, in its order."""
        return self._data.within(self._timeline)

    def _held(self, m: Structure, time: int) -> Iterable[Atom]:
        """The atoms of the output that hold now (Laser, Definition 6): v(t), so without background."""
        for predicate in self._output:
            rows: Iterable[tuple[Value, ...]] = m.stream.at(time, predicate)
            for args in rows:
                yield Atom(predicate, args)


def remember_runs(remembered: Derived, runs: Iterable[Run], time: int, reach: Mapping[str, int | None]) -> None:
    """Add the time points of runs before a time point, as far as windows reach from there on."""
    for run in runs:
        back = reach.get(run.predicate)
        first = run.begin if back is None else max(run.begin, time - back)
        last = time - 1 if run.end is None else min(run.end, time - 1)
        for at in range(first, last + 1):
            remembered.add(at, run.predicate, run.args)
