"""The engines as contenders. This is the one place where the benchmarks know how engines are called.

Programs are parsed and facts are put into the form that an engine takes before the clock runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

import lasing
from lasing.bench.measure import Contender, Step, Told
from lasing.bench.workloads import PREDICATE, Array, Stream
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.execute import OUT_ARGS, OUT_SIGN, OUT_UNTIL, run_batch
from lasing.engines.reference.engine import ReferenceEngine
from lasing.logic.formulas import Atom
from lasing.logic.program import Program

Changed = tuple[frozenset[Atom], frozenset[Atom]]
"""The atoms that a time point adds, and those that it removes."""

parse: Callable[[str], Program] = cache(lasing.parse)
"""Read a program, once."""


class Columns:
    """The local engine on encoded columns: rows in, blocks of changed rows out."""

    def __init__(self, program: Program, stream: Stream, annotated: bool) -> None:
        self.engine = LocalEngine(program, 0, annotated=annotated)
        numbers = np.array([self.engine.predicates[name] for name in stream.predicates])
        self._rows = np.zeros((len(stream.rows), self.engine._width), np.int64)
        self._rows[:, : stream.rows.shape[1]] = stream.rows
        self._rows[:, PREDICATE] = numbers[stream.rows[:, PREDICATE]]
        self._bounds = stream.bounds
        self._time = -1
        self._state = self.engine.state()

    def to(self, end: int) -> Iterator[Array]:
        """All changes at the time points up to `end`, in blocks of which each is valid until the next."""
        return self._evaluate(self._rows[self._bounds[self._time + 1] : self._bounds[end + 1]], end)

    def _evaluate(self, rows: Array, end: int) -> Iterator[Array]:
        if self.engine._waiting:
            background = np.array(self.engine._waiting, np.int64)
            padding = rows.shape[1] - background.shape[1]
            rows = np.concatenate([np.pad(background, ((0, 0), (0, padding))), rows])
            self.engine._waiting = []
        memory, calendar, out = self._state
        at = 0
        while self._time < end:
            memory, calendar, out, written, at, self._time = run_batch(
                memory, calendar, rows, at, self._time, end, self.engine._ranks, out
            )
            self._state = memory, calendar, out
            yield out[:written]

    @property
    def memory_bytes(self) -> int:
        """How large the engine's state is."""
        memory, calendar, _ = self._state
        return memory.nbytes + calendar.nbytes


def columns(program: Program, stream: Stream, annotated: bool = False, name: str = "our engine") -> Contender:
    """The local engine, tick by tick: it tells changes, or annotated what is new and until when it holds."""

    def start() -> Step:
        engine = Columns(program, stream, annotated)
        return lambda t: list(engine.to(t))

    return Contender(name, start, partial(_told_rows, program, OUT_UNTIL if annotated else OUT_SIGN))


def _told_rows(program: Program, column: int, blocks: list[Array]) -> Told:
    """Of each row one of the columns before the arguments, and these; for programs whose heads are alike."""
    (arity,) = {len(atom.args) for rule in program.rules for atom in rule.head_atoms()}
    return Counter((row[column], *row[OUT_ARGS : OUT_ARGS + arity]) for block in blocks for row in block.tolist())


def batches(program: Program, stream: Stream, size: int, name: str) -> Contender:
    """The local engine, annotated, on batches of `size` time points: step i is the i-th batch."""

    def start() -> Step:
        engine = Columns(program, stream, annotated=True)
        return lambda i: sum(map(len, engine.to((i + 1) * size - 1)))

    return Contender(name, start)


def state_at_the_end(program: Program, stream: Stream) -> tuple[int, int]:
    """How many bytes the local engine has in use after a stream, and how many derived atoms hold then."""
    engine = Columns(program, stream, annotated=False)
    held = sum(int(block[:, OUT_SIGN].sum()) for block in engine.to(stream.points - 1))
    return engine.memory_bytes, held


def from_scratch(program: Program, stream: Stream) -> Contender:
    """The reference engine, which evaluates every time point anew, and what has changed since the one before."""
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

    return Contender("from scratch", start, _told_atoms)


def pushed_tuples(program: Program, stream: Stream) -> Contender | None:
    """`Engine.push` with tuples of strings, and its changes as atoms."""
    make = getattr(lasing, "Engine", None)
    if make is None:
        return None
    facts = [[(name, *map(_name, args)) for name, *args in stream.facts(t)] for t in range(stream.points)]

    def start() -> Step:
        engine = make(program, start=0)

        def step(t: int) -> Changed:
            changes = engine.push(t, facts[t])
            return changes.added, changes.removed

        return step

    return Contender("Engine.push, tuples of strings", start, _told_atoms)


def pushed_arrow(program: Program, stream: Stream) -> Contender | None:
    """`Engine.push` with Arrow tables of strings, and its changes as Arrow tables."""
    make = getattr(lasing, "Engine", None)
    if make is None:
        return None
    tables = [_tables(stream.facts(t), stream) for t in range(stream.points)]

    def start() -> Step:
        engine = make(program, start=0)
        return lambda t: engine.push(t, tables[t]).to_arrow()

    return Contender("Engine.push, Arrow", start)


def _name(number: int) -> str:
    return f"s{number}"


def _tables(facts: list[tuple[Any, ...]], stream: Stream) -> dict[str, pa.Table]:
    """Facts as a table for each predicate, with a column for each argument."""
    found = {}
    for predicate, arity in stream.predicates.items():
        rows = [fact[1:] for fact in facts if fact[0] == predicate]
        found[predicate] = pa.table(
            {f"a{i}": pa.array([_name(row[i]) for row in rows], pa.string()) for i in range(arity)}
        )
    return found


def _told_atoms(changed: Changed) -> Told:
    added, removed = changed
    return Counter([(1, *map(_number, atom.args)) for atom in added] + [(-1, *map(_number, a.args)) for a in removed])


def _number(arg: object) -> int:
    return arg if isinstance(arg, int) else int(str(arg)[1:])
