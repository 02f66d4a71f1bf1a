"""`lasing.Engine`: push facts as they come, and get the changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, assert_never

from lasing.connectors.missing import SKIP, Gaps, Missing, present, without_gaps
from lasing.connectors.rows import EventArity, by_time, time_of
from lasing.engine_choice import (
    AnyAnswers,
    Choice,
    EngineName,
    OnLocal,
    OnReference,
    choose,
    chosen_by_plan,
    most_models,
)
from lasing.entailment import Entail
from lasing.errors import Diagnostic, LasingError, fault, warn
from lasing.limits import Limits, Watch, limits_of, stopped
from lasing.live import snapshots
from lasing.live.cores import (
    Core,
    EncodedBatch,
    Facts,
    batch_of,
    checked,
    declared_columns,
    frame_of,
    unused,
    without_misfits,
)
from lasing.live.local import LocalCore
from lasing.live.models import ModelsCore
from lasing.live.reference import ReferenceCore
from lasing.live.remembered import runs_from_table, still_reached, table_of
from lasing.live.updates import ChangeSource, Joined, KnownChanges, Update, shown_tables
from lasing.logic.answers import Answer
from lasing.logic.examples import Examples
from lasing.logic.facts import facts_of
from lasing.logic.own import Functions
from lasing.logic.program import Program
from lasing.logic.results import formed
from lasing.logic.runs import Run
from lasing.logic.values import Value, is_name
from lasing.plan.nodes import Plan
from lasing.raw_window import coverage, needed_coverage
from lasing.reading import ProgramLike, program_of
from lasing.session import left_out

OnLate = Callable[[int, Facts], None]
Opener = Callable[[int], Core]


class Engine:
    """A running program: push facts as they come, and get the changes.

    >>> engine = Engine("hot(S) :- temp(S, V) in [5], V > 30.", start=0)
    >>> engine.push(7, [("temp", "s1", 70)]).added
    frozenset({Atom(predicate='hot', args=('s1',))})
    >>> engine.advance_to(13).removed
    frozenset({Atom(predicate='hot', args=('s1',))})

    The answers do not depend on how a stream is cut into pushes; a second push at the same time point adds to the
    first. Facts for a time that has passed are refused (E308), or go to `on_late`; the engine stays as it was.

    The timeline begins at `start` or, as in `lasing.run`, with the first fact. Until then nothing is evaluated:
    `start` and `time` are None, and passing time has no effect.

    A program may have any number of answer streams: `answer().models` has them, at most `models` of them. The changes
    of an update are then defined only if there is exactly one answer stream, before and after.

    `functions` has the Python functions that the program calls: `{"f": f}` for `@f(X)`. `data` has more background and
    `entail` names an entailment regime, as in `lasing.run`.

    `max_atoms`, `max_memory` and `max_time` are limits as in `lasing.run`; `max_time` applies to each call. An engine
    stopped by a limit or an interrupt is half way through a time point and refuses to continue (E317): restore it.
    """

    def __init__(
        self,
        program: ProgramLike,
        start: Any = None,
        engine: EngineName = "auto",
        *,
        models: int | None = None,
        on_late: OnLate | None = None,
        constants: Mapping[str, Value] | None = None,
        functions: Functions | None = None,
        data: Any = None,
        entail: Entail = None,
        max_atoms: int | None = None,
        max_memory: int | str | None = None,
        max_time: float | str | None = None,
    ) -> None:
        watch = Watch(limits_of(max_atoms, max_memory, max_time))
        given = program_of(program, constants, functions, data, entail).watching_dates()
        self._set_up(given, start, choose(given, engine, most_models(models), watch), watch, on_late)

    @classmethod
    def with_plan(cls, program: Program, plan: Plan | None, engine: str, start: int, limits: Limits) -> Engine:
        """An engine for a program with one answer, with the plan given; without a plan, the reference engine.

        Its tables have all columns of all outputs."""
        made, watch, given = cls.__new__(cls), Watch(limits), program.watching_dates()
        made._set_up(given, start, chosen_by_plan(given, plan, engine, watch), watch, None)
        made._queries = {}
        made._events = EventArity({}, {})  # its tables have been checked
        return made

    def _set_up(self, program: Program, start: Any, choice: Choice, watch: Watch, on_late: OnLate | None) -> None:
        self.program = program
        self.on_late = on_late
        self._watch = watch
        watch.shown = program.time_text
        self._kind = choice.name
        self._open = _opener(choice, program)
        self._own = by_time(self.program.data)
        self._queries = formed(program.outputs)
        self._core: Core | None = None
        self._start: int | None = None
        self._whole = True
        self._gaps = Gaps(SKIP)
        self._undeclared: set[str] = set()
        names = program.argument_names()
        self._events = EventArity({predicate: len(known) for predicate, known in names.items()}, names)
        if start is not None:
            first = time_of(start, self.program.tick)
            self._begin(first, self._open(first))

    @property
    def start(self) -> int | None:
        """The first time point; None if no start was given and no fact has come."""
        return self._start

    @property
    def time(self) -> int | None:
        """The time point up to which everything is evaluated; before that, the one before the start, or None."""
        return None if self._core is None else self._core.time

    @property
    def incremental(self) -> bool:
        """Whether this is the local engine, whose memory follows the windows; the reference engine keeps all facts."""
        return self._kind == "local"

    def __repr__(self) -> str:
        rules = f"{len(self.program.rules)} rule{'s'[: len(self.program.rules) != 1]}"
        reached = "no facts yet" if self._core is None else f"start={self.start}, time={self.time}"
        return f"Engine({rules}, {self._kind} engine, {reached})"

    def push(self, time: Any, facts: Facts) -> Update:
        """Add facts at a time point, evaluate up to it, and return the changes."""
        self._check_whole()
        now, given = time_of(time, self.program.tick), self._as_declared(checked(facts))
        try:
            return self._push(now, given)
        except LasingError:  # facts that lack a value were refused before any effect: leave them out
            kept = self._without_gaps(given)
            if kept is None:
                raise
            return self._push(now, kept)

    def _push(self, now: int, facts: Facts) -> Update:
        core, start = self._core, self._start
        if core is None or start is None:
            return self._push_first(now, facts)
        if now < core.time or now < start:
            if self.on_late is None:
                note, shown = "push in order of time, or give the engine an on_late=…", self.program.time_text
                if now < start:
                    raise fault("E308", f"time {shown(now)} is before the start, {shown(start)}", note=note)
                message = f"time {shown(now)} has passed: everything is evaluated up to {shown(core.time)}"
                raise fault("E308", message, note=note)
            self.on_late(now, facts)
            return Update(core.time, KnownChanges([]), self._queries)
        return self._evaluate(core, now, core.encode(now, facts))

    def advance_to(self, time: Any) -> Update:
        """Let time pass without facts, up to a time point."""
        return self.push(time, ())

    def push_batch(
        self, facts: Mapping[str, Any], time: str = "time", end: Any = None, missing: Missing = SKIP
    ) -> dict[str, Any]:
        """Push facts of many time points at once: data frames by predicate with a time column, in order, and one
        argument in each other column. Returns the changes as Arrow tables, like those of `Update.to_arrow`.

        This is the fast path for files and for Spark: the local engine makes no Python object for a fact. If any row is
        late, the whole batch is refused. `missing` says what to do with a row that lacks a value, see `lasing.run`; by
        default it is left out.
        """
        self._check_whole()
        gaps = Gaps(missing)
        taken = self._taken(batch_of(facts)) if self.program.closed else batch_of(facts)
        given = declared_columns(taken, self._events, time)
        frames = {name: self._present(name, frame, gaps, time) for name, frame in given.items()}
        prepared = self._batch(frames, time, end)
        self._note_gaps(gaps)
        if prepared is None:
            return self._shown(self._open(0).holding())  # the empty tables of an engine that has not begun
        core, until, batch = prepared
        self._enter_evaluation()
        source = core.push_batch(until, batch)
        self._whole = True
        return self._shown(source)

    def _shown(self, source: ChangeSource) -> dict[str, Any]:
        return shown_tables(source.tables(), self._queries)

    def _present(self, predicate: Any, frame: Any, gaps: Gaps, time: str | None = None) -> Any:
        table = frame_of(frame, predicate)
        return present(table, table.column_names, gaps, f"the table of {predicate}", time)

    def _without_gaps(self, facts: Facts) -> Facts | None:
        """The facts without those that lack a value; None if no fact lacks one."""
        gaps = Gaps(SKIP)
        kept: Facts
        if isinstance(facts, Mapping):
            kept = {predicate: self._present(predicate, frame, gaps) for predicate, frame in facts.items()}
        else:
            kept = without_gaps(facts, gaps)  # type: ignore[arg-type]  # they have been checked
        self._note_gaps(gaps)
        return kept if gaps.left_out else None

    def _as_declared(self, facts: list[tuple[object, ...]] | Mapping[str, Any]) -> Facts:
        """The facts without events that have too few or too many values; tables with the declared columns, in order."""
        if self.program.closed:
            facts = self._taken(facts)
        if not self._events:
            return facts
        if isinstance(facts, Mapping):
            return declared_columns(facts, self._events)
        before = len(self._events.left_out)
        kept = without_misfits(facts, self._events)
        if len(self._events.left_out) > before:  # warn once for each number; `diagnostics` has how many there were
            warn(self._events.warnings())
        return kept

    def _taken(self, facts: Any) -> Any:
        """The facts of declared inputs. Warns once about each other predicate."""
        takes = self.program.takes
        named = facts if isinstance(facts, Mapping) else [fact[0] for fact in facts]
        others = {name for name in named if isinstance(name, str) and is_name(name) and not takes(name)}
        known = [signature.predicate for signature in self.program.inputs]
        warn([unused(name, known) for name in sorted(others - self._undeclared)])
        self._undeclared |= others
        if not others:
            return facts
        if isinstance(facts, Mapping):
            return {name: frame for name, frame in facts.items() if name not in others}
        return [fact for fact in facts if not isinstance(fact[0], str) or fact[0] not in others]

    def _note_gaps(self, gaps: Gaps) -> None:
        fresh = [key for key in gaps.left_out if key not in self._gaps.left_out]
        self._gaps.left_out.update(gaps.left_out)
        if fresh:  # warn once for each column; `diagnostics` has the numbers
            warn(gaps.warnings())

    def recall(self, facts: Mapping[str, Any], time: str = "time", end: Any = None, remembered: Any = None) -> None:
        """Take in the facts of a raw window, as `push_batch` does, before the engine has begun; report no changes.
        `remembered` is a table that `remembered` gave at that time."""
        self._check_whole()
        if (prepared := self._batch(facts, time, end)) is not None:
            core, until, batch = prepared
            self._enter_evaluation()
            streams = {stream.predicate: stream.arity for stream in self.program.streams}
            runs = [] if remembered is None else runs_from_table(remembered, streams, self._start, until)
            core.recall(until, batch, runs)
            self._whole = True

    def remembered(self) -> Any:
        """What derived streams remember, as far as windows still reach, as an Arrow table."""
        return table_of(self._remembered())

    def _remembered(self) -> Iterable[Run]:
        if self._core is None or not self.program.streams:
            return ()
        return still_reached(self.program, self._core.remembered(), self._core.time)

    def holding(self) -> dict[str, Any]:
        """Everything that holds now as Arrow tables, in the form of `push_batch`, as if it had been added now."""
        self._check_whole()
        return self._shown((self._core or self._open(0)).holding())

    def _batch(self, facts: Mapping[str, Any], time: str, end: Any) -> tuple[Core, int, EncodedBatch] | None:
        """Facts of many time points, checked and encoded, and the time to evaluate up to; None if the timeline has not
        begun and these facts do not begin it."""
        last = None if end is None else time_of(end, self.program.tick)
        core, start = self._core, self._start
        if core is None or start is None:
            points = [self._first_time(frame, predicate, time) for predicate, frame in batch_of(facts).items()]
            start = self._first([point for point in points if point is not None], last)
            if start is None:
                return None
            core = self._open(start)
        batch = core.encode_batch(facts, time, lambda thing: time_of(thing, self.program.tick))
        span = batch.span()
        until = last if last is not None else core.time if span is None else span[1]
        shown = self.program.time_text
        if span is not None and span[0] < max(core.time, start):
            raise fault("E308", f"time {shown(span[0])} has passed", note="push in order of time")
        if span is not None and until < span[1]:
            raise fault("E306", f"the batch has facts at {shown(span[1])}, after its end, {shown(until)}")
        if until < core.time:
            raise fault("E308", f"time {shown(until)} has passed", note="push in order of time")
        self._begin(start, core)
        due = [fact for fact in self._own if fact[0] <= until]
        self._own = self._own[len(due) :]
        return core, until, core.with_own(batch, due) if due else batch

    def _first_time(self, frame: Any, predicate: str, time: str) -> int | None:
        """The time of the first row of a frame, which is its earliest time."""
        table = frame_of(frame, predicate, time)
        return time_of(table[time][0].as_py(), self.program.tick) if table.num_rows else None

    def _first(self, points: list[int], until: int | None) -> int | None:
        """Where the timeline begins, given the times of facts and how far time has got; None if there is no fact."""
        reached = max([*points, *([] if until is None else [until])], default=None)
        due = [time for time, _ in self._own[:1] if reached is not None and time <= reached]
        return min([*points, *due], default=None)

    def _begin(self, start: int, core: Core) -> None:
        """Begin the timeline. Earlier data in the program's own text is not part of it."""
        if self._core is None:
            self._start, self._core = start, core
            self._own = [fact for fact in self._own if fact[0] >= start]

    def _push_first(self, now: int, facts: Facts) -> Update:
        """Begin the timeline if there is a fact."""
        if isinstance(facts, Mapping):
            some = any(frame_of(frame, predicate).num_rows for predicate, frame in facts.items())
        else:
            some = bool(facts)
        start = self._first([now] if some else [], now)
        if start is None:
            return Update(now, KnownChanges([]), self._queries)
        core = self._open(start)
        encoded = core.encode(now, facts)
        self._begin(start, core)
        return self._evaluate(core, now, encoded)

    def answer(self) -> Answer:
        """The atoms that hold now; none before the timeline begins."""
        self._check_whole()
        answer = Answer.single(0, frozenset()) if self._core is None else self._core.answer()
        return replace(answer, tick=self.program.shown_tick())

    def diagnostics(self) -> list[Diagnostic]:
        """Warnings about what was left out so far: facts that lack a value (W206), events with a wrong number of values
        (W207), heads before the start (W202) and instances that had no value (W203)."""
        return [
            *self._gaps.warnings(),
            *self._events.warnings(),
            *left_out(self.program, *self.left_out(), self.examples()),
        ]

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        """The same as numbers: heads before the start, and instances without a value by rule (from 0) and reason."""
        return (0, {}) if self._core is None else self._core.left_out()

    def examples(self) -> Examples:
        """For each rule and reason, one of the instances without a value."""
        return {} if self._core is None else self._core.examples()

    def snapshot(self) -> Any:
        """The raw window as an Arrow table: the facts that answers can still depend on, and in its metadata what
        derived streams remember. Nothing else needs to be kept.

        The columns are time, predicate, and the arguments as written in a stream file; the metadata has the rest and a
        checksum.
        """
        self._check_whole()
        if self._core is None:
            return snapshots.to_table(None, None, [], coverage(self.program))
        now = self._core.time
        window = (fact for fact in self._core.window() if fact[0] <= now)
        return snapshots.to_table(self._start, now, window, coverage(self.program), self._remembered())

    @classmethod
    def restore(
        cls,
        program: ProgramLike,
        snapshot: Any,
        engine: EngineName = "auto",
        *,
        models: int | None = None,
        on_late: OnLate | None = None,
        constants: Mapping[str, Value] | None = None,
        functions: Functions | None = None,
        data: Any = None,
        entail: Entail = None,
        max_atoms: int | None = None,
        max_memory: int | str | None = None,
        max_time: float | str | None = None,
    ) -> Engine:
        """An engine that continues from a snapshot with the answers that the original engine would have given.

        The program may be a different one, if the snapshot has all facts that it looks back on. Raises E512 if the
        snapshot lacks some of them or is damaged. Functions, `data` and `entail` are not part of a snapshot:
        give them again.
        """
        checked_program = program_of(program, constants, functions, data, entail)
        state = snapshots.from_table(snapshot, facts_of(checked_program).arity, needed_coverage(checked_program))
        restored = cls(
            checked_program,
            state.start,
            engine,
            models=models,
            on_late=on_late,
            max_atoms=max_atoms,
            max_memory=max_memory,
            max_time=max_time,
        )
        core = restored._core
        if core is not None and state.time is not None and state.time > core.time:
            restored._own = [fact for fact in restored._own if fact.time > state.time]
            nothing = core.encode_batch({}, "time", lambda thing: time_of(thing, None))
            core.recall(state.time, core.with_own(nothing, state.window), state.remembered)
        return restored

    def _check_whole(self) -> None:
        if not self._whole:
            raise stopped()

    def _enter_evaluation(self) -> None:
        """Mark the engine as unusable until the evaluation ends: if it fails, it is half way through a time point."""
        self._whole = False
        self._watch.restart()

    def _evaluate(self, core: Core, now: int, encoded: Any) -> Update:
        self._enter_evaluation()
        update = (
            self._push_with_own(core, now, encoded)
            if self._own
            else Update(now, core.push(now, encoded), self._queries)
        )
        self._whole = True
        return update

    def _push_with_own(self, core: Core, now: int, encoded: Any) -> Update:
        """Push the data facts of the program's own text at their times."""
        updates: list[ChangeSource] = []
        while self._own and self._own[0][0] <= now:
            time = self._own[0][0]
            mine = [atom for at, atom in self._own if at == time]
            self._own = self._own[len(mine) :]
            updates.append(core.push(time, core.encode(time, mine)))
        updates.append(core.push(now, encoded))
        return Update(now, Joined(updates), self._queries)


def _opener(choice: Choice, program: Program) -> Opener:
    """A function that makes the core of an engine for a start of the timeline."""
    match choice:
        case OnLocal():
            return lambda start: LocalCore(program, choice.make(start))
        case OnReference():
            return lambda start: ReferenceCore(program, start, choice.make(start))
        case AnyAnswers():
            return lambda start: ModelsCore(program, start, choice)
        case _:
            assert_never(choice)
