"""Which facts answers can still depend on: all of them are kept, and nothing much older."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import lasing
from lasing.logic.facts import facts_of
from lasing.logic.types import Type
from lasing.spark.outputs import output_tables
from lasing.spark.task import Task
from lasing.spark.window import still_needed


def task(program: str, *inputs: str) -> Task:
    parsed = lasing.parse(program)
    types: dict[str, tuple[Type | None, ...]] = dict.fromkeys(facts_of(parsed).derived, (None,) * 3)
    return Task(parsed, inputs or ("p",), output_tables(parsed, types), "answers", {}, frozenset())


def facts(times: list[int], *columns: list[Any]) -> Any:
    kinds = [None if column else pa.string() for column in columns]
    args = {f"arg{i}": pa.array(c, k) for i, (c, k) in enumerate(zip(columns, kinds, strict=True), 1)}
    return pa.table({"time": pa.array(times, pa.int64()), **args})


def kept(program: str, tables: dict[str, Any], until: int) -> dict[str, list[int]]:
    found = still_needed(task(program, *tables), tables, until)
    return {predicate: table["time"].to_pylist() for predicate, table in found.items()}


def test_a_time_window_keeps_its_time_points() -> None:
    # at 10, [3] sees 7 … 10
    p = facts([5, 6, 7, 8, 10, 11], list("abcdef"))
    assert kept("q(X) :- p(X) in [3].", {"p": p}, 10) == {"p": [7, 8, 10, 11]}


def test_what_is_now_is_kept_and_what_is_to_come() -> None:
    p = facts([9, 10, 10, 12], list("abcd"))
    assert kept("q(X) :- p(X).", {"p": p}, 10) == {"p": [10, 10, 12]}


def test_the_widest_window_counts_for_all() -> None:
    tables = {"p": facts([1, 5, 9], list("abc")), "r": facts([1, 5, 9], list("abc"))}
    assert kept("q(X) :- p(X) in [1]. q(X) :- r(X) in [4].", tables, 9) == {"p": [5, 9], "r": [5, 9]}


@pytest.mark.parametrize("literal", ["p(X) in [*]", "p(X) at T", "p(X) in [2..5]", "(p(X) in [#1]) at 3"])
def test_where_all_can_matter_all_is_kept(literal: str) -> None:
    p = facts([1, 5, 9], list("abc"))
    assert kept(f"q(X) :- {literal}.", {"p": p}, 9) == {"p": [1, 5, 9]}


def test_a_tuple_window_keeps_the_last_facts_of_all_inputs() -> None:
    tables = {"p": facts([1, 2, 8], list("abc")), "r": facts([3, 4, 20], list("abc"))}
    program = "q(X) :- p(X) in [#3]."
    assert kept(program, tables, 10) == {"p": [8], "r": [3, 4, 20]}
    assert kept(program, tables, 3) == {"p": [1, 2, 8], "r": [3, 4, 20]}
    assert kept(program, tables, 2) == {"p": [1, 2, 8], "r": [3, 4, 20]}  # fewer than three, and so all


def test_of_a_time_point_all_is_kept_or_nothing() -> None:
    tables = {"p": facts([1, 1, 1, 2], list("abcd")), "r": facts([0, 1], list("ab"))}
    assert kept("q(X) :- p(X) in [#2].", tables, 5) == {"p": [1, 1, 1, 2], "r": [1]}


def test_a_partition_window_keeps_the_last_facts_of_each_key() -> None:
    p = facts([1, 2, 3, 4, 5, 6], list("aabbba"), [1, 2, 3, 4, 5, 6])
    assert kept("q(X,Y) :- p(X,Y) in [#1 by X].", {"p": p}, 6) == {"p": [5, 6]}
    assert kept("q(X,Y) :- p(X,Y) in [#2 by X].", {"p": p}, 6) == {"p": [2, 4, 5, 6]}
    assert kept("q(X,Y) :- p(X,Y) in [#1 by X].", {"p": p}, 5) == {"p": [2, 5, 6]}  # that of 6 is yet to come
    assert kept("q(X,Y) :- p(X,Y) in [#1 by X, Y].", {"p": p}, 6) == {"p": [1, 2, 3, 4, 5, 6]}


def test_a_partition_window_concerns_its_own_predicate() -> None:
    tables = {"p": facts([1, 5], list("aa")), "r": facts([1, 5], list("aa"))}
    assert kept("q(X) :- p(X) in [#1 by X], r(X) in [2].", tables, 5) == {"p": [5], "r": [5]}


def test_of_equal_times_in_a_group_all_are_kept() -> None:
    p = facts([1, 3, 3], list("aaa"), [1, 2, 3])
    assert kept("q(X,Y) :- p(X,Y) in [#1 by X].", {"p": p}, 4) == {"p": [3, 3]}


def test_negative_times() -> None:
    p = facts([-9, -5, -4], list("abc"))
    assert kept("q(X) :- p(X) in [2].", {"p": p}, -3) == {"p": [-5, -4]}


@pytest.mark.parametrize("window", ["3", "#2", "#1 by X", "*"])
def test_no_rows(window: str) -> None:
    assert kept(f"q(X) :- p(X) in [{window}].", {"p": facts([], [])}, 3) == {"p": []}
    assert kept(f"q(X) :- p(X) in [{window}].", {"p": facts([9], ["a"])}, 3) == {"p": [9]}


def test_no_arguments() -> None:
    assert kept("q :- p in [1].", {"p": facts([1, 4, 5])}, 5) == {"p": [4, 5]}
    assert kept("q :- p in [#2].", {"p": facts([1, 4, 5])}, 5) == {"p": [4, 5]}


def test_a_derived_predicate_that_is_an_input_too_is_looked_back_on() -> None:
    tables = {"p": facts([1, 4], list("ab")), "q": facts([1, 4], list("ab"))}
    assert kept("q(X) :- p(X). r(X) :- q(X) in [5].", tables, 5)["q"] == [1, 4]
