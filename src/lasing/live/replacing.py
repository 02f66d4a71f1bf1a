"""Another program in the place of the one that runs: what it would answer, what it lacks, and the change itself.

The new program gets the raw window of the old one, and what its derived streams remember, as if it had been restored
from a snapshot. The current time point is evaluated again; what is different there is the update of the change. The
old program stays untouched until the new one has evaluated that time point, so a mistake leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import pyarrow as pa

from lasing.engine_choice import choose
from lasing.entailment import Entail
from lasing.entailment.contradictions import Contradictions
from lasing.errors import LasingError, fault
from lasing.limits import Limits, Watch
from lasing.live.cores import Core, CoreWithPast, EncodedBatch
from lasing.live.corrections import Era, Origin, Past
from lasing.live.delaying import Delaying
from lasing.live.lateness import Waiting
from lasing.live.local import LocalCore
from lasing.live.models import ModelChanges, ModelsCore
from lasing.live.updates import ChangeSource, Difference, KnownChanges, Tuples, Update, shown_rows, shown_tables
from lasing.logic.answers import Changes
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.own import Functions
from lasing.logic.program import Fact, Output, Program
from lasing.logic.runs import Run
from lasing.logic.splitting import has_several_answers
from lasing.logic.values import Value
from lasing.reading import ProgramLike, program_of
from lasing.succession import Kept, Lack, Succession, succession
from lasing.timeline.clock import Clock


class _Same:
    """Stands for what the engine was made with."""

    def __repr__(self) -> str:
        return "the same as before"


SAME: Any = _Same()


@dataclass(frozen=True, slots=True)
class Given:
    """What an engine was made with, beside its program: a program that replaces it gets the same."""

    engine: str = "auto"
    models: int = 0
    limits: Limits = field(default_factory=Limits)
    constants: Mapping[str, Value] | None = None
    functions: Functions | None = None
    data: Any = None
    entail: Entail = None


class Replacement(Update):
    """The update of a change of programs: what is different at the time point at which it takes effect.

    `history` says whether the raw window had everything that the new program looks back on.
    """

    def __init__(
        self,
        time: int,
        source: ChangeSource,
        history: Succession,
        old: Mapping[str, Output],
        new: Mapping[str, Output],
    ) -> None:
        super().__init__(time, source, new)
        self.history = history
        self._old_queries = old

    def rows(self) -> tuple[Tuples, Tuples]:
        added, removed = self._source.rows() or ([], [])
        if not self._queries and not self._old_queries:
            return added, removed
        return shown_rows(added, [], self._queries)[0], shown_rows([], removed, self._old_queries)[1]

    def to_arrow(self) -> dict[str, Any]:
        """As for any update. If the old program had a predicate with other columns than the new one, the removed atoms
        are in a table of their own, under the name p/2."""
        change = self._changes()
        came = shown_tables(KnownChanges([_only(change, added=True)]).tables(), self._queries)
        went = shown_tables(KnownChanges([_only(change, added=False)]).tables(), self._old_queries)
        found = dict(came)
        for name, table in went.items():
            known = found.get(name)
            if known is None:
                found[name] = table
            elif known.schema.equals(table.schema, check_metadata=True):
                found[name] = pa.concat_tables([known, table])
            else:
                found[f"{name}/{table.num_columns - 3}"] = table
        return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """What another program would answer at the current time point, against the one that runs.

    `added` come with it, `removed` go, and `kept` hold with both. `history` says whether the raw window has everything
    that it looks back on.
    """

    time: int
    added: frozenset[Atom]
    removed: frozenset[Atom]
    kept: frozenset[Atom]
    history: Succession

    def __str__(self) -> str:
        lines = [f"{sign} {atom}" for sign, atoms in self._signed() for atom in sorted(map(str, atoms))]
        return "\n".join(lines)

    def _signed(self) -> Sequence[tuple[str, frozenset[Atom]]]:
        return ("+", self.added), ("-", self.removed), ("=", self.kept)


class Replacing(Delaying):
    """An engine whose program can be replaced while it runs."""

    _clock: Clock
    _given: Given = Given()
    _lacks: tuple[tuple[Lack, int | None], ...] = ()
    """What the program still lacks since it replaced another one, and up to when."""

    def replace(
        self,
        program: ProgramLike,
        *,
        partial: bool = False,
        constants: Mapping[str, Value] | None = SAME,
        functions: Functions | None = SAME,
        data: Any = SAME,
        entail: Entail = SAME,
    ) -> Replacement:
        """Put another program in the place of the one that runs. It takes effect at the current time point, which is
        evaluated again: the update has what is different there. Before the timeline begins, nothing is different.

        From there on, answers are those of the new program on the raw window that the old one kept, and on what its
        derived streams remember. If the new program looks back on more than that, this raises E329, which says on what
        and from which time point on answers would be complete; with `partial=True`, it is accepted, and
        `Replacement.history` says the same. Whatever fails, the old program goes on as if nothing had happened.

        Constants, functions, data and entailment are those that the engine was made with, unless you give others.
        Facts that wait because of a delay wait for the new program.
        """
        self._check_ready()
        other, history = self._successor(program, constants, functions, data, entail)
        if history.lacks and not partial:
            raise LasingError(history.diagnostics("E329", self._what_to_do(history)))
        waiting = other._waiting_of(self)
        update = self._take_over(other, history, waiting)
        self._lacks = tuple((lack, _point(history.time, lack.after)) for lack in history.lacks)
        self._heard(update)
        return update

    def compare(
        self,
        program: ProgramLike,
        *,
        constants: Mapping[str, Value] | None = SAME,
        functions: Functions | None = SAME,
        data: Any = SAME,
        entail: Entail = SAME,
    ) -> Comparison:
        """What another program would answer at the current time point, and what it lacks; the engine stays as it is."""
        self._check_whole()
        other, history = self._successor(program, constants, functions, data, entail)
        old = frozenset() if self._core is None else self._core.answer().atoms
        new = frozenset() if other._core is None else other._core.answer().atoms
        return Comparison(history.time, new - old, old - new, new & old, history)

    @property
    def complete_from(self) -> int | None:
        """After a program was replaced with `partial=True`: the time point from which answers are certain to be
        complete, None if there is none. Otherwise the start, or None if the timeline has not begun."""
        points = [point for _, point in self._lacking()]
        if not points:
            return self._start
        return None if None in points else max(point for point in points if point is not None)

    def _lacking(self) -> tuple[tuple[Lack, int | None], ...]:
        now = None if self._core is None else self._core.time
        return tuple((lack, until) for lack, until in self._lacks if until is None or now is None or until > now)

    # -- the other engine ------------------------------------------------------------------------------------------

    def _successor(
        self, program: ProgramLike, constants: Any, functions: Any, data: Any, entail: Any
    ) -> tuple[Self, Succession]:
        """An engine with another program that has got as far as this one, made of its raw window; and what it lacks."""
        given = self._given
        mine = Given(
            given.engine,
            given.models,
            given.limits,
            given.constants if constants is SAME else constants,
            given.functions if functions is SAME else functions,
            given.data if data is SAME else data,
            given.entail if entail is SAME else entail,
        )
        new = program_of(program, mine.constants, mine.functions, mine.data, mine.entail).watching_dates()
        self._check_successor(new)
        if new.tick is not None and new.tick.dates is not None and self.program.shown_tick() is not None:
            new.tick.dates.seen = True
        watch = Watch(given.limits)
        other = type(self).__new__(type(self))
        noticed = Contradictions(new)
        choice = choose(noticed.watched, given.engine, given.models, watch)
        other._set_up(new, None, choice, watch, noticed, self.on_late)
        other._given, other._clock = mine, self._clock
        core, start = self._core, self._start
        if core is None or start is None:
            return other, Succession(0, (), 0)
        dropped = frozenset(self._undeclared | core.unused)
        kept = Kept(self.program, core.time - start, None, dropped, core.time)
        earlier = [replace(lack, after=None if until is None else until - core.time) for lack, until in self._lacking()]
        history = succession(kept, new, earlier)
        other._enter_evaluation()
        other._begin(start, opened(new, other._open, core.time, start, core, list(self._remembered())))
        other._own, other._whole = [fact for fact in other._own if fact.time > core.time], True
        return other, history

    def _check_successor(self, new: Program) -> None:
        """Fail if a program cannot replace the one that runs, whatever is in the raw window."""
        old = self.program
        if old.tick != new.tick:
            ticks = [f"a tick of {tick}" if tick is not None else "no tick" for tick in (new.tick, old.tick)]
            note = "time points would not be the same; start a new engine, or give the program the same #tick"
            raise fault("E330", f"the new program has {ticks[0]}, and the running one has {ticks[1]}", note=note)
        if self._past is not None and has_several_answers(new):
            note = "the engine was made with corrections=True; start another one without"
            raise fault("E309", "answers can be corrected if there is exactly one at each time point", note=note)

    def _waiting_of(self, old: Replacing) -> list[tuple[str, int, Waiting]]:
        """The facts that wait in another engine, checked and encoded for this one."""
        found: list[tuple[str, int, Waiting]] = []
        if old._lateness is None:
            return found
        for source, time, waiting in old._lateness.buffer.items():
            given: Any = waiting.facts
            facts = self._as_declared(given)
            if self._core is None:
                (self._unstarted or self._open(time)).encode(time, facts)
                found.append((source, time, Waiting(facts)))
            else:
                found.append((source, time, Waiting(facts, self._core.encode(time, facts))))
        return found

    # -- the change ------------------------------------------------------------------------------------------------

    def _take_over(self, other: Self, history: Succession, waiting: list[tuple[str, int, Waiting]]) -> Replacement:
        """Become the other engine. Nothing can fail here."""
        before, after = self._core, other._core
        update = Replacement(history.time, _difference(before, after), history, self._queries, other._queries)
        if self._past is not None:
            past = Past()
            if before is not None and after is not None:
                past.origin = self._origin(self._past, before, other)
                past.answered(before.time, after.holding())
            self._past = past
        if self._lateness is not None:
            self._lateness.put(waiting)
        self.program, self._given, self._watch = other.program, other._given, other._watch
        self._kind, self._open, self._own, self._queries = other._kind, other._open, other._own, other._queries
        self._core, self._unstarted = after, None
        self._events, self._undeclared = other._events, set()
        self._contradictions, self._warned = other._contradictions, other._warned
        return update

    def _origin(self, past: Past, core: Core, other: Self) -> Origin:
        """Where the new program begins, and the era of the old one, which late facts may still change."""
        time, reopen, program = core.time, other._open, other.program
        window = [fact for fact in core.window() if fact.time <= time]
        era = Era(self.program, cast("CoreWithPast", core), past, self._open)
        return Origin(
            time,
            window,
            list(self._remembered()),
            lambda start, facts, runs: opened(program, reopen, time, start, facts, runs),
            era,
        )

    def _what_to_do(self, history: Succession) -> str:
        until = history.complete_from
        shown = {} if until is None else {until: self.program.time_text(until)}
        return f"{history.outlook(shown)}\nto replace it nevertheless: replace(…, partial=True)"


def opened(
    program: Program,
    reopen: Callable[[int], Core],
    time: int,
    start: int,
    window: Core | Sequence[Fact],
    runs: Sequence[Run],
) -> Core:
    """A core that has the raw window of another program, and what it remembers, at its time point."""
    core = reopen(start)
    if time < start:
        return core
    arity = {stream.predicate: stream.arity for stream in program.streams}
    core.recall(time, _window(program, core, time, window), [r for r in runs if arity.get(r.predicate) == len(r.args)])
    return core


def _window(program: Program, core: Core, time: int, given: Core | Sequence[Fact]) -> EncodedBatch:
    """The facts of a raw window that a program uses, in the form of its core."""
    facts, used = facts_of(program), list[Fact]()
    if isinstance(given, LocalCore):
        _check_arity(facts.arity, given.arities())
        if isinstance(core, LocalCore) and (batch := core.window_of(given)) is not None:
            return batch
    for known in given if isinstance(given, Sequence) else given.window():
        fact = _named(known, facts.arity)
        _check_arity(facts.arity, [(fact.atom.predicate, len(fact.atom.args))])
        if fact.time <= time and (facts.counts_all_facts or fact.atom.predicate in facts.arity):
            used.append(fact)
    nothing = core.encode_batch({}, "time", int)  # type: ignore[arg-type]  # there is no time in it
    return core.with_own(nothing, used)


def _check_arity(arity: Mapping[str, int], window: Iterable[tuple[str, int]]) -> None:
    for predicate, number in window:
        if arity.get(predicate, number) != number:
            message = f"the raw window has facts of {predicate} with {number} arguments, but in the new program it has"
            note = "give the predicate another name in the new program"
            raise fault("E330", f"{message} {arity[predicate]}", note=note)


def _only(change: Changes, added: bool) -> Changes:
    return replace(change, removed=frozenset()) if added else replace(change, added=frozenset())


def _difference(before: Core | None, after: Core | None) -> ChangeSource:
    """What holds after but not before, and the other way round; made on demand."""
    if before is None or after is None:
        return KnownChanges([])
    if isinstance(before, ModelsCore) or isinstance(after, ModelsCore):
        return ModelChanges(before.answer(), [after.answer()])
    return Difference(after.time, before.holding(), after.holding())


def _named(fact: Fact, arity: Mapping[str, int]) -> Fact:
    """A fact that only counts has no predicate any more: it gets one that the program does not use."""
    if fact.atom.predicate:
        return fact
    name = next(name for name in (f"unnamed{i}" for i in range(len(arity) + 1)) if name not in arity)
    return Fact(fact.time, Atom(name, fact.atom.args))


def _point(time: int, after: int | None) -> int | None:
    return None if after is None else time + after
