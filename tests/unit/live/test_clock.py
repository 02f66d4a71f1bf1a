"""An engine that follows the clock notices what does not happen. The clock here is turned by hand."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Queue
from typing import Any

import pytest

import lasing
from lasing import Engine, LasingError
from lasing.timeline.clock import TurnedClock

SILENT = "#tick 1 sec. sensor(s1). sensor(s2). silent(S) :- sensor(S), not temp(S,_) in [2 sec]."
SECOND = 1_000_000


def atoms(engine: Engine) -> list[str]:
    return sorted(map(str, engine.answer().atoms))


def temp(sensor: str) -> list[tuple[object, ...]]:
    return [("temp", sensor, 20)]


@pytest.mark.parametrize("options", [{}, {"delay": 0}, {"delay": "0 s"}])
def test_everybody_is_silent(options: dict[str, Any]) -> None:
    clock = TurnedClock(100 * SECOND)
    engine = Engine(SILENT, clock=clock, **options)
    engine.push(100, temp("s1") + temp("s2"))
    clock.turn_to(101 * SECOND - 1)
    assert engine.follow_clock() is None  # the hundredth second is not over
    clock.turn_to(103 * SECOND)
    engine.follow_clock()
    assert (engine.time, atoms(engine)) == (102, [])
    clock.turn_to(104 * SECOND)
    update = engine.follow_clock()
    assert update is not None
    assert sorted(map(str, update.added)) == ["silent(s1)", "silent(s2)"]


def test_the_clock_waits_for_the_delay() -> None:
    clock, late = TurnedClock(100 * SECOND), list[lasing.Late[Any]]()
    engine = Engine(SILENT, delay="5 s", clock=clock, on_late=late.append)
    engine.push(100, temp("s1"))
    clock.turn_to(106 * SECOND)
    engine.follow_clock()
    assert (engine.start, engine.time, atoms(engine)) == (100, 100, ["silent(s2)"])
    engine.push(101, temp("s2"))
    engine.push(100, temp("s2"))
    assert [(each.time, each.late_by) for each in late] == [(100, 1)]
    clock.turn_to(109 * SECOND)
    engine.follow_clock()
    assert (engine.time, atoms(engine)) == (103, ["silent(s1)"])


def test_before_the_first_fact_the_clock_begins_the_timeline() -> None:
    clock = TurnedClock(100 * SECOND)
    engine = Engine(SILENT, delay="5 s", clock=clock)
    assert engine.follow_clock() is not None
    assert (engine.start, engine.time, atoms(engine)) == (94, 94, ["silent(s1)", "silent(s2)"])


def test_with_corrections_the_clock_does_not_wait() -> None:
    clock = TurnedClock(100 * SECOND)
    engine = Engine(SILENT, start=100, delay="5 s", corrections=True, clock=clock)
    engine.push(100, temp("s1") + temp("s2"))
    clock.turn_to(104 * SECOND)
    engine.follow_clock()
    assert (engine.time, atoms(engine)) == (103, ["silent(s1)", "silent(s2)"])
    update = engine.push(102, temp("s1"))
    assert sorted(map(str, update.removed)) == ["silent(s1)"]
    assert engine.late == 0


def test_a_clock_that_goes_back_changes_nothing() -> None:
    clock = TurnedClock(100 * SECOND)
    engine = Engine(SILENT, clock=clock)
    engine.push(100, temp("s1"))
    clock.turn_to(110 * SECOND)
    engine.follow_clock()
    clock.turn_to(50 * SECOND)
    assert engine.follow_clock() is None
    assert engine.time == 109


def test_run_clock_pushes_what_arrives_and_ticks_in_between() -> None:
    clock, queue = TurnedClock(100 * SECOND), Queue[Any]()

    def arrivals() -> Iterator[Any]:
        while (one := queue.get()) is not None:
            yield one

    engine = Engine(SILENT, clock=clock, delay=0)
    updates = engine.run_clock(arrivals())
    queue.put((100, temp("s1") + temp("s2")))
    next(updates)
    found = []
    for second in range(102, 106):
        clock.turn_to(second * SECOND)
        found.append(next(updates).time)
    assert found == [101, 102, 103, 104]
    assert atoms(engine) == ["silent(s1)", "silent(s2)"]
    queue.put((105, temp("s1"), ""))
    queue.put(None)
    assert [sorted(map(str, update.removed)) for update in updates][-1] == ["silent(s1)"]


def test_without_arrivals_only_the_clock_ticks() -> None:
    clock = TurnedClock(100 * SECOND)
    engine = Engine(SILENT, clock=clock)
    updates = engine.run_clock()
    clock.turn_to(101 * SECOND)
    assert next(updates).time == 100
    clock.turn_to(102 * SECOND)
    assert next(updates).time == 101


def test_what_cannot_arrive_is_refused() -> None:
    engine = Engine(SILENT, clock=TurnedClock(100 * SECOND))
    with pytest.raises(LasingError, match="is not an arrival"):
        list(engine.run_clock([7]))
    with pytest.raises(LasingError, match="E503"):
        Engine("q :- p.").follow_clock()
