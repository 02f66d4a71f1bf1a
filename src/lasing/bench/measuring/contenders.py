"""The engines as contenders. Only this module knows how the benchmarks call engines.

Programs are parsed and facts are put into an engine's own form before the clock runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from lasing import reading
from lasing.bench.measuring.turns import ChangedRows, Contender, Step
from lasing.bench.measuring.workloads import PREDICATE, Array, Stream
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.execute import OUT_ARGS, OUT_SIGN, OUT_UNTIL
from lasing.engines.reference.engine import ReferenceEngine
from lasing.live.engine import Engine
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.plan.nodes import Plan

Changed = tuple[frozenset[Atom], frozenset[Atom]]
"""The atoms that a time point adds, and those that it removes."""

parse: Callable[[str], Program] = cache(reading.parse)
"""Parse a program, only once for the same text."""


class Columns:
    """The local engine on encoded columns: rows in, blocks of changed rows out."""

    def __init__(self, program: Program, stream: Stream, annotated: bool, plan: Plan | None = None) -> None:
        self.engine = LocalEngine(program, 0, plan, annotated)
        numbers = np.array([self.engine.predicates[name] for name in stream.predicates])
        self._rows = np.zeros((len(stream.rows), self.engine.width), np.int64)
        self._rows[:, : stream.rows.shape[1]] = stream.rows
        self._rows[:, PREDICATE] = numbers[stream.rows[:, PREDICATE]]
        self._bounds = stream.bounds

    def to(self, end: int) -> Iterator[Array]:
        """All changes at the time points up to `end`, in blocks; each block is valid until the next."""
        return self.engine.evaluate(self._rows[self._bounds[self.engine.time + 1] : self._bounds[end + 1]], end)


def columns(program: Program, stream: Stream, annotated: bool = False, name: str = "our engine") -> Contender:
    """The local engine, tick by tick: it returns changes, or if annotated, new rows and until when they hold."""

    def start() -> Step:
        engine = Columns(program, stream, annotated)
        return lambda t: list(engine.to(t))

    return Contender(name, start, partial(_changed_rows, program, OUT_UNTIL if annotated else OUT_SIGN))


def _changed_rows(program: Program, column: int, blocks: list[Array]) -> ChangedRows:
    """One column before the arguments, and the arguments of each row; for programs whose heads have the same arity."""
    (arity,) = {len(atom.args) for rule in program.rules for atom in rule.head_atoms()}
    return Counter((row[column], *row[OUT_ARGS : OUT_ARGS + arity]) for block in blocks for row in block.tolist())


def batches(program: Program, stream: Stream, size: int, name: str, annotated: bool = True) -> Contender:
    """The local engine on batches of `size` time points: step i is the i-th batch."""

    def start() -> Step:
        engine = Columns(program, stream, annotated)
        return lambda i: sum(map(len, engine.to((i + 1) * size - 1)))

    return Contender(name, start)


def state_at_the_end(program: Program, stream: Stream) -> tuple[int, int]:
    """The bytes that the local engine uses after a stream, and the number of derived atoms that hold then."""
    engine = Columns(program, stream, annotated=False)
    held = sum(int(block[:, OUT_SIGN].sum()) for block in engine.to(stream.points - 1))
    return engine.engine.memory_bytes, held


def from_scratch(program: Program, stream: Stream) -> Contender:
    """The reference engine, which evaluates every time point from scratch, and the changes since the one before."""
    atoms = [[Atom(name, tuple(args)) for name, *args in stream.facts(t)] for t in range(stream.points)]

    def start() -> Step:
        engine = ReferenceEngine(program, 0)
        before: frozenset[Atom] = frozenset()

        def step(t: int) -> Changed:
            nonlocal before
            answer = engine.step(t, atoms[t]).atoms
            added, removed = answer - before, before - answer
            before = answer
            return added, removed

        return step

    return Contender("from scratch", start, _changed_atoms)


def pushed(program: Program, stream: Stream) -> Contender:
    """`Engine.push` with tuples of strings, and its changes as sets of atoms."""
    facts = [_names(stream, t) for t in range(stream.points)]

    def start() -> Step:
        engine = Engine(program, start=0)

        def step(t: int) -> Changed:
            update = engine.push(t, facts[t])
            return update.added, update.removed

        return step

    return Contender("push, atoms", start, _changed_atoms)


def pushed_unread(program: Program, stream: Stream) -> Contender:
    """`Engine.push` with tuples of strings, and nobody looks at the updates."""
    facts = [_names(stream, t) for t in range(stream.points)]

    def start() -> Step:
        engine = Engine(program, start=0)
        return lambda t: engine.push(t, facts[t])

    return Contender("push, unread", start)


def pushed_tuples(program: Program, stream: Stream) -> Contender:
    """`Engine.push` with tuples of strings, and its changes as tuples."""
    facts = [_names(stream, t) for t in range(stream.points)]

    def start() -> Step:
        engine = Engine(program, start=0)
        return lambda t: engine.push(t, facts[t]).rows()

    return Contender("push, tuples", start, _changed_tuples)


def pushed_arrow(program: Program, stream: Stream) -> Contender:
    """`Engine.push` with Arrow tables of strings, and its changes as Arrow tables."""
    tables = [_tables(stream, t) for t in range(stream.points)]

    def start() -> Step:
        engine = Engine(program, start=0)
        return lambda t: engine.push(t, tables[t]).to_arrow()

    return Contender("push, Arrow", start, _changed_tables)


def _names(stream: Stream, t: int) -> list[tuple[str, ...]]:
    """The facts of a time point, with names in place of numbers."""
    return [(predicate, *(f"s{arg}" for arg in args)) for predicate, *args in stream.facts(t)]


def _tables(stream: Stream, t: int) -> dict[str, pa.Table]:
    """The facts of a time point: a table for each predicate, with a column for each argument."""
    tables = {}
    for predicate, arity in stream.predicates.items():
        facts = [fact[1:] for fact in _names(stream, t) if fact[0] == predicate]
        tables[predicate] = pa.table(
            {f"arg{i + 1}": pa.array([f[i] for f in facts], pa.string()) for i in range(arity)}
        )
    return tables


def _changed_atoms(changed: Changed) -> ChangedRows:
    return _signed_rows([atom.args for atom in changed[0]], [atom.args for atom in changed[1]])


def _changed_tuples(changed: tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]) -> ChangedRows:
    return _signed_rows([fact[1:] for fact in changed[0]], [fact[1:] for fact in changed[1]])


def _changed_tables(tables: dict[str, pa.Table]) -> ChangedRows:
    counted: ChangedRows = Counter()
    for table in tables.values():
        changes = table["change"].to_pylist()
        args = zip(*(table[name].to_pylist() for name in table.column_names if name.startswith("arg")), strict=True)
        counted.update((change, *map(_number, row)) for change, row in zip(changes, args, strict=True))
    return counted


def _signed_rows(added: Iterable[Sequence[object]], removed: Iterable[Sequence[object]]) -> ChangedRows:
    return Counter([(1, *map(_number, args)) for args in added] + [(-1, *map(_number, args)) for args in removed])


def _number(arg: object) -> int:
    """The number of a constant, or of its name."""
    return arg if isinstance(arg, int) else int(str(arg).removeprefix("s"))
