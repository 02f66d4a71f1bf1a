"""What a worker has to know: the program, its inputs and outputs, and how the work is divided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from uuid import uuid4

from lasing.connectors.sinks import View
from lasing.engine_choice import plan_for
from lasing.entailment.contradictions import Contradictions
from lasing.limits import Limits
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.history import history
from lasing.logic.lookback import Lookback
from lasing.logic.program import Program, Signature
from lasing.logic.tables import FactTable
from lasing.plan.nodes import Plan
from lasing.raw_window import RawWindow
from lasing.spark.hashing import shard_of
from lasing.spark.outputs import OutputTable
from lasing.timeline.ticks import Dates, Tick


@dataclass(frozen=True)
class Task:
    """The same for all shards, slices and batches of a query. Times are in units: microseconds, or time points."""

    program: Program
    inputs: tuple[str, ...]
    outputs: Mapping[str, OutputTable]
    view: View
    keys: Mapping[str, int | None]
    """The argument by which a predicate is divided among shards; None or no entry if every shard has it."""
    foreign: frozenset[str]
    """Predicates for which a shard may derive atoms that belong to another shard."""
    shards: int = 1
    unit: int | None = None
    """The microseconds in a time point if times are timestamps; None if they are time points."""
    delays: Mapping[str, int] = field(default_factory=dict)
    """How much later than others a fact of an input may come; 0 for inputs without an entry."""
    idle: Mapping[str, int] = field(default_factory=dict)
    """How many microseconds an input may be silent before time goes on without it."""
    start: int | None = None
    engine: str = "auto"
    limits: Limits = field(default_factory=Limits)
    """The limits for one batch of a shard, or for one slice."""
    terms: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """The arguments of the inputs, counted from 1, that have terms."""
    share: float = 1.0
    """The most bad rows that a batch may have, as a share of its rows."""
    name: str = field(default_factory=lambda: uuid4().hex)

    @cached_property
    def work(self) -> str:
        """A hash that is equal for queries that can continue from each other's state."""
        divided = sorted((predicate, key) for predicate, key in self.keys.items() if key is not None)
        terms = sorted((predicate, sorted(places)) for predicate, places in self.terms.items() if places)
        parts = (str(self.program), self.inputs, self.view, self.unit, self.start, self.shards, divided)
        return sha256(repr((*parts, terms) if terms else parts).encode()).hexdigest()[:16]

    @cached_property
    def raw_window(self) -> RawWindow:
        """Which facts still matter."""
        found, arity = RawWindow(self.program), facts_of(self.program).arity
        for predicate in self.inputs:
            if predicate in arity:
                found.expect(predicate, arity[predicate])
        return found

    @cached_property
    def history(self) -> Lookback:
        """How far before a slice of history its facts begin."""
        declared = {signature.predicate for signature in self.program.inputs}
        arity = facts_of(self.program).arity
        more = tuple(Signature(p, arity[p]) for p in self.inputs if p in arity and p not in declared)
        return history(replace(self.program, inputs=(*self.program.inputs, *more))).lookback

    @property
    def exact(self) -> bool:
        """Whether some window counts facts: their order then matters, and each must be there once."""
        return facts_of(self.program).counts_facts

    @cached_property
    def plan(self) -> Plan | None:
        """The plan of the program; None where the reference engine runs it."""
        return self._plan_for(self.program)

    def __getstate__(self) -> dict[str, object]:
        """The task carries its plan, so that workers do not make it again for each slice of each shard."""
        return {**self.__dict__, "plan": self.plan}

    def plan_of(self, shard: int) -> Plan | None:
        """The plan of a shard: the same for all, unless each shard has background facts of its own."""
        divided = any(self.keys.get(predicate) is not None for predicate in facts_of(self.program).background)
        if self.shards == 1 or not divided:
            return self.plan
        if shard not in self._plans_of_shards:
            self._plans_of_shards[shard] = self._plan_for(self.program_of(shard))
        return self._plans_of_shards[shard]

    def _plan_for(self, program: Program) -> Plan | None:
        """A plan that also reports inconsistencies to a query."""
        return plan_for(Contradictions(program).watched, self.engine)

    @cached_property
    def _plans_of_shards(self) -> dict[int, Plan | None]:
        return {}

    def point(self, instant: int) -> int:
        """The time point of an instant."""
        return instant if self.unit is None else instant // self.unit

    def instant(self, clock: int) -> int:
        """The instant that the clock shows, in the units of the inputs' times; `clock` is in microseconds."""
        tick = self.program.tick
        return clock if self.unit is not None or tick is None else clock // tick.microseconds

    def first_point(self, oldest: int) -> int:
        """Where the timeline starts if the oldest fact of the stream is at `oldest`."""
        if self.start is not None:
            return self.start
        return min([oldest, *(fact.time for fact in self.program.data)])

    def last_point(self, newest: int) -> int:
        """Where the timeline of an ended stream ends if its newest fact is at `newest`: once its last windows close."""
        return self.program.end_after(max([newest, *(fact.time for fact in self.program.data)]))

    @cached_property
    def shown_tick(self) -> Tick | None:
        """The tick with which messages show times as dates; None unless the inputs have timestamps."""
        return None if self.unit is None else self.program.tick

    @cached_property
    def _program(self) -> Program:
        """The program with messages that show times in the form of the inputs."""
        if self.shown_tick is None:
            return self.program
        return replace(self.program, tick=replace(self.shown_tick, dates=Dates(seen=True, decided=True)))

    def program_of(self, shard: int) -> Program:
        """The program, with only those of its own facts that belong to the shard."""
        program = self._program
        if self.shards == 1:
            return program

        def mine(atom: Atom) -> bool:
            return self.owns(shard, atom)

        background = tuple(filter(mine, program.background))
        tables = tuple(self._part(shard, table) for table in program.tables)
        data = tuple(fact for fact in program.data if mine(fact.atom))
        return replace(program, background=background, data=data, tables=tables)

    def _part(self, shard: int, table: FactTable) -> FactTable:
        """The facts of a table that belong to a shard."""
        key = self.keys.get(table.predicate)
        return table if key is None else table.filtered(key, lambda value: shard_of(value, self.shards) == shard)

    def owns(self, shard: int, atom: Atom) -> bool:
        """Whether an atom is in a shard."""
        key = self.keys.get(atom.predicate)
        return key is None or shard_of(atom.args[key], self.shards) == shard  # type: ignore[arg-type]  # it is ground
