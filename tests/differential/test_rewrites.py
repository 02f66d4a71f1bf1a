"""Nested formulas, once they are rewritten into plain literals: the local engine equals the reference."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

import lasing
from lasing.engine_choice import unplanned
from lasing.logic.fragments import is_plain
from tests.differential.harness import agree, answers_of, models_of
from tests.differential.nested_programs import nested_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples
from tests.differential.wild_programs import wild_example

SEEDS = programs(400, 4000)
CHUNK = 40


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_rewritten_programs_have_the_same_answers(first: int, depth: int) -> None:
    rewritten = 0
    for seed in range(first, first + CHUNK):
        example = nested_example(seed, depth)
        if _is_rewritten(example):
            rewritten += 1
            agree(example, "local")
    assert rewritten > CHUNK // 3


@pytest.mark.parametrize("engine", ["auto", "reference", "clingo"])
@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_what_is_not_refused_runs(first: int, engine: str) -> None:
    refused = 0
    for seed in range(first, first + CHUNK):
        example = wild_example(seed)
        try:
            lasing.parse(example.program)
        except lasing.LasingError:
            refused += 1
        else:
            assert len(models_of(example, engine)) == example.end - example.start + 1
    assert refused < CHUNK


@settings(max_examples=programs(100, 2000))
@given(example=examples(nested=True))
def test_nested_programs_have_the_same_answers_or_are_left_alone(example: Example) -> None:
    agree(example, "auto")


@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
@pytest.mark.parametrize("first", range(5000, 5000 + SEEDS // 4, CHUNK))
def test_a_rewritten_program_goes_on_from_a_snapshot(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = nested_example(seed)
        if not _is_rewritten(example):
            continue
        expected = dict(answers_of(example))
        engine = lasing.Engine(example.program, example.start, "local")
        stop = random.Random(seed).randint(example.start, example.end - 1)
        for time in range(example.start, example.end + 1):
            facts = [_fact(atom) for at, atom in example.stream if at == time]
            engine.push(time, facts)
            assert engine.answer().atoms == expected[time], f"at {time}\n{example.program}{example.stream_text}"
            if time == stop:
                engine = lasing.Engine.restore(example.program, engine.snapshot(), "local")


def _is_rewritten(example: Example) -> bool:
    """Whether the program is right, has a nested formula, and runs on the local engine."""
    try:
        program = lasing.parse(example.program)
    except lasing.LasingError:
        return False
    nested = not all(is_plain(literal) for rule in program.rules for literal in rule.body)
    return nested and not unplanned(program)


def _fact(atom: str) -> tuple[object, ...]:
    name, _, rest = atom.rstrip(")").partition("(")
    return (name, *(int(arg) if arg.isdigit() else arg for arg in rest.split(",") if arg))
