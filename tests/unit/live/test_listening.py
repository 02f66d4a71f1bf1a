"""`Engine.on`: a function hears of the changes of a predicate, in order, and cannot harm the engine."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

import lasing
from lasing import Changes, Engine, LasingError

PROGRAM = "hot(S) :- temp(S,V) in [1], V > 30. seen(S) :- temp(S,V)."


def shown(changes: Changes) -> str:
    added, removed = (" ".join(sorted(map(str, atoms))) for atoms in (changes.added, changes.removed))
    return f"{changes.time}: +{added} -{removed}"


def heard(engine: Engine, predicate: str = "hot/1") -> list[str]:
    found: list[str] = []
    engine.on(predicate, lambda changes: found.append(shown(changes)))
    return found


def test_a_function_hears_of_its_predicate_at_each_time_point() -> None:
    engine = Engine(PROGRAM, start=0)
    found = heard(engine)
    engine.push(1, [("temp", "a", 70)])
    engine.push(2, [("temp", "b", 10)])
    engine.advance_to(9)
    assert found == ["1: +hot(a) -", "3: + -hot(a)"]


TABLE = pa.table({"time": [1], "s": ["a"], "v": [70]})
WAYS: dict[str, Callable[[Engine], object]] = {
    "push_at": lambda engine: engine.push_at(1, 1, [("temp", "a", 70)]),
    "push_batch": lambda engine: engine.push_batch({"temp": TABLE}),
    "push": lambda engine: engine.push(1, [("temp", "a", 70)]),
}


@pytest.mark.parametrize("kind", ["local", "reference"])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_is_heard_of_once(way: str, kind: str) -> None:
    engine = Engine(PROGRAM, start=0, engine=kind)  # type: ignore[arg-type]
    found = heard(engine)
    WAYS[way](engine)
    assert found == ["1: +hot(a) -"]


def test_facts_that_wait_are_heard_of_when_they_are_evaluated() -> None:
    engine = Engine(PROGRAM, start=0, delay=2)
    found = heard(engine)
    engine.push(3, [("temp", "a", 70)])
    assert found == []
    engine.flush()
    assert found == ["3: +hot(a) -"]


def test_corrections_are_apart() -> None:
    engine = Engine(PROGRAM, start=0, delay=5, corrections=True)
    now, before = list[str](), list[str]()
    engine.on("hot", lambda c: now.append(shown(c)), on_correction=lambda c: before.append(shown(c)))
    engine.push(4, [("temp", "b", 1)])
    engine.push(3, [("temp", "a", 70)])
    assert before == ["3: +hot(a) -"]
    assert now == ["4: +hot(a) -"]


def test_order_is_that_of_subscription_and_a_subscription_ends() -> None:
    engine, order = Engine(PROGRAM, start=0), list[str]()
    engine.on("hot", lambda _: order.append("first"))
    with engine.on("hot", lambda _: order.append("second")) as second:
        engine.push(1, [("temp", "a", 70)])
    assert not second.active
    engine.push(5, [("temp", "b", 70)])
    assert order == ["first", "second", "first", "first"]


def test_a_function_may_unsubscribe_itself() -> None:
    engine, times = Engine(PROGRAM, start=0), list[int]()

    def once(changes: Changes) -> None:
        times.append(changes.time)
        subscription.cancel()

    subscription = engine.on("hot", once)
    engine.push(1, [("temp", "a", 70)])
    engine.advance_to(9)
    assert times == [1]


def test_an_exception_reaches_the_caller_after_the_others_have_heard() -> None:
    engine, found = Engine(PROGRAM, start=0), list[str]()

    def fail(_: Changes) -> None:
        raise ZeroDivisionError

    engine.on("hot", fail)
    engine.on("hot", lambda changes: found.append(shown(changes)))
    with pytest.raises(ZeroDivisionError):
        engine.push(1, [("temp", "a", 70)])
    assert found == ["1: +hot(a) -"]
    assert sorted(map(str, engine.answer().atoms)) == ["hot(a)", "seen(a)"]
    engine.on("hot", fail)
    with pytest.raises(ExceptionGroup) as caught:
        engine.push(3, [("temp", "b", 70)])
    assert len(caught.value.exceptions) == 2


def test_a_function_can_ask_but_not_push() -> None:
    engine, answers = Engine(PROGRAM, start=0), list[int]()
    engine.on("hot", lambda _: answers.append(len(engine.answer().atoms)))
    engine.push(1, [("temp", "a", 70)])
    assert answers == [2]
    engine.on("hot", lambda _: engine.advance_to(50))
    with pytest.raises(LasingError, match="E325"):
        engine.push(2, [("temp", "b", 70)])
    assert engine.time == 2


@pytest.mark.parametrize("predicate", ["hott", "hot/2", "temp", "", "/"])
def test_only_outputs_can_be_heard_of(predicate: str) -> None:
    with pytest.raises(LasingError, match="E324"):
        Engine(PROGRAM, start=0).on(predicate, print)


def test_something_to_call_is_needed() -> None:
    with pytest.raises(LasingError, match="E324"):
        Engine(PROGRAM, start=0).on("hot", "print")  # type: ignore[arg-type]


def test_changes_have_dates_if_times_came_as_dates() -> None:
    engine = lasing.Engine("#tick 1 sec. hot(S) :- temp(S).")
    found: list[str] = []
    engine.on("hot/1", lambda changes: found.append(str(changes.instant)))
    engine.push("2026-01-31T08:00:00Z", [("temp", "a")])
    assert len(found) == 1
    assert found[0].startswith("2026-01-31 08:00:00")
