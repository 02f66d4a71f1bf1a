"""A workload prepared for a race: its program and stream, and which part of the stream counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lasing.bench.measuring.contenders import columns, parse
from lasing.bench.measuring.turns import Contender, Timing, take_turns
from lasing.bench.measuring.workloads import Stream, Workload
from lasing.logic.program import Program

WINDOW = 20


@dataclass(frozen=True)
class Effort:
    """How much to measure: the number of turns, and a factor on the number of time points."""

    turns: int
    length: int


QUICK, FULL = Effort(turns=3, length=1), Effort(turns=7, length=3)


@dataclass(frozen=True)
class Course:
    """A program and its stream; the first `warm` time points, in which windows still fill, do not count."""

    program: Program
    stream: Stream
    warm: int

    def race(self, contenders: Sequence[Contender], effort: Effort) -> list[Timing]:
        """Time contenders on this course, tick by tick."""
        return take_turns(contenders, self.stream.points, self.warm, effort.turns)

    def per_atom(self, timing: Timing) -> float:
        """A contender's microseconds per atom of the stream."""
        return timing.total / (len(self.stream.rows) - self.stream.bounds[self.warm]) * 1e6


def course(workload: Workload, rate: int, points: int, window: int = WINDOW, warm: int = 2 * WINDOW) -> Course:
    """A workload with `rate` atoms at each of `points` time points, after those that do not count."""
    return Course(parse(workload.program(window)), workload.stream(rate, window, warm + points), warm)


def side_by_side(courses: Sequence[Course], effort: Effort) -> list[Timing]:
    """Time our engine on courses of equal length, in turns."""
    contenders = [columns(c.program, c.stream, name=f"course {i}") for i, c in enumerate(courses)]
    return courses[0].race(contenders, effort)
