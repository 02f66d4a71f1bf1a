"""The reference engine behind the push interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from lasing.connectors.arrow_columns import column_with_terms
from lasing.connectors.rows import by_time, value_of
from lasing.engines.reference.engine import ReferenceEngine
from lasing.errors import fault, warn
from lasing.live.cores import (
    Core,
    Facts,
    Own,
    TimePoint,
    batch_of,
    check_predicate,
    checked,
    frame_of,
    not_utf8,
    out_of_order,
    unused,
)
from lasing.live.updates import KnownChanges
from lasing.logic.answers import Answer, Changes, Standing
from lasing.logic.examples import Examples
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run


@dataclass(frozen=True, slots=True)
class AtomBatch:
    """Facts, sorted by time."""

    rows: list[Fact]

    def span(self) -> tuple[int, int] | None:
        return (self.rows[0][0], self.rows[-1][0]) if self.rows else None


class AtomsCore:
    """Encodes facts as atoms."""

    def __init__(self, program: Program) -> None:
        facts = facts_of(program)
        self._arity = facts.arity
        self._any_predicate = facts.counts_all_facts
        self.unused: set[str] = set()

    def encode(self, _time: int, facts: Facts) -> list[Atom]:
        return self._noticed(list(atoms_of(facts, self._arity)))

    def _noticed(self, atoms: list[Atom]) -> list[Atom]:
        """Warn once about each predicate that the program does not use."""
        if not self._any_predicate:
            for predicate in sorted({atom.predicate for atom in atoms} - self._arity.keys() - self.unused):
                self.unused.add(predicate)
                warn([unused(predicate, self._arity)])
        return atoms

    def encode_batch(self, frames: Mapping[str, Any], time: str, time_point: TimePoint) -> AtomBatch:
        rows: list[Fact] = []
        for predicate, frame in batch_of(frames).items():
            table = frame_of(frame, predicate, time)
            times = list(map(time_point, table[time].to_pylist()))
            if any(later < earlier for earlier, later in pairwise(times)):
                raise out_of_order()
            atoms = self._noticed(list(atoms_of({predicate: table.drop_columns([time])}, self._arity)))
            rows += (Fact(point, atom) for point, atom in zip(times, atoms, strict=True))
        return AtomBatch(by_time(rows))

    def with_own(self, batch: AtomBatch, own: Own) -> AtomBatch:
        return AtomBatch(by_time([*own, *batch.rows]))

    def gathered(self, parts: Sequence[tuple[int, list[Atom]]]) -> AtomBatch:
        return AtomBatch([Fact(time, atom) for time, atoms in parts for atom in atoms])


@dataclass(frozen=True, slots=True)
class AtomsCheckpoint:
    """All facts at a time point, and what derived streams remember."""

    time: int
    facts: list[Fact]
    runs: list[Run]
    words: int = 0


class ReferenceCore(AtomsCore):
    """Keeps all facts as the raw window."""

    def __init__(self, program: Program, start: int, engine: ReferenceEngine) -> None:
        super().__init__(program)
        self._engine = engine
        self._standing = Standing()
        self.time = start - 1

    def push(self, time: int, encoded: list[Atom]) -> KnownChanges:
        changes = list(self._engine.advance(time, encoded))
        for change in changes:
            self._standing.apply(change)
        self.time = time
        return KnownChanges(changes)

    def push_batch(self, end: int, batch: AtomBatch) -> KnownChanges:
        changes: list[Changes] = []
        for time, rows in groupby(batch.rows, key=itemgetter(0)):
            changes += self.push(time, [atom for _, atom in rows]).changes()
        if self.time < end:
            changes += self.push(end, []).changes()
        return KnownChanges(changes)

    def recall(self, end: int, batch: AtomBatch, runs: Iterable[Run] = ()) -> None:
        self._standing.apply(self._engine.recall(end, batch.rows, runs))
        self.time = end

    def checkpoint(self) -> AtomsCheckpoint:
        return AtomsCheckpoint(self.time, list(self._engine.facts()), list(self._engine.remembered()))

    def rewind(self, checkpoint: AtomsCheckpoint, start: int, reopen: Callable[[int], Core]) -> Core:
        other = reopen(start)
        nothing = other.encode_batch({}, "time", int)  # type: ignore[arg-type]  # there is no time in it
        other.recall(checkpoint.time, other.with_own(nothing, checkpoint.facts), checkpoint.runs)
        return other

    def look_back_to(self, time: int) -> None:
        """Nothing is forgotten here anyway."""

    def holding(self) -> KnownChanges:
        now = self.answer()
        return KnownChanges([Changes(now.time, now.atoms, frozenset(), now.expiries)])

    def answer(self) -> Answer:
        return self._standing.at(self.time)

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        return self._engine.dropped_heads, self._engine.failures

    def examples(self) -> Examples:
        return self._engine.examples

    def remembered(self) -> Iterable[Run]:
        return self._engine.remembered()

    def window(self) -> Iterable[Fact]:
        return self._engine.facts()


def atoms_of(facts: Facts, arity: Mapping[str, int]) -> Iterator[Atom]:
    """Check facts, and return them as atoms."""
    named: Any = checked(facts)
    if isinstance(named, Mapping):
        frames = {predicate: frame_of(frame, predicate) for predicate, frame in named.items()}
        named = [(predicate, *row) for predicate, table in frames.items() for row in _records(predicate, table)]
    for predicate, *args in named:
        check_predicate(predicate)
        if arity.get(predicate, len(args)) != len(args):
            raise fault(
                "E508", f"a fact of {predicate} has {len(args)} arguments, but {arity[predicate]} in the program"
            )
        yield Atom(predicate, tuple(map(value_of, args)))


def _records(predicate: str, table: Any) -> list[Iterable[object]]:
    try:
        if not table.column_names:
            return [()] * table.num_rows
        columns = (column_with_terms(table, name).to_pylist() for name in table.column_names)
        return list(zip(*columns, strict=True))
    except UnicodeDecodeError:
        raise not_utf8(predicate) from None
