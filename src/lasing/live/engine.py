"""`lasing.Engine`: push facts as they come, and hear what changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from lasing.connectors.arrow import table_of
from lasing.connectors.rows import time_of
from lasing.engine_choice import AnyAnswers, EngineName, choose, most_models, plan_for
from lasing.engines.local.engine import LocalEngine
from lasing.errors import Diagnostic, fault
from lasing.limits import Watch, limits_of
from lasing.live.cores import Batch, Core, Facts
from lasing.live.local import LocalCore
from lasing.live.models import ModelsCore
from lasing.live.reference import ReferenceCore
from lasing.live.updates import Joined, Source, Told, Update
from lasing.logic.answers import Answer
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.splitting import has_several_answers
from lasing.logic.terms import Value, value_from_text, value_text
from lasing.session import ProgramLike, left_out, parse

OnLate = Callable[[int, Facts], None]


class Engine:
    """A program at work: push facts as they come, and hear what changes.

    >>> engine = Engine("hot(S) :- temp(S, V) in [5], V > 30.", start=0)
    >>> engine.push(7, [("temp", "s1", 70)]).added
    frozenset({Atom(predicate='hot', args=('s1',))})
    >>> engine.advance_to(13).removed
    frozenset({Atom(predicate='hot', args=('s1',))})

    Any way to cut a stream into pushes gives the same answers; pushing at the same time point again adds to it. Facts
    for a time that has passed are refused (E308), or go to `on_late`; the engine stays as it was.

    A program may have any number of answer streams: `answer().models` has them, at most `models` of them. What an
    update adds and removes is then defined where there is exactly one, before and after.

    `max_atoms`, `max_memory` and `max_time` are limits as in `lasing.run`, `max_time` that of each call. An engine that
    is stopped by a limit or an interrupt is half way through a time point, and refuses to go on (E317): restore it.
    """

    def __init__(
        self,
        program: ProgramLike,
        start: int = 0,
        engine: EngineName = "auto",
        *,
        models: int | None = None,
        on_late: OnLate | None = None,
        constants: Mapping[str, Value] | None = None,
        max_atoms: int | None = None,
        max_memory: int | str | None = None,
        max_time: float | str | None = None,
    ) -> None:
        self._watch = Watch(limits_of(max_atoms, max_memory, max_time))
        self.program = program if isinstance(program, Program) else parse(program, constants)
        self.start = time_of(start, self.program.tick)
        self.on_late = on_late
        self._core = self._open(engine, most_models(models))
        own = sorted(self.program.data, key=lambda fact: fact.time)
        self._own = [(fact.time, fact.atom) for fact in own if fact.time >= self.start]

    def _open(self, engine: EngineName, limit: int) -> Core:
        if has_several_answers(self.program) or engine not in ("auto", "local", "reference"):
            choice = choose(self.program, engine, limit, self._watch)
            if isinstance(choice, AnyAnswers):
                return ModelsCore(self.program, self.start, choice)
        plan = plan_for(self.program, engine)
        if plan is None:
            return ReferenceCore(self.program, self.start, self._watch)
        return LocalCore(self.program, LocalEngine(self.program, self.start, plan, watch=self._watch))

    @property
    def time(self) -> int:
        """The time point up to which everything is evaluated; before any, the one before the start."""
        return self._core.time

    @property
    def incremental(self) -> bool:
        """Whether this is the local engine, whose memory follows the windows; the reference keeps all facts."""
        return isinstance(self._core, LocalCore)

    def push(self, time: Any, facts: Facts) -> Update:
        """Facts at a time point: evaluate up to it, and tell what has changed."""
        now = time_of(time, self.program.tick)
        if now < max(self.time, self.start):
            if self.on_late is None:
                note = "push in the order of time, or give the engine an on_late=…"
                if now < self.start:
                    raise fault("E308", f"time {now} is before the start, {self.start}", note=note)
                raise fault("E308", f"time {now} has passed: everything is evaluated up to {self.time}", note=note)
            self.on_late(now, facts)
            return Update(self.time, Told([]))
        encoded = self._core.encode(now, facts)
        if not self._own:
            return Update(now, self._core.push(now, encoded))
        return self._push_with_own(now, encoded)

    def advance_to(self, time: Any) -> Update:
        """Time passes without facts."""
        return self.push(time, ())

    def push_batch(self, facts: Mapping[str, Any], time: str = "time", end: Any = None) -> dict[str, Any]:
        """Many time points at once: data frames by predicate with a column of the time, in order, and an argument in
        each other column. What changes comes as Arrow tables, as from `Update.to_arrow`.

        This is the fast path for files and for Spark: with the local engine no Python object is made for a fact. Late
        rows are refused as a whole.
        """
        until, batch = self._batch(facts, time, end)
        return self._core.push_batch(until, batch).tables()

    def recall(self, facts: Mapping[str, Any], time: str = "time", end: Any = None) -> None:
        """Take the facts of a raw window in, as `push_batch` does, in an engine that has not begun; tell nothing."""
        self._core.recall(*self._batch(facts, time, end))

    def holding(self) -> dict[str, Any]:
        """All that holds now as Arrow tables, in the form of `push_batch`, as if it had been added now."""
        return self._core.holding().tables()

    def _batch(self, facts: Mapping[str, Any], time: str, end: Any) -> tuple[int, Batch]:
        """Facts of many time points, checked and encoded, and up to when to go."""
        batch = self._core.encode_batch(facts, time, lambda thing: time_of(thing, self.program.tick))
        span = batch.span()
        until = time_of(end, self.program.tick) if end is not None else self.time if span is None else span[1]
        if span is not None and span[0] < max(self.time, self.start):
            raise fault("E308", f"time {span[0]} has passed", note="push in the order of time")
        if span is not None and until < span[1]:
            raise fault("E306", f"the batch has facts at {span[1]}, after its end, {until}")
        due = [fact for fact in self._own if fact[0] <= until]
        self._own = self._own[len(due) :]
        return until, self._core.with_own(batch, due) if due else batch

    def answer(self) -> Answer:
        """The atoms that hold now."""
        return self._core.answer()

    def diagnostics(self) -> list[Diagnostic]:
        """What was left out so far: heads before the start (W202), instances that had no value (W203)."""
        return left_out(self.program, *self.left_out())

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        """The same as numbers: heads before the start, and instances without a value by rule (from 0) and reason."""
        return self._core.left_out()

    def snapshot(self) -> Any:
        """The raw window as an Arrow table: the facts on which answers can still depend. That is all there is to keep.

        Columns are time, predicate, and the arguments, as they are written in a stream file. Where a tuple window
        counts facts of all predicates, those that the program does not name have none.
        """
        window = [row for row in self._core.window() if row[0] <= self.time]
        state = {"start": self.start, "time": self.time}
        schema = pa.schema(
            [("time", pa.int64()), ("predicate", pa.string()), ("args", pa.list_(pa.string()))],
            metadata={"lasing": json.dumps(state)},
        )
        args = [list(map(value_text, row[2])) for row in window]
        return pa.table([[r[0] for r in window], [r[1] for r in window], args], schema=schema)

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
    ) -> Engine:
        """An engine that goes on from a snapshot with the answers that the one before would have given."""
        table = table_of(snapshot, "the snapshot")
        stored = (table.schema.metadata or {}).get(b"lasing")
        if stored is None:
            raise fault("E512", "this table is no snapshot of an engine", note="keep the table's metadata with it")
        state = json.loads(stored)
        restored = cls(program, state["start"], engine, models=models, on_late=on_late, constants=constants)
        restored._own = [(time, atom) for time, atom in restored._own if time > state["time"]]
        rows = zip(*(table[name].to_pylist() for name in ("time", "predicate", "args")), strict=True)
        window = [(t, Atom(predicate, tuple(map(value_from_text, args)))) for t, predicate, args in rows]
        if state["time"] >= state["start"]:
            core = restored._core
            core.recall(
                state["time"], core.with_own(core.encode_batch({}, "time", lambda thing: time_of(thing, None)), window)
            )
        return restored

    def _push_with_own(self, now: int, encoded: Any) -> Update:
        """Let the data facts of the program's own text come in their time."""
        told: list[Source] = []
        while self._own and self._own[0][0] <= now:
            time = self._own[0][0]
            mine = [atom for at, atom in self._own if at == time]
            self._own = self._own[len(mine) :]
            told.append(self._core.push(time, self._core.encode(time, mine)))
        told.append(self._core.push(now, encoded))
        return Update(now, Joined(told))
