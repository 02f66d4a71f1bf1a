"""From time point to time point: data comes in, the answer at that time point comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
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
from lasing.logic.terms import Value
from lasing.timeline.intervals import Interval


class ReferenceEngine:
    """Evaluates a stratified program from scratch at each time point, from all the data up to it.

    `dropped_heads` counts derived atoms that lay before the start, `failures` the instances that had no value, by rule
    and reason, and `examples` has one for each. If it knows how the program settles, it skips time points at which
    nothing can change.
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
        self._background = background_of(program.background)
        self._timeline = Interval(start, None)
        self._data = Facts()
        self._orders: dict[object, tuple[Formula, ...]] = {}
        self._last = Answer.single(start - 1, frozenset())

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Changes]:
        """What changes up to a time point, given its new data: time point by time point."""
        while (idle := self._last.time + 1) < time:
            if self._settling is not None and self._settling.settled(idle - 1, self._busy, self._changed_at):
                self._last = replace(self._last, time=time - 1)
            else:
                yield self._changed(self.step(idle, ()))
        yield self._changed(self.step(time, atoms))

    def recall(self, time: int, facts: Iterable[Fact]) -> Changes:
        """Add past data and return what holds at a time point, without evaluating earlier time points."""
        for at, atom in facts:
            self._add(at, atom)
        return self._changed(self.step(time, ()))

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
        stream = Stream(self._timeline, self._data, Derived())
        m = Structure(stream, self._background, time, self._orders, watch=self._watch)
        self.dropped_heads += derive(self._program, self._strata, m)
        for (rule, _), reason in m.failures.items():
            self.failures[rule, reason] += 1
        self.examples = m.examples | self.examples
        return Answer.single(time, frozenset(self._held(m, time)))

    def facts(self) -> Iterable[Fact]:
        """All data so far, in its order."""
        return self._data.within(self._timeline)

    def _held(self, m: Structure, time: int) -> Iterable[Atom]:
        """The atoms of the output that hold now (Laser, Definition 6): v(t), so without background."""
        for predicate in self._output:
            rows: Iterable[tuple[Value, ...]] = m.stream.at(time, predicate)
            for args in rows:
                yield Atom(predicate, args)
