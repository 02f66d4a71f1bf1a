"""A program that is ready for DataFrames, and the DataFrames that come out of it."""

from __future__ import annotations

import atexit
import dataclasses
import shutil
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any
from uuid import uuid4

from lasing.connectors.bad_rows import STOP
from lasing.connectors.missing import warnings_of
from lasing.connectors.rows import time_of
from lasing.errors import Diagnostic, LasingWarning, fault, render, warn
from lasing.logic.facts import facts_of
from lasing.logic.partition import NoKey, Partition, not_streamed, partition
from lasing.logic.program import Program
from lasing.logic.types import argument_types
from lasing.spark import batch, streaming
from lasing.spark.bad_rows import SCHEMA, Describe, Why, unfit
from lasing.spark.hashing import spread_ids
from lasing.spark.inputs import Input, for_input, inputs_of
from lasing.spark.noted import noting
from lasing.spark.notices import TO_CHOOSE, listen
from lasing.spark.options import Options, check_names
from lasing.spark.outputs import output_tables
from lasing.spark.packing import PACKED, Packer
from lasing.spark.replacing import check_replacement, shards_for
from lasing.spark.session import workers_of_their_own
from lasing.spark.slices import Slices
from lasing.spark.state import STATE
from lasing.spark.task import Task
from lasing.timeline.delay import delay_of, silence_of

_FEW = 100_000
"""A history with fewer facts than this is evaluated quickly, however it is divided."""


class Outputs(dict[str, Any]):
    """DataFrames by predicate.

    `late` has the facts that came too late, or that are before the start, and `bad` the bad rows that were left out;
    it is None for a history that cannot have any. `results` has everything that the shards
    report, and all of these frames are taken from it. To write several outputs of one stream, read `results` in one
    query, and extract the outputs of each batch with `take`.
    """

    def __init__(self, task: Task, results: Any, late: Any, outputs: Mapping[str, Any], bad: Any = None) -> None:
        super().__init__(outputs)
        self.task = task
        self.results = results
        self.late = late
        self.bad = bad
        self.events = 0
        """The number of facts in a history; 0 for a stream."""
        self.missing: Counter[tuple[str, str]] = Counter()
        """The number of rows of a history that were left out because they lack a value, by input and column."""
        self.notes: Any = None
        """An accumulator of what else the slices of a history leave out (see `noted`)."""

    def unpersist(self) -> None:
        """Release the results of a history, which Spark keeps so that it does not evaluate them once per output."""
        self.results.unpersist()

    def take(self, results: Any, predicate: str) -> Any:
        """The rows of an output in a batch of `results`."""
        output = self.task.outputs[predicate]
        return output.marked(_taken(results, predicate, output.schema(self.task.view, self.task.unit is not None)))

    def take_bad(self, results: Any) -> Any:
        """The bad rows in a batch of a stream's `results`."""
        return _taken(results, streaming.BAD_KIND, SCHEMA)

    def take_late(self, results: Any) -> Any:
        """The late facts in a batch of a stream's `results`."""
        return _taken(results, streaming.LATE_KIND, streaming.late_schema(self.task.unit is not None))


class Reasoning:
    """A program that is ready to be applied to DataFrames. See `reason`."""

    def __init__(self, program: Program, options: Options) -> None:
        self.program = program
        self._options = options
        self._word: Path | None = None
        self.warns = True
        """Whether to warn about inputs that keep others waiting, rows that lack a value or are bad, and inconsistent
        data."""
        self.why: Mapping[str, Why] = {}
        """For inputs whose format is known: what is wrong with a row that Spark cannot parse."""

    def __call__(self, frames: Any) -> Any:
        """Apply the program to a DataFrame, or to several by predicate, such as {"temp": readings}."""
        options = self._options
        given = frames if isinstance(frames, Mapping) else {self._only_input(): frames}
        inputs = inputs_of(self.program, given, options.time, options.order, options.missing, options.terms)
        if not inputs:
            raise fault("E604", "there is no input", note='such as: {"temp": readings}')
        spark = inputs[0].frame.sparkSession
        outputs = self._streamed(spark, inputs) if inputs[0].streaming else self._replayed(spark, inputs)
        return outputs[options.output] if isinstance(options.output, str) else outputs

    def drain(self, writer: Any) -> Any:
        """Run a query to the end of its stream, and evaluate the last time points too.

        The writer writes one of this program's outputs, and has a checkpoint; it gets the trigger `availableNow`.
        Without `drain`, a query leaves the time points that might get more facts to the next query. A fact that comes
        for them after this is late.
        """
        if self._word is None:
            raise fault("E606", "there is no stream to drain", note="apply the program to a streaming DataFrame first")
        writer = writer.trigger(availableNow=True)  # with any other trigger, a query does not end
        writer.start().awaitTermination()
        self.end_stream()
        query = writer.start()
        query.awaitTermination()
        return query

    def end_stream(self) -> None:
        """Make the next batch of each query evaluate all time points up to the newest fact."""
        assert self._word is not None
        self._word.write_text(uuid4().hex)

    def sharding(self, inputs: Collection[str] | None = None) -> Partition | NoKey:
        """How the program can be divided among shards, or why it cannot be. If `inputs` are all that has facts over
        time, the other predicates that the program reads are background, which shards can share."""
        background = frozenset[str]() if inputs is None else not_streamed(self.program, inputs)
        return partition(self.program, frozenset(self._options.replicate), background)

    def _only_input(self) -> str:
        options = self._options
        if options.input is not None:
            return options.input
        streams = _stream_predicates(self.program)
        if len(streams) == 1:
            return streams[0]
        note = f'name it: input="…", or give several: {{"{streams[0] if streams else "temp"}": …}}'
        raise fault("E604", f"the program reads {', '.join(streams) or 'nothing'}: which is this DataFrame?", note=note)

    def _task(self, inputs: Sequence[Input], shards: int, found: Partition | NoKey) -> Task:
        options = self._options
        dated = inputs[0].dated
        unit = self.program.tick.milliseconds * 1000 if dated and self.program.tick else None
        types = argument_types(self.program, {i.predicate: i.packed_types for i in inputs})
        for name, given in (("delay", options.delay), ("idle", options.idle), ("order", options.order)):
            check_names(name, given, [i.predicate for i in inputs])
        check_names("bad_rows", options.bad_rows, [i.predicate for i in inputs])
        check_names("missing", options.missing, [i.predicate for i in inputs] + list(options.background))
        wanted = [options.output] if isinstance(options.output, str) else options.output
        keys = found.keys if isinstance(found, Partition) and shards > 1 else {}
        return Task(
            program=self.program,
            inputs=tuple(i.predicate for i in inputs),
            outputs=output_tables(self.program, types, wanted),
            view=options.view,
            keys=keys,
            foreign=found.foreign if isinstance(found, Partition) and shards > 1 else frozenset(),
            shards=shards,
            unit=unit,
            delays={i.predicate: delay_of(for_input(options.delay, i.predicate, 0), unit) for i in inputs},
            idle={
                i.predicate: silence_of(longest)
                for i in inputs
                if (longest := for_input(options.idle, i.predicate, None)) is not None
            },
            start=None if options.start is None else time_of(options.start, self.program.tick),
            engine=options.engine,
            limits=options.limits,
            terms={i.predicate: i.packed_terms for i in inputs},
            share=1.0 if options.max_bad_rows is None else options.max_bad_rows,
        )

    def _describe(self, predicate: str) -> Describe:
        """What to do with the bad rows of an input."""
        rule = for_input(self._options.bad_rows, predicate, STOP)
        return Describe(predicate, self.why.get(predicate, unfit), rule == STOP)

    def _streamed(self, spark: Any, inputs: Sequence[Input]) -> Outputs:
        from lasing.spark.end import EndOfStream, register

        found = self.sharding([i.predicate for i in inputs])
        partitions = int(spark.conf.get("spark.sql.shuffle.partitions"))
        default = min(partitions, spark.sparkContext.defaultParallelism)
        old = self._replaced_task(inputs, default)
        shards = self._shards(found, default) if old is None else shards_for(found, old.shards)
        if partitions > 4 * shards:
            note = f'before the query first starts: spark.conf.set("spark.sql.shuffle.partitions", {shards})'
            message = f"{shards} shard{'s'[: shards != 1]}, but {partitions} partitions: most tasks will be empty"
            _warn(Diagnostic("W601", message, note=note))
        task = self._task(inputs, shards, found)
        if old is not None:
            check_replacement(old, task, self._options.partial)
            task = dataclasses.replace(task, replaces=old)
        shared = _shared(spark, task)
        if self.warns:
            listen(spark)
        places = tuple(spread_ids(shards, partitions))
        register(spark)
        self._word = _word_file() if self._word is None else self._word
        said = {"word": str(self._word), "places": ",".join(map(str, places)), "work": task.work}
        said |= {} if old is None else {"replaces": old.work}
        end = spark.readStream.format(EndOfStream.name()).options(**said, **self._clock(task)).load()
        packed = reduce(lambda a, b: a.union(b), [*self._packed(task, inputs, places, None), end])
        with workers_of_their_own(spark, f"{shards} shards"):  # of several numbers, some workers would be left over
            results = packed.groupBy("place").applyInPandasWithState(
                streaming.shard_function(shared, places), streaming.RESULTS, STATE, "append", "NoTimeout"
            )
        return self._outputs(task, streaming.observed(results, self.warns), None)

    def _packed(
        self, task: Task, inputs: Sequence[Input], places: tuple[int, ...], slices: Slices | None
    ) -> Iterator[Any]:
        """The rows that go to the shards, input by input."""
        for number, given in enumerate(inputs):
            packer = Packer(
                given.predicate,
                number,
                (given.time, *given.columns),
                task.keys.get(given.predicate),
                task.unit,
                task.shards,
                places,
                slices,
                task.delays[given.predicate],
                given.missing,
                task.terms[given.predicate],
                self._describe(given.predicate),
                given.nulls,
                given.texts,
            )
            yield given.rows().mapInArrow(packer, PACKED)
            older = None if slices is None else batch.newest_of_each_key(task, given, slices)
            if older is not None:
                yield older.mapInArrow(packer, PACKED)

    def _replaced_task(self, inputs: Sequence[Input], default: int) -> Task | None:
        """The task of the program that this one replaces, if it replaces one."""
        options, program = self._options, self._options.replaces
        if program is None:
            return None
        wanted = options.output if isinstance(options.output, str | None) else tuple(options.output)
        if wanted is not None:
            names = [wanted] if isinstance(wanted, str) else wanted
            wanted = tuple(name for name in names if name in program.output())
        before = Reasoning(program, dataclasses.replace(options, replaces=None, output=wanted))
        found = before.sharding([i.predicate for i in inputs])
        return before._task(inputs, before._shards(found, default, quiet=True), found)

    def _clock(self, task: Task) -> dict[str, str]:
        """What the source of the end of a stream has to know about the clock, if time follows it."""
        clock, tick = self._options.clock, self.program.tick
        if not clock:
            return {}
        assert tick is not None, "checked before"
        delay = max(task.delays.values()) * (1 if task.unit is not None else tick.microseconds)
        file = {} if clock is True else {"clock": str(clock)}
        return {"tick": str(tick.microseconds), "delay": str(delay), **file}

    def _replayed(self, spark: Any, inputs: Sequence[Input]) -> Outputs:
        options = self._options
        sizes = self._task(inputs, 1, NoKey("", None, ""))
        left_out: Counter[tuple[str, str]] = Counter()
        known = batch.extent(inputs, sizes.unit, left_out)
        first = sizes.start if sizes.start is not None else None if known is None else sizes.first_point(known.first)
        last = None if options.end is None else time_of(options.end, self.program.tick)
        if last is None and known is not None:
            last = sizes.last_point(known.last)
        if first is None or last is None or last < first:
            first, last = first or 0, (first or 0) - 1
        parallelism = spark.sparkContext.defaultParallelism
        within = batch.Extent(first, max(first, last), 0 if known is None else known.facts)
        slices = options.slices or batch.number_of_slices(within, sizes.history.points, parallelism)
        found = self.sharding([i.predicate for i in inputs])
        shards = self._shards(found, max(1, parallelism // slices), quiet=slices > 1 or within.facts < _FEW)
        task = self._task(inputs, shards, found)
        cuts = batch.cut(task, inputs, within, slices)
        places = tuple(spread_ids(len(cuts) * shards, len(cuts) * shards))
        packed = [*self._packed(task, inputs, places, cuts)]
        empty = spark.createDataFrame([(place, 0, 0, None, None, None, None) for place in places], PACKED)
        together = reduce(lambda a, b: a.union(b), [*packed, empty]).repartition(len(places), "place")
        only = next(iter(task.outputs)) if len(task.outputs) == 1 and task.view != "intervals" else None
        schema = batch.PARTS if only is None else task.outputs[only].schema(task.view, task.unit is not None)
        notes = noting(spark, self.warns)
        evaluate = batch.slice_function(_shared(spark, task), places, cuts, first, notes.add, only)
        results = together.groupBy("place").applyInArrow(evaluate, schema)
        if last < first:
            results = results.limit(0)
        late = batch.early(inputs, task, first)
        if only is not None:
            outputs = Outputs(task, results, late, {only: task.outputs[only].marked(results)})
        else:
            results = results.persist()  # so that it is evaluated only once, however many outputs are taken from it
            outputs = self._outputs(task, results, late)
        outputs.events = 0 if known is None else known.facts
        outputs.missing, outputs.notes = left_out, notes
        bad = [rows for i in inputs if (rows := i.bad_rows(self._describe(i.predicate))) is not None]
        outputs.bad = reduce(lambda a, b: a.union(b), bad) if bad else None
        if self.warns:
            warn(warnings_of(left_out, TO_CHOOSE))
        return outputs

    def _outputs(self, task: Task, results: Any, late: Any) -> Outputs:
        dated = task.unit is not None
        frames = {}
        for predicate, output in task.outputs.items():
            if late is not None and task.view == "intervals":
                whole = output.schema(task.view, dated, whole=True)
                parts = _taken(results, predicate, f"{whole}, `*begun` boolean, `*goes_on` boolean")
                frame = output.shown_frame(batch.stitched(parts, output.columns))
            else:
                frame = _taken(results, predicate, output.schema(task.view, dated))
            frames[predicate] = output.marked(frame)
        if late is None:
            late = _taken(results, streaming.LATE_KIND, streaming.late_schema(dated))
            return Outputs(task, results, late, frames, _taken(results, streaming.BAD_KIND, SCHEMA))
        return Outputs(task, results, late, frames)

    def _shards(self, found: Partition | NoKey, default: int, quiet: bool = False) -> int:
        wanted = self._options.shards
        if isinstance(found, Partition):
            return max(1, default if wanted is None else wanted)
        if (wanted or 1) > 1:
            raise fault("E607", f"the program cannot be divided into shards: {found.why}", note=found.helps)
        if default > 1 and wanted is None and not quiet:
            _warn(Diagnostic("W602", f"one shard does all the work: {found.why}", note=found.helps))
        return 1


def _shared(spark: Any, task: Task) -> Callable[[], Task]:
    """The task, sent to each worker once."""
    shared = spark.sparkContext.broadcast(task)
    return lambda: shared.value


def _taken(results: Any, kind: str, schema: str) -> Any:
    return results.where(results["kind"] == kind).select("content").mapInArrow(streaming.unpacker(), schema)


def _stream_predicates(program: Program) -> list[str]:
    """The predicates that the program reads and does not derive."""
    facts = facts_of(program)
    declared = {s.predicate for s in program.inputs}
    return sorted((facts.read | declared) - (facts.derived - declared) - (facts.background - declared))


def _word_file() -> Path:
    """A file in which the end of a stream will be announced."""
    folder = Path(tempfile.mkdtemp(prefix="lasing-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder / "end"


def _warn(found: Diagnostic) -> None:
    warnings.warn(render([found]), LasingWarning, stacklevel=4)
