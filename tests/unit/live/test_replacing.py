"""Another program in the place of a running one: what is different, what it lacks, and that mistakes change nothing."""

from __future__ import annotations

import math
from typing import Any

import pytest

import lasing
from lasing import Atom, LasingError
from lasing.succession import Lack
from lasing.timeline.clock import TurnedClock

HOT = "hot(S) :- temp(S, V) in [5], V > {}."


def running(program: str = HOT.format(30), until: int = 9, **more: Any) -> lasing.Engine:
    engine = lasing.Engine(program, start=0, **more)
    for time in range(until + 1):
        engine.push(time, [("temp", f"s{time}", 25 + time)])
    return engine


def atoms(*texts: str) -> frozenset[Atom]:
    return frozenset(Atom("hot", (text,)) for text in texts)


def test_the_current_time_point_is_evaluated_again() -> None:
    engine = running()
    assert engine.answer().atoms == atoms("s6", "s7", "s8", "s9")
    update = engine.replace(HOT.format(32))
    assert (update.time, update.added, update.removed) == (9, frozenset(), atoms("s6", "s7"))
    assert update.history
    assert update.history.complete_from == 9
    added, removed = update.rows()
    assert (added, sorted(removed, key=str)) == ([], [("hot", "s6"), ("hot", "s7")])
    assert update.to_arrow()["hot"]["change"].to_pylist() == [-1, -1]
    assert engine.answer().atoms == atoms("s8", "s9")
    assert engine.push(9, [("temp", "late", 99)]).added == atoms("late")
    assert engine.advance_to(14).removed == atoms("s8")


def test_added_atoms_say_until_when_they_hold() -> None:
    update = running().replace("hot(S) :- temp(S, V) in [5], V > 28. known(S) :- room(S). room(x).")
    assert update.expires_at(Atom("hot", ("s4",))) == 9
    assert update.expires_at(Atom("hot", ("s5",))) == 10
    assert update.expires_at(Atom("known", ("x",))) == math.inf


def test_comparing_changes_nothing() -> None:
    engine = running()
    found = engine.compare(HOT.format(32))
    assert (found.time, found.added, found.removed, found.kept) == (9, atoms(), atoms("s6", "s7"), atoms("s8", "s9"))
    assert str(found) == "- hot(s6)\n- hot(s7)\n= hot(s8)\n= hot(s9)"
    assert engine.answer().atoms == atoms("s6", "s7", "s8", "s9")
    assert engine.push(10, []).removed == atoms()


def test_a_longer_window_is_refused_and_says_from_when_it_is_complete() -> None:
    engine = running(until=20)
    with pytest.raises(LasingError, match=r"E329.*in \[8\]: it looks back 8 time points") as refused:
        engine.replace("hot(S) :- temp(S, V) in [8], V > 30.")
    assert "complete from time point 23" in str(refused.value)
    assert "partial=True" in str(refused.value)
    assert engine.answer().atoms == atoms(*(f"s{i}" for i in range(15, 21)))
    update = engine.replace("hot(S) :- temp(S, V) in [8], V > 30.", partial=True)
    assert update.history.lacks == (
        Lack("temp(S,V) in [8]", "it looks back 8 time points, and the facts of the last 5 time points are kept", 3),
    )
    assert (update.history.complete_from, engine.complete_from) == (23, 23)
    with pytest.raises(LasingError, match="E329"):  # what it lacks, the next program lacks too
        engine.replace("hot(S) :- temp(S, V) in [8], V > 20.")
    engine.advance_to(23)
    assert engine.complete_from == 0
    assert engine.replace("hot(S) :- temp(S, V) in [8], V > 20.").history


def test_a_longer_window_that_reaches_the_start_lacks_nothing() -> None:
    engine = running(until=5)
    update = engine.replace("hot(S) :- temp(S, V) in [100], V > 28.")
    assert update.history
    assert update.added == atoms("s4", "s5")


@pytest.mark.parametrize(
    ("new", "why", "complete"),
    [
        ("q(X) :- door(X).", "door were not kept, because no rule used them", 21),
        ("q(X) :- door(X) in [3].", "door were not kept, because no rule used them", 24),
        ("q(X) :- door(X) in [*].", "door were not kept", None),
        ("q(X) :- temp(X, _) in [*].", "it looks back all time points", None),
        ("q(X) :- temp(X, _) in [#3].", "it counts facts of all predicates", None),
        ("q(X) :- temp(X, _) in [#3 by X].", "it counts the last 3 facts of temp for each key", None),
        ("#stream d/1. d(X) :- temp(X, _). q(X) :- d(X) in [4].", "it was not a derived stream", 24),
        ("q(X) :- temp(X, _) in [3]. temp(s1, 1) at 19.", "1 fact at time points that have passed", 23),
    ],
)
@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
def test_what_the_old_program_has_not_kept(new: str, why: str, complete: int | None) -> None:
    engine = running(until=20)
    with pytest.raises(LasingError, match=why) as refused:
        engine.replace(new)
    assert {found.code for found in refused.value.diagnostics} == {"E329"}
    assert engine.replace(new, partial=True).history.complete_from == complete


def test_background_of_the_new_program_is_not_missed_in_the_stream() -> None:
    engine = running()
    update = engine.replace("hot(R) :- temp(S, V) in [5], V > 33, room(S, R). room(s9, hall).")
    assert update.added == atoms("hall")


def test_a_stream_is_remembered_as_the_old_rules_derived_it() -> None:
    old = "#stream big/1. big(S) :- temp(S, V), V > 30. hot(S) :- big(S) in [5]."
    engine = running(old)
    assert engine.replace(f"{old} more(S) :- big(S) in [3].").history
    changed = old.replace("30", "32")
    with pytest.raises(LasingError, match=r"E329.*big: it is remembered as the old rules derived it"):
        engine.replace(changed)
    assert engine.replace(changed, partial=True).history.complete_from == 14
    assert engine.answer().atoms >= atoms("s6", "s9")


def test_state_that_rests_on_its_own_past_never_becomes_complete() -> None:
    old = "#stream on/0. on :- temp(_, V), V > 30. on :- on in [1,-1], not off. off :- temp(_, 99)."
    engine = running(old)
    assert engine.replace(old.replace("> 30", "> 50"), partial=True).history.complete_from is None


@pytest.mark.parametrize(
    ("new", "code"),
    [
        ("hot(S :- temp(S, V).", "E105"),
        ("#tick 1 min. hot(S) :- temp(S, V).", "E330"),
        ("hot(S) :- temp(S).", "E330"),
        ("hot(S) :- temp(S, V), @f(V) > 1.", "E318"),
    ],
)
def test_a_mistake_changes_nothing(new: str, code: str) -> None:
    engine = running()
    for change in (engine.replace, engine.compare):
        with pytest.raises(LasingError) as refused:
            change(new)
        assert refused.value.diagnostics[0].code == code
    assert engine.push(10, [("temp", "s10", 99)]).added == atoms("s10")


def test_constants_functions_and_data_stay_unless_others_are_given() -> None:
    program = "#const most = 30. hot(R) :- temp(S, V) in [5], @f(V) > most, room(S, R)."
    data = "room(s9, hall). room(s8, attic)."
    engine = lasing.Engine(f"{program} {data}", start=0, constants={"most": 32}, functions={"f": lambda v: v})
    for time in range(10):
        engine.push(time, [("temp", f"s{time}", 25 + time)])
    assert engine.answer().atoms == atoms("hall", "attic")
    assert engine.replace(f"{program} {data} other(x).").removed == atoms()
    update = engine.replace(f"{program} {data}", constants={"most": 33}, functions={"f": lambda v: v})
    assert update.removed >= atoms("attic")


def test_an_engine_that_has_not_begun() -> None:
    engine = lasing.Engine(HOT.format(30))
    assert not engine.replace(HOT.format(20))
    assert engine.push(3, [("temp", "s1", 25)]).added == atoms("s1")


@pytest.mark.filterwarnings("ignore:.*W204:lasing.LasingWarning")
def test_facts_that_wait_are_for_the_new_program() -> None:
    engine = lasing.Engine(HOT.format(30), start=0, delay=3)
    engine.push(5, [("temp", "s1", 35), ("door", "d1")])
    engine.replace("open(X) :- door(X) in [2].", partial=True)
    assert engine.flush().added == {Atom("open", ("d1",))}


def test_queries_have_their_columns() -> None:
    query = "PREFIX : <http://ex.org/> SELECT ?s ?v WHERE {{ ?s :v ?v FILTER(?v > {}) }}"
    pytest.importorskip("rdflib")
    one = lasing.parse(query.format(10), language="sparql")
    engine = lasing.Engine(one, start=0)
    assert engine.replace(lasing.parse(query.format(20), language="sparql"), partial=True).rows() == ([], [])


def test_programs_with_several_answers() -> None:
    engine = running()
    several = "hot(S) ; cold(S) :- temp(S, V), V > 33."
    engine.replace(several)
    assert len(engine.answer().models) == 2
    update = engine.replace(HOT.format(30), partial=True)
    with pytest.raises(LasingError, match="E309"):
        _ = update.added
    correcting = running(delay=2, corrections=True)
    with pytest.raises(LasingError, match="E309"):
        correcting.replace(several)


def test_late_facts_correct_both_programs() -> None:
    engine = running(delay=5, corrections=True)
    engine.replace(HOT.format(32))
    update = engine.push(7, [("temp", "x", 31), ("temp", "y", 40)])
    assert [(c.time, c.added) for c in update.corrections] == [(7, atoms("x", "y")), (8, atoms("x", "y"))]
    assert update.added == atoms("y")  # at 9, where the new program answers


def test_what_holds_now_is_reported_at_the_time_point_that_it_is_now() -> None:
    engine = lasing.Engine("g(X) :- b(X). b(2).", start=0)
    engine.push(3, [])
    assert engine.holding()["g"]["time"].to_pylist() == [3]


def test_the_clock_goes_on() -> None:
    engine = lasing.Engine("#tick 1 sec. hot(S) :- temp(S).", clock=TurnedClock(10_000_000))
    engine.push(3, [("temp", "a")])
    engine.replace("#tick 1 sec. cold(S) :- temp(S).")
    update = engine.follow_clock()
    assert update is not None
    assert update.time == 9
