"""Results of queries on Spark: the query's columns, duplicates as rows, and null where there is no value."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

import lasing
from lasing.logic.program import Output, Program
from lasing.spark import reason
from tests.spark.expected import expected
from tests.spark.test_batch import stream

RULES = """
    seen(B) :- p(_, _, B) in [3].
    known(B, A) :- p(_, A, B) in [3], A > 3.
    some(B) :- known(B, _).
    r(B, A, N) :- known(B, A), N = #count{K : p(K, A, B) in [3]}.
    r(B, new(unbound), 2) :- seen(B), not some(B).
"""


def query() -> Program:
    """A program with an output that looks like that of a query."""
    output = Output("r", ("b", "time", ""), form="rows", counted=True)
    return replace(lasing.parse(RULES), outputs=(output,))


@pytest.mark.parametrize("view", ["answers", "changes", "intervals"])
def test_rows_repeat_and_have_no_helper_columns(spark: Any, view: Any) -> None:
    table = stream(120, 30)
    outputs = reason(query(), view=view, slices=3)({"p": spark.createDataFrame(table)})
    frame = outputs["r"]
    leading = {"answers": ["time"], "changes": ["time", "change"], "intervals": ["from", "until"]}[view]
    assert frame.columns == [*leading, "b", "time_"]
    found: Counter[Any] = Counter()
    for row in frame.collect():
        found.update(dict(_points(view, row)))
    wanted: Counter[Any] = Counter()
    for row in expected(RULES, {"p": table}, "r", view):
        *shown, value, number = row
        cell = None if str(value) == "new(unbound)" else str(value)
        wanted.update({point: number * sign for point, sign in _points(view, (*shown, cell))})
    assert _nonzero(found) == _nonzero(wanted)
    assert any(number > 1 for number in found.values())
    assert any(point[-1] is None for point in found)


def _points(view: str, row: Any) -> list[tuple[Any, int]]:
    """A row by time points, each with how often it counts."""
    match view:
        case "answers":
            return [(tuple(row), 1)]
        case "changes":
            return [((row[0], *row[2:]), row[1])]
        case _:
            return [((time, *row[2:]), 1) for time in range(row[0], row[1] + 1)]


def _nonzero(found: Counter[Any]) -> dict[Any, int]:
    return {point: number for point, number in found.items() if number}
