"""All sinks of a pipeline in one process: each output to its sinks, and late facts to theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow.compute as pc

from lasing.connectors.sinks import View
from lasing.pipeline.described import Pipeline, SinkConfig
from lasing.pipeline.formats import FILE_FORMATS, ROTATING
from lasing.pipeline.local.checkpoints import Checkpoint, Position
from lasing.pipeline.local.disk import Disk
from lasing.pipeline.local.sinks import LineSink, TableSink, check_empty, file_sink, line_sink
from lasing.pipeline.local.wires import wired_sink
from lasing.spark.shard import BatchResult
from lasing.spark.streaming import late_table
from lasing.spark.task import Task

LATE = "late facts"
"""The name of the sink for late facts, which no output has."""


class Outlets:
    """The sinks by name. Files take tables at once; other sinks get lines once a checkpoint has them."""

    def __init__(self, pipeline: Pipeline, task: Task, disk: Disk) -> None:
        self._task = task
        self._sinks: dict[str, SinkConfig] = {sink.name: sink for sink in pipeline.sinks} | {LATE: pipeline.late}
        self._files: dict[str, TableSink] = {}
        self._lines: dict[str, LineSink] = {}
        self._unsent: dict[str, list[bytes]] = {}
        self.undelivered: dict[str, int] = {}
        """How many lines of the last checkpoint each sink has not delivered."""
        self.watching: Callable[[str, Any], None] | None = None
        """Called with the rows of each output that has some, if anybody looks on."""
        self.unsaved = 0
        """How many rows have been written since the last flush."""
        for name, sink in self._sinks.items():
            make = wired_sink(pipeline, name)
            if sink.format in (*FILE_FORMATS, ROTATING):
                self._files[name] = file_sink(sink, disk, make)
            else:
                view: View | None = None if name == LATE else task.view
                self._lines[name] = line_sink(sink, task.outputs.get(sink.output), view, make)

    def use(self, task: Task) -> None:
        """Hand on the results of another program, whose outputs have the same columns."""
        self._task = task

    def begin(self) -> None:
        """Begin with nothing. Fails if there are results already."""
        for name, sink in self._files.items():
            check_empty(self._sinks[name])
            sink.start(None)

    def replace(self) -> None:
        """Begin with nothing, in place of earlier results."""
        for sink in self._files.values():
            sink.start(None)

    def resume(self, checkpoint: Checkpoint, delivered: int) -> None:
        """Continue from a checkpoint: cut files back, and deliver again what may not have arrived."""
        for name, sink in self._files.items():
            sink.start(checkpoint.sinks.get(name))
        if delivered < checkpoint.number:
            self._deliver(checkpoint.number, checkpoint.sent)

    def write(self, result: BatchResult) -> dict[str, int]:
        """Hand on the results of a step, in an order that does not depend on the steps. Returns the number of rows by
        output."""
        finished = {
            predicate: _in_order(self._task.outputs[predicate].finished(table, self._task.view, self._task.unit))
            for predicate, table in result.tables.items()
            if table.num_rows
        }
        if self.watching is not None:
            for predicate, table in finished.items():
                self.watching(predicate, table)
        for name, sink in self._sinks.items():
            if name != LATE and sink.output in finished:
                self._take(name, finished[sink.output])
        if result.late is not None:
            self._take(LATE, late_table(self._task, result.late))
        return {predicate: table.num_rows for predicate, table in finished.items()}

    def _take(self, name: str, table: Any) -> None:
        self.unsaved += table.num_rows
        if name in self._files:
            self._files[name].write(table)
        else:
            self._unsent.setdefault(name, []).extend(self._lines[name].lines(table))

    def flush(self) -> dict[str, Position]:
        """Make the files durable, and return the positions of all sinks."""
        self.unsaved = 0
        return {name: sink.flush() for name, sink in self._files.items()}

    def unsent(self) -> Mapping[str, list[bytes]]:
        """The lines that wait for a checkpoint."""
        return {name: lines for name, lines in self._unsent.items() if lines}

    def deliver(self, batch: int) -> None:
        """Deliver the lines that a checkpoint has."""
        waiting, self._unsent = self.unsent(), {}
        self._deliver(batch, waiting)

    def _deliver(self, batch: int, sent: Mapping[str, Sequence[bytes]]) -> None:
        known = {name: lines for name, lines in sent.items() if name in self._lines}
        self.undelivered = {name: len(lines) for name, lines in known.items()}
        for name, lines in known.items():
            self._lines[name].deliver(batch, list(lines))
            del self.undelivered[name]

    def give_up(self) -> None:
        """Wait for no sink any longer: what they have not delivered is in the checkpoint. Any thread may call this."""
        for sink in self._lines.values():
            sink.give_up()

    def close(self) -> None:
        """Close connections and files."""
        for sink in self._lines.values():
            sink.close()
        for files in self._files.values():
            files.close()


def _in_order(table: Any) -> Any:
    """Rows by the time at which they were known, and then by all their columns.

    The engine's order follows from what it did before, so a run that continues from a checkpoint may have another one.
    """
    names = table.column_names
    first = "until" if names[:2] == ["from", "until"] else "time"
    keys = [(name, "ascending") for name in dict.fromkeys((first, *names))]
    return table.take(pc.sort_indices(table, keys))
