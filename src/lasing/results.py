"""The results of a run: one by one, or as data frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from inspect import GEN_CREATED, getgeneratorstate, isgenerator
from typing import TYPE_CHECKING, Any

from lasing.connectors.framed import Framed, in_pandas, in_polars
from lasing.errors import fault
from lasing.logic.answers import Answer, Changes, Holding, intervals
from lasing.logic.program import Program
from lasing.timeline.ticks import Tick

if TYPE_CHECKING:  # these load Arrow, so only when needed
    from lasing.connectors.changed import ChangedColumns
    from lasing.connectors.frames import Collector

Step = tuple["ChangedColumns | None", int]
"""The changes, or None if time only passed; and the time up to which everything is known."""


class Results:
    """Answers, changes and intervals, from the iterators that a run has."""

    program: Program
    several: bool
    tick: Tick | None
    _steps: Iterator[Step] | None
    _moments: Iterator[Changes]
    _answers: Iterator[Answer]
    _frames: dict[str, Any] | None = None

    def to_arrow(self) -> dict[str, Any]:
        """An Arrow table of the answers for each predicate: `time`, and a column for each argument.

        A row is an atom that holds at a time point; `intervals()` and `changes()` have far fewer rows. Columns have the
        names of the variables in heads, or those of a query. Times are timestamps if they came in as dates. If the
        program may have several answers, `answer` is their number, from 1 on.
        """
        return dict(self._answer_tables())

    def to_pandas(self) -> dict[str, Any]:
        """Same as `to_arrow`, as frames of pandas."""
        return in_pandas(self._answer_tables())

    def to_polars(self) -> dict[str, Any]:
        """Same as `to_arrow`, as frames of Polars."""
        return in_polars(self._answer_tables())

    def changes(self) -> Framed[Changes]:
        """The changes at each time point that has any, from where the run has got to, one by one or as frames.

        Frames have the columns `time` and `change`, which is 1 for an added atom and -1 for a removed one.
        """
        self._check_not_framed()
        moments = (change if self.tick is None else replace(change, tick=self.tick) for change in self._moments)
        return Framed(filter(None, moments), lambda: self._collected("time", "change").changes(self.tick))

    def intervals(self) -> Framed[Holding]:
        """The longest intervals in which atoms hold, one by one or as frames with the columns `from` and `until`."""
        self._check_not_framed()
        return Framed(intervals(self._moments), lambda: self._collected("from", "until").intervals(self.tick))

    def _check_not_framed(self) -> None:
        """A run has one pass over its stream: what frames have taken would be missing without a word."""
        if self._frames is not None:
            note = "run the program again; intervals() and changes() have frames of their own"
            raise fault("E323", "the answers of this run are in frames already", note=note)

    def _answer_tables(self) -> dict[str, Any]:
        if self._frames is None:
            self._frames = self._made_tables()
        return self._frames

    def _made_tables(self) -> dict[str, Any]:
        if not self.several:
            return self._collected("time").answers(self.tick)
        collector = self._collector("time", "answer")
        for answer in self._answers:
            for model in range(len(answer.models)):
                collector.add_answer(answer, model)
        return collector.models(self.tick)

    def _collected(self, *leading: str) -> Collector:
        """All changes, by predicate."""
        collector = self._collector(*leading)
        if self._steps is None or not collector.takes_columns:
            collector.add_changes(self._moments)
            return collector
        for columns, until in self._steps:
            if columns is not None:
                collector.add_columns(columns)
            collector.end = until
        return collector

    def _collector(self, *leading: str) -> Collector:
        from lasing.connectors.frames import Collector

        started = (self._steps, self._moments, self._answers)
        if any(isgenerator(one) and getgeneratorstate(one) != GEN_CREATED for one in started):
            note = "ask for frames before the first answer, or run the program again"
            raise fault("E323", "this run has already begun", note=note)
        return Collector(self.program, leading)
