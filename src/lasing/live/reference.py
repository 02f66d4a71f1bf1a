"""The reference engine, fed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lasing.connectors.arrow import table_of
from lasing.connectors.rows import value_of
from lasing.engines.reference.engine import ReferenceEngine
from lasing.errors import fault
from lasing.live.cores import Fact, Facts, checked
from lasing.live.updates import Told
from lasing.logic.answers import Answer, Standing
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.session import arity_of


class ReferenceCore:
    """Facts are atoms here; the raw window is all of them."""

    def __init__(self, program: Program, start: int) -> None:
        self._engine = ReferenceEngine(program, start)
        self._standing = Standing()
        self._arity = arity_of(program)
        self.time = start - 1

    def encode(self, _time: int, facts: Facts) -> list[Atom]:
        return list(_atoms(facts, self._arity))

    def push(self, time: int, encoded: list[Atom]) -> Told:
        told = list(self._engine.advance(time, encoded))
        for change in told:
            self._standing.apply(change)
        self.time = time
        return Told(told)

    def answer(self) -> Answer:
        return self._standing.at(self.time)

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        return self._engine.dropped_heads, self._engine.failures

    def window(self) -> Iterable[Fact]:
        return self._engine.facts()


def _atoms(facts: Facts, arity: Mapping[str, int]) -> Iterator[Atom]:
    """Facts as atoms, once they have been checked."""
    named: Any = checked(facts)
    if isinstance(named, Mapping):
        frames = {predicate: table_of(frame, predicate) for predicate, frame in named.items()}
        named = [(predicate, *row.values()) for predicate, table in frames.items() for row in table.to_pylist()]
    for predicate, *args in named:
        if not isinstance(predicate, str):
            raise fault("E509", f"{predicate!r} is no predicate", note='a fact is a tuple such as ("temp", "s1", 70)')
        if arity.get(predicate, len(args)) != len(args):
            raise fault(
                "E508", f"a fact of {predicate} has {len(args)} arguments, but {arity[predicate]} in the program"
            )
        yield Atom(predicate, tuple(map(value_of, args)))
