"""The engine and Polars compute the same, whose costs are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import lasing
from lasing.bench.costs.aggregates import KINDS, OF_NUMBERS, POLARS, program, readings
from lasing.logic.functions import AggregateFunction


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", OF_NUMBERS)
@pytest.mark.parametrize("roll", POLARS.values())
def test_polars_answers_the_same_query(kind: str, function: AggregateFunction, roll: Callable[..., Any]) -> None:
    data = readings(kind, 3, 40)
    engine = lasing.Engine(program(function, 10))
    standing: dict[str, Any] = {}
    for begin in range(0, len(data), 3):
        engine.push_batch({"temp": data.slice(begin, 3)})
        standing |= {
            f"{atom.values[0]} {engine.time}": atom.values[1]
            for atom in engine.answer().atoms
            if atom.predicate == function
        }
    rolled = roll(function, pl.from_arrow(data), 10).iter_rows()
    assert standing == {f"{sensor} {time}": pytest.approx(value) for sensor, time, value in rolled}
    assert len(standing) == len(data)
