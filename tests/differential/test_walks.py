"""Selections that are found by walking: the local engine and all ways of feeding it agree with the reference."""

from __future__ import annotations

import random

import pytest

import lasing
from lasing.engine_choice import unplanned
from lasing.engines.local import dictionary
from lasing.errors import SourceText
from lasing.languages import examine
from lasing.plan.compile import compile_plan
from lasing.plan.operators import Ranking
from lasing.plan.optimize import optimized
from tests.differential.harness import agree
from tests.differential.sizes import programs
from tests.differential.strategies import Example
from tests.differential.test_live import live_equals_reference
from tests.differential.test_plans import changes_of
from tests.differential.walking_programs import walking_example

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")

CHUNK = 20


def walking(first: int, number: int) -> list[Example]:
    """The examples of some seeds whose plans walk."""
    examples = [walking_example(seed) for seed in range(first, first + number)]
    return [example for example in examples if _walks(example)]


def _walks(example: Example) -> bool:
    _, found = examine([SourceText("program", example.program)])
    assert {finding.code for finding in found} <= {"E201"}, (example.program, found)
    if found or unplanned(program := lasing.parse(example.program)):
        return False
    return any(isinstance(stage, Ranking) for stage in compile_plan(program).stages)


@pytest.mark.parametrize("first", range(0, programs(200, 4000), CHUNK))
def test_the_local_engine_equals_the_reference(first: int) -> None:
    examples = walking(first, CHUNK)
    assert len(examples) > CHUNK // 2
    for example in examples:
        agree(example, "local")


def test_values_may_be_forgotten_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    for example in walking(50_000, programs(60, 1000)):
        agree(example, "local")


@pytest.mark.parametrize("first", range(20_000, 20_000 + programs(60, 1000), CHUNK))
def test_any_chunking_and_any_restart(first: int) -> None:
    for example in walking(first, CHUNK):
        live_equals_reference(example, random.Random(first))


@pytest.mark.parametrize("first", range(30_000, 30_000 + programs(60, 1000), CHUNK))
def test_optimised_equals_unoptimised(first: int) -> None:
    for example in walking(first, CHUNK):
        program = lasing.parse(example.program)
        plan = compile_plan(program)
        assert changes_of(program, example, optimized(plan)) == changes_of(program, example, plan), example.program
