"""Until when an atom is guaranteed: never too long, whatever comes, and never before the time of the answer."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasing
from lasing import Atom
from lasing.logic.answers import Expiry
from tests.differential.core_programs import core_example
from tests.differential.harness import answers_of
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")


def kept(expected: dict[int, frozenset[Atom]], time: int, atom: Atom, until: Expiry, last: int) -> None:
    """Fail if a promise is broken, or is about the past."""
    if until is None:
        return
    assert until >= time, (atom, time, until)
    broken = [t for t in range(time, min(last, int(min(until, last))) + 1) if atom not in expected[t]]
    assert not broken, (atom, time, until, broken)


def promises_are_kept(example: Example, chance: random.Random) -> None:
    expected: dict[int, frozenset[Atom]] = dict(answers_of(example))
    for answer in lasing.run(example.program, example.stream_text, example.start, example.end):
        for atom in answer.atoms:
            kept(expected, answer.time, atom, answer.expires_at(atom), example.end)
    facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
    live = lasing.Engine(example.program, example.start)
    for time in range(example.start, example.end + 1):
        now = [(atom.predicate, *atom.args) for at, atom in facts if at == time]
        if not now and chance.random() < 0.7:
            continue
        update = live.push(time, now)
        for atom in update.added:
            kept(expected, time, atom, update.expires_at(atom), example.end)
        for step in update.steps():
            for atom in step.added:
                kept(expected, step.time, atom, step.expires_at(atom), example.end)
        for name, table in update.to_arrow().items():
            for row in table.to_pylist():
                if row["change"] > 0 and row["expires_at"] is not None:
                    atom = Atom(name, tuple(value for key, value in row.items() if key.startswith("arg")))
                    assert row["expires_at"] >= row["time"], (atom, row)
        for atom in live.answer().atoms:
            kept(expected, time, atom, live.answer().expires_at(atom), example.end)


@settings(max_examples=programs(80, 2000))
@given(example=examples(), chance=st.randoms(use_true_random=False))
def test_promises_of_random_programs_are_kept(example: Example, chance: random.Random) -> None:
    promises_are_kept(example, chance)


@pytest.mark.parametrize("seed", range(60))
def test_promises_of_random_programs_of_the_local_engine_are_kept(seed: int) -> None:
    promises_are_kept(core_example(seed), random.Random(seed))


def expiries(program: str, facts: dict[int, list[tuple[object, ...]]], end: int, atom: Atom) -> list[Expiry]:
    engine = lasing.Engine(program, 0)
    promised: list[Expiry] = []
    for time in range(end + 1):
        engine.push(time, facts.get(time, []))
        promised.append(engine.answer().expires_at(atom) if atom in engine.answer().atoms else -1)
    return promised


def test_an_atom_from_a_window_is_guaranteed_as_long_as_its_support() -> None:
    q = Atom("q")
    assert expiries("i :- e in [4]. q :- i at T in [6].", {0: [("e",)]}, 5, q) == [4, 4, 4, 4, 4, -1]
    assert expiries("i :- e in [4]. q :- i at _ in [6].", {0: [("e",)]}, 5, q) == [4, 4, 4, 4, 4, -1]
    assert expiries("b. q :- b at U in [2].", {}, 3, q) == [math.inf] * 4
    assert expiries("b(1). q :- b(X) at U in [2], b(X).", {}, 3, q) == [math.inf] * 4


def test_a_time_in_a_head_is_guaranteed_for_now() -> None:
    """A derived time moves on: q(3) does not hold at 4, so a head that uses T promises only the present."""
    assert expiries("i :- e in [4]. q(T) :- i at T in [6].", {0: [("e",)]}, 4, Atom("q", (3,))) == [-1, -1, -1, 3, -1]
    assert expiries("i :- e in [4]. q :- i at T in [6], T >= 0.", {0: [("e",)]}, 4, Atom("q")) == [0, 1, 2, 3, 4]


def test_an_update_promises_nothing_about_the_past() -> None:
    engine = lasing.Engine("p at U :- s at T, U = T + 2. q :- p in [1]. r :- e in [1]. q :- r, e.", 0)
    engine.push(0, [("s",)])
    update = engine.push(4, [("e",)])
    assert update.added == {Atom("q"), Atom("r")}
    assert update.expires_at(Atom("q")) == 4
    assert [(step.time, step.expires_at(Atom("q"))) for step in update.steps() if Atom("q") in step.added] == [(2, 3)]
