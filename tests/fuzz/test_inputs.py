"""A few damaged inputs for every target. `make fuzz-input` feeds 100,000."""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.targets import Target, quietly, targets

INPUTS = 60


@pytest.mark.parametrize("target", targets(), ids=lambda target: target.name)
def test_damaged_inputs_are_refused_or_taken(target: Target) -> None:
    for number in range(INPUTS):
        data = target.make(Random(f"{target.name} 0 {number}"))
        try:
            quietly(target, data)
        except Exception as wrong:
            raise AssertionError(f"{target.name} did not bear input {number}: {data[:2000]!r}") from wrong
