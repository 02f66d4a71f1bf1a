"""Another program for a pipeline in one process: with a new run, or while it runs; and what would be different."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from lasing.errors import Diagnostic, LasingError, fault, render
from lasing.pipeline.described import Pipeline
from lasing.pipeline.local.badly import BadRowRules
from lasing.pipeline.local.checkpoints import Checkpoint
from lasing.pipeline.local.disk import Disk
from lasing.pipeline.local.sources import source_of
from lasing.pipeline.local.work import Work
from lasing.spark.replacing import check_replacement
from lasing.spark.task import Task
from lasing.succession import Succession
from lasing.timeline.clock import WallClock

if TYPE_CHECKING:
    from lasing.connectors.bad_rows import BadRows

Columns = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Reload:
    """Asks a running pipeline to read its program again: `asked` is set by whoever wants it."""

    asked: Event
    read: Callable[[], Pipeline]


def continued(
    pipeline: Pipeline, task: Task, columns: Columns, bad: Mapping[str, BadRows], known: Checkpoint
) -> tuple[Task, Succession | None]:
    """The task that continues from a checkpoint, and what it lacks if it replaces another program there.

    Fails with E608 if the checkpoint belongs to another program, or cannot be continued from.
    """
    if known.work == task.work:
        return task, None
    if pipeline.replaces is not None:
        old = task_of(pipeline, columns, bad)
        if known.work == old.work:
            history = check_replacement(old, task, pipeline.partial)
            return replace(task, replaces=old), history
    note = (
        "use a new checkpoint, or the program, view and sources that this one started with\n"
        "to change the program, keep the old one in the pipeline's file and give the new one: --replace NEW.lars"
    )
    raise fault("E608", f"the checkpoint {pipeline.checkpoint} belongs to another program", note=note)


def task_of(pipeline: Pipeline, columns: Columns, bad: Mapping[str, BadRows]) -> Task:
    """The task of the program that is replaced, with the outputs that it has."""
    program = pipeline.replaces
    assert program is not None, "there is a program to replace"
    sinks = tuple(sink for sink in pipeline.sinks if sink.output in program.output())
    return Work(replace(pipeline, program=program, replaces=None, sinks=sinks), columns, bad).task


def unstarted_task(pipeline: Pipeline) -> tuple[Task, Columns, Mapping[str, BadRows]]:
    """The task of a pipeline whose sources are not started, and what it is made of."""
    bad = BadRowRules(pipeline, Disk())
    journal = Path(pipeline.checkpoint) / "journal"
    sources = {s.name: source_of(s, journal / s.name, WallClock(), bad.of[s.name]) for s in pipeline.sources}
    columns = {name: source.columns() for name, source in sources.items()}
    return Work(pipeline, columns, bad.of).task, columns, bad.of


def not_taken(error: LasingError) -> list[Diagnostic]:
    """What is wrong with a program that was read again, and that the old one goes on."""
    wrong = render(error.diagnostics)
    return [Diagnostic("W607", "the changed program is not used, and the old one goes on", note=wrong)]


def lacking(history: Succession, shown: str) -> list[Diagnostic]:
    """What a program that took over lacks; `shown` is the time point from which it is complete, or empty."""
    if not history.lacks:
        return []
    until = f"until time point {shown}" if shown else "for an unknown time"
    note = "\n".join(map(str, history.lacks))
    return [Diagnostic("W607", f"answers of the new program may be incomplete {until}", note=note)]
