"""Engines for programs with any number of answers, behind the push interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from lasing.engine_choice import AnyAnswers
from lasing.engines.asp.retention import Retention
from lasing.entailment.contradictions import Contradictions
from lasing.live.reference import AtomBatch, AtomsCore
from lasing.live.updates import KnownChanges, Tuples
from lasing.logic.answers import Answer, Changes, changes
from lasing.logic.examples import Examples
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run
from lasing.timeline.intervals import Interval


class ModelChanges:
    """The answers of successive time points; changes between them are defined if each has exactly one model."""

    def __init__(self, before: Answer, answers: list[Answer]) -> None:
        self._before = before
        self._answers = answers

    def changes(self) -> list[Changes]:
        if not self._answers:
            return []
        return list(changes(chain([self._before], self._answers)))[1:]

    def rows(self) -> tuple[Tuples, Tuples] | None:
        return None

    def of(self, _predicate: str, _sign: int) -> Tuples | None:
        return None

    def tables(self) -> dict[str, Any]:
        return KnownChanges(self.changes()).tables()

    def without(self, contradictions: Contradictions) -> ModelChanges:
        rest = contradictions.rest_of_answer
        return ModelChanges(rest(self._before), list(map(rest, self._answers)))


class ModelsCore(AtomsCore):
    """Keeps the current answers, and the facts that can still matter."""

    def __init__(self, program: Program, start: int, choice: AnyAnswers) -> None:
        super().__init__(program)
        self._engine = choice.make(start)
        self._window = Retention(program, start)
        self._timeline = Interval(start, None)
        self._answer = Answer.single(start - 1, frozenset())

    @property
    def time(self) -> int:
        return self._answer.time

    def push(self, time: int, encoded: list[Atom]) -> ModelChanges:
        before, new = self._answer, self._new(time, encoded)
        answers = list(self._engine.advance(time, new))
        self._keep(time, new)
        self._answer = replace(answers[-1] if answers else before, time=time)
        return ModelChanges(before, answers)

    def push_batch(self, end: int, batch: AtomBatch) -> ModelChanges:
        before, answers = self._answer, list[Answer]()
        groups = [(time, [atom for _, atom in rows]) for time, rows in groupby(batch.rows, key=itemgetter(0))]
        if not groups or groups[-1][0] < end:
            groups.append((end, []))
        for time, atoms in groups:
            new = self._new(time, atoms)
            answers += self._engine.advance(time, new)
            self._keep(time, new)
        self._answer = replace(answers[-1] if answers else before, time=end)
        return ModelChanges(before, answers)

    def recall(self, end: int, batch: AtomBatch, runs: Iterable[Run] = ()) -> None:
        self._answer = self._engine.recall(end, batch.rows, runs)
        for time, atom in batch.rows:
            self._keep(time, [atom])

    def holding(self) -> KnownChanges:
        return KnownChanges([Changes(self.time, self._answer.atoms, frozenset())])

    def answer(self) -> Answer:
        return self._answer

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        return self._engine.dropped_heads, self._engine.failures

    def examples(self) -> Examples:
        return self._engine.examples

    def remembered(self) -> Iterable[Run]:
        return self._engine.remembered()

    def window(self) -> Iterable[Fact]:
        self._window.forget(self.time, at_once=True)
        return self._window.facts.within(self._timeline)

    def _new(self, time: int, atoms: list[Atom]) -> list[Atom]:
        """Drop the facts that are already there at this time point: a repeated fact counts once."""
        known = self._window.facts
        return [a for a in dict.fromkeys(atoms) if a.values not in known.at(time, a.predicate)]

    def _keep(self, time: int, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            self._window.add(Fact(time, atom))
        self._window.forget(time)
