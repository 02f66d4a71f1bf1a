"""Every engine equals the reference on random programs and streams.

While the reference is the only engine, this shows that the programs are accepted and that evaluation is repeatable;
an engine added to `ENGINES` is compared without further ado.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from lasing.session import ENGINES
from tests.differential.harness import agree
from tests.differential.strategies import Example, examples


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=150)
@given(example=examples())
def test_engine_equals_the_reference(engine: str, example: Example) -> None:
    agree(example, engine)
