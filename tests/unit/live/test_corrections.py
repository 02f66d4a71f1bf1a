"""`Engine(corrections=True)`: pushes are answered at once, and late facts correct earlier answers."""

from __future__ import annotations

from typing import Any

import pytest

import lasing
from lasing import Engine, LasingError
from lasing.live import corrections as module
from lasing.live.local import LocalCore

HOT = "hot(S) :- temp(S,V) in [2], V > 30."
QUIET = "quiet :- not temp(_,_) in [1]."


def temp(sensor: str, value: float = 70) -> list[tuple[object, ...]]:
    return [("temp", sensor, value)]


def corrected(update: Any) -> list[tuple[int, list[str], list[str]]]:
    return [(c.time, sorted(map(str, c.added)), sorted(map(str, c.removed))) for c in update.corrections]


def test_a_late_fact_corrects_the_time_points_that_it_concerns() -> None:
    engine = Engine(f"{HOT} {QUIET}", start=0, delay=5, corrections=True)
    assert sorted(map(str, engine.push(1, temp("s1")).added)) == ["hot(s1)"]
    update = engine.push(6, temp("s2"))
    assert [(c.time, *map(str, c.added)) for c in update.steps()] == [(3, "quiet"), (4,), (6, "hot(s2)")]
    late = engine.push(3, temp("s3"))
    assert corrected(late) == [(3, ["hot(s3)"], ["quiet"]), (4, ["hot(s3)"], ["quiet"]), (5, ["hot(s3)"], [])]
    assert (late.time, late.added, late.removed) == (6, frozenset(), frozenset())
    assert bool(late)
    now = engine.push(5, temp("s4"))
    assert corrected(now) == [(5, ["hot(s4)"], ["quiet"])]
    assert sorted(map(str, now.added)) == ["hot(s4)"]
    assert sorted(map(str, engine.answer().atoms)) == ["hot(s2)", "hot(s4)"]


def test_a_late_fact_without_effect_corrects_nothing() -> None:
    engine = Engine(HOT, delay=5, corrections=True)
    engine.push(1, temp("s1"))
    engine.push(4, temp("s2"))
    assert not engine.push(3, temp("s3", 20))


def test_a_late_fact_can_begin_the_timeline() -> None:
    engine = Engine(f"{HOT} temp(own,99) at 2.", delay=5, corrections=True)
    engine.push(4, temp("s1"))
    assert engine.start == 2
    engine.push(1, temp("s2"))
    assert engine.start == 1
    other = Engine(f"{HOT} temp(own,99) at 2.", delay=5, corrections=True)
    other.push(4, [])
    assert other.start is None
    other.push(5, temp("s1"))
    assert other.start == 2


def test_beyond_the_bound_facts_are_late() -> None:
    late: list[lasing.Late[Any]] = []
    engine = Engine(HOT, delay=2, corrections=True, on_late=late.append)
    engine.push(9, temp("s1"))
    assert not engine.push(6, temp("s2"))
    assert [(each.time, each.late_by) for each in late] == [(6, 1)]
    assert engine.late == 1


def test_time_that_passes_does_not_make_facts_late() -> None:
    engine = Engine(HOT, start=0, delay=5, corrections=True)
    engine.push(4, temp("s1"))
    engine.advance_to(8)
    assert corrected(engine.push(5, temp("s2"))) == [(5, ["hot(s2)"], []), (6, ["hot(s2)"], []), (7, ["hot(s2)"], [])]


@pytest.mark.parametrize(
    "program",
    [
        "total(N) :- N = #sum{V,S : temp(S,V) in [4]}.",  # rows with blocks of their own: no copies of memory
        "avg(N) :- N = #avg{V,S : temp(S,V) in [4]}.",
        "last(S) :- temp(S,_) in [#3].",
        "#stream seen/1. seen(S) :- temp(S,V), V > 50. often(S) :- seen(S) in [4], temp(S,_).",
    ],
)
@pytest.mark.parametrize("forgetful", [False, True])
def test_other_kinds_of_state(program: str, forgetful: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of all kinds, some of which the dictionary forgets in between, in windows of all kinds."""
    monkeypatch.setattr(module, "_LEAST_FACTS", 3)
    facts = [(t, temp(f"s{t % 7}", t * 10.25 + 2.0**60)) for t in range(40)]
    arrivals = sorted(facts, key=lambda fact: fact[0] + (fact[0] * 5) % 7)
    engine = Engine(program, start=0, delay=7, corrections=True)
    for i, (time, new) in enumerate(arrivals):
        engine.push(time, new)
        core = engine._core
        if forgetful and i % 5 == 0 and isinstance(core, LocalCore):
            core._engine.dictionary.collect()
    expected = list(lasing.run(program, [(t, *f) for t, fs in facts for f in fs], start=0))[-1]
    assert engine.answer().atoms == expected.atoms
    assert engine.time == expected.time


def test_what_cannot_be_corrected_is_refused() -> None:
    with pytest.raises(LasingError, match="does not say how late"):
        Engine(HOT, corrections=True)
    with pytest.raises(LasingError, match="exactly one"):
        Engine("{q(X)} :- p(X).", delay=1, corrections=True)
    with pytest.raises(LasingError, match="cannot report corrections"):
        Engine(HOT, delay=1, corrections=True).push_batch({})


def test_after_a_restart_facts_before_the_snapshot_are_late() -> None:
    late: list[lasing.Late[Any]] = []
    engine = Engine(HOT, delay=5, corrections=True)
    engine.push(4, temp("s1"))
    engine.push(6, temp("s2"))
    again = Engine.restore(HOT, engine.snapshot(), delay=5, corrections=True, on_late=late.append)
    assert not again.push(5, temp("s3"))
    assert [(each.time, each.late_by) for each in late] == [(5, 2)]
    again.push(9, temp("s4"))
    assert corrected(again.push(8, temp("s5"))) == [(8, ["hot(s5)"], [])]
    assert sorted(map(str, again.answer().atoms)) == ["hot(s4)", "hot(s5)"]
