"""`lasing.Engine`: push facts as they come, and hear what changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, assert_never

from lasing.connectors.missing import SKIP, Gaps, Missing, present, without_gaps
from lasing.connectors.rows import time_of
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
from lasing.errors import Diagnostic, LasingError, fault, warn
from lasing.limits import Limits, Watch, limits_of, stopped
from lasing.live import snapshots
from lasing.live.cores import Batch, Core, Facts, batch_of, checked, frame_of
from lasing.live.local import LocalCore
from lasing.live.models import ModelsCore
from lasing.live.reference import ReferenceCore
from lasing.live.updates import Joined, Source, Told, Update
from lasing.logic.answers import Answer
from lasing.logic.examples import Examples
from lasing.logic.facts import facts_of
from lasing.logic.program import Program
from lasing.logic.terms import Value
from lasing.plan.nodes import Plan
from lasing.raw_window import coverage, needed_coverage
from lasing.session import ProgramLike, left_out, parse

OnLate = Callable[[int, Facts], None]
Opener = Callable[[int], Core]


class Engine:
    """A program at work: push facts as they come, and hear what changes.

    >>> engine = Engine("hot(S) :- temp(S, V) in [5], V > 30.", start=0)
    >>> engine.push(7, [("temp", "s1", 70)]).added
    frozenset({Atom(predicate='hot', args=('s1',))})
    >>> engine.advance_to(13).removed
    frozenset({Atom(predicate='hot', args=('s1',))})

    Any way to cut a stream into pushes gives the same answers; pushing at the same time point again adds to it. Facts
    for a time that has passed are refused (E308), or go to `on_late`; the engine stays as it was.

    The timeline begins at `start`, or, as for `lasing.run`, with the first fact. Until then nothing is evaluated:
    `start` and `time` are None, and time may pass without a trace.

    A program may have any number of answer streams: `answer().models` has them, at most `models` of them. What an
    update adds and removes is then defined where there is exactly one, before and after.

    `max_atoms`, `max_memory` and `max_time` are limits as in `lasing.run`, `max_time` that of each call. An engine that
    is stopped by a limit or an interrupt is half way through a time point, and refuses to go on (E317): restore it.
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
        max_atoms: int | None = None,
        max_memory: int | str | None = None,
        max_time: float | str | None = None,
    ) -> None:
        watch = Watch(limits_of(max_atoms, max_memory, max_time))
        given = (program if isinstance(program, Program) else parse(program, constants)).watching_dates()
        self._set_up(given, start, choose(given, engine, most_models(models), watch), watch, on_late)

    @classmethod
    def with_plan(cls, program: Program, plan: Plan | None, engine: str, start: int, limits: Limits) -> Engine:
        """An engine for a program with one answer whose plan was made before; without a plan, the reference engine."""
        made, watch, given = cls.__new__(cls), Watch(limits), program.watching_dates()
        made._set_up(given, start, chosen_by_plan(given, plan, engine, watch), watch, None)
        return made

    def _set_up(self, program: Program, start: Any, choice: Choice, watch: Watch, on_late: OnLate | None) -> None:
        self.program = program
        self.on_late = on_late
        self._watch = watch
        watch.shown = program.time_text
        self._kind = choice.name
        self._open = _opener(choice, program)
        own = sorted(self.program.data, key=lambda fact: fact.time)
        self._own = [(fact.time, fact.atom) for fact in own]
        self._core: Core | None = None
        self._start: int | None = None
        self._whole = True
        self._gaps = Gaps(SKIP)
        if start is not None:
            first = time_of(start, self.program.tick)
            self._begin(first, self._open(first))

    @property
    def start(self) -> int | None:
        """The first time point; None while there is no fact and none was given."""
        return self._start

    @property
    def time(self) -> int | None:
        """The time point up to which everything is evaluated; before any, the one before the start, or None."""
        return None if self._core is None else self._core.time

    @property
    def incremental(self) -> bool:
        """Whether this is the local engine, whose memory follows the windows; the reference keeps all facts."""
        return self._kind == "local"

    def __repr__(self) -> str:
        rules = f"{len(self.program.rules)} rule{'s'[: len(self.program.rules) != 1]}"
        reached = "no facts yet" if self._core is None else f"start={self.start}, time={self.time}"
        return f"Engine({rules}, {self._kind} engine, {reached})"

    def push(self, time: Any, facts: Facts) -> Update:
        """Facts at a time point: evaluate up to it, and tell what has changed."""
        self._check_whole()
        now, given = time_of(time, self.program.tick), checked(facts)
        try:
            return self._push(now, given)
        except LasingError:  # facts that lack a value are refused before anything happens: they are left out
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
                note, shown = "push in the order of time, or give the engine an on_late=…", self.program.time_text
                if now < start:
                    raise fault("E308", f"time {shown(now)} is before the start, {shown(start)}", note=note)
                message = f"time {shown(now)} has passed: everything is evaluated up to {shown(core.time)}"
                raise fault("E308", message, note=note)
            self.on_late(now, facts)
            return Update(core.time, Told([]))
        return self._evaluate(core, now, core.encode(now, facts))

    def advance_to(self, time: Any) -> Update:
        """Time passes without facts."""
        return self.push(time, ())

    def push_batch(
        self, facts: Mapping[str, Any], time: str = "time", end: Any = None, missing: Missing = SKIP
    ) -> dict[str, Any]:
        """Many time points at once: data frames by predicate with a column of the time, in order, and an argument in
        each other column. What changes comes as Arrow tables, as from `Update.to_arrow`.

        This is the fast path for files and for Spark: with the local engine no Python object is made for a fact. Late
        rows are refused as a whole. A row that lacks a value is left out, or is as `missing` says: see `lasing.run`.
        """
        self._check_whole()
        gaps = Gaps(missing)
        frames = {name: self._present(name, frame, gaps, time) for name, frame in batch_of(facts).items()}
        prepared = self._batch(frames, time, end)
        self._note_gaps(gaps)
        if prepared is None:
            return self._open(0).holding().tables()  # as from an engine in which nothing has happened
        core, until, batch = prepared
        self._enter_evaluation()
        source = core.push_batch(until, batch)
        self._whole = True
        return source.tables()

    def _present(self, predicate: Any, frame: Any, gaps: Gaps, time: str | None = None) -> Any:
        table = frame_of(frame, predicate)
        return present(table, table.column_names, gaps, f"the table of {predicate}", time)

    def _without_gaps(self, facts: Facts) -> Facts | None:
        """Facts without those that lack a value; None where there are none of these."""
        gaps = Gaps(SKIP)
        kept: Facts
        if isinstance(facts, Mapping):
            kept = {predicate: self._present(predicate, frame, gaps) for predicate, frame in facts.items()}
        else:
            kept = without_gaps(facts, gaps)  # type: ignore[arg-type]  # they have been checked
        self._note_gaps(gaps)
        return kept if gaps.left_out else None

    def _note_gaps(self, gaps: Gaps) -> None:
        fresh = [key for key in gaps.left_out if key not in self._gaps.left_out]
        self._gaps.left_out.update(gaps.left_out)
        if fresh:  # each column is told once; `diagnostics` has the numbers
            warn(gaps.warnings())

    def recall(self, facts: Mapping[str, Any], time: str = "time", end: Any = None) -> None:
        """Take the facts of a raw window in, as `push_batch` does, in an engine that has not begun; tell nothing."""
        self._check_whole()
        if (prepared := self._batch(facts, time, end)) is not None:
            core, until, batch = prepared
            self._enter_evaluation()
            core.recall(until, batch)
            self._whole = True

    def holding(self) -> dict[str, Any]:
        """All that holds now as Arrow tables, in the form of `push_batch`, as if it had been added now."""
        self._check_whole()
        return (self._core or self._open(0)).holding().tables()

    def _batch(self, facts: Mapping[str, Any], time: str, end: Any) -> tuple[Core, int, Batch] | None:
        """Facts of many time points, checked and encoded, and up to when to go; None where the timeline has not begun,
        and does not."""
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
            raise fault("E308", f"time {shown(span[0])} has passed", note="push in the order of time")
        if span is not None and until < span[1]:
            raise fault("E306", f"the batch has facts at {shown(span[1])}, after its end, {shown(until)}")
        if until < core.time:
            raise fault("E308", f"time {shown(until)} has passed", note="push in the order of time")
        self._begin(start, core)
        due = [fact for fact in self._own if fact[0] <= until]
        self._own = self._own[len(due) :]
        return core, until, core.with_own(batch, due) if due else batch

    def _first_time(self, frame: Any, predicate: str, time: str) -> int | None:
        """The time of the first row of a frame, which is the earliest."""
        table = frame_of(frame, predicate, time)
        return time_of(table[time][0].as_py(), self.program.tick) if table.num_rows else None

    def _first(self, points: list[int], until: int | None) -> int | None:
        """Where the timeline begins, given the times of facts and how far time has got; None if there is no fact."""
        reached = max([*points, *([] if until is None else [until])], default=None)
        due = [time for time, _ in self._own[:1] if reached is not None and time <= reached]
        return min([*points, *due], default=None)

    def _begin(self, start: int, core: Core) -> None:
        """The timeline has begun: data of the program's own text from before is no part of it."""
        if self._core is None:
            self._start, self._core = start, core
            self._own = [fact for fact in self._own if fact[0] >= start]

    def _push_first(self, now: int, facts: Facts) -> Update:
        """Begin the timeline if there is a fact to begin with."""
        if isinstance(facts, Mapping):
            some = any(frame_of(frame, predicate).num_rows for predicate, frame in facts.items())
        else:
            some = bool(facts)
        start = self._first([now] if some else [], now)
        if start is None:
            return Update(now, Told([]))
        core = self._open(start)
        encoded = core.encode(now, facts)
        self._begin(start, core)
        return self._evaluate(core, now, encoded)

    def answer(self) -> Answer:
        """The atoms that hold now; none before the timeline has begun."""
        self._check_whole()
        answer = Answer.single(0, frozenset()) if self._core is None else self._core.answer()
        return replace(answer, tick=self.program.shown_tick())

    def diagnostics(self) -> list[Diagnostic]:
        """What was left out so far: facts that lack a value (W206), heads before the start (W202), instances that had
        no value (W203)."""
        return [*self._gaps.warnings(), *left_out(self.program, *self.left_out(), self.examples())]

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        """The same as numbers: heads before the start, and instances without a value by rule (from 0) and reason."""
        return (0, {}) if self._core is None else self._core.left_out()

    def examples(self) -> Examples:
        """One of the instances without a value for each rule and reason."""
        return {} if self._core is None else self._core.examples()

    def snapshot(self) -> Any:
        """The raw window as an Arrow table: the facts on which answers can still depend. That is all there is to keep.

        Columns are time, predicate, and the arguments, as they are written in a stream file; the rest, and a checksum,
        is in the metadata.
        """
        self._check_whole()
        if self._core is None:
            return snapshots.to_table(None, None, [], coverage(self.program))
        now = self._core.time
        window = (fact for fact in self._core.window() if fact[0] <= now)
        return snapshots.to_table(self._start, now, window, coverage(self.program))

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
        max_atoms: int | None = None,
        max_memory: int | str | None = None,
        max_time: float | str | None = None,
    ) -> Engine:
        """An engine that goes on from a snapshot with the answers that the one before would have given.

        The program may be another one, if the snapshot has all facts that it looks back on. Raises E512 if it lacks
        some, or is damaged.
        """
        checked_program = program if isinstance(program, Program) else parse(program, constants)
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
            restored._own = [(time, atom) for time, atom in restored._own if time > state.time]
            nothing = core.encode_batch({}, "time", lambda thing: time_of(thing, None))
            core.recall(state.time, core.with_own(nothing, state.window))
        return restored

    def _check_whole(self) -> None:
        if not self._whole:
            raise stopped()

    def _enter_evaluation(self) -> None:
        """Whoever enters an evaluation and does not get to its end leaves the engine half way through a time point."""
        self._whole = False
        self._watch.restart()

    def _evaluate(self, core: Core, now: int, encoded: Any) -> Update:
        self._enter_evaluation()
        update = self._push_with_own(core, now, encoded) if self._own else Update(now, core.push(now, encoded))
        self._whole = True
        return update

    def _push_with_own(self, core: Core, now: int, encoded: Any) -> Update:
        """Let the data facts of the program's own text come in their time."""
        told: list[Source] = []
        while self._own and self._own[0][0] <= now:
            time = self._own[0][0]
            mine = [atom for at, atom in self._own if at == time]
            self._own = self._own[len(mine) :]
            told.append(core.push(time, core.encode(time, mine)))
        told.append(core.push(now, encoded))
        return Update(now, Joined(told))


def _opener(choice: Choice, program: Program) -> Opener:
    """How to make the core of an engine, by the start of the timeline."""
    match choice:
        case OnLocal():
            return lambda start: LocalCore(program, choice.make(start))
        case OnReference():
            return lambda start: ReferenceCore(program, start, choice.make(start))
        case AnyAnswers():
            return lambda start: ModelsCore(program, start, choice)
        case _:
            assert_never(choice)
