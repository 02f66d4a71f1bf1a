"""`#sum` and `#avg` of numbers of all kinds: each engine equals the reference."""

from __future__ import annotations

import pytest

from tests.differential.harness import agree
from tests.differential.sizes import programs
from tests.differential.sums import sums_example


@pytest.mark.parametrize("engine", ["local", "clingo"])
@pytest.mark.parametrize("first", range(0, programs(200, 2000), 50))
def test_sums_of_all_kinds_of_numbers(first: int, engine: str) -> None:
    for seed in range(first, first + 50):
        agree(sums_example(seed), engine)
