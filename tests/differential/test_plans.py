"""Optimised plans mean what plans mean, and answers do not depend on the order of rules."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

import lasing
from lasing.engines.local.engine import LocalEngine
from lasing.logic.answers import Changes
from lasing.logic.values import Value
from lasing.plan.compile import Unplanned, compile_plan
from lasing.plan.nodes import Plan
from lasing.plan.optimize import PASSES, optimized
from tests.differential.core_programs import core_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples


def changes_of(program: lasing.Program, example: Example, plan: Plan) -> list[Changes]:
    engine = LocalEngine(program, example.start, plan)
    facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
    found: list[Changes] = []
    for time in range(example.start, example.end + 1):
        found += filter(None, engine.advance(time, [atom for at, atom in facts if at == time]))
    return found


@settings(max_examples=programs(60, 1000))
@given(example=examples())
def test_optimised_equals_unoptimised(example: Example) -> None:
    program = lasing.parse(example.program)
    try:
        plan = compile_plan(program)
    except Unplanned:
        return
    assert changes_of(program, example, optimized(plan)) == changes_of(program, example, plan)


@pytest.mark.parametrize("improve", PASSES)
def test_each_pass_alone_keeps_the_meaning(improve: object) -> None:
    for seed in range(40):
        example = core_example(seed)
        program = lasing.parse(example.program)
        plan = compile_plan(program)
        improved = improve(plan)  # type: ignore[operator]  # it is a pass
        assert changes_of(program, example, improved) == changes_of(program, example, plan), example.program


@pytest.mark.parametrize("comparison", ["=", ">", ">=", "<", "<=", "!="])
@pytest.mark.parametrize("values", [(0, 1, 2.5, 3, 9, 2**62), ("a", "b", "c", "d"), (1, "a", 2, "b", 3)])
def test_merged_rules_equal_the_reference(comparison: str, values: tuple[Value, ...]) -> None:
    rules = "".join(
        f"h{i}(X) :- p(X,V) in [2], V {comparison} {value}. g{i}(X,Y) :- p(X,{value}) in [1], r(Y,V) in [2], "
        f"{value} {comparison} V.\n"
        for i, value in enumerate(values)
    )
    chance = random.Random(1)
    rows = [
        (time, chance.choice("pr"), chance.choice("xyz"), chance.choice((*values, 5, "bb")))
        for time in range(25)
        for _ in range(2)
    ]
    rows.append((25, "h1", "z"))  # type: ignore[arg-type]  # a head may be streamed as well
    local = [answer.atoms for answer in lasing.run(rules, rows, engine="local")]
    assert local == [answer.atoms for answer in lasing.run(rules, rows, engine="reference")]


@pytest.mark.parametrize("seed", range(6))
def test_rules_that_are_alike_equal_the_reference(seed: int) -> None:
    chance, number = random.Random(seed), 7
    bodies = (
        "p{i}(X,V) in [2], V > 1",
        "p{i}(X,V) in [2], r{i}(V,Y) in [3]",
        "p{i}(X,Y) in [1], p{i}(Y,V) in [1]",
        "p{i}(X,V) in [3]",
        "p{i}(X,V) in [0], all(V) in [2]",
        "p{i}(X,V) in [4 step 2]",
        "p{i}(X,V) in [3,-1], r{i}(X,X) in [*]",
    )
    rules = "".join(f"h{k}_{i}(X) :- {body.format(i=i)}.\n" for k, body in enumerate(bodies) for i in range(number))
    rows: list[tuple[object, ...]] = [
        (time, f"{chance.choice('pppr')}{chance.randrange(number)}", chance.randrange(4), chance.randrange(4))
        for time in sorted(chance.randrange(30) for _ in range(200))
    ]
    rows += [(30, "all", 2), (31, "h0_3", 1), (31, "h3_2", 1), (34, "p1", 1, 2)]
    local = [(answer.time, answer.atoms) for answer in lasing.run(rules, rows, engine="local")]
    assert local == [(answer.time, answer.atoms) for answer in lasing.run(rules, rows, engine="reference")]


@settings(max_examples=programs(40, 500))
@given(example=examples())
def test_the_order_of_rules_does_not_matter_to_the_local_engine(example: Example) -> None:
    lines = example.program.splitlines()
    shuffled = "\n".join(random.Random(1).sample(lines, len(lines)))
    try:
        plan, other = compile_plan(lasing.parse(example.program)), compile_plan(lasing.parse(shuffled))
    except Unplanned:
        return
    program = lasing.parse(example.program)
    assert changes_of(program, example, optimized(plan)) == changes_of(
        lasing.parse(shuffled), example, optimized(other)
    )
