"""`Engine(delay=…)`: facts wait until they can be in order, and those beyond the bound are set aside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import lasing
from lasing import Engine, LasingError, LasingWarning
from lasing.timeline.clock import TurnedClock

HOT = "hot(S) :- temp(S,V) in [5], V > 30."
SECOND = 1_000_000


def shown(update: Any) -> tuple[int, list[str], list[str]]:
    return update.time, sorted(map(str, update.added)), sorted(map(str, update.removed))


def temp(sensor: str, value: int = 70) -> list[tuple[object, ...]]:
    return [("temp", sensor, value)]


def test_facts_wait_until_they_can_be_in_order() -> None:
    engine = Engine(HOT, delay=2)
    assert not engine.push(7, temp("s1"))
    assert (engine.time, engine.start) == (None, None)
    assert not engine.push(5, temp("s2"))  # two time points before the newest fact: in time
    assert shown(engine.push(8, temp("s3"))) == (5, ["hot(s2)"], [])
    assert engine.start == 5
    assert shown(engine.flush()) == (8, ["hot(s1)", "hot(s3)"], [])
    assert engine.late == 0


def test_what_cannot_be_called_with_late_facts_is_refused() -> None:
    wrong: Any = 3
    with pytest.raises(LasingError, match=r"E510.*on_late=3 cannot be called"):
        Engine(HOT, delay=2, on_late=wrong)
    with pytest.raises(LasingError, match=r"E510.*on_late=3 cannot be called"):
        lasing.run(HOT, "temp(s1, 70) at 1.", delay=2, on_late=wrong)


def test_a_fact_beyond_the_bound_is_set_aside_with_how_late_it_is() -> None:
    late: list[lasing.Late[Any]] = []
    engine = Engine(HOT, delay=2, on_late=late.append)
    engine.push(9, temp("s1"))
    engine.push(6, temp("s2"))
    engine.push(4, temp("s3") + temp("s4"))
    assert [(each.time, each.closed_until, each.late_by, each.facts) for each in late] == [
        (6, 6, 1, temp("s2")),
        (4, 6, 3, temp("s3") + temp("s4")),
    ]
    assert engine.late == 3
    found = engine.diagnostics()
    assert [d.code for d in found] == ["W208"]
    assert "left out: 3 facts that came too late, by up to 3 time points" in found[0].message


def test_without_on_late_there_is_a_warning_at_the_first_late_fact() -> None:
    engine = Engine(HOT, delay=0)
    engine.push(9, temp("s1"))
    with pytest.warns(LasingWarning, match="W208"):
        engine.push(8, temp("s2"))
    assert not engine.push(8, temp("s3"))  # no second warning, which would be an error here
    assert engine.late == 2


def test_facts_before_the_start_are_late() -> None:
    late: list[lasing.Late[Any]] = []
    engine = Engine(HOT, start=10, delay=5, on_late=late.append)
    engine.push(9, temp("s1"))
    assert [(each.time, each.late_by) for each in late] == [(9, 1)]


def test_time_moves_with_the_slowest_source() -> None:
    engine = Engine(HOT, delay={"gate": 0, "yard": 2})
    assert not engine.push(20, temp("s1"), source="gate")
    assert engine.time is None
    engine.push(9, temp("s2"), source="yard")
    assert shown(engine.push(10, [], source="yard")) == (0, [], [])  # only how far its time has got
    assert shown(engine.push(12, temp("s3"), source="yard")) == (9, ["hot(s2)"], [])


def test_a_source_must_be_known() -> None:
    engine = Engine(HOT, delay={"gate": 0, "yard": 2})
    with pytest.raises(LasingError, match="there is no source 'gat'"):
        engine.push(1, temp("s1"), source="gat")
    with pytest.raises(LasingError, match="does not say which source"):
        engine.push(1, temp("s1"))


def test_an_idle_source_is_left_behind() -> None:
    clock, late = TurnedClock(), list[lasing.Late[Any]]()
    engine = Engine(HOT, delay={"gate": 0, "yard": 0}, idle="10 s", clock=clock, on_late=late.append)
    engine.push(5, temp("s1"), source="yard")
    engine.push(8, temp("s2"), source="gate")
    assert engine.time is None or engine.time < 5
    clock.turn_to(10 * SECOND)
    engine.push(9, temp("s3"), source="gate")  # yard has been silent for ten seconds
    assert engine.time == 8
    engine.push(7, temp("s4"), source="yard")
    assert [(each.source, each.time, each.late_by) for each in late] == [("yard", 7, 2)]
    engine.push(11, temp("s5"), source="yard")
    engine.push(20, temp("s6"), source="gate")
    assert engine.time == 10  # time waits for yard again


def test_a_source_becomes_idle_also_after_the_clock_was_set_back() -> None:
    clock = TurnedClock(3600 * SECOND)
    engine = Engine(HOT, delay={"gate": 0, "yard": 0}, idle="10 s", clock=clock)
    engine.push(5, temp("s1"), source="yard")
    clock.turn_to(0)
    engine.push(8, temp("s2"), source="gate")
    assert engine.time is None or engine.time < 5
    clock.turn_to(10 * SECOND)
    engine.push(9, temp("s3"), source="gate")
    assert engine.time == 8


def test_delays_are_durations_of_exact_instants() -> None:
    engine = Engine("#tick 1 min. " + HOT, delay="5 s")
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    engine.push(noon, temp("s1"))
    assert not engine.push(noon + timedelta(seconds=64), temp("s2"))
    assert engine.push(noon + timedelta(seconds=65), temp("s3")).added  # noon's minute ended five seconds before
    assert engine.answer().instant == noon


@pytest.mark.parametrize(
    ("delay", "message"),
    [("5 s", "times are plain numbers"), ("soon", "is not a delay"), (-1, "is not a delay"), (True, "is not a delay")],
)
def test_a_wrong_delay_is_refused(delay: Any, message: str) -> None:
    with pytest.raises(LasingError, match=message):
        Engine(HOT, delay=delay)


def test_idle_needs_a_delay() -> None:
    with pytest.raises(LasingError, match="give a delay="):
        Engine(HOT, idle="5 s")


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("facts", "code"), [([("temp", "s1")], "E508"), ([("temp", "s1", 2**70)], "E506")])
def test_bad_facts_are_refused_at_once(begun: bool, facts: Any, code: str) -> None:
    engine = Engine(HOT, start=0 if begun else None, delay=3)
    with pytest.raises(LasingError, match=code):
        engine.push(8, facts)
    engine.push(8, temp("s1"))
    assert shown(engine.flush()) == (8, ["hot(s1)"], [])


def test_advance_to_overrides_the_delay() -> None:
    late: list[lasing.Late[Any]] = []
    engine = Engine(HOT, delay=100, on_late=late.append)
    engine.push(7, temp("s1"))
    assert shown(engine.advance_to(8)) == (8, ["hot(s1)"], [])
    engine.push(8, temp("s2"))
    assert [each.late_by for each in late] == [1]


def test_the_data_of_the_program_comes_at_its_times() -> None:
    engine = Engine(f"{HOT} temp(own,99) at 3. temp(own,99) at 11.", delay=1)
    assert shown(engine.push(5, temp("s1"))) == (3, ["hot(own)"], [])
    assert shown(engine.push(7, temp("s2"))) == (5, ["hot(s1)"], [])
    assert shown(engine.advance_to(11)) == (11, ["hot(s2)"], ["hot(s1)"])
    assert engine.start == 3


def test_a_batch_came_together_and_may_be_in_any_order() -> None:
    engine, late = Engine(HOT, delay=1), list[lasing.Late[Any]]()
    engine.on_late = late.append
    frame = pa.table({"time": [9, 2, 5], "s": ["a", "b", "c"], "v": [70, 70, 70]})
    tables = engine.push_batch({"temp": frame})
    assert tables["hot"].select(["time", "arg1"]).to_pylist() == [
        {"time": 2, "arg1": "b"},
        {"time": 5, "arg1": "c"},
    ]
    engine.push_batch({"temp": pa.table({"time": [7], "s": ["d"], "v": [70]})})
    assert [(each.time, each.late_by) for each in late] == [(7, 1)]
    assert engine.push_batch({}, end=9)["hot"].select(["time", "arg1"]).to_pylist()[-1] == {"time": 9, "arg1": "a"}


def test_a_snapshot_has_the_facts_that_wait() -> None:
    late: list[lasing.Late[Any]] = []
    engine = Engine(HOT, delay={"gate": 2, "yard": 3})
    engine.push(7, temp("s1"), source="gate")
    engine.push(9, temp("s 2"), source="yard")
    engine.push(12, temp("s3"), source="yard")
    state = engine.snapshot()
    again = Engine.restore(HOT, state, delay={"gate": 2, "yard": 3}, on_late=late.append)
    again.push(4, temp("s4"), source="gate")
    assert [(each.time, each.late_by) for each in late] == [(4, 1)]
    assert shown(again.push(20, [], source="gate")) == (8, ["hot(s1)"], [])
    assert shown(again.flush()) == (12, ['hot("s 2")', "hot(s3)"], [])
    with pytest.raises(LasingError, match="wait to be in order"):
        Engine.restore(HOT, state)
