"""What workers get: the program, and its plan, made once."""

from __future__ import annotations

import pickle
from collections.abc import Mapping

import pytest

import lasing
from lasing.spark import task as tasks
from lasing.spark.task import Task

PROGRAM = "room(a, 1). room(b, 2). q(X, Y) :- p(X) in [5], room(X, Y)."


def task(keys: Mapping[str, int | None], shards: int, engine: str = "auto") -> Task:
    return Task(lasing.parse(PROGRAM), ("p",), {}, "answers", keys, frozenset(), shards, engine=engine)


def refuse(*_: object) -> None:
    raise AssertionError("the plan is made again")


def test_a_task_carries_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = task({"p": 0, "q": 0, "room": None}, 2)
    received = pickle.loads(pickle.dumps(sent))
    monkeypatch.setattr(tasks, "plan_for", refuse)
    assert received.plan is not None
    assert received.plan_of(0) is received.plan_of(1) is received.plan
    assert received == sent


def test_shards_with_background_of_their_own_have_plans_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    divided = task({"p": 0, "q": 0, "room": 0}, 2)
    plans = [divided.plan_of(shard) for shard in range(2)]
    rows = [[values for _, values, _ in plan.background] for plan in plans if plan is not None]
    assert sorted(rows[0] + rows[1]) == [("a", 1), ("b", 2)]
    assert rows[0] != rows[1]
    monkeypatch.setattr(tasks, "plan_for", refuse)
    assert divided.plan_of(0) is plans[0], "each is made once"


def test_the_reference_engine_has_no_plan() -> None:
    assert task({}, 1, "reference").plan_of(0) is None
