"""Every engine equals the reference on random programs and streams."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import lasing
from lasing.engine_choice import unplanned
from tests.differential.core_programs import core_example
from tests.differential.harness import agree
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples

SEEDS = programs(400, 3000)
CHUNK = 20


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_the_local_engine_equals_the_reference_on_what_it_plans(first: int) -> None:
    planned = 0
    for seed in range(first, first + CHUNK):
        example = core_example(seed)
        if not unplanned(lasing.parse(example.program)):
            planned += 1
            agree(example, "local")
    assert planned > CHUNK // 2


@settings(max_examples=programs(150, 2500))
@given(example=examples())
def test_the_local_engine_equals_the_reference_or_says_why_not(example: Example) -> None:
    if unplanned(lasing.parse(example.program)):
        with pytest.raises(lasing.LasingError, match="E307"):
            lasing.run(example.program, example.stream_text, engine="local")
    else:
        agree(example, "local")


@settings(max_examples=programs(60, 500))
@given(example=examples())
def test_auto_equals_the_reference(example: Example) -> None:
    agree(example, "auto")
