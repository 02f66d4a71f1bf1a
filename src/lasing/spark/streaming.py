"""A stream on Spark: rows to shards, shards through time, what they tell to outputs."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from lasing.errors import LasingError, fault
from lasing.spark.arrival import ARRIVAL
from lasing.spark.outputs import moments
from lasing.spark.packing import NO_INPUT
from lasing.spark.shard import Arrived, Told, step
from lasing.spark.state import State
from lasing.spark.tables import from_bytes, times_of, to_bytes
from lasing.spark.task import Task
from lasing.timeline.ticks import time_text

TOLD = (
    "kind string, told binary, late bigint, until bigint, events bigint, rows bigint, state_bytes bigint, "
    "state_seconds double, engine_seconds double, rebuilt int, left_out string"
)
"""What a shard tells: a table of an output, or of late facts, or, with the kind STATUS, figures about a batch."""

STATE_FOLDER = "state/0"
"""Where in a checkpoint Spark keeps the states: a folder for each partition, a file for each batch."""
STATUS = "*status"
LATE_KIND = "*late"
_MOST_ROWS = 1 << 17
"""A longer table is told in parts."""


def shard_function(
    task: Callable[[], Task], places: Sequence[int], take_in: Callable[..., Told] = step
) -> Callable[..., Iterator[Any]]:
    """What `applyInPandasWithState` calls for each shard and batch."""
    numbers = {place: shard for shard, place in enumerate(places)}

    def advance(key: tuple[Any, ...], frames: Iterable[Any], store: Any) -> Iterator[Any]:
        import pandas as pd

        # Spark joins what is told here with empty frames, which pandas complains about in every worker
        warnings.filterwarnings("ignore", "The behavior of DataFrame concatenation", FutureWarning)
        work = task()
        begun = time.perf_counter()
        state = _state(store.get[0]) if store.exists else State()
        read = time.perf_counter() - begun
        arrived, drain, clock = _arrived(work, frames)
        told = take_in(work, numbers[int(key[0])], state, arrived, drain, clock)
        begun = time.perf_counter()
        stored = told.state.to_bytes()
        store.update((stored,))
        state_seconds = read + time.perf_counter() - begun
        rows = list(_rows(work, told))
        rows.append(_status(work, told, len(stored), state_seconds + told.rebuild_seconds))
        yield pd.DataFrame(rows, columns=[column.split()[0] for column in TOLD.split(", ")])

    return advance


def observed(told: Any) -> Any:
    """What is told, with figures for Spark's own listeners: in a query's progress, `observedMetrics` has them under
    `lasing`."""
    from pyspark.sql import functions as f

    figures = [f.sum(name).alias(name) for name in ("late", "rows", "state_bytes", "rebuilt")]
    figures += [f.max(f.when(f.col("kind") == STATUS, f.col(name))).alias(name) for name in ("until", "events")]
    for name in ("waiting_for", "reached", "missing"):  # all shards say the same; what is missing, one of them
        figures.append(f.max(f.get_json_object("left_out", f"$.{name}")).alias(name))
    return told.observe("lasing", *figures)


def unpacker(told: str = "told") -> Callable[[Iterable[Any]], Iterator[Any]]:
    """For `mapInArrow`: the rows of tables that are stored as bytes."""

    def unpack(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for table in batch.column(told):
                yield from pa.ipc.open_stream(table.as_buffer())

    return unpack


def _state(stored: bytes) -> State:
    """The state of a shard; where it is damaged, the error names the file in which Spark has it."""
    from pyspark import TaskContext

    try:
        return State.from_bytes(stored)
    except LasingError as error:
        task, found = TaskContext.get(), error.diagnostics[0]
        if task is None or found.code != "E614":
            raise
        place = f"{STATE_FOLDER}/{task.partitionId()}/{task.getLocalProperty('streaming.sql.batchId')}.delta"
        raise fault("E614", f"{found.message}: {place}") from None


def _arrived(task: Task, frames: Iterable[Any]) -> tuple[list[Arrived], bool, int | None]:
    arrived, drain, clock = [], False, None
    for frame in frames:
        for row in frame.itertuples(index=False):
            clock = int(row.clock)
            if row.input == NO_INPUT:
                drain = True
                continue
            arrived.append(arrived_of(task, int(row.input), int(row.number), row.marks, row.facts, row.missing))
    return arrived, drain, clock


def arrived_of(
    task: Task, number: int, count: int, marks: bytes | None, stored: bytes | None, missing: object = None
) -> Arrived:
    """What `Packer` has packed for a shard."""
    facts, arrivals = None if stored is None else from_bytes(stored), None
    if facts is not None and ARRIVAL in facts.column_names:
        facts, arrivals = facts.drop_columns([ARRIVAL]), facts[ARRIVAL]
    heard = None if marks is None else from_bytes(marks)
    left_out = json.loads(missing) if isinstance(missing, str) else {}  # pandas may have NaN for none
    return Arrived(task.inputs[number], count, heard, facts, arrivals, left_out)


def _rows(task: Task, told: Told) -> Iterator[tuple[Any, ...]]:
    nothing = (0, 0, 0, 0, 0, 0.0, 0.0, 0, "")
    for predicate, table in told.tables.items():
        finished = task.outputs[predicate].finished(table, task.view, task.unit)
        for part in range(0, finished.num_rows, _MOST_ROWS):
            yield predicate, to_bytes(finished.slice(part, _MOST_ROWS)), *nothing
    if told.late is not None:
        yield LATE_KIND, to_bytes(late_table(task, told.late)), *nothing


def late_table(task: Task, late: Any) -> Any:
    """Late facts as they are put out, with their times as those of the outputs."""
    columns = {name: late[name] for name in late.column_names}
    for name in ("time", "closed_until"):
        columns[name] = moments(times_of(late, name), task.unit)
    return pa.table(columns)


def late_schema(dated: bool) -> str:
    """The columns of `late_table`."""
    times = "timestamp" if dated else "bigint"
    return f"predicate string, time {times}, closed_until {times}, late_by bigint, fact string"


def _status(task: Task, told: Told, size: int, state_seconds: float) -> tuple[Any, ...]:
    late = 0 if told.late is None else told.late.num_rows
    rows = sum(table.num_rows for table in told.tables.values())
    kinds = {p: t.num_rows for p, t in told.tables.items() if t.num_rows}
    more: dict[str, Any] = {"left_out": told.left_out, "rows": kinds, "waiting_for": told.waiting_for}
    if told.state.has_begun and told.state.until is not None:
        more["reached"] = time_text(told.state.until, task.shown_tick)
    if told.examples:
        more["examples"] = told.examples
    if told.missing:
        more["missing"] = told.missing
    return (
        STATUS,
        b"",
        late,
        told.state.until if told.state.has_begun else None,
        told.events,
        rows,
        size,
        state_seconds,
        told.engine_seconds,
        int(told.rebuilt),
        json.dumps(more),
    )
