"""A shard of a stream, from batch to batch: which facts are late, how far time has got, and what is evaluated.

The engine stays in the worker's memory, and is used again if the state is the one that it left behind. If the shard has
moved to another worker, or a batch is retried, a new engine is built from the raw window and gives the same answers.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa

from lasing.connectors.arrow_columns import column_with_terms
from lasing.connectors.rows import value_of
from lasing.entailment.contradictions import Contradiction
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.models.witness import fact_text
from lasing.spark.arrival import Course, course
from lasing.spark.bad_rows import check_share
from lasing.spark.evaluation import Evaluation, LeftOut, up_to
from lasing.spark.replacing import taken_over
from lasing.spark.state import ShardState
from lasing.spark.tables import Numbers, by_time, times_of
from lasing.spark.task import Task
from lasing.spark.window import still_needed
from lasing.timeline.reorder import closed_by


@dataclass(frozen=True, slots=True)
class Arrived:
    """The facts of an input for this shard, or None. `number` counts all facts they came with, whichever shard those
    are for, and `marks` has their times, or None if there are none. `arrivals` says when the facts arrived, None if
    all arrived together. `missing` has, by column, how many rows were left out because they lack a value; it counts
    only the rows that this shard reports."""

    predicate: str
    number: int
    marks: Any
    facts: Any | None
    arrivals: Any | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    bad: Any | None = None
    """The table of bad rows, of those that this shard reports."""


@dataclass(slots=True)
class BatchResult:
    """The result of a batch: the state after it, a table for each output, the late facts, and figures on the work."""

    state: ShardState
    tables: dict[str, Any] = field(default_factory=dict)
    late: Any = None
    left_out: LeftOut = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)
    """Texts of instances that had no value, by the names in `left_out`."""
    events: int = 0
    """How many facts came, for all shards together."""
    missing: dict[str, dict[str, int]] = field(default_factory=dict)
    """How many rows were left out because they lack a value, by input and column: those that this shard reports."""
    bad: list[Any] = field(default_factory=list)
    """Tables of the bad rows that this shard reports."""
    waiting_for: tuple[str, ...] = ()
    """The inputs that brought nothing and without which time cannot go on."""
    contradiction: Contradiction | None = None
    """The inconsistent data that a query has met in this batch."""
    rebuilt: bool = False
    rebuild_seconds: float = 0.0
    engine_seconds: float = 0.0


LATE = {
    "predicate": pa.string(),
    "time": pa.int64(),
    "closed_until": pa.int64(),
    "late_by": pa.int64(),
    "fact": pa.string(),
}

_MOST_LIVE = 64
_live: dict[tuple[str, int], tuple[str, Evaluation]] = {}
"""The engines in this worker, with the token of the state that each of them left behind."""


def step(
    task: Task,
    shard: int,
    state: ShardState,
    arrived: Sequence[Arrived],
    drain: bool = False,
    clock: int | None = None,
    beat: int | None = None,
) -> BatchResult:
    """Take in a batch, and evaluate all time points that are over; with `drain`, at the end of the stream, all of them.

    A time point is over when every input has closed it or is idle. `clock` is the time of the batch, in microseconds.
    `beat` is an instant that time follows: it closes time points, as a fact would, for inputs that brought nothing.
    """
    begun = time.perf_counter()
    state = taken_over(task, shard, state)
    missing, bad = _missing(arrived), [part.bad for part in arrived if part.bad is not None]
    if bad:
        check_share(number := sum(table.num_rows for table in bad), number + sum(p.number for p in arrived), task.share)
    arrived = [part for part in arrived if part.number]  # rows that lack a value are not facts and do not move time
    if not arrived and beat is None and state.last is None and not state.has_begun:
        return BatchResult(state, missing=missing, bad=bad)
    courses = _courses(task, state, arrived)
    facts, late = _in_time(task, shard, arrived, courses)
    waiting = _merged(task, state.window, facts)
    state = _with_times(task, state, arrived, courses, clock, beat)
    over, waiting_for = _over(task, state, courses, clock)
    start, until = _reached(task, state, courses, over)
    if drain:
        over, waiting_for = task.last_point(until if state.last is None else state.last), ()
    passed = until if over is None else max(until, over)
    events = sum(part.number for part in arrived)
    result = BatchResult(state, late=late, events=events, missing=missing, bad=bad, waiting_for=waiting_for)
    if passed == until and not drain:
        result.state = replace(state, start=start, until=until, window=waiting)
        result.engine_seconds = time.perf_counter() - begun
        return result
    before = time.perf_counter()
    evaluation, result.rebuilt = _evaluation(task, shard, replace(state, start=start, until=until))
    result.rebuild_seconds = time.perf_counter() - before if result.rebuilt else 0.0
    if passed > until:
        _, after = up_to(waiting, until)
        due, _ = up_to(after, passed)
        result.tables = evaluation.advance(due, passed, state.pending)
        result.left_out = evaluation.left_out()
        result.contradiction = evaluation.contradiction()
        if result.left_out:
            result.examples = evaluation.examples(result.left_out)
    if drain and task.view == "intervals":
        _join(result.tables, evaluation.close())
    token = uuid4().hex
    held = dict(evaluation.held) if task.view == "intervals" else {}
    window = still_needed(task, waiting, passed)
    remembered = evaluation.remembered()
    result.state = replace(
        state,
        start=start,
        until=passed,
        token=token,
        window=window,
        held=held,
        remembered=remembered,
        pending={} if passed > until else state.pending,
    )
    _remember(task, shard, token, evaluation)
    result.engine_seconds = time.perf_counter() - begun - result.rebuild_seconds
    return result


def _missing(arrived: Iterable[Arrived]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for part in arrived:
        if part.missing:
            found.setdefault(part.predicate, Counter()).update(part.missing)
    return {predicate: dict(columns) for predicate, columns in found.items()}


def _courses(task: Task, state: ShardState, arrived: Sequence[Arrived]) -> dict[str, Course]:
    """How time advanced in each input that brought facts in this batch."""
    floor = state.until if state.has_begun else None if task.start is None else task.start - 1
    found: dict[str, list[Any]] = {}
    for part in arrived:
        found.setdefault(part.predicate, []).append(part.marks)
    return {p: course(tables, state.closed.get(p), floor) for p, tables in found.items()}


def _reached(task: Task, state: ShardState, courses: Mapping[str, Course], over: int | None) -> tuple[int, int]:
    """The start of the timeline, and where its evaluation has got to. Until then, an older fact moves the start.

    If there is no fact at all, not even in the program's own text, the first time point that is over by the clock
    begins the timeline.
    """
    if state.has_begun:
        assert state.start is not None
        assert state.until is not None
        return state.start, state.until
    known = [] if state.start is None else [state.start]
    known += [c.oldest for c in courses.values() if c.oldest is not None]
    known = known or [fact.time for fact in task.program.data] or ([] if over is None else [over])
    start = task.first_point(min(known, default=0))  # if no fact came in time, the user gave the start
    return start, start - 1


def _with_times(
    task: Task,
    state: ShardState,
    arrived: Sequence[Arrived],
    courses: Mapping[str, Course],
    clock: int | None,
    beat: int | None,
) -> ShardState:
    """The state, updated with the times of the inputs. An input that never sent a fact counts as silent from now on,
    and so do all that are silent when the clock is set back."""
    newest = [int(np.asarray(part.marks["time"]).max()) for part in arrived]
    last = max(newest + ([] if state.last is None else [state.last]), default=None)
    closed = {**state.closed, **{p: c.closed for p, c in courses.items()}}
    if beat is not None:
        for silent in (p for p in task.inputs if p not in courses):
            closing: int = closed_by(beat, task.delays.get(silent, 0), task.unit)
            closed[silent] = max(closing, closed.get(silent, closing))
    heard = dict(state.heard)
    if clock is not None:
        heard = {p: clock if p in courses else min(heard.get(p, clock), clock) for p in task.inputs}
    return replace(state, last=last, closed=closed, heard=heard)


def _over(
    task: Task, state: ShardState, courses: Mapping[str, Course], clock: int | None
) -> tuple[int | None, tuple[str, ...]]:
    """The last time point that all inputs that are not idle have closed, and the inputs that it waits for."""
    inputs = [p for p in task.inputs if p in courses or not _is_idle(task, state, p, clock)]
    never = tuple(p for p in inputs if p not in state.closed)
    if never:
        return None, never
    closed = {p: state.closed[p] for p in inputs}
    over = min(closed.values(), default=None)
    slowest = tuple(p for p, point in closed.items() if point == over and p not in courses)
    return over, slowest if len(slowest) < len(inputs) else ()


def _is_idle(task: Task, state: ShardState, predicate: str, clock: int | None) -> bool:
    longest = task.idle.get(predicate)
    return longest is not None and clock is not None and clock - state.heard.get(predicate, clock) >= longest


def _evaluation(task: Task, shard: int, state: ShardState) -> tuple[Evaluation, bool]:
    """An engine that is up to date with a state, and whether it had to be rebuilt."""
    token, live = _live.pop((task.name, shard), ("", None))
    if live is not None and token == state.token and live.start == state.start:
        return live, False
    assert state.start is not None
    assert state.until is not None
    made = Evaluation(task, shard, state.start)
    window, _ = up_to(state.window, state.until)
    made.recall(window, state.until, state.held, state.remembered.get(""))
    return made, bool(state.token)


def _remember(task: Task, shard: int, token: str, evaluation: Evaluation) -> None:
    """Keep an engine, unless it stores all facts that it has ever seen, as the reference engine does."""
    if not evaluation.incremental:
        return
    _live[task.name, shard] = token, evaluation
    while len(_live) > _MOST_LIVE:
        del _live[next(iter(_live))]


def forget(task: Task) -> None:
    """Release the engines of a task that takes no further step in this process."""
    for known in [key for key in _live if key[0] == task.name]:
        del _live[known]


def _merged(task: Task, window: Mapping[str, Any], facts: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Known and new facts by predicate, in the order of the inputs, which is also the order within a time point."""
    merged = {}
    for predicate in task.inputs:
        tables = [*([window[predicate]] if predicate in window else []), *facts.get(predicate, ())]
        if tables:
            merged[predicate] = by_time(tables, task.exact) if predicate in facts else tables[0]
    return merged


def _in_time(
    task: Task, shard: int, arrived: Iterable[Arrived], courses: Mapping[str, Course]
) -> tuple[dict[str, list[Any]], Any]:
    """The facts that came in time, by predicate, and a table of those that are late."""
    facts: dict[str, list[Any]] = {}
    late: list[Any] = []
    for part in arrived:
        if part.facts is None:
            continue
        times = times_of(part.facts)
        closed = courses[part.predicate].closed_before(part.arrivals)
        in_time = times > closed
        if not in_time.all():
            if task.keys.get(part.predicate) is not None or shard == 0:  # one shard reports facts that all have
                too_late = part.facts.filter(pa.array(~in_time))
                late.append(late_facts(task, part.predicate, too_late, np.broadcast_to(closed, times.shape)[~in_time]))
            kept = part.facts.filter(pa.array(in_time))
        else:
            kept = part.facts
        facts.setdefault(part.predicate, []).append(kept)
    return facts, pa.concat_tables(late) if late else None


def late_facts(task: Task, predicate: str, table: Any, closed: Numbers) -> Any:
    """A table of facts that are late, with the last time point that was closed to each of them."""
    times = times_of(table)
    columns = [column_with_terms(table, name).to_pylist() for name in table.column_names[1:]]
    rows = zip(*columns, strict=True) if columns else repeat((), table.num_rows)
    atoms = (Atom(predicate, tuple(map(value_of, row))) for row in rows)
    facts = (Fact(time, atom) for time, atom in zip(times.tolist(), atoms, strict=True))
    found = [
        pa.array([predicate] * len(times)),
        pa.array(times),
        pa.array(closed),
        pa.array(closed + 1 - times),
        pa.array([f"{fact_text(fact, task.shown_tick)}." for fact in facts]),
    ]
    return pa.table(found, schema=pa.schema(list(LATE.items())))


def _join(tables: dict[str, Any], more: Mapping[str, Any]) -> None:
    for predicate, table in more.items():
        known = tables.get(predicate)
        tables[predicate] = table if known is None else pa.concat_tables([known, table.select(known.column_names)])
