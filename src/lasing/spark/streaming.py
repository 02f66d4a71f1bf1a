"""A stream on Spark: rows go to shards, shards go through time, and their results go to outputs."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from lasing.connectors.spark_rows import ARRIVAL
from lasing.errors import LasingError, fault
from lasing.spark.bad_rows import summary
from lasing.spark.outputs import moments
from lasing.spark.packing import CLOCK, NO_INPUT, REPLACED
from lasing.spark.settling import settle
from lasing.spark.shard import Arrived, BatchResult, step
from lasing.spark.state import ShardState
from lasing.spark.tables import from_bytes, times_of, to_bytes
from lasing.spark.task import Task
from lasing.timeline.ticks import time_text

RESULTS = (
    "kind string, content binary, late bigint, until bigint, events bigint, rows bigint, state_bytes bigint, "
    "state_seconds double, engine_seconds double, rebuilt int, left_out string"
)
"""The rows that a shard emits: a table of an output, a table of late facts, or, with the kind STATUS, figures about a
batch."""

STATE_FOLDER = "state/0"
"""Where Spark stores the states in a checkpoint: a folder for each partition, a file for each batch."""
STATUS = "*status"
LATE_KIND = "*late"
BAD_KIND = "*bad"
_NOTHING = (0, 0, 0, 0, 0, 0.0, 0.0, 0, "")
_MOST_ROWS = 1 << 17
"""A longer table is emitted in parts."""


def shard_function(
    task: Callable[[], Task], places: Sequence[int], take_in: Callable[..., BatchResult] = step
) -> Callable[..., Iterator[Any]]:
    """What `applyInPandasWithState` calls for each shard and batch."""
    numbers = {place: shard for shard, place in enumerate(places)}

    def advance(key: tuple[Any, ...], frames: Iterable[Any], store: Any) -> Iterator[Any]:
        import pandas as pd

        # Spark concatenates these results with empty frames, and pandas complains about that in every worker
        warnings.filterwarnings("ignore", "The behavior of DataFrame concatenation", FutureWarning)
        work = task()
        begun = time.perf_counter()
        state = _state(store.get[0]) if store.exists else ShardState()
        read = time.perf_counter() - begun
        arrived, drain, beat = _arrived(work, frames)
        # Spark logs the clock of a batch, so it is the same for all shards, and the same if the batch is retried; as a
        # column, it would be a constant in the code that Spark generates, and compile it again for each batch
        clock = 1000 * store.getCurrentProcessingTimeMs()
        result = take_in(work, numbers[int(key[0])], state, arrived, drain, clock, beat)
        if result.state.has_begun:
            settle()
        begun = time.perf_counter()
        stored = result.state.to_bytes()
        store.update((stored,))
        state_seconds = read + time.perf_counter() - begun
        tables = {p: work.outputs[p].finished(t, work.view, work.unit) for p, t in result.tables.items()}
        rows = [*_rows(work, tables, result.late), *_bad_rows(result.bad)]
        rows.append(_status(work, result, tables, len(stored), state_seconds + result.rebuild_seconds))
        yield pd.DataFrame(rows, columns=[column.split()[0] for column in RESULTS.split(", ")])

    return advance


def observed(results: Any, warns: bool) -> Any:
    """The results, with figures for Spark's own listeners: a query's progress has them in `observedMetrics`, under
    `lasing`. `warns` asks the session's listener for warnings."""
    from pyspark.sql import functions as f

    figures = [f.sum(name).alias(name) for name in ("late", "rows", "state_bytes", "rebuilt")]
    figures += [f.max(f.when(f.col("kind") == STATUS, f.col(name))).alias(name) for name in ("until", "events")]
    for name in ("waiting_for", "reached", "missing", "bad"):  # all report the same; one reports `missing` and `bad`
        figures.append(f.max(f.get_json_object("left_out", f"$.{name}")).alias(name))
    figures.append(f.min(f.get_json_object("left_out", "$.inconsistent")).alias("inconsistent"))
    return results.observe("lasing", *figures, f.max(f.lit(warns)).alias("warns"))


def unpacker(column: str = "content") -> Callable[[Iterable[Any]], Iterator[Any]]:
    """For `mapInArrow`: the rows of tables stored as bytes."""

    def unpack(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for table in batch.column(column):
                yield from pa.ipc.open_stream(table.as_buffer())

    return unpack


def _state(stored: bytes) -> ShardState:
    """The state of a shard; if it is damaged, the error names the file in which Spark stores it."""
    from pyspark import TaskContext

    try:
        return ShardState.from_bytes(stored)
    except LasingError as error:
        task, found = TaskContext.get(), error.diagnostics[0]
        if task is None or found.code != "E614":
            raise
        place = f"{STATE_FOLDER}/{task.partitionId()}/{task.getLocalProperty('streaming.sql.batchId')}.delta"
        raise fault("E614", f"{found.message}: {place}") from None


def _arrived(task: Task, frames: Iterable[Any]) -> tuple[list[Arrived], bool, int | None]:
    """What came, whether the stream has ended, and the instant that time follows, if any."""
    arrived, drain, beat = [], False, None
    for frame in frames:
        for row in frame.itertuples(index=False):
            if row.input == NO_INPUT:
                drain = True
                continue
            if row.input == CLOCK:
                beat = task.instant(int(row.number))
                continue
            if row.input == REPLACED:  # the state says whose it is; this only makes sure that every shard is asked
                continue
            parts = row.marks, row.facts, row.missing, row.bad
            arrived.append(arrived_of(task, int(row.input), int(row.number), *parts))
    return arrived, drain, beat


def arrived_of(
    task: Task,
    number: int,
    count: int,
    marks: bytes | None,
    stored: bytes | None,
    missing: object = None,
    bad: bytes | None = None,
) -> Arrived:
    """The part that `Packer` packed for a shard."""
    facts, arrivals = None if stored is None else from_bytes(stored), None
    if facts is not None and ARRIVAL in facts.column_names:
        facts, arrivals = facts.drop_columns([ARRIVAL]), facts[ARRIVAL]
    decoded = None if marks is None else from_bytes(marks)
    left_out = json.loads(missing) if isinstance(missing, str) else {}  # pandas may have NaN for null
    rows = from_bytes(bad) if isinstance(bad, bytes) else None
    return Arrived(task.inputs[number], count, decoded, facts, arrivals, left_out, rows)


def _bad_rows(tables: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for table in tables:
        yield BAD_KIND, to_bytes(table), *_NOTHING


def _rows(task: Task, tables: Mapping[str, Any], late: Any) -> Iterator[tuple[Any, ...]]:
    for predicate, finished in tables.items():
        for part in range(0, finished.num_rows, _MOST_ROWS):
            yield predicate, to_bytes(finished.slice(part, _MOST_ROWS)), *_NOTHING
    if late is not None:
        yield LATE_KIND, to_bytes(late_table(task, late)), *_NOTHING


def late_table(task: Task, late: Any) -> Any:
    """Late facts in their final form, with times in the form of the outputs."""
    columns = {name: late[name] for name in late.column_names}
    for name in ("time", "closed_until"):
        columns[name] = moments(times_of(late, name), task.unit)
    return pa.table(columns)


def late_schema(dated: bool) -> str:
    """The columns of `late_table`."""
    times = "timestamp" if dated else "bigint"
    return f"predicate string, time {times}, closed_until {times}, late_by bigint, fact string"


def _status(
    task: Task, result: BatchResult, tables: Mapping[str, Any], size: int, state_seconds: float
) -> tuple[Any, ...]:
    late = 0 if result.late is None else result.late.num_rows
    rows = sum(table.num_rows for table in tables.values())
    kinds = {p: t.num_rows for p, t in tables.items() if t.num_rows}
    more: dict[str, Any] = {"left_out": result.left_out, "rows": kinds, "waiting_for": result.waiting_for}
    if result.state.has_begun and result.state.until is not None:
        more["reached"] = time_text(result.state.until, task.shown_tick)
    if result.examples:
        more["examples"] = result.examples
    if result.missing:
        more["missing"] = result.missing
    if result.contradiction is not None:
        more["inconsistent"] = result.contradiction.to_json()
    if result.bad:
        more["bad"] = summary(result.bad)
    return (
        STATUS,
        b"",
        late,
        result.state.until if result.state.has_begun else None,
        result.events,
        rows,
        size,
        state_seconds,
        result.engine_seconds,
        int(result.rebuilt),
        json.dumps(more),
    )
