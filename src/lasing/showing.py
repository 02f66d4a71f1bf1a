"""Timelines of a run: its stream, which is read again, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lasing.errors import fault
from lasing.logic.program import Fact, Program

if TYPE_CHECKING:
    from lasing.pictures.timeline import Timeline


class Showing:
    """Shows a run as a picture. The stream is read again, once."""

    program: Program
    several: bool
    _again: Callable[[Program, int | None], Any]
    _over: Callable[[Sequence[Fact], int], Any]
    _end: Any

    def show(self, at: Any = None) -> Timeline:
        """What is in the stream and what is derived, in lanes along the time, from the start of the run to its end.

        With `at`, a time point, the windows of the rules at that moment are shaded.
        """
        from lasing.connectors.rows import time_of
        from lasing.pictures.gathered import certain_and_possible, gathered, held

        again = self._again(self.program, self._end)
        facts = list(again.facts())
        start = again.first
        if start is None:
            note = "choose another stream, or say when the timeline starts and ends"
            raise fault("E770", "there is nothing to show: the stream has no facts", note=note)
        over = self._over(facts, start)
        end = start
        if self.several:
            answers = []
            for answer in over:
                end = answer.time
                answers.append(answer)
            derived = list(certain_and_possible(answers))
        else:
            moments = []
            for change in over.moments():
                end = change.time
                moments.append(change)
            derived = list(held(moments, self.program))
        moment = None if at is None else time_of(at, self.program.tick)
        if moment is not None and not start <= moment <= end:
            time = again.program.time_text
            span = f"from {time(start)} to {time(end)}"
            raise fault(
                "E306", f"{time(moment)} is outside the timeline, which is {span}", note="choose a moment in it"
            )
        return gathered(again.program, facts, derived, start, end, moment)
