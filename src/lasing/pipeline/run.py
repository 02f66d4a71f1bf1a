"""Run a pipeline: from its sources through the program to its sinks, and on from its checkpoint."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any

from lasing.errors import Diagnostic, LasingError, fault
from lasing.pipeline.config import AVAILABLE_NOW, Pipeline
from lasing.pipeline.progress import Batch, Progress, listener
from lasing.pipeline.sinks import write
from lasing.pipeline.sources import frames_of
from lasing.spark.delay import delay_of
from lasing.spark.inputs import specification
from lasing.spark.outputs import View
from lasing.spark.reason import Outputs, Reasoning, reason
from lasing.spark.session import session
from lasing.spark.streaming import STATUS

_GLANCE = 0.2
"""How often, in seconds, somebody looks whether to stop."""

_OURS = re.compile(r"LasingError: (?:error\[(E\d+)\]: )?(.*?)(?:\n\s*SQLSTATE|\n\n|\s*\Z)", re.DOTALL)


def run_pipeline(pipeline: Pipeline, progress: Progress, stop: Event | None = None) -> None:
    """Run a pipeline to its end, or until `stop` is set. It goes on from its checkpoint, if it has one."""
    spark = open_session(pipeline)
    reasoning = _reasoning(pipeline)
    outputs = reasoning(frames_of(spark, pipeline))
    if pipeline.mode == "batch":
        _replay(pipeline, outputs, progress)
        return
    heard = listener(progress)
    spark.streams.addListener(heard)
    try:
        _stream(pipeline, reasoning, outputs, progress, stop or Event())
    finally:
        _let_listeners_hear(spark)
        spark.streams.removeListener(heard)


def open_session(pipeline: Pipeline) -> Any:
    """The Spark session of a pipeline: the one that is running, or a new one."""
    settings = dict(pipeline.settings)
    if pipeline.jars:
        settings.setdefault("spark.jars", ",".join(pipeline.jars))
    if pipeline.shards is not None:
        settings.setdefault("spark.sql.shuffle.partitions", str(pipeline.shards))
    spark = session(pipeline.master, f"lasing {pipeline.path.name}", settings)
    if "spark.sql.shuffle.partitions" not in settings:
        spark.conf.set("spark.sql.shuffle.partitions", str(spark.sparkContext.defaultParallelism))
    return spark


def _reasoning(pipeline: Pipeline) -> Reasoning:
    times = {specification(source.fact)[0]: source.time for source in pipeline.sources}
    view: View = pipeline.view  # type: ignore[assignment]  # checked when the file was read
    return reason(
        pipeline.program,
        output=sorted({sink.output for sink in pipeline.sinks}),
        time=times,
        view=view,
        start=pipeline.start,
        end=pipeline.end,
        delay=pipeline.delay,
        shards=pipeline.shards,
        slices=pipeline.slices,
        replicate=pipeline.replicate,
    )


def _stream(pipeline: Pipeline, reasoning: Reasoning, outputs: Outputs, progress: Progress, stop: Event) -> None:
    def each_batch(told: Any, number: int) -> None:
        told.persist()
        try:
            _write_batch(pipeline, outputs, told, number, progress)
        finally:
            told.unpersist()

    writer = outputs.told.writeStream.foreachBatch(each_batch).option("checkpointLocation", pipeline.checkpoint)
    if pipeline.trigger == AVAILABLE_NOW:
        writer = writer.trigger(availableNow=True)
    elif pipeline.trigger:
        writer = writer.trigger(processingTime=f"{delay_of(pipeline.trigger, 1) // 1000} milliseconds")
    _await(writer, pipeline, stop)
    if pipeline.trigger == AVAILABLE_NOW and not stop.is_set():
        reasoning.end_stream()
        _await(writer, pipeline, stop)


def _await(writer: Any, pipeline: Pipeline, stop: Event) -> None:
    """Run a query to its end. Told to stop, it stops where it is: what was not finished is done again the next time."""
    from pyspark.errors import StreamingQueryException

    query = writer.start()
    try:
        while not query.awaitTermination(_GLANCE):
            if stop.is_set():
                query.stop()
                return
    except StreamingQueryException as error:
        raise _stopped(str(error), pipeline) from None


def _write_batch(pipeline: Pipeline, outputs: Outputs, told: Any, number: int, progress: Progress) -> None:
    figures = told.where(told["kind"] == STATUS).drop("told").collect()
    batch = Batch(number)
    left: Counter[str] = Counter()
    for row in figures:
        more = json.loads(row.left_out)
        batch.rows = dict(Counter(batch.rows) + Counter(more["rows"]))
        left += Counter(more["left_out"])
        batch.events = max(batch.events, row.events)
        batch.late += row.late
        batch.state_bytes += row.state_bytes
        batch.state_seconds = max(batch.state_seconds, row.state_seconds)
        batch.engine_seconds = max(batch.engine_seconds, row.engine_seconds)
        batch.rebuilt_shards += row.rebuilt
        batch.evaluated_until = _moment(pipeline, outputs, row.until)
    view = outputs.task.view
    writes = [
        partial(write, outputs.take(told, s.output), s, view, number) for s in pipeline.sinks if s.output in batch.rows
    ]
    if batch.late:
        writes.append(partial(write, outputs.take_late(told), pipeline.late, None, number))
    with ThreadPoolExecutor(max(1, len(writes))) as together:  # each is a job of Spark's, most often a short one
        for written in [together.submit(each) for each in writes]:
            written.result()
    progress.evaluated(batch, left)


def _replay(pipeline: Pipeline, outputs: Outputs, progress: Progress) -> None:
    """Evaluate a history, and write all of it."""
    import time

    view = outputs.task.view
    batch = Batch(0)
    begun = time.monotonic()
    for sink in pipeline.sinks:
        frame = outputs[sink.output].persist()
        batch.rows[sink.output] = frame.count()
        write(frame, sink, view, None)
        frame.unpersist()
    batch.late = outputs.late.count()
    if batch.late:
        write(outputs.late, pipeline.late, None, None)
    batch.events = outputs.events
    outputs.told.unpersist()
    progress.evaluated(batch, Counter())
    progress.finished(0, time.monotonic() - begun)


def _moment(pipeline: Pipeline, outputs: Outputs, point: int | None) -> str:
    if point is None:
        return ""
    tick = pipeline.program.tick
    return tick.iso(point) if tick is not None and outputs.task.unit is not None else str(point)


def _stopped(message: str, pipeline: Pipeline) -> LasingError:
    """Why a query has stopped, in a sentence: what we have said in a worker, or else Spark's first words."""
    again = f"once that is mended, run it again: it goes on from {pipeline.checkpoint}"
    ours = _OURS.search(message)
    if ours is not None:
        lines = ours[2].split("\n  = ")
        notes = [*lines[1:], again]
        return fault(ours[1] or "E614", lines[0].strip(), note="\n".join(notes))
    if "No space left on device" in message:
        return fault("E615", "the disk is full: a batch could not be written", note=again)
    return fault("E614", f"the query stopped: {_first_words(message)}", note=again)


def _first_words(message: str) -> str:
    """The line of Spark's message that says what happened."""
    found = re.findall(r"\[[A-Z_.]+\] [^\n]*|^Caused by: [^\n]*", message, re.MULTILINE)
    told = [re.sub(r"^Caused by: |^[\w.$]+: |\[[A-Z_.]+\] | SQLSTATE: .*", "", line).strip() for line in found]
    whole = [line for i, line in enumerate(told) if line and not any(line in other for other in told[:i])]
    general = ("Query [", "Job aborted", "org.apache.spark", "Task failed")
    telling = [line for line in whole if not line.startswith(general)]
    python: list[str] = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception): [^\n]*", message, re.MULTILINE)
    if python and "PYTHON_" in message and "DATA_SOURCE" in message:
        return python[-1][:600]
    words = "; ".join(dict.fromkeys([*telling[:1], *telling[-1:]])) or message.strip().partition("\n")[0]
    return words[:600] or "no reason given"


def _let_listeners_hear(spark: Any) -> None:
    """Spark tells its listeners a little later than the query knows; wait for it, so that no batch goes untold."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()


def cautions(pipeline: Pipeline) -> Sequence[Diagnostic]:
    """What is not wrong with a pipeline, but worth knowing."""
    from lasing.logic.checks import CAUTIONS, findings

    return findings(pipeline.program, CAUTIONS)
