"""Explanations of a run: why an atom holds at a time point, from the stream, which is read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lasing.errors import fault
from lasing.logic.formulas import Atom
from lasing.logic.program import Output, Program
from lasing.logic.runs import Run as Remembered
from lasing.logic.splitting import decided, has_several_answers

if TYPE_CHECKING:  # loaded once an explanation is asked for
    from lasing.explain.evidence import Evidence
    from lasing.explain.explanation import Explanation
    from lasing.explain.goals import Goal
    from lasing.explain.why_not import WhyNot

MOST = 10
"""How many explanations there are at most, if all are asked for."""


class Explaining:
    """Explains the answers of a run. The stream is read again, up to the time in question."""

    program: Program
    _again: Callable[[Program, int | None], Any]
    _end: Any

    def explain(self, goal: str | Atom, time: Any = None, model: int | None = None) -> Explanation:
        """Why an atom holds at a time point, such as `run.explain("alarm(s3)", 41)`: the shortest derivation.

        The time may also be in the goal, `"alarm(s3) at 41"`; without one, it is the end of the run. Raises E335 if
        the atom does not hold: then ask `why_not`. If there are several models, `model` is the number of the one in
        question, in the order of `Answer.models`, from 1 on; by default, the first one that has the atom.
        """
        return self.explain_all(goal, time, limit=1, model=model)[0]

    def explain_all(
        self, goal: str | Atom, time: Any = None, limit: int = MOST, model: int | None = None
    ) -> list[Explanation]:
        """Several derivations, the shortest first; for a goal with variables, one for each atom that it matches."""
        from lasing.explain.asking import explain
        from lasing.explain.goals import goal_of
        from lasing.worlds import worlds

        asked = goal_of(goal, self.program)
        return explain(self.evidence(self._time(asked, time)), asked, limit, worlds=worlds, model=model)

    def why_not(self, goal: str | Atom, time: Any = None, model: int | None = None) -> WhyNot:
        """Why an atom does not hold at a time point: for each rule, what came closest, and what was missing.

        If there are several models: why it is in none of them, or not in the model of a number.
        """
        from lasing.explain.asking import explain_absence
        from lasing.explain.goals import goal_of
        from lasing.worlds import worlds

        asked = goal_of(goal, self.program)
        return explain_absence(self.evidence(self._time(asked, time)), asked, worlds=worlds, model=model)

    def evidence(self, time: int | None) -> Evidence:
        """What the answer at a time point rests on; by default, at the end of the stream."""
        from lasing.explain.evidence import evidence_of

        again = self._again(self.program, time)
        facts = list(again.facts())
        start = again.first
        if start is None or (time is not None and time < start):
            raise fault("E306", "there is nothing to explain before the stream begins")
        now = time if time is not None else self.program.end_after(max((fact.time for fact in facts), default=start))
        remembered: list[Remembered] = []
        if self.program.streams and now > start:
            shown = tuple(Output.unnamed(stream.predicate, stream.arity) for stream in self.program.streams)
            alike = decided(self.program) if has_several_answers(self.program) else self.program
            before = self._again(replace(alike, outputs=shown), now - 1)  # models agree on what is remembered
            remembered = [
                Remembered(held.atom.predicate, held.atom.values, held.since, held.until) for held in before.intervals()
            ]
        return evidence_of(self.program, start, now, facts, remembered)

    def _time(self, goal: Goal, time: Any) -> int | None:
        from lasing.connectors.rows import time_of

        if time is None and goal.time is not None:
            return goal.time
        asked = self._end if time is None else time
        return None if asked is None else time_of(asked, self.program.tick)
