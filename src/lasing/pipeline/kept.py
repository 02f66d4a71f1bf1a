"""What a pipeline has kept of its past: the states of its checkpoints, to look at without touching the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lasing.connectors.rows import time_of
from lasing.errors import LasingError, fault
from lasing.explain.explanation import Explanation
from lasing.explain.why_not import WhyNot
from lasing.logic.formulas import Atom
from lasing.logic.values import UNBOUND, value_from_text
from lasing.pipeline.described import Pipeline
from lasing.spark.replacing import check_replacement
from lasing.spark.task import Task
from lasing.spark.travel import Shards, evaluations_at, holding_at, is_between, not_kept, until_of
from lasing.succession import Succession
from lasing.timeline.ticks import time_text

_NO_ATTEMPT = 1_000_000
"""Further away than any attempt."""


class Kept(Protocol):
    """The states that are kept, in order, by the numbers of checkpoints or batches; `now` is the task of the pipeline's
    file."""

    now: Task

    def numbers(self) -> Sequence[int]: ...
    def states(self, number: int) -> Shards: ...
    def task(self, states: Shards) -> Task:
        """The task that wrote the states."""


class LocalStates:
    """The checkpoints of a pipeline in one process."""

    def __init__(self, pipeline: Pipeline) -> None:
        from lasing.pipeline.local.checkpoints import Checkpoints, check_not_of_spark
        from lasing.pipeline.local.replacing import task_of, unstarted_task

        check_not_of_spark(Path(pipeline.checkpoint))
        self._checkpoints = Checkpoints(Path(pipeline.checkpoint))
        self.now, columns, bad = unstarted_task(pipeline)
        self._known = [self.now]
        if pipeline.replaces is not None:
            self._known.append(task_of(pipeline, columns, bad))

    def numbers(self) -> Sequence[int]:
        return self._checkpoints.numbers()

    def states(self, number: int) -> Shards:
        return {0: self._checkpoints.open(number).state}

    def task(self, states: Shards) -> Task:
        return task_among(self._known, states)


def task_among(known: Sequence[Task], states: Shards) -> Task:
    """The task that wrote the states; E608 if it is none of these."""
    works = {state.work for state in states.values()}
    found = next((task for task in known if works <= {task.work, ""}), None)
    if found is None:
        note = "name the program that it belongs to in the pipeline's file; --replace NEW.lars compares another one"
        raise fault("E608", "the checkpoint belongs to another program", note=note)
    return found


@dataclass(frozen=True, slots=True)
class Moment:
    """A time point of a pipeline, and the states around it from which its answers follow."""

    time: int
    task: Task
    before: Shards
    after: Shards | None

    def holding(self, task: Task) -> frozenset[Atom]:
        """What the program of a task says there."""
        found = holding_at(task, self.before, self.after, self.time)
        return frozenset(
            atom for predicate, parts in found.items() for p in parts for atom in _atoms(task, predicate, p)
        )

    def explain(self, goal: str, limit: int = 1) -> list[Explanation]:
        """Why an atom holds there: the derivations in the shard that has it. Raises E335 if it does not hold."""
        found: list[Explanation] = []
        error: LasingError | None = None
        for evaluation in evaluations_at(self.task, self.before, self.after, self.time):
            try:
                found += evaluation.engine.explain_all(goal, limit - len(found))
            except LasingError as missing:
                if missing.diagnostics[0].code != "E335":
                    raise
                error = missing
            if len(found) >= limit:
                break
        if not found:
            raise error or self._nothing()
        return found

    def why_not(self, goal: str) -> WhyNot:
        """Why an atom does not hold there: what came closest, in the shard where it came closest. Raises E335 if it
        does hold."""
        answers = [
            evaluation.engine.why_not(goal)
            for evaluation in evaluations_at(self.task, self.before, self.after, self.time)
        ]
        if not answers:
            raise self._nothing()
        return min(answers, key=lambda answer: min((a.distance for a in answer.attempts), default=_NO_ATTEMPT))

    def _nothing(self) -> LasingError:
        return fault("E306", f"nothing was evaluated at {self.task.program.time_text(self.time)}")


def moment(kept: Kept, time: Any = None) -> Moment:
    """A time point of the past, or the last one that was evaluated. E623 or E624 if it is not kept.

    A program that replaced another one answers what was not evaluated yet. So of several states that have got to the
    time point, the first one has the program that has answered it.
    """
    numbers, points = list(kept.numbers()), dict[int, int]()
    states: dict[int, Shards] = {}

    def point(place: int) -> int | None:
        number = numbers[place]
        states[number] = states.get(number) or kept.states(number)
        until = until_of(states[number])
        if until is not None:
            points[until] = number
        return until

    if not numbers or point(len(numbers) - 1) is None:
        raise fault("E623", "there is no checkpoint with answers yet", note="run the pipeline first")
    newest, task = states[numbers[-1]], kept.now
    last = until_of(newest)
    assert last is not None
    if time is None:
        return Moment(last, kept.task(newest), newest, None)
    wanted = time_of(time, task.program.tick)
    if wanted > last:
        message = f"nothing is known of {time_text(wanted, task.shown_tick)} yet"
        note = f"everything is evaluated until {time_text(last, task.shown_tick)}, according to the last checkpoint"
        raise fault("E623", message, note=note)
    low, high = 0, len(numbers)  # the states before `low` are not after the time point
    while low < high:
        middle = (low + high) // 2
        reached = point(middle)
        low, high = (middle + 1, high) if reached is None or reached <= wanted else (low, middle)
    if low == 0 or point(low - 1) is None:
        point(0)
        raise not_kept(task, wanted, sorted(points))
    while low > 1 and point(low - 1) == wanted == point(low - 2):
        low -= 1
    before = states[numbers[low - 1]]
    after = None
    if low < len(numbers):
        point(low)
        after = states[numbers[low]]
    task = kept.task(before)
    if not is_between(task, before, after, wanted):
        raise not_kept(task, wanted, sorted(points))
    return Moment(wanted, task, before, after)


def history_of(moment: Moment, new: Task) -> Succession | None:
    """What a program lacks that takes over at a moment; None if it is the one that runs. E608 if it cannot."""
    return None if new.work == moment.task.work else check_replacement(moment.task, new, partial=True)


def _atoms(task: Task, predicate: str, table: Any) -> Iterator[Atom]:
    output = task.outputs[predicate]
    columns = []
    for name, kind in zip(output.columns, output.types, strict=True):
        cells = table[name].to_pylist()
        columns.append([value_from_text(cell) for cell in cells] if kind == "mixed" else cells)
    rows = zip(*columns, strict=True) if columns else iter([()] * table.num_rows)
    return (Atom(predicate, tuple(UNBOUND if cell is None else cell for cell in row)) for row in rows)
