"""Rules whose rows are derived once: each is put out once, and the answers are those of the reference."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

import lasing
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.execute import OUT_ARGS, OUT_TIME, OUT_UNTIL
from lasing.plan.compile import compile_plan
from lasing.plan.once import derived_once
from lasing.plan.optimize import optimized
from tests.differential.sequence_programs import LENGTH, sequence_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example
from tests.differential.test_plans import changes_of

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")

CHUNK = 25


def parsed(example: Example) -> lasing.Program:
    """The program, to which only its inputs come in."""
    return replace(lasing.parse(example.program), only_inputs=True)


def facts_of(example: Example) -> list[lasing.Fact]:
    return sorted(lasing.parse(example.stream_text).data, key=lambda fact: fact.time)


@pytest.mark.parametrize("first", range(0, programs(150, 5000), CHUNK))
def test_any_pushes_and_restarts_equal_the_reference(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example, chance = sequence_example(seed), random.Random(seed)
        program = parsed(example)
        local, reference = lasing.Engine(program, 0, engine="local"), lasing.Engine(program, 0, engine="reference")
        for time in range(LENGTH + 1):
            rows = [(fact.atom.predicate, *fact.atom.args) for fact in facts_of(example) if fact.time == time]
            cut = chance.randrange(len(rows) + 1)
            for some in (rows[:cut], rows[cut:], chance.choices(rows, k=min(len(rows), 2))):
                added, removed = local.push(time, some).rows()
                expected, gone = reference.push(time, some).rows()
                assert Counter(added) == Counter(expected), f"at {time} in {seed}\n{example}"
                assert Counter(removed) == Counter(gone), f"at {time} in {seed}\n{example}"
                assert local.answer() == reference.answer(), f"at {time} in {seed}\n{example}"
                if chance.random() < 0.05:
                    local = lasing.Engine.restore(program, local.snapshot())


@pytest.mark.parametrize("first", range(10_000, 10_000 + programs(100, 2000), CHUNK))
def test_no_row_is_put_out_twice_with_the_time_until_which_it_holds(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = sequence_example(seed)
        program = parsed(example)
        plan = optimized(compile_plan(program))
        engine = LocalEngine(program, 0, plan, annotated=True)
        encoded = engine._encoded(facts_of(example))
        found = Counter(
            (row[OUT_TIME], row[1], *row[OUT_ARGS:])
            for block in engine.evaluate(encoded.rows, LENGTH)
            for row in block.tolist()
            if row[OUT_UNTIL] >= row[OUT_TIME]
        )
        assert not found or max(found.values()) == 1, f"in {seed}\n{example}"


@pytest.mark.parametrize("first", range(20_000, 20_000 + programs(100, 2000), CHUNK))
def test_optimised_equals_unoptimised(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = sequence_example(seed)
        program = parsed(example)
        plan = compile_plan(program)
        assert changes_of(program, example, optimized(plan)) == changes_of(program, example, plan), seed


def test_some_of_these_programs_derive_rows_once_and_keep_the_newest_facts() -> None:
    plans = [optimized(compile_plan(parsed(sequence_example(seed)))) for seed in range(100)]
    assert sum(bool(derived_once(plan)) for plan in plans) > 20
    assert sum(any(feed.newest for feed in plan.feeds) for plan in plans) > 10
    assert sum(any(test.sorted for rule in plan.guaranteed for test in rule.tests) for plan in plans) > 20
