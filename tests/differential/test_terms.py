"""Values of all kinds, and functions of them: every engine, and every way to feed one, agrees with the reference."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

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
from tests.differential.terms import with_terms

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every instance has a value

CHUNK = 20
Enrich = Callable[[Example, random.Random], Example]
Seeds = tuple[Enrich, int]
"""What replaces the small numbers of plain programs, and the first of CHUNK seeds."""


FURTHER: dict[Enrich, int] = {with_terms: 0, with_functions: 100_000}


def seeds(first: int, number: int, *enrich: Enrich) -> list[object]:
    """Seeds for all ways to enrich a program, or for some; those of functions are further on."""
    return [
        pytest.param((kind, seed), id=f"{kind.__name__}-{seed}")
        for kind, further in FURTHER.items()
        for seed in range(first + further, first + further + number, CHUNK)
        if kind in (enrich or FURTHER)
    ]


def examples(chosen: Seeds) -> Iterator[tuple[Example, random.Random]]:
    enrich, first = chosen
    found = 0
    for seed in range(first, first + CHUNK):
        chance = random.Random(seed)
        example = enrich(core_example(seed), chance)
        if not unplanned(lasing.parse(example.program)):
            found += 1
            yield example, chance
    assert found > CHUNK // 2


@pytest.mark.parametrize("chosen", seeds(50_000, programs(200, 3000)))
def test_the_local_engine_equals_the_reference(chosen: Seeds) -> None:
    for example, _ in examples(chosen):
        agree(example, "local")


@pytest.mark.parametrize("chosen", seeds(60_000, programs(60, 1000)))
def test_forgetting_values_changes_nothing(chosen: Seeds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    for example, _ in examples(chosen):
        agree(example, "local")


@pytest.mark.parametrize("chosen", seeds(70_000, programs(60, 1000)))
def test_facts_pushed_by_hand_with_snapshots_in_between(chosen: Seeds) -> None:
    for example, chance in examples(chosen):
        expected, facts = dict(answers_of(example)), list(parse_facts(example.stream_text))
        live = lasing.Engine(example.program, example.start, "local")
        for time in range(example.start, example.end + 1):
            live.push(time, [(atom.predicate, *atom.args) for at, atom in facts if at == time])
            assert live.answer().atoms == expected[time], (time, example)
            if chance.random() < 0.3:
                live = lasing.Engine.restore(example.program, live.snapshot(), "local")
                assert live.answer().atoms == expected[time], (time, example)


@pytest.mark.parametrize("chosen", seeds(80_000, programs(40, 600)))
def test_clingo_s_single_model_is_that_of_the_local_engine(chosen: Seeds) -> None:
    for example, _ in examples(chosen):
        found = difference(answers_of(example, "local"), answers_of(example, "clingo"))
        assert not found, f"{found}\n--- program\n{example.program}--- stream\n{example.stream_text}"


@pytest.mark.parametrize("chosen", seeds(100_000, programs(60, 1000), with_functions))
def test_printing_and_parsing_keep_the_program(chosen: Seeds) -> None:
    for example, _ in examples(chosen):
        program = lasing.parse(example.program)
        assert lasing.parse(str(program)) == program
