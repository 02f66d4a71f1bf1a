"""A new program on the state of a stream in shards: up to the change, the output is that of the old program, and from
the next time point on that of the new one, in every view."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

import lasing
from lasing.errors import LasingError
from lasing.logic.partition import Partition, partition
from lasing.logic.types import argument_types
from lasing.spark.outputs import output_tables
from lasing.spark.replacing import check_replacement, shards_for
from lasing.spark.state import ShardState
from lasing.spark.task import Task
from lasing.spark.travel import holding_at, until_of
from tests.differential.keyed_programs import KeyedExample, keyed_example
from tests.differential.remembering import remembering
from tests.differential.sizes import programs
from tests.differential.test_replacing import changed, readable
from tests.differential.test_streamed_shards import (
    Case,
    Clock,
    Workers,
    _cut,
    _typed,
    answers_to,
    case_of,
    difference,
    viewed,
)

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
CHUNK = 20


def successor(case: Case, example: KeyedExample, chance: random.Random) -> Task | None:
    """A task with another program that continues from the state of the first; None if it cannot."""
    old = case.task
    text = changed(str(old.program), chance)
    if not readable(text):  # a stream that the case has, although no rule is left that derives it
        return None
    program = lasing.parse(text)
    found = partition(program, example.replicated)
    try:
        shards = shards_for(found, old.shards)
        split = found if isinstance(found, Partition) and shards > 1 else None
        new = replace(
            old,
            program=program,
            outputs=output_tables(program, argument_types(program, case.types)),
            keys=split.keys if split else {},
            foreign=split.foreign if split else frozenset(),
            name=f"{old.name} after",
            replaces=old,
        )
        assert check_replacement(old, new, partial=False).complete_from == 0
    except LasingError as error:
        if any(found.code != "E608" for found in error.diagnostics):
            raise
        return None
    return new


def replaced(seed: int, seen: Counter[str]) -> None:
    chance = random.Random(seed)
    example = remembering(keyed_example(seed), seed) if seed % 3 == 0 else keyed_example(seed)
    case = case_of(example, chance)
    new = successor(case, example, chance)
    if new is None:
        return
    old = case.task
    batches = list(_cut(chance, case.rows, 7))
    at = chance.randrange(len(batches) + 1)
    workers, clock = Workers(case, chance), Clock(old)
    changed_after: int | None = None
    for number, batch in enumerate([*batches, []]):
        if number == at:
            changed_after = clock.until
            compared(new, workers, clock, case)
            workers.case = replace(case, task=new)
        last = number == len(batches)
        workers.take(batch, drain=last)
        clock.take(batch, drain=last)
    assert workers.late == clock.late
    if clock.start is None or clock.until is None:
        return
    seen["compared"] += 1
    seen["several shards"] += old.shards > 1
    seen[f"{old.view} after a beginning"] += changed_after is not None
    answers = [
        before if changed_after is not None and before.time <= changed_after else after
        for before, after in zip(
            answers_to(old, clock.on_time, clock.start, clock.until),
            answers_to(new, clock.on_time, clock.start, clock.until),
            strict=True,
        )
    ]
    both = replace(new, outputs={**old.outputs, **new.outputs})
    wanted = viewed(
        both, [replace(a, models=(frozenset(x for x in a.atoms if x.predicate in both.outputs),)) for a in answers]
    )
    assert workers.output == wanted, (
        f"after {changed_after}: {difference(wanted, workers.output)}\n{case}\n"
        f"--- new, keys {dict(new.keys)}\n{new.program}"
    )


def compared(new: Task, workers: Workers, clock: Clock, case: Case) -> None:
    """Before the change, the states say what each of the two programs would answer."""
    states = {shard: ShardState.from_bytes(stored) for shard, stored in enumerate(workers.states)}
    if clock.start is None or clock.until is None or new.replaces is None:
        return
    assert until_of(states) == clock.until
    for task in (new.replaces, new):
        wanted = answers_to(task, clock.on_time, clock.start, clock.until)[-1].atoms
        rows = {(a.predicate, *_typed(task, a)) for a in wanted if a.predicate in task.outputs}
        tables = holding_at(task, states, None, clock.until)
        got = {(p, *row.values()) for p, parts in tables.items() for part in parts for row in part.to_pylist()}
        assert got == rows, f"{case}\n--- new\n{new.program}"


@pytest.mark.parametrize("first", range(0, programs(100, 4000), CHUNK))
def test_output_of_both_programs(first: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(first, first + CHUNK):
        replaced(seed, seen)
    assert seen["compared"] > CHUNK // 5
