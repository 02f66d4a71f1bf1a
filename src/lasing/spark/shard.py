"""A shard of a stream, from batch to batch: which facts are late, how far time has got, and what is evaluated.

The engine stays in the worker's memory, and is used again where the state is the one that it has left. Where the shard
has moved to another worker, or a batch is tried again, one is made anew from the raw window, with the same answers.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa

from lasing.connectors.rows import value_of
from lasing.logic.formulas import Atom
from lasing.spark.evaluation import Evaluation, LeftOut, up_to
from lasing.spark.state import State
from lasing.spark.tables import by_time, times_of
from lasing.spark.task import Task
from lasing.spark.window import still_needed


@dataclass(frozen=True, slots=True)
class Arrived:
    """Facts of an input for this shard, or None; and of all that they came with how many, the oldest, the newest."""

    predicate: str
    number: int
    oldest: int
    newest: int
    facts: Any | None


@dataclass(slots=True)
class Told:
    """What comes of a batch: the state after it, a table for each output, the late facts, and figures on the work."""

    state: State
    tables: dict[str, Any] = field(default_factory=dict)
    late: Any = None
    left_out: LeftOut = field(default_factory=dict)
    events: int = 0
    """How many facts came, in all shards."""
    rebuilt: bool = False
    rebuild_seconds: float = 0.0
    engine_seconds: float = 0.0


LATE = {
    "predicate": pa.string(),
    "time": pa.int64(),
    "evaluated_until": pa.int64(),
    "late_by": pa.int64(),
    "fact": pa.string(),
}

_MOST_LIVE = 64
_live: dict[tuple[str, int], tuple[str, Evaluation]] = {}
"""The engines in this worker, with the token of the state that they have left."""


def step(task: Task, shard: int, state: State, arrived: Sequence[Arrived], drain: bool = False) -> Told:
    """Take a batch in, and evaluate all time points that are over; with `drain`, at the end of the stream, all."""
    begun = time.perf_counter()
    if not arrived and state.newest is None:
        return Told(state)
    newest = max([a.newest for a in arrived] + ([] if state.newest is None else [state.newest]))
    start, until = _reached(task, state, arrived)
    facts, late = _in_time(task, shard, arrived, until)
    waiting = _merged(task, state.window, facts)
    passed = max(until, task.last_point(newest) if drain else task.passed(newest))
    before = time.perf_counter()
    evaluation, rebuilt = _evaluation(task, shard, replace(state, start=start, until=until))
    told = Told(state, late=late, events=sum(a.number for a in arrived), rebuilt=rebuilt)
    told.rebuild_seconds = time.perf_counter() - before if rebuilt else 0.0
    if passed > until:
        _, after = up_to(waiting, until)
        due, _ = up_to(after, passed)
        told.tables = evaluation.advance(due, passed)
        told.left_out = evaluation.left_out()
    if drain and task.view == "intervals":
        _join(told.tables, evaluation.close())
    token = uuid4().hex
    held = dict(evaluation.held) if task.view == "intervals" else {}
    told.state = State(start, passed, newest, token, still_needed(task, waiting, passed), held)
    _remember(task, shard, token, evaluation)
    told.engine_seconds = time.perf_counter() - begun - told.rebuild_seconds
    return told


def _reached(task: Task, state: State, arrived: Sequence[Arrived]) -> tuple[int, int]:
    """Where the timeline starts, and up to where it is evaluated. Until anything is, an older fact moves its start."""
    if state.start is not None and state.until is not None and state.until >= state.start:
        return state.start, state.until
    known = [] if state.start is None else [state.start]
    start = task.first_point(min([task.point(a.oldest) for a in arrived] + known))
    return start, start - 1


def _evaluation(task: Task, shard: int, state: State) -> tuple[Evaluation, bool]:
    """The engine that is up to date with a state, and whether it had to be made anew."""
    token, live = _live.pop((task.name, shard), ("", None))
    if live is not None and token == state.token and live.start == state.start:
        return live, False
    assert state.start is not None
    assert state.until is not None
    made = Evaluation(task, shard, state.start)
    window, _ = up_to(state.window, state.until)
    made.recall(window, state.until, state.held)
    return made, bool(state.token)


def _remember(task: Task, shard: int, token: str, evaluation: Evaluation) -> None:
    """Keep an engine, unless it keeps all facts that it has ever seen, as the reference does."""
    if not evaluation.incremental:
        return
    _live[task.name, shard] = token, evaluation
    while len(_live) > _MOST_LIVE:
        del _live[next(iter(_live))]


def _merged(task: Task, window: Mapping[str, Any], facts: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """What is known and what is new, by predicate in the order of inputs: it is that of facts at one time point."""
    merged = {}
    for predicate in task.inputs:
        tables = [*([window[predicate]] if predicate in window else []), *facts.get(predicate, ())]
        if tables:
            merged[predicate] = by_time(tables, task.exact) if predicate in facts else tables[0]
    return merged


def _in_time(task: Task, shard: int, arrived: Iterable[Arrived], until: int) -> tuple[dict[str, list[Any]], Any]:
    """The facts of time points to come, by predicate, and a table of those for which it is too late."""
    facts: dict[str, list[Any]] = {}
    late: list[Any] = []
    for part in arrived:
        if part.facts is None:
            continue
        times = times_of(part.facts)
        in_time = times > until
        if not in_time.all():
            if task.keys.get(part.predicate) is not None or shard == 0:  # what every shard hears, one tells
                late.append(_late(part.predicate, part.facts.filter(pa.array(~in_time)), until))
            kept = part.facts.filter(pa.array(in_time))
        else:
            kept = part.facts
        facts.setdefault(part.predicate, []).append(kept)
    return facts, pa.concat_tables(late) if late else None


def _late(predicate: str, facts: Any, until: int) -> Any:
    times = times_of(facts)
    atoms = (Atom(predicate, tuple(map(value_of, list(row.values())[1:]))) for row in facts.to_pylist())
    columns = [
        pa.array([predicate] * len(times)),
        pa.array(times),
        pa.array(np.full(len(times), until)),
        pa.array(until + 1 - times),
        pa.array([f"{atom} at {at}." for atom, at in zip(atoms, times.tolist(), strict=True)]),
    ]
    return pa.table(columns, schema=pa.schema(list(LATE.items())))


def _join(tables: dict[str, Any], more: Mapping[str, Any]) -> None:
    for predicate, table in more.items():
        known = tables.get(predicate)
        tables[predicate] = table if known is None else pa.concat_tables([known, table.select(known.column_names)])
