"""A stream in micro-batches and shards, delivered as Spark does, gives the reference's answers on the whole stream.

Spark itself is not started. What it does is done here by hand: it cuts a stream into batches, reads each in several
tasks, groups what they have packed by shard, keeps states as bytes, moves a shard to another worker, and tries again.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeVar, cast
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import lasing
from lasing.connectors.sinks import VIEWS, View
from lasing.connectors.spark_rows import ARRIVAL
from lasing.logic.facts import facts_of
from lasing.logic.formulas import atoms_of
from lasing.logic.lookback import rule_lookback
from lasing.logic.partition import Partition, partition
from lasing.logic.program import Fact, Program
from lasing.logic.types import Type, argument_types
from lasing.logic.values import (
    UNBOUND,
    BlankNode,
    Iri,
    TaggedLiteral,
    Value,
    datatypes,
    is_number,
    is_value,
    literal,
    mixed_text,
    normal,
)
from lasing.spark import packing, shard
from lasing.spark.outputs import LEADING, output_tables
from lasing.spark.packing import Packer
from lasing.spark.shard import Arrived, step
from lasing.spark.slices import Slices
from lasing.spark.state import ShardState
from lasing.spark.streaming import arrived_of
from lasing.spark.task import Task
from tests.differential.core_programs import core_example
from tests.differential.keyed_programs import KeyedExample, keyed_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every predicate of a stream is used

Row = tuple[int, str, tuple[Value, ...]]
"""An instant, a predicate and its arguments."""
OutputRows = Counter[tuple[object, ...]]
"""Rows of the outputs: the predicate, the columns of time, the arguments."""

ARROW = {"integer": pa.int64(), "double": pa.float64(), "text": pa.string(), "mixed": pa.string()}
TERMS = (
    *(1, 2, 2.5, "1", "a", "b", "", Iri("http://ex.org/é"), Iri("http://ex.org/b"), BlankNode("b1")),
    *(TaggedLiteral("a", "en"), literal("05", datatypes.INTEGER), literal("2.50", datatypes.DECIMAL), UNBOUND),
)
POOLS: dict[Type, tuple[Value, ...]] = {
    "integer": (1, 2, 3),
    "double": (1.0, 2.0, 2.5, -0.0, 0.0),
    "text": ("a", "b", "a", "b", "", "é"),
    "mixed": TERMS,
}
UNIT = 1000


# -- what is given -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A task, the types of its inputs' columns, and a stream in the order of time."""

    task: Task
    types: Mapping[str, tuple[Type, ...]]
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        task = self.task
        given = f"{task.view}, {task.shards} shards, start {task.start}, unit {task.unit}"
        given += f", delays {dict(task.delays)}, idle {dict(task.idle)}"
        keys = f"keys {dict(task.keys)}, foreign {sorted(task.foreign)}" if task.shards > 1 else ""
        rows = "\n".join(map(str, self.rows))
        return f"--- {given} {keys}\n--- {dict(self.types)}\n--- program\n{task.program}--- stream\n{rows}"


def case_of(example: Example, chance: random.Random) -> Case:
    """A task for the program of an example, and a stream in typed columns at the times of its facts."""
    program = _with_other_rules(example.program, chance)
    facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
    own = [fact for fact in facts if chance.random() < 0.1]
    program = replace(program, data=(*program.data, *(Fact(time, atom) for time, atom in own)))
    known = None if facts_of(program).counts_all_facts else facts_of(program).arity
    used = {a.predicate: len(a.args) for _, a in facts if known is None or a.predicate in known}
    if not used:
        first = next(a for rule in program.rules for literal in rule.body for a in atoms_of(literal))
        used = {first.predicate: len(first.args)}
    found = partition(program, example.replicated if isinstance(example, KeyedExample) else frozenset())
    keys = found.keys if isinstance(found, Partition) else {}
    numbers = chance.random() < 0.7
    types = {
        predicate: tuple(_type(chance, numbers if keys.get(predicate) == i else None) for i in range(used[predicate]))
        for predicate in chance.sample(sorted(used), len(used))
    }
    unit = UNIT if chance.random() < 0.3 else None
    rows = []
    for time, atom in facts:
        predicate = atom.predicate if atom.predicate in types else chance.choice(list(types))
        instant = time if unit is None else time * unit + chance.randrange(unit)
        rows.append((instant, predicate, tuple(chance.choice(POOLS[kind]) for kind in types[predicate])))
    chance.shuffle(rows)
    shards = chance.choice([1, 2, 2, 3, 3]) if isinstance(found, Partition) else 1
    split = found if isinstance(found, Partition) and shards > 1 else None
    task = Task(
        program=program,
        inputs=tuple(types),
        outputs=output_tables(program, argument_types(program, types)),
        view=chance.choice(VIEWS),
        keys=split.keys if split else {},
        foreign=split.foreign if split else frozenset(),
        shards=shards,
        unit=unit,
        start=chance.choice([None, None, example.start + chance.randint(-3, 4)]),
        terms={p: frozenset(i for i, kind in enumerate(kinds, 1) if kind == "mixed") for p, kinds in types.items()},
    )
    return Case(task, types, tuple(sorted(rows, key=lambda row: row[0])))


def _type(chance: random.Random, number: bool | None) -> Type:
    kinds: list[Type] = ["integer", "integer", "double", "double", "text"]
    if chance.random() < 0.2:
        return "mixed"
    if number is None:
        return chance.choice(kinds)
    return chance.choice(kinds[:4]) if number else "text"


def _with_other_rules(text: str, chance: random.Random) -> Program:
    """The program, sometimes without the rules that look back for ever, or with one of a kind that it would not have:
    tuple windows inside of formulas, aggregates that share variables."""
    program = lasing.parse(text)
    if chance.random() < 0.6:
        derived = facts_of(program).only_derived
        bounded = tuple(rule for rule in program.rules if rule_lookback(rule, derived).points is not None)
        program = replace(program, rules=bounded or program.rules)
    known = facts_of(program).derived | facts_of(program).background
    read = [a for rule in program.rules for literal in rule.body for a in atoms_of(literal)]
    streamed = sorted({(a.predicate, len(a.args)) for a in read if a.args and a.predicate not in known})
    if chance.random() < 0.6 or not streamed:
        return program
    n, k = chance.randint(1, 3), chance.randint(0, 4)

    def atom(*first: str) -> str:
        predicate, arity = chance.choice(streamed)
        return f"{predicate}({','.join([*first, *'______'][:arity])})"

    p, q = atom("X"), atom("X")
    rule = chance.choice(
        [
            f"more(X) :- ({p} in [#{n}]) at {k}.",
            f"more(X,T) :- ({p} in [#{n}]) at T.",
            f"more(X,T) :- ({p} in [#{n} by X]) at T in [{k}].",
            f"more(X) :- {p} in [{k}], ({q} in [#{n}]) in [{k}].",
            f"more(X) :- {p}, not ({q} in [#{n}]) always in [{k}].",
            f"more(X) :- {p}, not ({q} in [full #{n}]) always in [{k}].",
            f"more(X) :- ({p} in [full {k}]) in [#{n}].",
            f"more(X,T) :- ({p} in [full {k}]) at T in [#{n}].",
            f"more(X,T) :- ({p} at T in [#{n}]) in [{k}].",
            f"more(X,N) :- {p} in [{k}], N = #count{{V : {atom('V', 'X')} in [{k}]}}.",
            f"more(X,N) :- {p} in [{k}], N = #sum{{V : {atom('X', 'V')} in [{n}]}}.",
            f"more(N,M) :- N = #max{{V : {atom('V')} in [{k}]}}, M = #min{{V : {atom('V')} in [{n}]}}.",
            f"more(X,T) :- {p} at T in [#{n},+{k}].",
            f"more(X) :- ({p} in [{k}]) in [{n} step 2].",
            f"more(X) :- ({p} in [full {k}]) in [{n}].",
        ]
    )
    try:
        found = lasing.parse(rule)
    except lasing.LasingError:  # a variable that occurs nowhere else
        return program
    return replace(program, rules=(*program.rules, *found.rules))


# -- what is expected --------------------------------------------------------------------------------------------------


@dataclass
class Clock:
    """Which rows are late, and what is evaluated, written as the contract says it.

    Each input closes time points by itself: those that are more than its delay before the newest of its rows. A row is
    late if its time point is closed, evaluated already, or before a given start. What all inputs have closed is
    evaluated; those that are idle are not asked. A batch that brings no rows reaches no shard: nothing is evaluated,
    although the clock goes on. The timeline starts with the oldest row in time that has come when its first time point
    is evaluated.

    If time follows the clock, an instant closes time points for each input without rows, as a row would. Without any
    fact, it starts the timeline too.
    """

    task: Task
    ordered: bool = True
    """Whether rows arrive one by one, not all of a batch at once."""
    start: int | None = None
    until: int | None = None
    batches: int = 0
    closed: dict[str, int] = field(default_factory=dict)
    heard: dict[str, int] = field(default_factory=dict)
    on_time: list[Row] = field(default_factory=list)
    late: Counter[tuple[object, ...]] = field(default_factory=Counter)
    last: int | None = None

    def take(self, rows: Sequence[Row], drain: bool = False, lacking: bool = False, beat: int | None = None) -> None:
        """A batch of rows; `lacking` says that it brings rows without a value as well, which are no facts."""
        self.batches += 1
        if not (rows or drain or lacking or beat is not None):
            return
        floor = self.until if self.until is not None else None if self.task.start is None else self.task.start - 1
        before = dict(self.closed)
        for row in rows:
            self._take_row(row, self.closed if self.ordered else before, floor)
        present = {row[1] for row in rows}
        for predicate in self.task.inputs if beat is not None else ():
            if predicate not in present:
                self._close(predicate, cast("int", beat))
        if self.last is None and beat is None and self.until is None:
            return
        for predicate in self.task.inputs:
            if predicate in present or predicate not in self.heard:
                self.heard[predicate] = self.batches
        own = [fact.time for fact in self.task.program.data]
        reached = self._over(present)
        begins = [*(self.task.point(row[0]) for row in self.on_time), *own] or [p for p in (reached,) if p is not None]
        over = reached
        if drain:
            begin = self.task.start if self.task.start is not None else min(begins, default=0)
            newest = self.last if self.last is not None else begin - 1 if self.until is None else self.until
            over = self.task.program.end_after(max([newest, *own]))
        if over is None:
            return
        if self.until is None:
            self.start = self.task.start
            if self.start is None:
                self.start = min(begins)
            self.until = over if over >= self.start else None
        else:
            self.until = max(self.until, over)

    def _take_row(self, row: Row, closed: Mapping[str, int], floor: int | None) -> None:
        instant, predicate, _ = row
        point = self.task.point(instant)
        limits = [limit for limit in (closed.get(predicate), floor) if limit is not None]
        if limits and point <= max(limits):
            self.late[predicate, point, max(limits), max(limits) + 1 - point, _fact(row, self.task)] += 1
        else:
            self.on_time.append(row)
        self._close(predicate, instant)
        self.last = point if self.last is None else max(self.last, point)

    def _close(self, predicate: str, instant: int) -> None:
        closes = self.task.point(instant - self.task.delays.get(predicate, 0)) - 1
        self.closed[predicate] = max(self.closed.get(predicate, closes), closes)

    def _over(self, present: set[str]) -> int | None:
        """The last time point that all inputs have closed, except idle ones."""
        silent = {p: self.batches - self.heard[p] for p in self.task.inputs if p not in present}
        idle = {p for p in silent if p in self.task.idle and silent[p] >= self.task.idle[p]}
        asked = [self.closed.get(p) for p in self.task.inputs if p not in idle]
        known = [limit for limit in asked if limit is not None]
        return min(known) if known and len(known) == len(asked) else None


def _fact(row: Row, task: Task) -> str:
    atom = lasing.Atom(row[1], tuple(map(normalized, row[2])))
    return f"{atom} at {task.point(row[0])}."


def normalized(value: Value) -> Value:
    return normal(value) if is_number(value) else value


def expected(task: Task, rows: Sequence[Row], start: int | None, until: int | None) -> OutputRows:
    """The reference's output for rows, in the view of the task: facts of a time point in the order of inputs, then of
    their arguments, each once."""
    if start is None or until is None or until < start:
        return Counter()
    order = {predicate: i for i, predicate in enumerate(task.inputs)}

    def place(fact: tuple[int, int, tuple[Value, ...]]) -> tuple[Any, ...]:
        time, number, args = fact
        terms = task.terms.get(task.inputs[number], ())
        return time, number, *(mixed_text(normalized(arg)) if i in terms else arg for i, arg in enumerate(args, 1))

    facts = sorted({(task.point(instant), order[predicate], args) for instant, predicate, args in rows}, key=place)
    stream = [(time, task.inputs[number], *args) for time, number, args in facts if start <= time <= until]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        answers = list(lasing.run(task.program, stream, start, until, "reference"))
    if task.view == "changes":
        counted: OutputRows = Counter()
        before: frozenset[lasing.Atom] = frozenset()
        for answer in answers:
            came, went = _rows(task, answer.atoms - before), _rows(task, before - answer.atoms)
            both = Counter({row: number for row, number in (came & went).items() if task.outputs[str(row[0])].is_query})
            for sign, rows_then in ((1, came - both), (-1, went - both)):
                for (predicate, *args), number in rows_then.items():
                    counted[predicate, answer.time, sign, *args] += number
            before = answer.atoms
        return counted
    points = {(a.predicate, answer.time, *_typed(task, a)) for answer in answers for a in answer.atoms}
    found: OutputRows = Counter(points) if task.view == "answers" else Counter(_intervals(points))
    return shown(task, found)


def _rows(task: Task, atoms: Iterable[lasing.Atom]) -> OutputRows:
    return shown(task, Counter((atom.predicate, *_typed(task, atom)) for atom in atoms))


def shown(task: Task, found: OutputRows) -> OutputRows:
    """Rows without the hidden columns of a query's result, with equal ones repeated."""
    counted: OutputRows = Counter()
    for row, times in found.items():
        table = task.outputs[str(row[0])]
        visible = row[: len(row) - len(table.columns) + len(table.shown)]
        if table.is_query:
            visible = tuple(None if value == "new(unbound)" else value for value in visible)
        counted[visible] += times * (int(str(row[-1])) if table.output.counted else 1)
    return counted


def _typed(task: Task, atom: lasing.Atom) -> Iterator[object]:
    for value, kind in zip(atom.args, task.outputs[atom.predicate].types, strict=True):
        assert is_value(value)
        match kind:
            case "mixed":
                yield mixed_text(value)
            case "text":
                yield str(value)
            case "double":
                assert is_number(value)
                yield float(value)
            case _:
                yield value


def _intervals(points: set[tuple[Any, ...]]) -> Iterator[tuple[object, ...]]:
    """Maximal intervals."""
    by_atom: dict[tuple[object, ...], list[int]] = {}
    for predicate, time, *args in points:
        by_atom.setdefault((predicate, *args), []).append(time)
    for (predicate, *args), times in by_atom.items():
        begin = min(times)
        for one, other in pairwise([*sorted(times), None]):
            assert one is not None
            if other != one + 1:
                yield predicate, begin, one, *args
                begin = other or 0


# -- what Spark does ---------------------------------------------------------------------------------------------------


def packed(
    case: Case,
    rows: Sequence[Row],
    chance: random.Random,
    places: Sequence[int],
    slices: Slices | None = None,
    arrivals: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """Rows on their way to shards, input by input, from several tasks, in any order; `arrivals` says when they
    arrived."""
    task, found = case.task, []
    for number, predicate in enumerate(task.inputs):
        packer = packer_of(case, number, places, slices)
        mine = [(row, i) for i, row in enumerate(rows) if row[1] == predicate]
        chance.shuffle(mine)
        for part in _cut(chance, mine, 3):
            with patch.object(packing, "_MOST_ROWS", chance.choice([1, 3, 1000])):
                batches = [
                    record_batch(case, predicate, [row for row, _ in some], arrivals and [arrivals[i] for _, i in some])
                    for some in _cut(chance, part, 3)
                ]
                found += [row for table in packer(batches) for row in table.to_pylist()]
    chance.shuffle(found)
    return found


def packer_of(case: Case, number: int, places: Sequence[int], slices: Slices | None) -> Packer:
    task, predicate = case.task, case.task.inputs[number]
    columns = ("time", *(f"c{i}" for i in range(len(case.types[predicate]))))
    key = task.keys.get(predicate)
    delay = task.delays.get(predicate, 0)
    terms = task.terms.get(predicate, frozenset())
    return Packer(predicate, number, columns, key, task.unit, task.shards, tuple(places), slices, delay, terms=terms)


def record_batch(case: Case, predicate: str, rows: Sequence[Row], arrivals: Sequence[str] | None = None) -> Any:
    """Rows of one input as Spark passes them to Python; timestamps of every second input have no zone."""
    times = pa.array([row[0] for row in rows], pa.int64())
    if case.task.unit is not None:
        times = times.cast(pa.timestamp("us", ["UTC", None][case.task.inputs.index(predicate) % 2]))
    args = [
        pa.array([_written(row[2][i], n) if kind == "mixed" else row[2][i] for n, row in enumerate(rows)], ARROW[kind])
        for i, kind in enumerate(case.types[predicate])
    ]
    names = ["time", *(f"arg{i + 1}" for i in range(len(args)))]
    if arrivals is not None:
        args, names = [*args, pa.array(arrivals, pa.string())], [*names, ARRIVAL]
    return pa.record_batch([times, *args], names=names)


def _written(value: Value | None, number: int) -> str | None:
    """A text for a term: the canonical one, or one that a user may write; None if the value is missing."""
    if value is None:
        return None
    if number % 2 and isinstance(value, int):
        return f'"{value}"^^<{datatypes.INTEGER}>'
    return f'"{value}"' if number % 2 and isinstance(value, str) else mixed_text(value)


Thing = TypeVar("Thing")


def _cut(chance: random.Random, things: Sequence[Thing], most: int) -> Iterator[Sequence[Thing]]:
    ends = (len(things), len(things), min(2, len(things)))
    cuts = sorted(chance.randint(0, chance.choice(ends)) for _ in range(chance.randrange(most)))
    return (things[a:b] for a, b in pairwise([0, *cuts, len(things)]))


class Workers:
    """The shards of a stream, their states as bytes, and their output so far."""

    def __init__(self, case: Case, chance: random.Random, moves: float = 0.3, ordered: bool = True) -> None:
        self.case = case
        self.chance = chance
        self.moves = moves
        self.ordered = ordered
        self.batches = 0
        self.states = [ShardState().to_bytes()] * case.task.shards
        self.output: OutputRows = Counter()
        self.late: Counter[tuple[object, ...]] = Counter()
        self.missing: Counter[tuple[str, str]] = Counter()

    def take(
        self,
        rows: Sequence[Row],
        drain: bool = False,
        arrivals: Sequence[str] | None = None,
        beat: int | None = None,
    ) -> None:
        """A micro-batch: Spark calls the shards that have rows, in any order."""
        task, chance = self.case.task, self.chance
        if self.ordered and arrivals is None:
            arrivals = [f"{i:06}" for i in range(len(rows))]
        self.batches += 1
        arrived: dict[int, list[Arrived]] = {number: [] for number in range(task.shards)}
        for row in packed(self.case, rows, chance, range(task.shards), arrivals=arrivals):
            fields = (row[name] for name in ("input", "number", "marks", "facts", "missing"))
            arrived[row["place"]].append(arrived_of(task, *fields))
        for number in chance.sample(range(task.shards), task.shards):
            if arrived[number] or drain or beat is not None:
                self._step(number, arrived[number], drain, beat)

    def _step(self, number: int, arrived: Sequence[Arrived], drain: bool, beat: int | None) -> None:
        task, chance = self.case.task, self.chance
        for _ in range(chance.choice([1, 1, 1, 2])):  # the batch is tried again: what came of it before is lost
            if chance.random() < self.moves:
                shard._live.clear()  # the shard has moved
            before = ShardState.from_bytes(self.states[number])
            result = step(task, number, before, arrived, drain, self.batches, beat)
        self.states[number] = result.state.to_bytes()
        for predicate, table in result.tables.items():
            self.output += rows_of(task, predicate, task.outputs[predicate].finished(table, task.view, task.unit))
        for predicate, columns in result.missing.items():
            self.missing.update({(predicate, column): count for column, count in columns.items()})
        if result.late is not None:
            self.late.update(tuple(row.values()) for row in result.late.to_pylist())


def rows_of(task: Task, predicate: str, table: Any) -> OutputRows:
    """The rows of an output, with times as time points."""
    columns = []
    for name in table.column_names:
        column = table[name]
        if task.unit is not None and name in LEADING[task.view] and name != "change":
            columns.append([instant // task.unit for instant in column.cast(pa.int64()).to_pylist()])
        else:
            columns.append(column.to_pylist())
    return Counter((predicate, *values) for values in zip(*columns, strict=True))


def check(case: Case, workers: Workers, clock: Clock) -> None:
    assert workers.late == clock.late, f"late: {difference(clock.late, workers.late)}\n{case}"
    wanted = expected(case.task, clock.on_time, clock.start, clock.until)
    assert workers.output == wanted, f"{difference(wanted, workers.output)}\n{case}"


def difference(wanted: Counter[Any], got: Counter[Any]) -> str:
    return (
        f"missing {sorted((wanted - got).elements(), key=str)}, too much {sorted((got - wanted).elements(), key=str)}"
    )


def streamed(case: Case, batches: Sequence[Sequence[Row]], chance: random.Random, moves: float = 0.3) -> Clock:
    """Run a stream to its end, and compare."""
    ordered = chance.random() < 0.5
    workers, clock = Workers(case, chance, moves, ordered), Clock(case.task, ordered)
    for batch in batches:
        workers.take(batch)
        clock.take(batch)
        _assert_bounded(case, workers)
    workers.take([], drain=True)
    clock.take([], drain=True)
    _assert_bounded(case, workers)
    check(case, workers, clock)
    return clock


def _assert_bounded(case: Case, workers: Workers) -> None:
    """A shard keeps no fact that is neither in a time window, nor among the last of the stream, or of its key."""
    task, back = case.task, case.task.raw_window.lookback
    if back.points is None:
        return
    for stored in workers.states:
        state = ShardState.from_bytes(stored)
        if state.until is None:
            continue
        facts = {(row["time"], p, *list(row.values())[1:]) for p, t in state.window.items() for row in t.to_pylist()}
        past = [fact for fact in facts if fact[0] <= state.until]
        for fact in past:
            if fact[0] >= state.until - back.points:
                continue
            among = sum(other[0] > fact[0] for other in past) < back.facts
            for window in task.raw_window.partitions:
                if window.predicate == fact[1]:
                    at = [2 + position for key in window.keys for position in key]
                    same = [o for o in past if o[1] == fact[1] and all(o[i] == fact[i] for i in at)]
                    among |= sum(other[0] > fact[0] for other in same) < window.back
            assert among, f"{fact} is kept at {state.until}\n{case}"


# -- laws --------------------------------------------------------------------------------------------------------------

SEEDS = st.integers(0, 2**32 - 1)


def _idle(case: Case, chance: random.Random) -> dict[str, int]:
    """The shards do not wait for some inputs; the clock counts batches."""
    return {p: chance.randint(0, 2) for p in case.task.inputs if chance.random() < 0.5}


def in_batches(case: Case, chance: random.Random) -> None:
    streamed(case, list(_cut(chance, case.rows, 7)), chance)


def delayed(case: Case, chance: random.Random) -> None:
    """Rows come out of order, by at most the delay."""
    delays = {p: chance.randint(1, 4) * (case.task.unit or 1) for p in case.task.inputs}
    rows = sorted(
        chance.sample(case.rows, len(case.rows)), key=lambda row: row[0] + chance.choice([0, 1, 1]) * delays[row[1]]
    )
    case = replace(case, task=replace(case.task, delays=delays), rows=tuple(rows))
    clock = streamed(case, list(_cut(chance, rows, 7)), chance)
    assert case.task.start is not None or not clock.late


def too_late(case: Case, chance: random.Random) -> None:
    """Rows come out of order, some by more than the delay."""
    unit = case.task.unit or 1
    rows = sorted(case.rows, key=lambda row: row[0] + chance.randint(0, chance.choice([0, 0, 9])) * unit)
    delays = {p: chance.randint(0, 2) * unit for p in case.task.inputs}
    case = replace(case, task=replace(case.task, delays=delays, idle=_idle(case, chance)), rows=tuple(rows))
    streamed(case, list(_cut(chance, rows, 7)), chance)


def drained_in_between(case: Case, chance: random.Random) -> None:
    """The stream is drained several times, and goes on. Intervals end there, and begin again."""
    case = replace(case, task=replace(case.task, idle=_idle(case, chance)))
    ordered = chance.random() < 0.5
    workers, clock = Workers(case, chance, ordered=ordered), Clock(case.task, ordered)
    for batch in _cut(chance, case.rows, 7):
        drain = chance.random() < 0.5
        workers.take(batch, drain)
        clock.take(batch, drain)
    for _ in range(2):
        workers.take([], drain=True)
        clock.take([], drain=True)
    if case.task.view == "intervals":
        points: OutputRows = Counter()
        for row in workers.output.elements():
            predicate, begin, end, *args = cast("tuple[Any, ...]", row)
            assert begin <= end, f"an interval of {predicate} from {begin} to {end}\n{case}"
            points.update((predicate, time, *args) for time in range(begin, end + 1))
        workers.output, case = points, replace(case, task=replace(case.task, view="answers"))
    check(case, workers, clock)


def with_gaps(case: Case, chance: random.Random) -> None:
    """Rows that lack values come in between. They change nothing, and each is counted once, at its first gap."""
    case = replace(case, task=replace(case.task, idle=_idle(case, chance)))
    ordered = chance.random() < 0.5
    workers, clock = Workers(case, chance, ordered=ordered), Clock(case.task, ordered)
    lacking: Counter[tuple[str, str]] = Counter()
    for batch in _cut(chance, case.rows, 7):
        rows: list[Any] = list(batch)
        for instant, predicate, args in chance.choices(case.rows, k=chance.choice([0, 1, 4])):
            cells = [instant + chance.randint(0, 9), *args]
            gaps = sorted(chance.sample(range(len(cells)), chance.randint(1, len(cells))))
            lacking[predicate, f"c{gaps[0] - 1}" if gaps[0] else "time"] += 1
            time, *rest = [None if i in gaps else cell for i, cell in enumerate(cells)]
            rows.insert(chance.randint(0, len(rows)), (time, predicate, tuple(rest)))
        workers.take(rows)
        clock.take(batch, lacking=len(rows) > len(batch))
    workers.take([], drain=True)
    clock.take([], drain=True)
    check(case, workers, clock)
    assert workers.missing == lacking, case


def by_the_clock(case: Case, chance: random.Random) -> None:
    """Time follows a clock, also in batches without rows. The clock may be ahead of the rows, which then come late, or
    behind them, and it may go back."""
    unit = case.task.unit or 1
    delays = {p: chance.randint(0, 3) * unit for p in case.task.inputs}
    case = replace(case, task=replace(case.task, delays=delays, idle=_idle(case, chance)))
    ordered = chance.random() < 0.5
    workers, clock = Workers(case, chance, ordered=ordered), Clock(case.task, ordered)
    now = (case.rows[0][0] if case.rows else 0) + chance.randint(-5, 2) * unit
    for batch in _cut(chance, case.rows, 5):
        for rows in (batch, *([()] * chance.choice([0, 0, 1, 3]))):
            newest = max((row[0] for row in rows), default=now)
            now = max(now, newest) + chance.choice([-2, 0, 0, 1, 1, 4]) * unit
            beat = now if chance.random() < 0.7 else None
            workers.take(rows, beat=beat)
            clock.take(rows, beat=beat)
            _assert_bounded(case, workers)
    if case.task.view == "intervals" or chance.random() < 0.5:  # intervals are written when they end
        workers.take([], drain=True)
        clock.take([], drain=True)
    check(case, workers, clock)


WAYS = [in_batches, in_batches, delayed, too_late, drained_in_between, with_gaps, by_the_clock]


@settings(max_examples=programs(45, 3000))
@given(seed=SEEDS)
def test_programs_with_keys(seed: int) -> None:
    chance = random.Random(seed)
    case = case_of(keyed_example(seed), chance)
    event(f"{case.task.shards} shards")
    chance.choice(WAYS)(case, chance)


@settings(max_examples=programs(60, 3000))
@given(seed=SEEDS)
def test_programs_for_the_local_engine(seed: int) -> None:
    chance = random.Random(seed)
    chance.choice(WAYS)(case_of(core_example(seed), chance), chance)


@settings(max_examples=programs(60, 3000))
@given(example=examples(nested=True), seed=SEEDS)
def test_any_program(example: Example, seed: int) -> None:
    chance = random.Random(seed)
    chance.choice(WAYS)(case_of(example, chance), chance)


# -- cases that are kept -----------------------------------------------------------------------------------------------

NUMBERS_AND_NAMES: dict[str, tuple[Type, ...]] = {"p": ("double",), "n": ("text",)}
Kept = tuple[str, Mapping[str, tuple[Type, ...]], list[list[Row]]]
KEPT: dict[str, Kept] = {
    "a fact of the text that no rule uses": (
        "q(X) :- p(X). r(1) at 4. r(2) at 4.",
        {"p": ("integer",)},
        [[(3, "p", (1,))], [(10, "p", (1,))]],
    ),
    "a tuple window at a time point of the past": (
        "q(X) :- (p(X) in [#1]) at 3.",
        {"p": ("integer",)},
        [[(3, "p", (1,))], [(4, "p", (2,))], [(9, "p", (3,))]],
    ),
    "a partition window at time points of the past": (
        "q(X,Y,T) :- (p(X,Y) in [#1 by X]) at T in [4].",
        {"p": ("integer", "integer"), "r": ("integer",)},
        [[(5, "p", (1, 0))], [(8, "p", (1, 2))], [(10, "p", (2, 1))], [(11, "p", (2, 1))]],
    ),
    "a window on the whole stream inside of a tuple window": (
        "q(X) :- (p(X) in [full 4]) in [#3].",
        {"p": ("integer",), "r": ("integer",)},
        [[(6, "p", (1,))], [(7, "r", (1,))], [(12, "r", (1,))], [(13, "r", (1,))], [(14, "r", (1,))]],
    ),
    "a derived predicate that is an input as well": (
        "d(X) :- p(X). q(X) :- d(X) in [5].",
        {"p": ("integer",), "d": ("integer",)},
        [[(1, "d", (1,))], [(3, "p", (2,))], [(5, "p", (3,))]],
    ),
    "zero has no sign where facts are counted": (
        "q(X) :- p(X) in [#2].",
        {"p": ("double",)},
        [[(1, "p", (1.0,))], [(2, "p", (0.0,)), (2, "p", (-0.0,))], [(3, "p", (0.0,)), (3, "p", (-0.0,))]],
    ),
    "an aggregate of nothing": (
        "q(X,N) :- p(X), N = #count{V : r(X,V)}.",
        {"p": ("double",), "r": ("integer", "integer")},
        [[(1, "p", (2.5,)), (1, "r", (1, 1))]],
    ),
    "numbers among names, alone and not": (
        "q(X) :- p(X) in [2]. q(X) :- n(X).",
        NUMBERS_AND_NAMES,
        [[(1, "p", (1e-05,))], [(2, "n", ("a",))], [(4, "n", ("a",))], [(6, "n", ("a",))]],
    ),
    "a number and its text": (
        "q(X) :- p(X) in [2]. q(X) :- n(X) in [5].",
        NUMBERS_AND_NAMES,
        [[(1, "p", (1.0,)), (1, "n", ("1",))], [(2, "n", ("z",))], [(5, "n", ("z",))], [(9, "n", ("z",))]],
    ),
    "a wide integer among doubles": (
        "q(X) :- p(X). q(X) :- i(X).",
        {"p": ("double",), "i": ("integer",)},
        [[(1, "p", (2.5,)), (1, "i", (2**60 + 1,))], [(3, "p", (1.0,))]],
    ),
    "numbers and names as keys, in rules that fire in every shard": (
        "b(1). b(2). b(a). b(c). g(X) :- b(X), not p(X) in [2]. g(X) :- n(X). h(1) :- b(_).",
        NUMBERS_AND_NAMES,
        [[(1, "p", (1.0,)), (1, "n", ("a",))], [(3, "p", (2.0,)), (5, "n", ("c",))]],
    ),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str, view: View) -> None:
    text, types, batches = KEPT[name]
    program = lasing.parse(text)
    outputs = output_tables(program, argument_types(program, types))
    found = partition(program)
    for shards in (1, 2, 3) if isinstance(found, Partition) else (1,):
        split = found if isinstance(found, Partition) and shards > 1 else Partition({}, (), frozenset())
        task = Task(program, tuple(types), outputs, view, split.keys, split.foreign, shards)
        case = Case(task, types, tuple(row for batch in batches for row in batch))
        streamed(case, batches, random.Random(0), moves=1)


@pytest.mark.parametrize("view", VIEWS)
def test_an_older_fact_moves_the_start_while_nothing_is_evaluated(view: View) -> None:
    program = lasing.parse("q(X) :- p(X) in [1].")
    outputs = output_tables(program, argument_types(program, {"p": ("integer",)}))
    task = Task(program, ("p",), outputs, view, {}, frozenset(), delays={"p": 3})
    rows: list[Row] = [(5, "p", (1,)), (3, "p", (2,)), (9, "p", (3,))]
    clock = streamed(Case(task, {"p": ("integer",)}, tuple(rows)), [[row] for row in rows], random.Random(0))
    assert (clock.start, clock.late) == (3, Counter())


@pytest.mark.parametrize("view", VIEWS)
def test_a_batch_without_rows_evaluates_nothing(view: View) -> None:
    """`r` is idle from the second batch on. No shard sees that batch, so in the third, `r` is only late by its own
    rows: its row at 2 comes in time."""
    program = lasing.parse("q(X) :- p(X) in [1], r(X) in [9].")
    types: dict[str, tuple[Type, ...]] = {"p": ("integer",), "r": ("integer",)}
    outputs = output_tables(program, argument_types(program, types))
    task = Task(program, ("p", "r"), outputs, view, {}, frozenset(), delays={"r": 3}, idle={"r": 1})
    batches: list[list[Row]] = [[(1, "r", (1,)), (1, "p", (1,)), (4, "p", (1,))], [], [(2, "r", (4,)), (5, "p", (4,))]]
    rows = tuple(row for batch in batches for row in batch)
    clock = streamed(Case(task, types, rows), batches, random.Random(0))
    assert (clock.start, clock.late) == (1, Counter())
