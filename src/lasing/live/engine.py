"""`lasing.Engine`: push facts as they come, and get the changes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from lasing.connectors.arrow_columns import column_with_terms
from lasing.connectors.bad_rows import STOP, OnBadRow, bad_rows_of
from lasing.connectors.missing import SKIP, Gaps, Missing, rule_of
from lasing.connectors.rows import EventArity, time_of
from lasing.engine_choice import (
    EngineName,
    choose,
    chosen_by_plan,
    most_models,
)
from lasing.entailment import Entail
from lasing.entailment.contradictions import Contradictions
from lasing.errors import LasingError, fault
from lasing.limits import Limits, Watch, limits_of
from lasing.live import snapshots
from lasing.live.asynchronous import Arrivals, updates
from lasing.live.clocked import next_over, run_clock
from lasing.live.cores import Core, EncodedBatch, Facts, batch_of, checked, declared_columns, frame_of
from lasing.live.corrections import Past
from lasing.live.lateness import ONLY, Lateness, len_of
from lasing.live.remembered import runs_from_table
from lasing.live.replacing import Given, Replacing
from lasing.live.running import OnLate
from lasing.live.sound import sound_facts, sound_frames, sound_things
from lasing.live.updates import KnownChanges, Update
from lasing.logic.facts import facts_of
from lasing.logic.own import Functions
from lasing.logic.program import Program
from lasing.logic.splitting import has_several_answers
from lasing.logic.values import Value
from lasing.plan.nodes import Plan
from lasing.raw_window import coverage, needed_coverage
from lasing.reading import ProgramLike, program_of
from lasing.timeline.clock import Clock, WallClock
from lasing.timeline.reorder import Late, closed_by
from lasing.timeline.timing import Delays, Timing, no_tick, timing_of

if TYPE_CHECKING:
    from lasing.serve.server import Served


class Engine(Replacing):
    """A running program: push facts as they come, and get the changes.

    >>> engine = Engine("hot(S) :- temp(S, V) in [5], V > 30.", start=0)
    >>> engine.push(7, [("temp", "s1", 70)]).added
    frozenset({Atom(predicate='hot', args=('s1',))})
    >>> engine.advance_to(13).removed
    frozenset({Atom(predicate='hot', args=('s1',))})

    The answers do not depend on how a stream is cut into pushes; a second push at the same time point adds to the
    first. Facts for a time that has passed are refused (E308), or go to `on_late` as a `Late`; the engine stays as it
    was.

    With a `delay`, such as 2 (time points) or "5 s", facts wait until they can be in order, so they may come out of
    order by that much. `push(…, source="gate")` says where facts come from: lateness concerns one source, and time
    moves with the slowest one, unless it has been silent for `idle` by the `clock`. A dictionary of delays names all
    sources beforehand. Facts beyond the bound go to `on_late`, and `late` counts them.

    With `corrections`, facts do not wait: each push is answered at once. A fact that comes late, but within the delay,
    makes the engine evaluate again from its time point on. `Update.corrections` has what is different at the time
    points before now, and `added` and `removed` what is different now.

    The timeline begins at `start` or, as in `lasing.run`, with the first fact. Until then nothing is evaluated:
    `start` and `time` are None, and passing time has no effect.

    A program may have any number of answer streams: `answer().models` has them, at most `models` of them. The changes
    of an update are then defined only if there is exactly one answer stream, before and after.

    `functions` has the Python functions that the program calls: `{"f": f}` for `@f(X)`. `data` has more background and
    `entail` names an entailment regime, as in `lasing.run`.

    A push that has a bad fact is refused as a whole. With `bad_rows="skip"`, or a function that gets them, bad facts
    are left out and counted; `max_bad_rows` is the share beyond which a push fails anyway (E517).

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
        delay: Delays | None = None,
        idle: str | timedelta | None = None,
        corrections: bool = False,
        clock: Clock | None = None,
        on_late: OnLate | None = None,
        bad_rows: str | OnBadRow = STOP,
        max_bad_rows: float | None = None,
        constants: Mapping[str, Value] | None = None,
        functions: Functions | None = None,
        data: Any = None,
        entail: Entail = None,
        max_atoms: int | None = None,
        max_memory: int | str | None = None,
        max_time: float | str | None = None,
    ) -> None:
        limits = limits_of(max_atoms, max_memory, max_time)
        watch = Watch(limits)
        given = program_of(program, constants, functions, data, entail).watching_dates()
        self._given = Given(engine, most_models(models), limits, constants, functions, data, entail)
        timing = timing_of(delay, idle, clock)
        self._clock = clock or WallClock()
        if corrections:
            _check_corrections(given, timing)
        noticed = Contradictions(given)
        choice = choose(noticed.watched, engine, most_models(models), watch)
        self._set_up(given, start, choice, watch, noticed, on_late, timing)
        self._bad = bad_rows_of(bad_rows, max_bad_rows)
        if corrections:
            self._past = Past()

    @classmethod
    def with_plan(cls, program: Program, plan: Plan | None, engine: str, start: int, limits: Limits) -> Engine:
        """An engine for a program with one answer, with the plan given, made of `Contradictions.watched`; without one,
        the reference engine.

        Its tables have all columns of all outputs."""
        made, watch, given = cls.__new__(cls), Watch(limits), program.watching_dates()
        noticed = Contradictions(given)
        choice = chosen_by_plan(noticed.watched, plan, engine, watch)
        made._set_up(given, start, choice, watch, noticed, None)
        made._queries, made._clock = {}, WallClock()
        made._warned = True  # a worker reports to those who can warn
        made._events = EventArity({}, {})  # its tables have been checked
        return made

    def push(self, time: Any, facts: Facts, source: str = ONLY) -> Update:
        """Add facts at a time point, evaluate up to it, and return the changes.

        With a delay, evaluate up to the last time point that is over, which may be none. Without facts, such a push
        says how far the time of its source has got.
        """
        self._check_ready()
        lateness = self._lateness
        if lateness is None:
            now = instant = time_of(time, self.program.tick)
        else:
            if lateness.is_named:
                lateness.check_source(source)
            now, instant = lateness.point(time)
        given = self._as_declared(sound_things(facts, self._bad))
        try:
            update = self._push(now, instant, given, source)
        except LasingError:  # the facts were refused before any effect: leave out those that lack a value, or are bad
            kept = self._without_gaps(given)
            if self._bad.skips:
                core = self._core or self._open(now)
                left = given if kept is None else kept
                kept = sound_facts(left, self._bad, lambda some: core.encode(now, some)) or kept
            if kept is None:
                raise
            given = kept
            update = self._push(now, instant, given, source)
        if self._bad.skips:
            self._bad.rows += len_of(given)
        return self._heard(update)

    def push_at(self, point: int, instant: int, facts: Facts, source: str = ONLY) -> Update:
        """The same for a time point whose exact instant is known, in microseconds from 1970-01-01 UTC."""
        self._check_ready()
        return self._heard(self._push(point, instant, checked(facts), source))

    def _push(self, now: int, instant: int, facts: Facts, source: str) -> Update:
        if self._lateness is not None and self._past is not None:
            return self._push_and_correct(self._lateness, self._past, now, instant, facts, source)
        if self._lateness is not None:
            return self._push_to_wait(self._lateness, now, instant, facts, source)
        core, start = self._core, self._start
        if core is None or start is None:
            return self._push_first(now, facts)
        if now < core.time or now < start:
            if self.on_late is None:
                note, shown = (
                    "push in order of time, or give the engine a delay=… or an on_late=…",
                    self.program.time_text,
                )
                if now < start:
                    raise fault("E308", f"time {shown(now)} is before the start, {shown(start)}", note=note)
                message = f"time {shown(now)} has passed: everything is evaluated up to {shown(core.time)}"
                raise fault("E308", message, note=note)
            self._set_aside(Late(source, now, max(core.time, start) - 1, facts))
            return self._nothing()
        return self._evaluate(core, now, core.encode(now, facts))

    def follow_clock(self) -> Update | None:
        """Let time pass up to the last time point that is over by the clock, less the delay; None if that is not new.

        Without a start and before the first fact, this begins the timeline.
        """
        self._check_ready()
        unit, lateness = self._tick_length(), self._lateness
        now = self._clock.now()
        over = closed_by(now, self._clock_delay(), unit)
        point = closed_by(now, 0, unit) if self._past is not None else over
        if self._core is not None and point <= self._core.time:
            return None
        if lateness is not None and self._past is None:
            newest = lateness.closing.over
            if newest is not None and over < newest:
                return None
        waits = lateness is not None and len(lateness.buffer) > 0
        if self._core is None and waits and lateness is not None and not lateness.waits_up_to(point):
            return None  # the first fact will begin the timeline
        if self._core is None and not waits:
            start = self._first([point], point)
            assert start is not None, "there is a time point"
            self._begin(start, self._open(start))
        if lateness is not None and self._past is not None:
            lateness.closing.move(over)
        return self.advance_to(point)

    def run_clock(self, arrivals: Iterable[Any] | None = None) -> Iterator[Update]:
        """Push what arrives, (time, facts) or (time, facts, source), and let time pass by the clock in between.

        Yields an update for each push and each tick. A thread reads the arrivals, which may pause at any time; the
        engine itself stays in the caller's thread. This ends with the arrivals, or not at all if there are none.
        """
        return run_clock(self, arrivals, self._clock, self._tick_length(), self._clock_delay())

    def stream(self, source: Arrivals, *, clock: bool = False) -> AsyncIterator[Update]:
        """Push what arrives, as an asynchronous iterator: `async for update in engine.stream(source)`.

        The source yields (time, facts) or (time, facts, source): an asynchronous iterable, a list, or an iterator that
        may block, which a thread reads. There is an update for each arrival and, at the end, one for the facts that
        still waited. With `clock`, time passes by the clock in between, with an update for each tick.

        Evaluation runs in the loop's own thread. You can cancel the loop at any time: each arrival that the source has
        handed over is in the engine, and a second `stream` goes on from there.
        """
        unit, delay = self._tick_length() if clock else 1, self._clock_delay()
        return updates(self, source, self._clock if clock else None, lambda: next_over(self._clock.now(), unit, delay))

    def _clock_delay(self) -> int:
        """How much time points are behind the clock."""
        return 0 if self._lateness is None else self._lateness.closing.longest_delay()

    def _tick_length(self) -> int:
        """The microseconds of a time point; fails if the program does not say."""
        if self.program.tick is None:
            raise no_tick()
        return self.program.tick.microseconds

    def flush(self) -> Update:
        """The streams have ended, or paused: evaluate all facts that wait because of the delay."""
        self._check_ready()
        lateness = self._lateness
        newest = None if lateness is None else lateness.buffer.newest()
        if lateness is None or newest is None:
            return self._nothing()
        return self._heard(self._move(lateness, newest))

    def advance_to(self, time: Any) -> Update:
        """Let time pass without facts, up to a time point. With a delay, facts that wait for time points up to it are
        evaluated, and those that come later are late; with corrections, they are taken in like any other."""
        if self._lateness is None:
            return self.push(time, ())
        self._check_ready()
        now = time_of(time, self.program.tick)
        if self._past is None:
            return self._heard(self._move(self._lateness, now))
        if self._core is None and (start := self._first([], now)) is not None:
            self._begin(start, self._open(start))
        if self._core is None or now <= self._core.time:
            return self._nothing()
        return self._heard(self._go_on(self._lateness, self._past, self._core, now, []))

    def push_batch(
        self,
        facts: Mapping[str, Any],
        time: str = "time",
        end: Any = None,
        missing: Missing = SKIP,
        source: str = ONLY,
    ) -> dict[str, Any]:
        """Push facts of many time points at once: data frames by predicate with a time column, in order, and one
        argument in each other column. Returns the changes as Arrow tables, like those of `Update.to_arrow`.

        This is the fast path for files and for Spark: the local engine makes no Python object for a fact. If any row is
        late, the whole batch is refused. `missing` says what to do with a row that lacks a value, see `lasing.run`; by
        default it is left out.

        With a delay, the rows may be in any order: they came together, so none is late because of another. Those that
        are too late are set aside. `end` then says that time has got there. This path makes an object for each fact.
        """
        self._check_ready()
        gaps = Gaps(rule_of(missing, self.program.nulls))
        taken = self._taken(batch_of(facts)) if self.program.only_inputs else batch_of(facts)
        given = declared_columns(taken, self._events, time)
        frames = {name: self._present(name, frame, gaps, time) for name, frame in given.items()}
        if self._past is not None:
            raise fault("E510", "push_batch cannot report corrections", note="push the time points one by one")
        try:
            return self._push_frames(frames, time, end, source)
        except LasingError:  # the same as in `push`
            if not self._bad.skips:
                raise
            before, core = self._bad.number, self._core or self._open(0)
            point = partial(time_of, tick=self.program.tick)
            kept = sound_frames(frames, self._bad, lambda row: core.encode_batch(batch_of(row), time, point))
            if self._bad.number == before:
                raise
            return self._push_frames(kept, time, end, source)
        finally:
            self._note_gaps(gaps)

    def _push_frames(self, frames: Mapping[str, Any], time: str, end: Any, source: str) -> dict[str, Any]:
        """Push tables whose rows have all values."""
        if self._lateness is not None:
            return self._batch_to_wait(self._lateness, frames, time, end, source)
        prepared = self._batch(frames, time, end)
        if prepared is None:
            return self._shown(self._open(0).holding())  # the empty tables of an engine that has not begun
        core, until, batch = prepared
        self._enter_evaluation()
        changes = core.push_batch(until, batch)
        self._leave_evaluation()
        if self._subscriptions:
            self._tell((), list(filter(None, changes.changes())))
        return self._shown(changes)

    def _batch_to_wait(
        self, lateness: Lateness, frames: Mapping[str, Any], time: str, end: Any, source: str
    ) -> dict[str, Any]:
        lateness.check_source(source)
        newest: int | None = None
        parts: dict[int, list[tuple[object, ...]]] = {}
        for name, frame in frames.items():
            table = frame_of(frame, name, time)
            columns = [column_with_terms(table, c).to_pylist() for c in table.column_names if c != time]
            for moment, *args in zip(table[time].to_pylist(), *columns, strict=True):
                point, instant = lateness.point(moment)
                newest = instant if newest is None else max(newest, instant)
                parts.setdefault(point, []).append((name, *args))
        checking = self._core or self._open(min(parts, default=0))
        for point, rows in parts.items():
            checking.encode(point, rows)
        for late in lateness.add_together(source, parts, newest):
            self._set_aside(late)
        update = self._move(lateness, None if end is None else time_of(end, self.program.tick))
        return self._heard(update).to_arrow()

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
            if self._lateness is not None:
                self._lateness.closing.move(until)

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
        return core, until, self._with_due(core, batch, until)

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

    def serve(
        self, *, host: str = "127.0.0.1", port: int = 0, token: str | None = None, certificate: str = "", key: str = ""
    ) -> Served:
        """Serve a page that shows what this engine does while you push: what comes in and out, how long that takes, and
        why an atom holds. `url` of the result is its address; `close()`, or the end of a `with`, ends it.

        Only this machine can open the page, unless you name another `host`; then the address has a token. The server
        has a thread of its own. It waits while the engine evaluates, and the engine while it explains.
        """
        from lasing.serve.attached import attach  # the page is above the engine, and loaded only for those who ask

        return attach(self, host=host, port=port, token=token, certificate=certificate, key=key)

    def snapshot(self) -> Any:
        """The raw window as an Arrow table: the facts that answers can still depend on, and in its metadata what
        derived streams remember, and the facts that wait because of the delay. Nothing else needs to be kept.

        The columns are time, predicate, and the arguments as written in a stream file; the metadata has the rest and a
        checksum.
        """
        self._check_whole()
        waits = None if self._lateness is None else self._lateness.state(facts_of(self.program).arity)
        if self._core is None:
            return snapshots.to_table(None, None, [], coverage(self.program), waiting=waits)
        now = self._core.time
        window = (fact for fact in self._core.window() if fact[0] <= now)
        return snapshots.to_table(self._start, now, window, coverage(self.program), self._remembered(), waits)

    def _wait_again(self, waiting: snapshots.WaitingState | None) -> None:
        """Continue with the facts that waited when a snapshot was taken."""
        if waiting is None:
            return
        if self._lateness is None:
            if waiting.facts:
                note = "restore it with the delay that the engine had"
                raise fault("E512", f"{len(waiting.facts):,} facts of the snapshot wait to be in order", note=note)
            return
        self._lateness.restore(waiting)

    @classmethod
    def restore(
        cls,
        program: ProgramLike,
        snapshot: Any,
        engine: EngineName = "auto",
        *,
        models: int | None = None,
        delay: Delays | None = None,
        idle: str | timedelta | None = None,
        corrections: bool = False,
        clock: Clock | None = None,
        on_late: OnLate | None = None,
        bad_rows: str | OnBadRow = STOP,
        max_bad_rows: float | None = None,
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
            delay=delay,
            idle=idle,
            corrections=corrections,
            clock=clock,
            on_late=on_late,
            bad_rows=bad_rows,
            max_bad_rows=max_bad_rows,
            max_atoms=max_atoms,
            max_memory=max_memory,
            max_time=max_time,
        )
        restored._given = replace(restored._given, constants=constants, functions=functions, data=data, entail=entail)
        restored._wait_again(state.waiting)
        if restored._past is not None and restored._lateness is not None:
            restored._lateness.closing.move(state.time)  # what came before it is not there to be evaluated again
        core = restored._core
        if core is not None and state.time is not None and state.time > core.time:
            restored._own = [fact for fact in restored._own if fact.time > state.time]
            nothing = core.encode_batch({}, "time", lambda thing: time_of(thing, None))
            core.recall(state.time, core.with_own(nothing, state.window), state.remembered)
        return restored


def _check_corrections(program: Program, timing: Timing | None) -> None:
    """Fail if answers cannot be corrected."""
    if timing is None:
        note = 'give a delay=, such as "1 min", up to which facts can come late'
        raise fault("E510", "corrections=True does not say how late facts may be", note=note)
    if has_several_answers(program):
        note = "leave out corrections=, so that facts wait until they can be in order"
        raise fault("E309", "answers can be corrected if there is exactly one at each time point", note=note)
