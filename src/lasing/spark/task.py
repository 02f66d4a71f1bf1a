"""What a worker has to know: the program, its inputs and outputs, and how the work is divided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from uuid import uuid4

from lasing.engine_choice import plan_for
from lasing.limits import Limits
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.plan.nodes import Plan
from lasing.raw_window import RawWindow
from lasing.spark.hashing import shard_of
from lasing.spark.outputs import OutputTable, View
from lasing.timeline.ticks import Dates, Tick


@dataclass(frozen=True)
class Task:
    """The same for all shards, slices and batches of a query. Times are in units: microseconds, or time points."""

    program: Program
    inputs: tuple[str, ...]
    outputs: Mapping[str, OutputTable]
    view: View
    keys: Mapping[str, int | None]
    """The argument on which a predicate is divided among shards; None, or no entry: it is in every shard."""
    foreign: frozenset[str]
    """Predicates of which a shard may derive atoms that belong to another."""
    shards: int = 1
    unit: int | None = None
    """How many microseconds a time point has, where times are timestamps; None where they are time points."""
    delays: Mapping[str, int] = field(default_factory=dict)
    """How much later than others a fact of an input may come; none where nothing is said."""
    idle: Mapping[str, int] = field(default_factory=dict)
    """After how many microseconds of silence time goes on without an input."""
    start: int | None = None
    engine: str = "auto"
    limits: Limits = field(default_factory=Limits)
    """What the evaluation of one batch of a shard, or of one slice, may take."""
    name: str = field(default_factory=lambda: uuid4().hex)

    @cached_property
    def work(self) -> str:
        """The same for all queries that can go on with each other's state."""
        divided = sorted((predicate, key) for predicate, key in self.keys.items() if key is not None)
        parts = (str(self.program), self.inputs, self.view, self.unit, self.start, self.shards, divided)
        return sha256(repr(parts).encode()).hexdigest()[:16]

    @cached_property
    def raw_window(self) -> RawWindow:
        """Which facts still matter."""
        found, arity = RawWindow(self.program), facts_of(self.program).arity
        for predicate in self.inputs:
            if predicate in arity:
                found.expect(predicate, arity[predicate])
        return found

    @property
    def exact(self) -> bool:
        """Whether some window counts facts, so that their order matters, and that each is there once."""
        return facts_of(self.program).counts_facts

    @cached_property
    def plan(self) -> Plan | None:
        """The plan of the program; None where the reference engine runs it."""
        return plan_for(self.program, self.engine)

    def __getstate__(self) -> dict[str, object]:
        """Whoever gets the task gets its plan, and need not make it again for each slice of each shard."""
        return {**self.__dict__, "plan": self.plan}

    def plan_of(self, shard: int) -> Plan | None:
        """The plan of a shard: the same for all, but for shards that have background of their own."""
        divided = any(self.keys.get(predicate) is not None for predicate in facts_of(self.program).background)
        if self.shards == 1 or not divided:
            return self.plan
        if shard not in self._plans_of_shards:
            self._plans_of_shards[shard] = plan_for(self.program_of(shard), self.engine)
        return self._plans_of_shards[shard]

    @cached_property
    def _plans_of_shards(self) -> dict[int, Plan | None]:
        return {}

    def point(self, instant: int) -> int:
        """The time point of an instant."""
        return instant if self.unit is None else instant // self.unit

    def first_point(self, oldest: int) -> int:
        """Where the timeline starts, if the oldest fact of the stream is at a time point."""
        if self.start is not None:
            return self.start
        return min([oldest, *(fact.time for fact in self.program.data)])

    def last_point(self, newest: int) -> int:
        """Where a stream that has ended ends, if its newest fact is at a time point."""
        return max([newest, *(fact.time for fact in self.program.data)])

    @cached_property
    def shown_tick(self) -> Tick | None:
        """The tick by which messages show times as dates: where the inputs have timestamps."""
        return None if self.unit is None else self.program.tick

    @cached_property
    def _program(self) -> Program:
        """The program, whose messages show times as they are in the inputs."""
        if self.shown_tick is None:
            return self.program
        return replace(self.program, tick=replace(self.shown_tick, dates=Dates(seen=True, decided=True)))

    def program_of(self, shard: int) -> Program:
        """The program with those of its own facts that belong to a shard."""
        program = self._program
        if self.shards == 1:
            return program

        def mine(atom: Atom) -> bool:
            return self.owns(shard, atom)

        background = tuple(filter(mine, program.background))
        data = tuple(fact for fact in program.data if mine(fact.atom))
        return replace(program, background=background, data=data)

    def owns(self, shard: int, atom: Atom) -> bool:
        """Whether an atom is in a shard."""
        key = self.keys.get(atom.predicate)
        return key is None or shard_of(atom.args[key], self.shards) == shard  # type: ignore[arg-type]  # it is ground
