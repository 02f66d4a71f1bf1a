"""Limits on atoms, memory and time, as users write them and as every engine enforces them."""

from __future__ import annotations

from datetime import timedelta

import pytest

import lasing
from lasing.engine_choice import EngineName
from lasing.limits import Limits, limits_of, memory_of_machine, resident

PAIRS = "c(X,Y) :- a(X), a(Y)."
COUNTED_PAIRS = "c(X,Y) :- a(X), a(Y), not b(X,Y)."
AGGREGATE = "n(N) :- N = #count{X,Y : a(X) in [3], a(Y) in [3]}."
NOTHING_FOUND = "c :- a(X), a(Y), a(Z), X + Y + Z < 0."
ENDLESS = "p(X) :- a(X).  p(X+1) :- p(X)."
ENDLESS_IN_TIME = "p(X) at T+1 :- a(X) at T.  p(X) at T+1 :- p(X) at T."
ENDLESS_CHOICE = "{p(X)} :- a(X).  {p(X+1)} :- p(X)."
PIGEONS = "{sits(X,Y) : hole(Y)} = 1 :- a(X).  :- sits(X,Y), sits(Z,Y), X < Z.  hole(Y) :- a(Y), Y > 0."


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((), Limits()),
        ((10, 4096, 2), Limits(10, 4096, 2.0)),
        ((None, "500 MB", "5 min"), Limits(None, 500_000_000, 300.0)),
        ((None, "2GiB", "250ms"), Limits(None, 2**31, 0.25)),
        ((None, "1.5 gb", timedelta(hours=1)), Limits(None, 1_500_000_000, 3600.0)),
    ],
)
def test_limits_are_read(given: tuple[object, ...], expected: Limits) -> None:
    assert limits_of(*given) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_atoms": 0},
        {"max_atoms": True},
        {"max_atoms": "many"},
        {"max_memory": "2 parsecs"},
        {"max_memory": -1},
        {"max_memory": "1e99 GB"},
        {"max_time": 0},
        {"max_time": "soon"},
        {"max_time": float("nan")},
        {"max_time": float("inf")},
        {"max_time": True},
        {"max_time": 10**400},
    ],
)
def test_a_bad_limit_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(lasing.LasingError, match="E306"):
        lasing.run("q :- p.", **wrong)  # type: ignore[arg-type]


def test_the_default_of_memory_is_half_of_what_the_machine_has() -> None:
    assert Limits().bytes == memory_of_machine() // 2 > 0
    assert resident() < memory_of_machine()


def facts(number: int) -> list[tuple[object, ...]]:
    return [(0, "a", i) for i in range(number)]


@pytest.mark.parametrize(
    ("program", "engine"),
    [
        (PAIRS, "local"),
        (PAIRS, "reference"),
        (COUNTED_PAIRS, "local"),
        (AGGREGATE, "local"),
        (ENDLESS, "local"),
        (ENDLESS, "reference"),
        (ENDLESS, "clingo"),
        (ENDLESS_IN_TIME, "local"),
        (ENDLESS_IN_TIME, "reference"),
        (ENDLESS_CHOICE, "auto"),
        (ENDLESS_CHOICE, "clingo"),
    ],
)
def test_too_many_atoms_end_the_run_with_the_rule_that_made_them(program: str, engine: EngineName) -> None:
    with pytest.raises(lasing.LasingError) as raised:
        list(lasing.run(program, facts(60), engine=engine, max_atoms=1000))
    finding = raised.value.diagnostics[0]
    assert (finding.code, finding.message) == ("E304", "more than 1,000 atoms are derived at time point 0")
    assert finding.place is not None
    assert finding.place.text == program
    assert "this rule was running" in finding.note
    assert "max_atoms=" in finding.note


def test_input_facts_are_not_counted() -> None:
    assert len(list(lasing.run("q :- a(X).", facts(5000), max_atoms=1))) == 1


@pytest.mark.parametrize("program", [PAIRS, COUNTED_PAIRS, AGGREGATE, ENDLESS, ENDLESS_IN_TIME])
def test_too_much_memory_ends_the_run(program: str) -> None:
    with pytest.raises(lasing.LasingError, match=r"E315.*20 MB"):
        list(lasing.run(program, facts(2000), engine="local", max_memory="20 MB", max_atoms=10**9))


def test_too_much_memory_ends_the_run_in_python_engines() -> None:
    with pytest.raises(lasing.LasingError, match="E315"):
        list(lasing.run(ENDLESS, facts(1), engine="reference", max_memory="4 MB", max_atoms=10**9))


@pytest.mark.parametrize(
    ("program", "engine", "number"),
    [
        (NOTHING_FOUND, "local", 30_000),
        (NOTHING_FOUND, "reference", 3_000),
        (ENDLESS, "local", 1),
        (ENDLESS, "reference", 1),
        (ENDLESS_CHOICE, "auto", 1),
        (PIGEONS, "auto", 14),
    ],
)
def test_too_much_time_ends_the_run(program: str, engine: EngineName, number: int) -> None:
    with pytest.raises(lasing.LasingError, match=r"E316.*longer than 0\.2 s"):
        list(lasing.run(program, facts(number), engine=engine, max_time=0.2, max_atoms=10**9))
