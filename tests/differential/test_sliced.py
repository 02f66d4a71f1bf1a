"""A history cut into slices of time and shards, each evaluated by itself, gives the reference's answers.

Spark itself is not started: what it would count, select, group and stitch is done here by hand.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from lasing.spark import batch
from lasing.spark.batch import Extent, cut, slice_function
from lasing.spark.noted import Notes
from lasing.spark.packing import PACKED_SCHEMA
from lasing.spark.slices import Slices
from lasing.spark.tables import from_bytes
from tests.differential.core_programs import core_example
from tests.differential.keyed_programs import keyed_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples
from tests.differential.test_streamed_shards import (
    Case,
    OutputRows,
    Row,
    case_of,
    difference,
    expected,
    packed,
    packer_of,
    record_batch,
    rows_of,
    shown,
)

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every predicate of a stream is used

SEEDS = st.integers(0, 2**32 - 1)


def sliced(case: Case, chance: random.Random) -> int:
    """Evaluate a history in slices, and compare; returns the number of slices."""
    task = case.task
    first = task.first_point(min(task.point(row[0]) for row in case.rows))
    last = chance.choice([task.last_point(task.point(case.rows[-1][0]))] * 3 + [first + chance.randint(0, 9)])
    if last < first:
        return 0
    slices = _cut(case, first, last, chance)
    places = chance.sample(range(1000), len(slices) * task.shards)
    sent = packed(case, case.rows, chance, places, slices) + list(_newest_of_each_key(case, slices, places))
    sent += [dict(zip(PACKED_SCHEMA.names, (place, 0, 0, None, None, None, None), strict=True)) for place in places]
    notes: Notes = {}
    evaluate = slice_function(lambda: task, places, slices, first, notes.update)
    parts: OutputRows = Counter()
    for place in chance.sample(places, len(places)):
        mine = [row for row in sent if row["place"] == place]
        result = evaluate(pa.Table.from_pylist(mine, schema=PACKED_SCHEMA))
        for kind, table in zip(result["kind"].to_pylist(), result["content"].to_pylist(), strict=True):
            parts += rows_of(task, kind, from_bytes(table))
    got = shown(task, Counter(_stitched(parts))) if task.view == "intervals" else parts
    wanted = expected(task, case.rows, first, last)
    assert got == wanted, f"{difference(wanted, got)}\n{slices}\n{case}"
    return len(slices)


def _cut(case: Case, first: int, last: int, chance: random.Random) -> Slices:
    """Slices of any length, with the counts that Spark would give."""
    task = case.task
    inner = chance.sample(range(first + 1, last + 1), min(last - first, chance.randrange(6)))
    cuts = (first, *sorted(inner), last + 1)
    facts = {(task.point(instant), predicate, args) for instant, predicate, args in case.rows}
    counts = sorted(Counter(point for point, _, _ in facts).items())
    counted = np.array([point for point, _ in counts]), np.array([count for _, count in counts])
    with patch.object(batch, "even_cuts", lambda *_: cuts), patch.object(batch, "_facts_at", lambda *_: counted):
        return cut(task, [], Extent(first, last, len(case.rows)), len(cuts) - 1)


def _newest_of_each_key(case: Case, slices: Slices, places: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The facts before a slice that are still among the last of their key, as `batch.newest_of_each_key` selects
    them: a fact stays so until enough later facts with its key have come after its time point."""
    task = case.task
    for number, predicate in enumerate(task.inputs):
        own = {(task.point(row[0]), row[2]): row for row in case.rows if row[1] == predicate}
        mine = [own[known] for known in sorted(own, key=repr)]
        found: list[tuple[Row, int]] = []
        for row in mine:
            for piece, begin in enumerate(slices.begins):
                if task.point(row[0]) < begin and len(slices) > 1 and _is_among_last(case, row, mine, begin):
                    found.append((row, piece))
        if found:
            rows = record_batch(case, predicate, [row for row, _ in found])
            pieces = pa.array([piece for _, piece in found], pa.int32())
            with_slice = pa.record_batch([*rows.columns, pieces], names=[*rows.schema.names, "slice"])
            for table in packer_of(case, number, places, slices)([with_slice]):
                yield from table.to_pylist()


def _is_among_last(case: Case, row: Row, rows: Iterable[Row], begin: int) -> bool:
    point = case.task.point
    for window in case.task.raw_window.partitions:
        if window.predicate == row[1]:
            at = [position for key in window.keys for position in key]
            after = [o for o in rows if all(o[2][i] == row[2][i] for i in at) and point(row[0]) < point(o[0]) < begin]
            if len(after) < window.back:
                return True
    return False


def _stitched(parts: OutputRows) -> Iterator[tuple[object, ...]]:
    """Join intervals that were cut at the ends of slices, as `batch.stitched` does."""
    loose: dict[tuple[object, ...], list[tuple[int, int, bool]]] = {}
    for predicate, begin, end, *args, begun, goes_on in parts.elements():
        if begun or goes_on:
            loose.setdefault((predicate, *args), []).append((begin, end, begun))  # type: ignore[arg-type]
        else:
            yield predicate, begin, end, *args
    for (predicate, *args), pieces in loose.items():
        joined: list[tuple[int, int]] = []
        for begin, end, begun in sorted(pieces):
            if begun:
                assert joined, f"{predicate}{args} goes on at {begin}, but has not begun"
                joined[-1] = joined[-1][0], max(end, joined[-1][1])
            else:
                joined.append((begin, end))
        yield from ((predicate, *interval, *args) for interval in joined)


@settings(max_examples=programs(45, 3000))
@given(seed=SEEDS)
def test_programs_with_keys(seed: int) -> None:
    chance = random.Random(seed)
    case = case_of(keyed_example(seed), chance)
    event(f"{sliced(case, chance)} slices, {case.task.shards} shards")


@settings(max_examples=programs(60, 3000))
@given(seed=SEEDS)
def test_programs_for_the_local_engine(seed: int) -> None:
    chance = random.Random(seed)
    event(f"{sliced(case_of(core_example(seed), chance), chance)} slices")


@settings(max_examples=programs(60, 3000))
@given(example=examples(nested=True), seed=SEEDS)
def test_any_program(example: Example, seed: int) -> None:
    chance = random.Random(seed)
    event(f"{sliced(case_of(example, chance), chance)} slices")
