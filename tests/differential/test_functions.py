"""Functions of values of all kinds: every engine, and every way to feed one, agrees with the reference."""

from __future__ import annotations

import random

import pytest

import lasing
from lasing.connectors.facts import parse_facts
from lasing.engine_choice import unplanned
from lasing.engines.local import dictionary
from tests.differential.core_programs import core_example
from tests.differential.functions import with_functions
from tests.differential.harness import agree, answers_of, difference
from tests.differential.sizes import programs
from tests.differential.strategies import Example

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every instance has a value

CHUNK = 20


def examples(first: int) -> list[tuple[Example, random.Random]]:
    found = []
    for seed in range(first, first + CHUNK):
        chance = random.Random(seed)
        example = with_functions(core_example(seed), chance)
        if not unplanned(lasing.parse(example.program)):
            found.append((example, chance))
    assert len(found) > CHUNK // 2
    return found


@pytest.mark.parametrize("first", range(150_000, 150_000 + programs(200, 3000), CHUNK))
def test_the_local_engine_equals_the_reference(first: int) -> None:
    for example, _ in examples(first):
        agree(example, "local")


@pytest.mark.parametrize("first", range(160_000, 160_000 + programs(60, 1000), CHUNK))
def test_forgetting_values_changes_nothing(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    for example, _ in examples(first):
        agree(example, "local")


@pytest.mark.parametrize("first", range(170_000, 170_000 + programs(60, 1000), CHUNK))
def test_facts_pushed_by_hand_with_snapshots_in_between(first: int) -> None:
    for example, chance in examples(first):
        expected, facts = dict(answers_of(example)), list(parse_facts(example.stream_text))
        live = lasing.Engine(example.program, example.start, "local")
        for time in range(example.start, example.end + 1):
            live.push(time, [(atom.predicate, *atom.args) for at, atom in facts if at == time])
            assert live.answer().atoms == expected[time], (time, example)
            if chance.random() < 0.3:
                live = lasing.Engine.restore(example.program, live.snapshot(), "local")
                assert live.answer().atoms == expected[time], (time, example)


@pytest.mark.parametrize("first", range(180_000, 180_000 + programs(40, 600), CHUNK))
def test_clingo_s_single_model_is_that_of_the_local_engine(first: int) -> None:
    for example, _ in examples(first):
        found = difference(answers_of(example, "local"), answers_of(example, "clingo"))
        assert not found, f"{found}\n--- program\n{example.program}--- stream\n{example.stream_text}"


@pytest.mark.parametrize("first", range(200_000, 200_000 + programs(60, 1000), CHUNK))
def test_printing_and_parsing_keep_the_program(first: int) -> None:
    for example, _ in examples(first):
        program = lasing.parse(example.program)
        assert lasing.parse(str(program)) == program
