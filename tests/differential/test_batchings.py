"""The same rows of several sources give the same answers and the same late rows, however they are batched.

Each source has its own delay, and an order in which its rows arrive, some later than the delay allows. How many rows
of each source make a batch is left to chance: that is what happens when sources are of different speed, and when a
driver dies between two writes to its logs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import given, settings

import lasing
from lasing.connectors.sinks import VIEWS
from lasing.logic.partition import Partition, partition
from lasing.logic.types import Type, argument_types
from lasing.spark.outputs import output_tables
from lasing.spark.task import Task
from tests.differential.sizes import programs
from tests.differential.test_streamed_shards import POOLS, SEEDS, UNIT, Case, Clock, Row, Workers, check

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")

PROGRAMS = (
    "hot(S) :- temp(S, V) in [3], V > 1, not open(S) in [2].  warm(S) :- temp(S, _), not beat(S) in [4].",
    "all(S, V) :- temp(S, V) in [2], open(S) in [5], beat(S).",
    "last(S, V) :- temp(S, V) in [#2 by S].  recent(S) :- open(S) in [#3].  any(S) :- beat(S).",
    "quiet :- not temp(_, _) in [1].  shut :- not open(_) in [2].  dead :- not beat(_) in [3].",
    "n(S, N) :- open(S), N = #count{V : temp(S, V) in [4]}.  both(S) :- open(S) in [1], beat(S) in [1].",
    "seen(S, T) :- temp(S, _) at T in [3], open(S).  still(S) :- beat(S) always in [1].",
)
INPUTS = ("temp", "open", "beat")


def case_of(chance: random.Random) -> Case:
    """A task over three sources, each with its delay, and their rows."""
    program = lasing.parse(chance.choice(PROGRAMS))
    inputs = tuple(chance.sample(INPUTS, 3))
    types: dict[str, tuple[Type, ...]] = {"temp": ("text", "integer"), "open": ("text",), "beat": ("text",)}
    found = partition(program)
    shards = chance.choice([1, 2, 3]) if isinstance(found, Partition) else 1
    split = found if isinstance(found, Partition) and shards > 1 else None
    unit = UNIT if chance.random() < 0.3 else None
    task = Task(
        program=program,
        inputs=inputs,
        outputs=output_tables(program, argument_types(program, types)),
        view=chance.choice(VIEWS),
        keys=split.keys if split else {},
        foreign=split.foreign if split else frozenset(),
        shards=shards,
        unit=unit,
        delays={p: chance.choice([0, 1, 3, 5]) * (unit or 1) for p in inputs},
        start=chance.choice([None, None, 2]),
    )
    rows = [
        (
            chance.randrange(20) * (unit or 1) + (0 if unit is None else chance.randrange(unit)),
            predicate,
            tuple(chance.choice(POOLS[kind]) for kind in types[predicate]),
        )
        for predicate in inputs
        for _ in range(chance.randint(1, 20))
    ]
    return Case(task, types, tuple(rows))


def in_order_of_arrival(case: Case, chance: random.Random) -> dict[str, list[list[Row]]]:
    """The files of each source, in order: rows come late by less than the delay, a few by more."""
    found: dict[str, list[list[Row]]] = {}
    for predicate in case.task.inputs:
        delay = case.task.delays[predicate]
        slack = [0, delay, delay, delay + 4 * (case.task.unit or 1)]
        mine = sorted((row for row in case.rows if row[1] == predicate), key=lambda row: row[0] + chance.choice(slack))
        found[predicate] = []
        while mine:
            size = chance.choice([1, 1, 2, 5])
            found[predicate].append(mine[:size])
            mine = mine[size:]
    return found


def batchings(files: Mapping[str, Sequence[list[Row]]], chance: random.Random) -> Iterator[tuple[list[Row], list[str]]]:
    """Batches of some files of each source, with when each row arrived."""
    done = dict.fromkeys(files, 0)
    fewest = chance.choice([0, 1])
    while any(done[p] < len(files[p]) for p in files):
        rows: list[Row] = []
        arrivals: list[str] = []
        for predicate in files:
            for number in range(done[predicate], done[predicate] + chance.randint(fewest, chance.choice([1, 2, 6]))):
                for row in files[predicate][number : number + 1]:
                    rows += row
                    arrivals += [f"{number:06}"] * len(row)
                    done[predicate] = number + 1
        yield rows, arrivals


def contract(case: Case, files: Mapping[str, Sequence[list[Row]]]) -> Clock:
    """Which rows are late, source by source, and what is evaluated at the end, computed without batches."""
    clock = Clock(case.task, ordered=False)
    for predicate in files:
        alone = Clock(case.task, ordered=False)
        for rows in files[predicate]:
            alone.take(rows)
        clock.on_time += alone.on_time
        clock.late += alone.late
        clock.last = max(known for known in (alone.last, clock.last) if known is not None)
    clock.take([], drain=True)
    return clock


@settings(max_examples=programs(25, 600))
@given(seed=SEEDS)
def test_answers_and_late_rows_do_not_depend_on_batches(seed: int) -> None:
    chance = random.Random(seed)
    case = case_of(chance)
    files = in_order_of_arrival(case, chance)
    wanted = contract(case, files)
    for _ in range(3):
        workers = Workers(case, chance)
        for rows, arrivals in batchings(files, chance):
            workers.take(rows, arrivals=arrivals)
        workers.take([], drain=True)
        check(case, workers, wanted)
