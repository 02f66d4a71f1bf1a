"""`lasing.spark.reason`: a program as a function from DataFrames to DataFrames."""

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

from lasing.background import with_background
from lasing.connectors.bad_rows import STOP, bad_rows_of
from lasing.connectors.missing import SKIP, Gaps, Missing, warnings_of
from lasing.connectors.rows import time_of
from lasing.connectors.sinks import VIEWS, View
from lasing.engine_choice import EngineName, plan_for
from lasing.entailment import Entail, with_entailment
from lasing.errors import Diagnostic, LasingError, LasingWarning, fault, in_order, render, warn
from lasing.limits import limits_of
from lasing.logic.checks import CAUTIONS, ONE_ANSWER, findings
from lasing.logic.facts import facts_of
from lasing.logic.own import Functions, check_functions, with_functions
from lasing.logic.partition import NoKey, Partition, not_streamed, partition
from lasing.logic.program import Program
from lasing.logic.types import argument_types
from lasing.logic.values import Value
from lasing.reading import ProgramLike, read
from lasing.spark import batch, streaming
from lasing.spark.background import background_facts
from lasing.spark.bad_rows import SCHEMA, Describe, Why, unfit
from lasing.spark.hashing import spread_ids
from lasing.spark.inputs import Input, Order, Terms, for_input, inputs_of
from lasing.spark.noted import noting
from lasing.spark.notices import TO_CHOOSE, listen
from lasing.spark.options import Delay, Options, check_names
from lasing.spark.outputs import output_tables
from lasing.spark.packing import PACKED, Packer
from lasing.spark.replacing import check_replacement, shards_for
from lasing.spark.session import require_pyspark, workers_of_their_own
from lasing.spark.shipping import ship
from lasing.spark.slices import Slices
from lasing.spark.state import STATE
from lasing.spark.task import Task
from lasing.timeline.delay import delay_of, silence_of
from lasing.timeline.timing import no_tick

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


def reason(
    program: ProgramLike,
    input: str | None = None,  # noqa: A002 -- the word that users know
    output: str | Sequence[str] | None = None,
    time: str | Mapping[str, str] = "time",
    *,
    view: View = "answers",
    background: Any = None,
    start: Any = None,
    end: Any = None,
    delay: Delay | Mapping[str, Delay] = 0,
    idle: str | Mapping[str, str] | None = None,
    clock: bool | Path = False,
    order: Order | None = None,
    shards: int | None = None,
    slices: int | None = None,
    replicate: Sequence[str] = (),
    engine: EngineName = "auto",
    constants: Mapping[str, Value] | None = None,
    functions: Functions | None = None,
    missing: Missing | Mapping[str, Missing] = SKIP,
    bad_rows: str | Mapping[str, str] = STOP,
    max_bad_rows: float | None = None,
    terms: Terms | Mapping[str, Terms] = False,
    language: str | None = None,
    entail: Entail = None,
    replaces: ProgramLike | None = None,
    partial: bool = False,
    max_atoms: int | None = None,
    max_memory: int | str | None = None,
    max_time: float | str | None = None,
) -> Reasoning:
    """A program as a function from DataFrames to DataFrames: streams to streams, tables to tables.

    `alarms = readings.transform(reason(program, input="temp", output="alarm", time="ts"))`

    `input` says what the DataFrame is about: "temp(sensor, celsius)", or "temp", whose arguments are then all columns
    but the time, in order. For several DataFrames, apply the function to a dictionary. `output` is a predicate, for one
    DataFrame, or several predicates, or None for all that the program shows, for a dictionary. `time` is the time
    column, for all inputs or by predicate: whole numbers, or timestamps, which a #tick turns into time points.

    `view` is answers (a row for each atom and time point), changes (+1 and -1 at a time) or intervals (from, until).
    `background` has facts that always hold: data frames by predicate, or files and graphs as in the `data` of
    `lasing.run`. `start` and `end` bound the timeline; by default, it goes from the first fact to the last.

    A stream's time point is evaluated once every input has brought a fact that is later by more than `delay`: a number
    of time points, or a duration such as "10 sec", for all inputs or by predicate. A fact that comes after its own
    input has brought such a fact is late. The stream waits for an input that brings nothing, unless it is silent for
    longer than `idle`, such as "5 min", by the clock; facts for time points evaluated meanwhile are late as well.
    With `clock=True`, time also passes when no fact comes: in each batch, the clock, less the delay, closes time points
    for the inputs that brought nothing, and there is a batch for each time point. It has no effect on a query that
    reads what is there and stops. For tests, `clock` may be the path of a file that has the time, in microseconds.
    `order` names the columns that give the order of arrival, for all inputs or by predicate. By default, the rows of
    a file arrive together, after those of older files; rows from other sources arrive together with their batch.

    A row that lacks a value is not a fact: it does not move time, and a warning says how many there were. With
    `missing="error"` it is an error. Any other value, such as 0, replaces the missing one; for all inputs or by
    predicate.

    A row that Spark's reader could not parse is bad, if the DataFrame has Spark's column of corrupt records
    (`_corrupt_record string` in the schema). By default, the query stops there. With `bad_rows="skip"`, for all inputs
    or by predicate, such rows are left out and counted, and `bad` of the result has them, with their file, line, column
    and reason. A query stops anyway if a batch of at least 100 rows has a larger share of them than `max_bad_rows`.

    `terms` names the columns of text that hold terms, for all inputs or by predicate; True stands for all columns of
    text: `<http://ex.org/a>` is then an IRI, `21.5` a number and `"21.5"` a text. Columns with the metadata
    `lasing: terms` hold terms anyway; outputs have them where values are not all of one type.

    A program is LARS, or a query if its file ends in .rq or another ending of queries; for text, `language="sparql"`
    says so. The result of SELECT has the columns of the query, with null for a value that is not bound.

    `entail` adds what the triples entail, as in `lasing.run`: "rdfs", "owl-rl", a file of rules, or a list of these.

    `functions` has the Python functions that the program calls: `{"f": f}` for `@f(X)`. The workers get them too.

    `shards` and `slices` say into how many parts to divide the work, and `replicate` which inputs every shard gets.

    With `replaces`, the program continues from the checkpoint of a query with that other program, and takes effect at
    the first time point that has not been evaluated. Everything else must be as it was. If it looks back on more than
    the checkpoint has, that is an error (E608), unless you accept it with `partial=True`.

    `max_atoms`, `max_memory` and `max_time` are limits as in `lasing.run`, for each batch of a shard, or each slice. By
    default, all workers of a machine together may use half of its memory.
    """
    require_pyspark()
    checked = _checked(program, constants, language, functions)
    before = None if replaces is None else _checked(replaces, constants, language, functions)
    if view not in VIEWS:
        raise fault("E305", f"there is no view {view}", note=f"views are {', '.join(VIEWS)}")
    for name, number in (("shards", shards), ("slices", slices)):
        if number is not None and number < 1:
            raise fault("E305", f"{name} is {number!r}", note="give a whole number of at least 1")
    for bad_rule in set(bad_rows.values()) if isinstance(bad_rows, Mapping) else (bad_rows,):
        limited = bad_rule != STOP or not isinstance(bad_rows, Mapping)
        bad_rows_of(bad_rule, max_bad_rows if limited else None)  # checks them
    if clock and checked.tick is None:
        raise no_tick()
    if refused := findings(checked, ONE_ANSWER):
        raise LasingError(in_order(refused))
    plan_for(checked, engine)
    for rule in missing.values() if isinstance(missing, Mapping) else (missing,):
        Gaps(rule)  # checks it
    gaps: Counter[tuple[str, str]] = Counter()
    of_frames = isinstance(background, Mapping)
    facts = tuple(background_facts(background, missing, gaps)) if of_frames else ()
    warn(warnings_of(gaps, TO_CHOOSE))
    more = facts if of_frames else background
    given = with_background(checked, more)
    known = with_entailment(given, entail)
    if entail is not None:
        plan_for(known, engine)
    if not isinstance(program, Program):  # a program that is already parsed has had its warnings
        warn(findings(known, CAUTIONS))
    options = Options(
        input,
        output,
        time,
        view,
        start,
        end,
        delay,
        idle,
        order,
        shards,
        slices,
        tuple(replicate),
        engine,
        limits_of(max_atoms, max_memory, max_time),
        missing,
        tuple(dict.fromkeys([*(a.predicate for a in facts), *(t.predicate for t in given.tables)])),
        terms,
        clock,
        bad_rows,
        max_bad_rows,
        None if before is None else with_entailment(with_background(before, more), entail),
        partial,
    )
    return Reasoning(known, options)


def _checked(
    program: ProgramLike, constants: Mapping[str, Value] | None, language: str | None, functions: Functions | None
) -> Program:
    """A program with its functions, ready to be sent to workers."""
    found = with_functions(program if isinstance(program, Program) else read(program, constants, language), functions)
    check_functions(found)
    return ship(found)


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
