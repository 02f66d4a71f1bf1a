"""One validation for every way in: what one refuses all refuse, with the same code; what one takes means the same."""

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
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lasing
from lasing import Atom
from lasing.errors import LasingError
from tests.differential.sizes import programs

PROGRAM = "q(X, Y) :- p(X, Y) in [3].  n :- p(_, _) in [#2]."
QUIET = "q(X, Y) :- p(X, Y) in [3]."  # no window counts facts, so predicates that it does not name are left out

Outcome = tuple[str, frozenset[Atom]]
"""The code of the error, or what holds in the end."""


def outcome(way: Callable[[], frozenset[Atom]]) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        try:
            return "", way()
        except LasingError as error:
            return error.diagnostics[0].code, frozenset()


def by_run(program: str, stream: Any, name: Any) -> Outcome:
    return outcome(lambda: list(lasing.run(program, stream, engine=name))[-1].atoms)


def by_push(program: str, time: Any, facts: Any, name: Any) -> Outcome:
    def way() -> frozenset[Atom]:
        engine = lasing.Engine(program, engine=name)
        engine.push(time, facts)
        tables = engine.holding()  # whatever was taken leaves through Arrow too
        assert sum(table.num_rows for table in tables.values()) == len(engine.answer().atoms)
        return engine.answer().atoms

    return outcome(way)


def by_batch(program: str, frames: Any, name: Any) -> Outcome:
    def way() -> frozenset[Atom]:
        engine = lasing.Engine(program, engine=name)
        engine.push_batch(frames)
        return engine.answer().atoms

    return outcome(way)


def outcomes(program: str, time: Any, predicate: Any, args: tuple[Any, ...]) -> set[Outcome]:
    """What each way makes of one fact, as far as it can be said there at all."""
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
        assert all(code for code, _ in found), found  # which of several mistakes is told first is left open


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
