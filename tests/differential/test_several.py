"""Programs with several answers: clingo, with and without splitting, finds those that the definition gives."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings

import lasing
from lasing.engine_choice import unplanned
from lasing.logic.splitting import has_several_answers, split
from tests.differential.core_programs import core_example
from tests.differential.harness import answers_of, difference, models_of
from tests.differential.several_programs import several_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples

SEEDS = programs(600, 20_000)
CHUNK = 60


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_clingo_finds_the_answer_streams_of_the_definition(first: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(first, first + CHUNK):
        example = several_example(seed)
        program = lasing.parse(example.program)
        if not has_several_answers(program):
            continue
        expected = models_of(example, "reference")
        for engine in ("clingo", "auto"):
            assert models_of(example, engine) == expected, f"{engine}, seed {seed}\n{example.program}{example.stream}"
        numbers = {len(models) for models in expected.values()}
        seen.update(several=max(numbers) > 1, none=0 in numbers, split=split(program).below is not None)
    assert min(seen["several"], seen["none"], seen["split"]) >= CHUNK // 20


@pytest.mark.parametrize("first", range(0, programs(100, 2000), 20))
def test_clingo_s_single_model_is_the_answer_of_the_incremental_engine(first: int) -> None:
    planned = 0
    for seed in range(first, first + 20):
        example = core_example(seed)
        if not unplanned(lasing.parse(example.program)):
            planned += 1
            found = difference(answers_of(example, "local"), answers_of(example, "clingo"))
            assert not found, f"{found}\n--- program\n{example.program}--- stream\n{example.stream_text}"
    assert planned > 10


@settings(max_examples=programs(60, 1000))
@given(example=examples(nested=True))
def test_clingo_s_single_model_is_the_answer_of_the_reference(example: Example) -> None:
    found = difference(answers_of(example), answers_of(example, "clingo"))
    assert not found, f"{found}\n--- program\n{example.program}--- stream\n{example.stream_text}"


@pytest.mark.parametrize("first", range(0, programs(80, 2000), 20))
@pytest.mark.filterwarnings("ignore:.*W204:lasing.LasingWarning")
def test_any_pushes_and_any_restart_give_the_same_answers(first: int) -> None:
    for seed in range(first, first + 20):
        any_restart_gives_the_same_answers(several_example(seed), seed)


def any_restart_gives_the_same_answers(example: Example, seed: int) -> None:
    program = lasing.parse(example.program)
    if not has_several_answers(program):
        return
    expected = models_of(example, "auto")
    engine, draw = lasing.Engine(program, example.start), Random(seed)
    for time in range(example.start, example.end + 1):
        facts = [_tuple(text) for at, text in example.stream if at == time]
        cut = draw.randint(0, len(facts))
        for part in (facts[:cut], facts[cut:]):
            engine.push(time, part)
        if draw.random() < 0.5:
            engine = lasing.Engine.restore(program, engine.snapshot())
        found = sorted(sorted(map(str, model)) for model in engine.answer().models)
        assert found == expected[time], f"seed {seed} at {time}\n{example.program}{example.stream}"


def _tuple(text: str) -> tuple[object, ...]:
    (atom,) = lasing.parse(f"{text}.").background
    return (atom.predicate, *atom.args)
