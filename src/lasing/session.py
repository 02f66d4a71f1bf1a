"""From a program and a stream to answers: read, check, choose an engine, and go through the timeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from lasing.connectors.arriving import Arrived, OnLateAtom, arriving, counting
from lasing.connectors.bad_rows import STOP, BadRows, OnBadRow, bad_rows_of
from lasing.connectors.feeds import stream_feeds
from lasing.connectors.files import OnBytesRead
from lasing.connectors.missing import SKIP, Gaps, Missing, rule_of
from lasing.connectors.rows import Arity, EventArity, by_time, merged, time_of
from lasing.connectors.sources import in_columns, naming_columns, naming_triples, stream_batches, stream_rows
from lasing.counting import Counting
from lasing.engine_choice import (
    AnyAnswers,
    ChangesEngine,
    EngineName,
    OneAnswer,
    OnLocal,
    OnReference,
    choose,
    load_kernels,
    most_models,
)
from lasing.entailment import Entail
from lasing.entailment.contradictions import Contradictions
from lasing.errors import LasingError, fault
from lasing.explaining import Explaining
from lasing.limits import Limits, Watch, limits_of
from lasing.logic.answers import Answer, Changes, changes, filled, repeated
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.own import Functions
from lasing.logic.program import Fact, Program
from lasing.logic.rejected import Rejected
from lasing.logic.splitting import has_several_answers
from lasing.logic.values import Value
from lasing.reading import ProgramLike, program_of
from lasing.reports import Report, counted
from lasing.results import Results, Step
from lasing.showing import Showing
from lasing.timeline.ticks import Tick
from lasing.timeline.timing import Delays, Timing, called_with_late, timing_of
from lasing.watching import OnProgress, Watched, watched

if TYPE_CHECKING:  # these load Arrow and the kernels, so only when needed
    from lasing.connectors.batches import Batch, Slab
    from lasing.connectors.changed import ChangedColumns
    from lasing.engines.local.columnar import ColumnarEngine
    from lasing.engines.local.engine import LocalEngine
    from lasing.engines.local.figures import Measuring

Arrivals = Iterator[tuple[int, list[Atom]]]
Item = TypeVar("Item")


def run(
    program: ProgramLike,
    stream: Any = None,
    start: int | str | datetime | None = None,
    end: int | str | datetime | None = None,
    engine: EngineName = "auto",
    *,
    sort: bool = False,
    models: int | None = None,
    constants: Mapping[str, Value] | None = None,
    functions: Functions | None = None,
    missing: Missing = SKIP,
    bad_rows: str | OnBadRow = STOP,
    max_bad_rows: float | None = None,
    delay: Delays | None = None,
    idle: str | timedelta | None = None,
    on_late: OnLateAtom | None = None,
    progress: bool | OnProgress = False,
    data: Any = None,
    entail: Entail = None,
    max_atoms: int | None = None,
    max_memory: int | str | None = None,
    max_time: float | str | None = None,
) -> Run:
    """The answers of a program on a stream: one for every time point from `start` to `end`.

    The program is text, a Path or a `Program`. The stream is text, a Path, rows such as `(36, "temp", "s1", 70)`, a
    data frame, a `Table`, or a dictionary from predicates to data frames. The timeline begins with the first fact and
    ends with the last, unless `start` or `end` say otherwise: as a number or, with a #tick, as a date. `sort` accepts a
    stream that is not in order of time. If a program can have several answer streams, `Answer.models` has them, at most
    `models` of them.

    `functions` has the Python functions that the program calls by name: `{"f": f}` for `@f(X)`.

    `data` has more background: the name of a file, a graph, or a list of these. RDF files end in .ttl .nt .rdf .jsonld
    .trig .nq, and may be compressed: a triple is the fact `triple(S,P,O)`, in a named graph `quad(S,P,O,G)`. Files that
    end in .lars have background facts.

    `entail` adds what the triples entail: "rdfs", "owl-rl", a file of rules, or a list of these.

    A row that lacks a value is not a fact; a warning says how many there were. With `missing="error"` it is an error,
    and any other value, such as 0, replaces the missing one.

    A row that cannot be read is an error; with `bad_rows="skip"` it is left out and counted, and a function gets it.
    The run stops anyway if more than a share of `max_bad_rows`, such as 0.05, is bad.

    `delay` accepts streams that are out of order by so much, such as 2 (time points) or "5 s", without reading them
    whole: facts wait until they can be in order. Each stream may have a delay of its own, by the name of its predicate
    or file. Time moves with the slowest stream, unless it has been silent for `idle`. Facts beyond the bound are left
    out, counted, and handed to `on_late`.

    With `progress=True`, a long run shows a bar, if standard error is a terminal. A function gets a `lasing.Progress`
    now and then, and at the end: the bytes read, facts and time points so far.

    Three limits end a run that gets out of hand, with an error that names the rule: `max_atoms`, derived at one time
    point (5,000,000 by default, 200,000 for engines other than the local one); `max_memory`, in bytes or as '2 GB'
    (half of the machine's); `max_time` for the whole run, in seconds or as '5 min' (none).

    >>> for answer in run("q(X) :- p(X) in [1].", "p(a) at 5.", end=7):
    ...     print(answer)
    5: q(a)
    6: q(a)
    7:
    """
    checked = program_of(program, constants, functions, data, entail)
    limits = limits_of(max_atoms, max_memory, max_time)
    timing = timing_of(delay, idle, None)
    if timing is not None and sort:
        raise fault("E510", "a stream is sorted whole, or read with a delay", note="leave out sort= or delay=")
    following = watched(progress, stream)
    return Run(
        checked,
        stream,
        start,
        end,
        engine,
        sort,
        following if following is None else following.read,
        watched=following,
        models=models,
        limits=limits,
        missing=missing,
        bad_rows=bad_rows_of(bad_rows, max_bad_rows),
        timing=timing,
        on_late=called_with_late(on_late),
    )


class Run(Results, Counting, Explaining, Showing):
    """An iterator over the answers. `report` says what was left out; it is complete once the answers are exhausted.

    `changes()` returns the differences between answers, and skips time points at which nothing happens. `several` says
    whether the program may have any number of answer streams; changes are then defined only if there is exactly one.
    A `live` stream may pause after any fact: time points that are complete are answered before more of it is read.
    """

    def __init__(
        self,
        program: Program,
        stream: Any,
        start: int | str | datetime | None,
        end: int | str | datetime | None,
        engine: str = "auto",
        sort: bool = False,
        progress: OnBytesRead | None = None,
        warn: bool = True,
        models: int | None = None,
        limits: Limits | None = None,
        live: bool = False,
        missing: Missing = SKIP,
        bad_rows: BadRows | None = None,
        timing: Timing | None = None,
        on_late: OnLateAtom | None = None,
        watched: Watched | None = None,
    ) -> None:
        self._live = live
        self._watched = watched
        self._watch = Watch(limits)
        policy = None if bad_rows is None else BadRows(bad_rows.skips, bad_rows.share)
        again = partial(Run, sort=sort, limits=limits, missing=missing, bad_rows=policy, timing=timing, warn=False)
        self._end = end
        self._again = lambda program, end: again(program, _readable_again(stream), start, end, engine)
        self._over = lambda facts, start: Run(
            self.program, facts, start, end, engine, warn=False, models=models, limits=limits
        )
        program = program.watching_dates()
        if timing is not None and timing.follows_clock and program.tick is not None:
            program.tick.note_date()  # the clock has dates, also before the first fact
        self.contradictions = Contradictions(program)
        self._engine = choose(self.contradictions.watched, engine, most_models(models), self._watch)
        self.several = has_several_answers(program)
        self._watch.shown = program.time_text
        first = None if start is None else time_of(start, program.tick)
        last = None if end is None else time_of(end, program.tick)
        if first is not None and last is not None and last < first:
            message = f"the timeline ends at {program.time_text(last)}, before it starts at {program.time_text(first)}"
            raise fault("E306", message)
        self.program = program
        self.report = Report()
        self.tick: Tick | None = None
        """The tick if times came in as dates, and so go out as dates. It is known once the first fact is read."""
        facts = facts_of(program)
        if facts.only_stream is not None:
            stream = naming_triples(stream, facts.only_stream)
        names = program.argument_names()
        if names:
            stream = naming_columns(stream, program.named_inputs())
        arity = {known: number for known, number in facts.arity.items() if program.takes(known)}
        self._known: Arity = EventArity(arity, names) if names else arity
        self._rejected = Rejected.of(program)
        self._gaps = Gaps(rule_of(missing, program.nulls), self.report.missing, bad_rows or BadRows())
        self._measures = False
        self._measured: Measuring | None = None
        self._unused = None if facts.counts_all_facts else Counter[str]()
        self._size, self._streams, self._counted_until, self._start = 0, 0, 0, 0
        self._reports_extensions = False
        self._steps: Iterator[Step] | None = None
        self._moments: Iterator[Changes]
        self._answers: Iterator[Answer]
        own = by_time(program.data)
        given = program.tick, sort, progress, self._known, self._gaps
        self.first: int | None = None
        """The first time point, once the facts have been read."""

        def arrivals() -> Arrivals:
            if timing is None:
                return self._arrivals(merged([own, stream_rows(stream, *given)]), first, last)
            unit = None if program.tick is None else program.tick.microseconds
            feeds = stream_feeds(stream, program.tick, progress, self._known, self._gaps)
            arrived = arriving(feeds, own, timing, unit, counting(self.report.late, on_late))
            return self._delayed(arrived, first, last, timing.follows_clock)

        self._arriving = arrivals
        if timing is None and isinstance(self._engine, OnLocal) and in_columns(stream):
            from lasing.connectors.batches import batches_of

            sources = [batches_of(own), *stream_batches(stream, *given)]
            self._steps = self._followed(self._steps_of(self._engine, sources, first, last, warn))
            self._moments = self._moments_of(self._steps)
            self._answers = filled(self._moments)
            return
        match self._engine:
            case OnLocal() | OnReference():
                self._moments = self._followed(self._changes_of(self._engine, arrivals(), warn))
                self._answers = filled(self._moments)
            case AnyAnswers():
                answers = self._followed(self._answers_of(self._engine, arrivals(), warn))
                self._moments = changes(answers)
                self._answers = repeated(answers)

    def _followed(self, items: Iterator[Item]) -> Iterator[Item]:
        return items if self._watched is None else self._watched.through(items, self.report)

    def __iter__(self) -> Iterator[Answer]:
        self._check_not_framed()
        return self

    def __repr__(self) -> str:
        rules, report = counted(len(self.program.rules), "rule"), self.report
        reached = f"{counted(report.time_points, 'time point')} and {counted(report.facts, 'fact')} so far"
        return f"Run({rules}, {reached if report.facts or report.time_points else 'not begun'})"

    def __next__(self) -> Answer:
        answer = next(self._answers)
        return answer if self.tick is None else replace(answer, tick=self.tick)

    def moments(self) -> Iterator[Changes]:
        """Same as `changes`, and also the first and last time point and, for a live stream, those with facts."""
        return self._moments

    def facts(self) -> Iterator[Fact]:
        """The facts of the stream that the program takes, in order, without evaluating anything."""
        for time, atoms in self._arriving():
            self.first = time if self.first is None else self.first
            yield from (Fact(time, atom) for atom in atoms)

    def columns(self) -> Iterator[ChangedColumns] | None:
        """Same as `changes`, in columns, without an object for each atom; None if the run makes atoms anyway."""
        if self._steps is None:
            return None
        return (columns for columns, _ in self._steps if columns is not None and len(columns))

    def steps(self) -> Iterator[Step] | None:
        """Same as `columns`, each with the time point up to which everything is known, also where nothing changes."""
        return self._steps

    def prepare(self, compiling: Callable[[], None] | None = None) -> None:
        """Load the kernels that the program needs. The first time, this compiles them, which takes some seconds;
        `compiling` is called before that."""
        if self._engine.plan is not None:
            load_kernels(self._engine.plan, compiling)

    def measure(self) -> None:
        """Measure, before the first answer, what each rule adds and how long it takes; see `measured`."""
        self._measures = True

    @property
    def measured(self) -> Measuring | None:
        """What each rule added and how long it took, if that is measured; only the local engine knows."""
        return self._measured

    def _arrivals(self, rows: Iterator[Fact], start: int | None, end: int | None) -> Arrivals:
        """The time points that have facts, with these facts, and the first and the last time point.

        If reading a row fails, the time points before that of the last row are complete, and come before the error.
        """
        report = self.report
        self._watch.restart()
        following = next(rows, None)
        self.tick = self.program.shown_tick()
        if start is None:
            if following is None:
                return
            start = following[0]
        if end is not None and end < start:
            return
        while following is not None and following[0] < start:
            report.early_facts += 1
            following = next(rows, None)
        time = start
        before = time  # the previous time point
        while True:
            arrived: list[Atom] = []
            try:
                while following is not None and following[0] == time:
                    arrived.append(following[1])
                    following = next(rows, None)
            except LasingError:
                if before < time - 1:
                    yield time - 1, []
                    report.time_points = time - start
                raise
            yield time, self._taken(arrived)
            report.time_points = time - start + 1
            if following is None and end is None:
                end = self.program.end_after(time)
            last = end if following is None else following[0] if end is None else min(following[0], end)
            if last is None or last <= time:
                break
            before, time = time, last
            if self._live and before < time - 1:
                before = time - 1
                yield before, []
                report.time_points = before - start + 1

    def _delayed(self, arrived: Iterator[Arrived], start: int | None, end: int | None, by_clock: bool) -> Arrivals:
        """The time points with facts, and those up to which all is over; by the clock, such a one can be the first."""
        report = self.report
        self._watch.restart()
        newest: int | None = None
        for step in arrived:
            self.tick = self.program.shown_tick()
            until = step.until if end is None else min(step.until, end)
            for time, atoms in step.facts:
                start = time if start is None else start
                if time < start:
                    report.early_facts += len(atoms)
                elif time <= until:
                    taken = self._taken(atoms)
                    if newest is None and time > start:
                        yield start, []
                    yield time, taken
                    newest, report.time_points = time, time - start + 1
            start = until if start is None and by_clock and not step.others else start
            if start is not None and until >= start and (newest is None or until > newest):
                yield until, []
                newest, report.time_points = until, until - start + 1
            if until == end:
                return
        self.tick = self.program.shown_tick()
        if start is not None:
            last = end if end is not None else start if newest is None else self.program.end_after(newest)
            if last >= start and (newest is None or last > newest):
                yield last, []
                report.time_points = last - start + 1

    def _steps_of(
        self, choice: OnLocal, sources: list[Iterator[Batch]], start: int | None, end: int | None, warn: bool
    ) -> Iterator[Step]:
        """The changes, in columns, and the time up to which everything is known."""
        from lasing.connectors.batches import merged_batches, within, without

        self._watch.restart()
        columnar: ColumnarEngine | None = None
        for begin, slab, until in merged_batches(sources):
            self.tick = self.program.shown_tick()
            start = begin if start is None else start
            if end is not None:
                if end < start:
                    return
                until = min(until, end)
            facts, early = within(slab, start, until)
            self.report.early_facts += early
            self._count_facts(facts)
            if self.program.only_inputs:
                facts = [without(batch, lambda predicate: predicate not in self._known) for batch in facts]
            if until >= start:
                columnar = columnar or self._columnar(choice, start)
                yield from self._advanced(columnar, facts, start, until)
            if until == end:
                break
        self.tick = self.program.shown_tick()
        if end is None and columnar is not None:
            end = self.program.end_after(columnar.time)
        if start is not None and (columnar is None or (end is not None and columnar.time < end)):
            last = start if end is None else end
            if start <= last:
                yield from self._advanced(columnar or self._columnar(choice, start), [], start, last)
        self._warn(warn)

    def _made(self, choice: OneAnswer, start: int) -> ChangesEngine:
        return self._local(choice, start) if isinstance(choice, OnLocal) else choice.make(start)

    def _local(self, choice: OnLocal, start: int) -> LocalEngine:
        engine = choice.make(start)
        self._measured = engine.measure() if self._measures else None
        return engine

    def _columnar(self, choice: OnLocal, start: int) -> ColumnarEngine:
        from lasing.engines.local.columnar import ColumnarEngine

        engine = self._local(choice, start)
        self._start, self._counted_until, self._streams = start, start - 1, 1
        facts = facts_of(self.program)
        columnar = ColumnarEngine(engine, facts.counts_facts, facts.counts_all_facts)
        if self._reports_extensions:
            columnar.report_extensions()
        return columnar

    def _advanced(self, columnar: ColumnarEngine, facts: Slab, start: int, until: int) -> Iterator[Step]:
        for columns in map(self._noted, columnar.advance(facts, until)):
            if not len(columns):
                continue
            last = int(columns.times[-1])
            self._count_until(last, self._size + int(columns.signs.sum()), 1)
            # Atoms that changed before the last of these time points count once more for each time point up to it.
            self.report.atoms += int((columns.signs * (last - columns.times)).sum())
            self._count_rejected(columns)
            self._note(columnar)
            yield columns, last
        self._note(columnar)
        self._count_until(until, self._size, 1)
        self.report.time_points = until - start + 1
        yield None, until

    def _moments_of(self, steps: Iterator[Step]) -> Iterator[Changes]:
        """The changes as atoms, and also the first time point and those up to which everything is known."""
        self._reports_extensions = True
        before: int | None = None
        for columns, until in steps:
            nothing = Changes(until, frozenset(), frozenset())
            for change in [nothing] if columns is None else columns.changes():
                if before is None and change.time > self._start:
                    yield replace(nothing, time=self._start)
                if before is None or change.time > before:
                    yield change
                    before = change.time

    def _changes_of(self, choice: OneAnswer, arrivals: Arrivals, warn: bool) -> Iterator[Changes]:
        engine = None
        for time, arrived in arrivals:
            engine = engine or self._made(choice, time)
            now = Changes(time, frozenset(), frozenset())
            for change in map(self.contradictions.rest, engine.advance(time, arrived)):
                if change.time == time:
                    now = change
                else:
                    yield self._counted(change)
            self._note(engine)
            yield self._counted(now)
        self._warn(warn)

    def _answers_of(self, choice: AnyAnswers, arrivals: Arrivals, warn: bool) -> Iterator[Answer]:
        engine, latest = None, Answer(0, ())
        for time, arrived in arrivals:
            engine = engine or choice.make(time)
            for answer in map(self.contradictions.rest_of_answer, engine.advance(time, arrived)):
                if answer.time < time:
                    yield self._counted_models(answer)
                latest = answer
            self._note(engine)
            latest = replace(latest, time=time)
            yield self._counted_models(latest)
        self._warn(warn)


def _readable_again(stream: Any) -> Any:
    """A stream that can be read once more."""
    if isinstance(stream, Iterator):
        note = "give the stream as a list, a table or a file, or use an Engine, which keeps what it needs"
        raise fault("E336", "the stream can be read only once, and explanations and timelines read it again", note=note)
    return stream
