"""An earlier time point of a stream, from the states that are kept: what held then.

A state has the raw window of a time point. Between two states, the facts in between are in the later one, unless it
has already dropped some of them: that happens if more time has passed between the two than the program looks back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lasing.errors import LasingError, fault
from lasing.live.remembered import table_of
from lasing.spark.evaluation import Evaluation, up_to
from lasing.spark.state import ShardState
from lasing.spark.tables import by_time
from lasing.spark.task import Task
from lasing.timeline.ticks import time_text

Shards = Mapping[int, ShardState]
"""The states of all shards after a batch."""


def until_of(states: Shards) -> int | None:
    """The time point up to which everything was evaluated; None if nothing was."""
    return next((state.until for state in states.values() if state.has_begun), None)


def is_between(task: Task, before: Shards, after: Shards | None, time: int) -> bool:
    """Whether two states, one after the other, have all facts that the answers at a time point depend on."""
    first, last = until_of(before), None if after is None else until_of(after)
    if first is None or first == time or after is None or last is None:
        return first is not None
    back = task.raw_window.lookback.points
    same = {state.work for state in before.values()} == {state.work for state in after.values()}
    return same and (back is None or last - back <= first + 1)


def holding_at(task: Task, before: Shards, after: Shards | None, time: int) -> dict[str, list[Any]]:
    """What held at a time point: a table for each shard, by output."""
    found: dict[str, list[Any]] = {}
    for evaluation in evaluations_at(task, before, after, time):
        for predicate, table in evaluation.holding().items():
            found.setdefault(predicate, []).append(table.drop_columns(["time", "change"]))
    return found


def evaluations_at(task: Task, before: Shards, after: Shards | None, time: int) -> Iterator[Evaluation]:
    """The engines of all shards that have begun at a time point."""
    for shard, state in before.items():
        if not state.has_begun or state.start is None or state.until is None or time < state.start:
            continue
        yield evaluation_at(task, shard, state, None if after is None else after.get(shard), time)


def evaluation_at(task: Task, shard: int, state: ShardState, later: ShardState | None, time: int) -> Evaluation:
    """The engine of a shard at a time point at or after that of a state."""
    assert state.start is not None
    assert state.until is not None
    evaluation = Evaluation(task, shard, state.start)
    window, waiting = up_to(state.window, state.until)
    nothing = table_of(()) if task.program.streams else None
    evaluation.recall(window, state.until, None, state.remembered.get("", nothing))
    if time > state.until:
        facts = waiting if later is None else up_to(later.window, state.until)[1]
        due, _ = up_to({p: by_time([table], task.exact) for p, table in facts.items()}, time)
        evaluation.advance(due, time)
    return evaluation


def not_kept(task: Task, time: int, points: Sequence[int]) -> LasingError:
    """The error for a time point for which there is no state."""
    shown = [time_text(point, task.shown_tick) for point in points]
    at = time_text(time, task.shown_tick)
    if not points or time < points[0]:
        kept = f"the oldest checkpoint that is kept is at {shown[0]}" if points else "there is no checkpoint yet"
        note = "keep = 100 in the pipeline's file keeps more of them; on Spark, spark.sql.streaming.minBatchesToRetain"
        return fault("E623", f"nothing is kept of {at}: {kept}", note=note)
    near = [*(s for p, s in zip(points, shown, strict=True) if p <= time)][-1:]
    near += [*(s for p, s in zip(points, shown, strict=True) if p > time)][:1]
    message = (
        f"the facts before {at} are not all kept: more time passed between two checkpoints than the program looks back"
    )
    return fault("E624", message, note=f"there are checkpoints at {' and '.join(near)}")
