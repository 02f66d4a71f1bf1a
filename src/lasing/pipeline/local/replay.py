"""A history in this process: all files of the sources, evaluated from the first time point to the last."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lasing.connectors.rows import time_of
from lasing.pipeline.described import Pipeline
from lasing.pipeline.local.badly import BadRowRules
from lasing.pipeline.local.disk import Disk
from lasing.pipeline.local.outlets import Outlets
from lasing.pipeline.local.parts import RowSource
from lasing.pipeline.local.sources import source_of
from lasing.pipeline.local.work import Work
from lasing.pipeline.progress import BatchFigures, Progress
from lasing.spark.evaluation import Evaluation, up_to
from lasing.spark.shard import BatchResult, late_facts
from lasing.spark.state import ShardState
from lasing.spark.tables import by_time, times_of
from lasing.timeline.clock import Clock

_ROWS_AT_ONCE = 1 << 19


def replay(pipeline: Pipeline, progress: Progress, disk: Disk, clock: Clock) -> None:
    """Evaluate a history, and write all of it. Results that are in the folders of the sinks are replaced."""
    begun = time.monotonic()
    bad = BadRowRules(pipeline, disk)
    sources: dict[str, RowSource] = {s.name: source_of(s, Path(), clock, bad.of[s.name]) for s in pipeline.sources}
    work = Work(pipeline, {name: s.columns() for name, s in sources.items()}, bad.of)
    task = work.task
    facts: dict[str, list[Any]] = {}
    figures = BatchFigures(0)
    for file in bad.files.values():
        file.start(None)
    for name, source in sources.items():
        source.start(None, live=False)
        while not source.finished():
            part = source.take(_ROWS_AT_ONCE)
            for arrived in work.arrived(name, part) if part is not None else ():
                figures.events += arrived.number
                if arrived.facts is not None:
                    facts.setdefault(arrived.predicate, []).append(arrived.facts)
                known = Counter(figures.missing.get(name, {})) + Counter(arrived.missing)
                if known:
                    figures.missing[name] = dict(known)
    bad.check()
    merged = {predicate: by_time(facts[predicate], task.exact) for predicate in task.inputs if predicate in facts}
    outlets = Outlets(pipeline, task, disk)
    try:
        outlets.replace()
        _evaluate(pipeline, work, merged, outlets, figures)
        outlets.flush()
        for file in bad.files.values():
            file.flush()
        outlets.deliver(0)
    finally:
        outlets.close()
    progress.warned += bad.warnings()
    progress.evaluated(figures, Counter())
    progress.finished(0, time.monotonic() - begun)


def _evaluate(
    pipeline: Pipeline, work: Work, facts: Mapping[str, Any], outlets: Outlets, figures: BatchFigures
) -> None:
    """Go through time, a bounded number of facts at a time."""
    task = work.task
    times = [times_of(table) for table in facts.values() if table.num_rows]
    oldest = min((int(t[0]) for t in times), default=None)
    newest = max((int(t[-1]) for t in times), default=None)
    start = task.start if task.start is not None else None if oldest is None else task.first_point(oldest)
    end = None if pipeline.end is None else time_of(pipeline.end, pipeline.program.tick)
    if end is None and newest is not None:
        end = task.last_point(newest)
    early, rest = ({}, dict(facts)) if start is None else up_to(facts, start - 1)
    for predicate, table in early.items():
        if table.num_rows and start is not None:
            figures.late += table.num_rows
            late = late_facts(task, predicate, table, np.full(table.num_rows, start - 1))
            outlets.write(BatchResult(ShardState(), late=late))
    if start is None or end is None or end < start:
        return
    evaluation = Evaluation(task, 0, start)
    for until in _stations(rest, start, end):
        due, rest = up_to(rest, until)
        result = BatchResult(ShardState(), tables=evaluation.advance(due, until))
        figures.rows = dict(Counter(figures.rows) + Counter(outlets.write(result)))
    if task.view == "intervals":
        result = BatchResult(ShardState(), tables=evaluation.close())
        figures.rows = dict(Counter(figures.rows) + Counter(outlets.write(result)))


def _stations(facts: Mapping[str, Any], start: int, end: int) -> list[int]:
    """The time points up to which to evaluate at once."""
    times = np.sort(np.concatenate([np.empty(0, np.int64), *(times_of(table) for table in facts.values())]))
    found = np.unique(times[_ROWS_AT_ONCE::_ROWS_AT_ONCE])
    return [*(int(t) for t in found if start <= t < end), end]
