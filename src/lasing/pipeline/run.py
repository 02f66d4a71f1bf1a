"""Run a pipeline: from its sources through the program to its sinks, continuing from its checkpoint."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from lasing.connectors.bad_rows import SKIP, STOP, BadRow
from lasing.connectors.sinks import View
from lasing.connectors.tables import TIME
from lasing.entailment.contradictions import Contradiction
from lasing.errors import Diagnostic
from lasing.pipeline.absent_columns import check_columns
from lasing.pipeline.bad_rows import bad_of, bad_sinks, row_fault
from lasing.pipeline.config import AVAILABLE_NOW, Pipeline
from lasing.pipeline.failures import stopped
from lasing.pipeline.local.checkpoints import Lock, check_not_local
from lasing.pipeline.progress import MOST_SEEN, BatchFigures, Progress, listener
from lasing.pipeline.sinks import clear, write
from lasing.pipeline.sources import frames_of, order_of
from lasing.pipeline.unsourced import unsourced
from lasing.spark import noted
from lasing.spark.bad_rows import COLUMNS, first_of
from lasing.spark.inputs import specification
from lasing.spark.outputs import LEADING
from lasing.spark.reason import reason
from lasing.spark.reasoning import Outputs, Reasoning
from lasing.spark.session import session
from lasing.spark.streaming import STATUS
from lasing.timeline.delay import delay_of

_GLANCE = 0.2
"""How often, in seconds, to check whether to stop."""


def run_pipeline(pipeline: Pipeline, progress: Progress, stop: Event | None = None) -> None:
    """Run a pipeline to its end, or until `stop` is set. It continues from its checkpoint, if it has one."""
    spark = open_session(pipeline)
    reasoning = reasoning_of(pipeline)
    reasoning.warns = False  # `Progress` warns instead, with the names of sources
    reasoning.why = {specification(s.fact)[0]: row_fault(s) for s in pipeline.sources if s.schema is not None}
    frames = frames_of(spark, pipeline)
    if pipeline.mode == "batch":
        try:
            _replay(pipeline, reasoning(frames), progress)
        except _spark_errors() as error:
            raise stopped(spark, pipeline, error) from None
        return
    listening = listener(progress)
    spark.streams.addListener(listening)
    try:
        with _only_one(spark, pipeline):
            _stream(spark, pipeline, reasoning, reasoning(frames), progress, stop or Event())
    finally:
        _wait_for_listeners(spark)
        spark.streams.removeListener(listening)


def _only_one(spark: Any, pipeline: Pipeline) -> AbstractContextManager[object]:
    """Keeps other pipelines from using the checkpoint (E616), if that is on a disk of this machine. Spark notices two
    of them only once both have written a batch, and by then one may have removed results of the other."""
    place = pipeline.checkpoint
    where = place if "://" in place else spark._jsc.hadoopConfiguration().get("fs.defaultFS")
    return Lock(Path(place.removeprefix("file://"))) if where.startswith("file:") else nullcontext()


def _spark_errors() -> tuple[type[Exception], ...]:
    """The errors that Spark raises: its own, and those of Java."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError


def open_session(pipeline: Pipeline) -> Any:
    """The Spark session of a pipeline: the one that is running, or a new one. Fails with E608 before that if its
    checkpoint is not one of Spark."""
    if pipeline.checkpoint:
        check_not_local(Path(pipeline.checkpoint.removeprefix("file://")))
    settings = dict(pipeline.settings)
    if pipeline.jars:
        settings.setdefault("spark.jars", ",".join(pipeline.jars))
    if pipeline.shards is not None:
        settings.setdefault("spark.sql.shuffle.partitions", str(pipeline.shards))
    spark = session(pipeline.master, f"lasing {pipeline.path.name}", settings)
    if "spark.sql.shuffle.partitions" not in settings:
        spark.conf.set("spark.sql.shuffle.partitions", str(spark.sparkContext.defaultParallelism))
    return spark


def reasoning_of(pipeline: Pipeline) -> Reasoning:
    times = {specification(s.fact)[0]: s.time if s.mapping is None else TIME for s in pipeline.sources}
    view: View = pipeline.view  # type: ignore[assignment]  # checked when the file was read
    return reason(
        pipeline.program,
        output=sorted({sink.output for sink in pipeline.sinks}),
        time=times,
        view=view,
        start=pipeline.start,
        end=pipeline.end,
        delay={specification(s.fact)[0]: pipeline.delay if s.delay is None else s.delay for s in pipeline.sources},
        idle={specification(s.fact)[0]: idle for s in pipeline.sources if (idle := s.idle or pipeline.idle)},
        clock=pipeline.clock,
        bad_rows={specification(s.fact)[0]: SKIP for s in pipeline.sources if pipeline.bad_rows_in(s) != STOP},
        missing={specification(s.fact)[0]: pipeline.missing_in(s) for s in pipeline.sources},
        order={specification(s.fact)[0]: order for s in pipeline.sources if (order := order_of(s))},
        terms={specification(s.fact)[0]: s.terms for s in pipeline.sources if s.mapping is None},
        shards=pipeline.shards,
        slices=pipeline.slices,
        replicate=pipeline.replicate,
        replaces=pipeline.replaces,
        partial=pipeline.partial,
        max_atoms=pipeline.limits.atoms,
        max_memory=pipeline.limits.memory,
        max_time=pipeline.limits.seconds,
    )


def _stream(
    spark: Any, pipeline: Pipeline, reasoning: Reasoning, outputs: Outputs, progress: Progress, stop: Event
) -> None:
    done: set[int] = set()

    def each_batch(results: Any, number: int) -> None:
        results.persist()
        try:
            _write_batch(pipeline, outputs, results, number, progress, is_first=not done)
        finally:
            results.unpersist()
        done.add(number)

    writer = outputs.results.writeStream.foreachBatch(each_batch).option("checkpointLocation", pipeline.checkpoint)
    if pipeline.trigger == AVAILABLE_NOW:
        writer = writer.trigger(availableNow=True)
    elif pipeline.trigger:
        writer = writer.trigger(processingTime=f"{delay_of(pipeline.trigger, 1) // 1000} milliseconds")
    try:
        _await(writer, stop)
        if pipeline.trigger == AVAILABLE_NOW and not stop.is_set():
            reasoning.end_stream()
            _await(writer, stop)
            progress.check_all_bad(pipeline.max_bad_rows)
    except _spark_errors() as error:
        raise stopped(spark, pipeline, error) from None


def _await(writer: Any, stop: Event) -> None:
    """Run a query to its end. If `stop` is set, it stops at once, and the next run repeats the unfinished batch."""
    query = writer.start()
    while not query.awaitTermination(_GLANCE):
        if stop.is_set():
            query.stop()
            return


def _write_batch(
    pipeline: Pipeline, outputs: Outputs, results: Any, number: int, progress: Progress, is_first: bool
) -> None:
    figures = results.where(results["kind"] == STATUS).drop("content").collect()
    batch = BatchFigures(number)
    left: Counter[str] = Counter()
    examples: dict[str, str] = {}
    inconsistent: Contradiction | None = None
    for row in figures:
        more = json.loads(row.left_out)
        batch.rows = dict(Counter(batch.rows) + Counter(more["rows"]))
        left += Counter(more["left_out"])
        examples = more.get("examples", {}) | examples
        if "inconsistent" in more:
            inconsistent = Contradiction.from_json(more["inconsistent"]).joined(inconsistent)
        batch.missing.update({_source(pipeline, p): columns for p, columns in more.get("missing", {}).items()})
        for predicate, about in more.get("bad", {}).items():
            batch.add_bad(_source(pipeline, predicate), about["number"], first_of(about))
        batch.events = max(batch.events, row.events)
        batch.late += row.late
        batch.state_bytes += row.state_bytes
        batch.state_seconds = max(batch.state_seconds, row.state_seconds)
        batch.engine_seconds = max(batch.engine_seconds, row.engine_seconds)
        batch.rebuilt_shards += row.rebuilt
        batch.evaluated_until = _moment(pipeline, outputs, row.until)
        batch.waiting_for = [_source(pipeline, predicate) for predicate in more["waiting_for"]]
    check_columns(results.sparkSession, pipeline, batch.missing)
    progress.check_bad(batch, pipeline.max_bad_rows)
    if is_first:  # a run that was killed may have tried it before
        for sink in (*pipeline.sinks, pipeline.late, *bad_sinks(pipeline)):
            clear(results.sparkSession, sink, number)
    view = outputs.task.view
    writes = [
        partial(write, outputs.take(results, s.output), s, view, number)
        for s in pipeline.sinks
        if s.output in batch.rows
    ]
    if batch.late:
        writes.append(partial(write, outputs.take_late(results), pipeline.late, None, number))
    if batch.bad:
        bad = outputs.take_bad(results)
        writes += [partial(write, bad_of(bad, pipeline, s), s, None, number) for s in bad_sinks(pipeline, batch.bad)]
    with ThreadPoolExecutor(max(1, len(writes))) as together:  # each is a Spark job, usually a short one
        for written in [together.submit(each) for each in writes]:
            written.result()
    if progress.watcher is not None:
        for output in batch.rows:
            progress.results(output, _newest(outputs.take(results, output), view))
    progress.evaluated(batch, left, examples, inconsistent)


def _newest(frame: Any, view: View) -> Any:
    """The last rows of an output in order of time, which they do not have while they are in several shards."""
    times = [name for name in LEADING[view] if name != "change"][::-1]
    newest = frame.orderBy(*(frame[name].desc() for name in times)).limit(MOST_SEEN)
    return newest.toArrow().sort_by([(name, "ascending") for name in times])


def _source(pipeline: Pipeline, predicate: str) -> str:
    """The name of the source that brings the facts of a predicate."""
    return next(s.name for s in pipeline.sources if specification(s.fact)[0] == predicate)


def _replay(pipeline: Pipeline, outputs: Outputs, progress: Progress) -> None:
    """Evaluate a history, and write all of it."""
    import time

    view = outputs.task.view
    batch = BatchFigures(0)
    begun = time.monotonic()
    for (predicate, column), count in outputs.missing.items():
        batch.missing.setdefault(_source(pipeline, predicate), {})[column] = count
    check_columns(outputs.results.sparkSession, pipeline, batch.missing)
    for sink in pipeline.sinks:
        frame = outputs[sink.output].persist()
        batch.rows[sink.output] = frame.count()
        write(frame, sink, view, None)
        if progress.watcher is not None:
            progress.results(sink.output, _newest(frame, view))
        frame.unpersist()
    batch.late = outputs.late.count()
    if batch.late:
        write(outputs.late, pipeline.late, None, None)
    if outputs.bad is not None:
        _replay_bad(pipeline, outputs.bad, outputs.events, batch, progress)
    batch.events = outputs.events
    outputs.results.unpersist()
    notes = outputs.notes.value
    progress.evaluated(batch, noted.left_out(notes), noted.examples(notes), noted.contradiction(notes))
    progress.finished(0, time.monotonic() - begun)


def _replay_bad(pipeline: Pipeline, found: Any, events: int, batch: BatchFigures, progress: Progress) -> None:
    """Count the bad rows of a history, and write them."""
    from pyspark.sql import functions as f

    frame = found.persist()
    first = f.min_by(f.struct(*(f"`{name}`" for name in COLUMNS if name != "predicate")), f.struct("file", "line"))
    for row in frame.groupBy("predicate").agg(f.count("*").alias("number"), first.alias("first")).collect():
        batch.add_bad(_source(pipeline, row.predicate), row.number, BadRow(**row.first.asDict()))
    batch.events = events
    progress.check_bad(batch, pipeline.max_bad_rows)
    for sink in bad_sinks(pipeline, batch.bad):
        write(bad_of(frame, pipeline, sink), sink, None, None)
    frame.unpersist()


def _moment(pipeline: Pipeline, outputs: Outputs, point: int | None) -> str:
    if point is None:
        return ""
    tick = pipeline.program.tick
    return tick.iso(point) if tick is not None and outputs.task.unit is not None else str(point)


def _wait_for_listeners(spark: Any) -> None:
    """Wait for Spark's listeners, which it notifies a little later than the query, so that no batch goes unreported."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()


def cautions(pipeline: Pipeline) -> Sequence[Diagnostic]:
    """Warnings about a pipeline that is not wrong."""
    from lasing.logic.checks import CAUTIONS, findings

    missing = list(unsourced(pipeline))
    known = {diagnostic.place for diagnostic in missing}  # sources say more than the program alone
    return [*(d for d in findings(pipeline.program, CAUTIONS) if d.place not in known or d.code != "W101"), *missing]
