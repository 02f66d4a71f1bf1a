"""`#first`, `#last` and aggregates that rest on one another: all engines and ways of feeding agree."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import lasing
from lasing.engine_choice import unplanned
from lasing.engines.local import dictionary
from lasing.errors import SourceText
from lasing.languages import examine
from lasing.plan.compile import Unplanned, compile_plan
from lasing.plan.optimize import optimized
from tests.differential.braces_programs import VALUES, braces_example
from tests.differential.harness import agree
from tests.differential.sizes import programs
from tests.differential.strategies import Example
from tests.differential.test_live import live_equals_reference
from tests.differential.test_plans import changes_of
from tests.differential.test_sliced import sliced
from tests.differential.test_streamed_shards import case_of

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")

CHUNK = 20


def safe_examples(first: int, number: int, values: Sequence[str] = VALUES) -> list[Example]:
    """The examples of some seeds, without the few whose literals wait for one another."""
    return [example for seed in range(first, first + number) if _is_safe(example := braces_example(seed, values))]


def _is_safe(example: Example) -> bool:
    _, found = examine([SourceText("program", example.program)])
    assert {finding.code for finding in found} <= {"E201"}, example.program
    return not found


@pytest.mark.parametrize("first", range(0, programs(200, 4000), CHUNK))
def test_the_local_engine_equals_the_reference(first: int) -> None:
    planned = 0
    for example in safe_examples(first, CHUNK):
        if not unplanned(lasing.parse(example.program)):
            planned += 1
            agree(example, "local")
    assert planned > CHUNK // 2


def test_values_may_be_forgotten_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    for example in safe_examples(50_000, programs(60, 1000)):
        if not unplanned(lasing.parse(example.program)):
            agree(example, "local")


@pytest.mark.parametrize("first", range(10_000, 10_000 + programs(80, 2000), CHUNK))
def test_clingo_equals_the_reference(first: int) -> None:
    for example in safe_examples(first, CHUNK):
        agree(example, "clingo")


@pytest.mark.parametrize("first", range(20_000, 20_000 + programs(60, 2000), CHUNK))
def test_any_chunking_and_any_restart(first: int) -> None:
    for example in safe_examples(first, CHUNK):
        live_equals_reference(example, random.Random(first))


@pytest.mark.parametrize("first", range(30_000, 30_000 + programs(60, 1000), CHUNK))
def test_optimised_equals_unoptimised(first: int) -> None:
    for example in safe_examples(first, CHUNK):
        program = lasing.parse(example.program)
        try:
            plan = compile_plan(program)
        except Unplanned:
            continue
        assert changes_of(program, example, optimized(plan)) == changes_of(program, example, plan), example.program


@pytest.mark.parametrize("first", range(40_000, 40_000 + programs(40, 1000), CHUNK))
def test_slices_equal_the_whole(first: int) -> None:
    plain = [value for value in VALUES if "<" not in value]  # the harness types columns by hand
    slices = 0
    for number, example in enumerate(safe_examples(first, CHUNK, plain)):
        chance = random.Random(first + number)
        slices += sliced(case_of(example, chance), chance)
    assert slices > CHUNK
