"""What a worker has to know: the program, its inputs and outputs, and how the work is divided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from uuid import uuid4

from lasing.limits import Limits
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom, PartitionWindow
from lasing.logic.lookback import Lookback, lookback
from lasing.logic.program import Program, Signature
from lasing.spark.hashing import shard_of
from lasing.spark.outputs import Output, View


@dataclass(frozen=True)
class Task:
    """The same for all shards, slices and batches of a query. Times are in units: microseconds, or time points."""

    program: Program
    inputs: tuple[str, ...]
    outputs: Mapping[str, Output]
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
    def lookback(self) -> Lookback:
        arity = facts_of(self.program).arity
        declared = [Signature(p, arity[p]) for p in self.inputs if p in arity]
        return lookback(replace(self.program, inputs=(*self.program.inputs, *declared)))

    @property
    def partitions(self) -> tuple[PartitionWindow, ...]:
        """The windows that keep facts for each key."""
        return facts_of(self.program).partitions

    @property
    def exact(self) -> bool:
        """Whether some window counts facts, so that their order matters, and that each is there once."""
        return facts_of(self.program).counts_facts

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

    def program_of(self, shard: int) -> Program:
        """The program with those of its own facts that belong to a shard."""
        if self.shards == 1:
            return self.program

        def mine(atom: Atom) -> bool:
            return self.owns(shard, atom)

        background = tuple(filter(mine, self.program.background))
        data = tuple(fact for fact in self.program.data if mine(fact.atom))
        return replace(self.program, background=background, data=data)

    def owns(self, shard: int, atom: Atom) -> bool:
        """Whether an atom is in a shard."""
        key = self.keys.get(atom.predicate)
        return key is None or shard_of(atom.args[key], self.shards) == shard  # type: ignore[arg-type]  # it is ground
