"""Every way in validates alike: what one refuses all refuse, with the same code; what one takes means the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lasing
from lasing import Atom
from lasing.errors import LasingError
from lasing.logic.partition import Partition, partition
from lasing.logic.types import argument_types
from lasing.spark.outputs import output_tables
from lasing.spark.packing import Packer
from lasing.spark.shard import step
from lasing.spark.state import ShardState
from lasing.spark.streaming import arrived_of
from lasing.spark.task import Task
from tests.differential.sizes import programs

PROGRAM = "q(X, Y) :- p(X, Y) in [3].  n :- p(_, _) in [#2]."
QUIET = "q(X, Y) :- p(X, Y) in [3]."  # no window counts facts, so predicates that it does not name are left out

Outcome = tuple[str, frozenset[Atom]]
"""The error code, or what holds in the end."""


def outcome(way: Callable[[], frozenset[Atom]]) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        try:
            return "", way()
        except LasingError as error:
            return error.diagnostics[0].code, frozenset()


def by_run(program: str, stream: Any, name: Any, missing: Any = "skip") -> Outcome:
    return outcome(lambda: list(lasing.run(program, stream, engine=name, missing=missing))[-1].atoms)


def by_push(program: str, time: Any, facts: Any, name: Any) -> Outcome:
    def way() -> frozenset[Atom]:
        engine = lasing.Engine(program, engine=name)
        engine.push(time, facts)
        tables = engine.holding()  # whatever was taken leaves through Arrow too
        assert sum(table.num_rows for table in tables.values()) == len(engine.answer().atoms)
        return engine.answer().atoms

    return outcome(way)


def by_batch(program: str, frames: Any, name: Any, missing: Any = "skip") -> Outcome:
    def way() -> frozenset[Atom]:
        engine = lasing.Engine(program, engine=name)
        engine.push_batch(frames, missing=missing)
        return engine.answer().atoms

    return outcome(way)


def by_spark(text: str, table: Any, shards: int, missing: Any) -> Outcome:
    """What shards make of a table of p, as Spark would bring it to them."""

    def way() -> frozenset[Atom]:
        program = lasing.parse(text)
        split = partition(program)
        keys = split.keys if isinstance(split, Partition) and shards > 1 else {}
        outputs = output_tables(program, argument_types(program, {"p": ("integer", "integer")}))
        task = Task(program, ("p",), outputs, "answers", keys, frozenset(), shards)
        packer = Packer("p", 0, ("time", "x", "y"), keys.get("p"), None, shards, tuple(range(shards)), missing=missing)
        sent = [row for packed in packer(table.to_batches()) for row in packed.to_pylist()]
        found = set()
        for shard in range(shards):
            arrived = [arrived_of(task, *list(row.values())[1:]) for row in sent if row["place"] == shard]
            result = step(task, shard, ShardState(), arrived, drain=True)
            for predicate, rows in result.tables.items():
                for row in rows.filter(pc.equal(rows["time"], result.state.until)).to_pylist():
                    found.add(Atom(predicate, tuple(row.values())[1:]))
        return frozenset(found)

    return outcome(way)


def outcomes(program: str, time: Any, predicate: Any, args: tuple[Any, ...]) -> set[Outcome]:
    """What each way in makes of one fact, if the fact can be expressed there at all."""
    found = set()
    for name in ("local", "reference", "clingo"):
        found.add(by_run(program, [(time, predicate, *args)], name))
        found.add(by_push(program, time, [(predicate, *args)], name))
        found.add(by_push(program, time, [[predicate, *args], (predicate, *args)], name))
        columns: dict[str, list[Any]] = {f"c{i}": [arg] for i, arg in enumerate(args)}
        try:
            facts, timed = pa.table(columns), pa.table({"time": [time], **columns})
        except (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError):
            continue  # no table has such a value
        found.add(by_run(program, {predicate: timed}, name))
        found.add(by_batch(program, {predicate: timed}, name))
        if args:
            found.add(by_push(program, time, {predicate: facts}, name))
    return found


values = st.one_of(
    st.integers(-(2**64), 2**64),
    st.floats(),
    st.text(st.characters(exclude_categories=()), max_size=3),  # lone surrogates too
    st.sampled_from([b"x", [1], 2**63, -(2**63) - 1, float("inf"), "\ud800", "x\udfff"]),
    st.decimals(allow_nan=True, places=2),
    st.booleans(),
    st.dates(),
    st.sampled_from(
        [np.int64(3), np.float32(0.5), np.str_("x"), Decimal("1e400"), Decimal(2**62), datetime(2026, 1, 1)]
    ),
)
times = st.one_of(
    st.integers(-5, 5),
    st.sampled_from([2**59 - 1, 2**59, -(2**59), 2**60, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 1.0, 1.5, float("nan")]),
    st.sampled_from([True, "7", "x", "2026-01-01", date(2026, 1, 1), Decimal(3), Decimal("0.5"), b"1", "9" * 30]),
)
predicates = st.sampled_from(["p", "p", "p", "r", "P", "not", "a b", "", "1", 7, None, ("p",), "\ud800"])


@settings(max_examples=programs(250, 5000), deadline=None)
@given(st.sampled_from([PROGRAM, QUIET]), times, predicates, st.lists(values, max_size=3).map(tuple))
@example(PROGRAM, 1, "p", ("\ud800", 1))
@example(QUIET, 1, "r", ("\ud800",))
@example(QUIET, 2**63, "p", (1, 2))
def test_every_way_in_agrees(program: str, time: Any, predicate: Any, args: tuple[Any, ...]) -> None:
    mistakes = [
        predicate not in ("p", "r"),
        predicate == "p" and len(args) != 2,
        by_push(QUIET, 1, [("r", *args)], "reference")[0] != "",
        by_push(QUIET, time, [("r",)], "reference")[0] != "",
    ]
    found = outcomes(program, time, predicate, args)
    if sum(mistakes) <= 1:
        assert len(found) == 1, found
    else:
        assert all(code for code, _ in found), found  # any of several mistakes may be reported first


@pytest.mark.parametrize("name", ["local", "reference", "clingo"])
@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"time": [2, 1], "x": [1, 2], "y": [1, 2]}, "E504"),
        ({"x": [1], "y": [2]}, "E505"),
        ({"time": [1], "x": [1]}, "E508"),
    ],
)
def test_every_way_in_agrees_on_tables(name: str, columns: dict[str, list[Any]], code: str) -> None:
    table, other = pa.table(columns), pa.table({"time": [1], "x": [1], "y": [2]})
    for frames in ({"p": table}, {"p": table, "r": other}, {"r": other, "p": table}):
        assert by_run(PROGRAM, frames, name) == by_batch(PROGRAM, frames, name) == (code, frozenset())


@pytest.mark.parametrize("name", ["local", "reference", "clingo"])
def test_every_way_in_leaves_out_what_lacks_a_value(name: Any) -> None:
    table = pa.table({"time": [None, 1, 1, 1], "x": [5, 1, None, 3], "y": [6, 2, 2, None]})
    expected = ("", frozenset({Atom("q", (1, 2)), Atom("n")}))
    assert by_run(PROGRAM, {"p": table}, name) == by_batch(PROGRAM, {"p": table}, name) == expected
    rows = [("p", 1, 2), ("p", None, 2), ("p", 3, None)]
    assert by_run(PROGRAM, [(1, *row) for row in rows], name) == by_push(PROGRAM, 1, rows, name) == expected
    assert by_push(PROGRAM, 1, {"p": table.drop_columns("time").slice(1)}, name) == expected


cells = st.one_of(st.integers(0, 3), st.none())
gapped = st.lists(st.tuples(st.sampled_from([1, 1, 1, None]), cells, cells), max_size=6)


@settings(max_examples=programs(60, 2000), deadline=None)
@given(st.sampled_from([PROGRAM, QUIET]), gapped, st.sampled_from(["skip", "error", 7, "none"]))
@example(QUIET, [(1, None, 2), (None, 1, 2)], 7)
@example(QUIET, [(1, None, 2)], "none")
def test_every_way_in_agrees_on_missing_values(program: str, rows: list[tuple[Any, ...]], missing: Any) -> None:
    times = [None if row[0] is None else i for i, row in enumerate(rows)]
    columns = [*zip(*rows, strict=True)] if rows else [(), (), ()]
    kinds = pa.schema([("time", pa.int64()), ("x", pa.int64()), ("y", pa.int64())])
    table = pa.table([[*times, 9], [*columns[1], 1], [*columns[2], 2]], schema=kinds)  # the last row has all
    shards = (1, 3) if program == QUIET else (1,)
    found = {by_spark(program, table, number, missing) for number in shards}
    for name in ("local", "reference"):
        found.add(by_batch(program, {"p": table}, name, missing))
        if missing != "none":  # a row, unlike a column, may have a text among its numbers
            found.add(by_run(program, {"p": table}, name, missing))
    assert len(found) == 1, found


@pytest.mark.parametrize("name", ["local", "reference"])
def test_two_columns_of_one_name(name: str) -> None:
    table = pa.table([[1], [1], [2]], names=["time", "x", "x"])
    assert by_run(PROGRAM, {"p": table}, name)[0] == by_batch(PROGRAM, {"p": table}, name)[0] == "E505"


@pytest.mark.parametrize("name", ["local", "reference"])
def test_text_that_is_not_utf8(name: str) -> None:
    bad = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    )
    frame = pa.table({"time": [1], "x": bad, "y": [1]})
    assert by_batch(PROGRAM, {"p": frame}, name)[0] == "E506"
    assert by_push(QUIET, 1, {"p": frame.drop_columns("time")}, name)[0] == "E506"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", ["local", "reference"])
def test_frames_of_every_kind(make: Any, name: str) -> None:
    frame = make({"time": [1, 2], "x": ["a", "ä"], "y": [Decimal("2.00"), Decimal("2.50")]})
    expected = frozenset({Atom("q", ("a", 2)), Atom("q", ("ä", 2.5)), Atom("n")})
    assert by_run(PROGRAM, {"p": frame}, name) == by_batch(PROGRAM, {"p": frame}, name) == ("", expected)
