"""The arena grows when it must, and only then."""

from __future__ import annotations

import random

import pytest

import lasing
from lasing.engine_choice import unplanned
from lasing.engines.local import engine as engine_module
from lasing.engines.local.engine import LocalEngine
from tests.differential.core_programs import core_example
from tests.differential.harness import agree


@pytest.mark.parametrize("first", range(1000, 1100, 20))
def test_answers_do_not_depend_on_how_much_room_there_is(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "_FIRST_BITS", 1)  # two rows a relation: everything has to grow, in mid-rule too
    for seed in range(first, first + 20):
        example = core_example(seed)
        if not unplanned(lasing.parse(example.program)):
            agree(example, "local")


PROGRAMS = {
    "a join": "q(A,C) :- p(A,B) in [5], p(B,C) in [5].",
    "a recursion": "q(A,B) :- p(A,B) in [5]. q(A,C) :- q(A,B), p(B,C) in [5].",
    "always": "q(A,B) :- p(A,B) always in [2].",
    "a partition window beside standing rows": "q(A,B) :- p(A,B) in [#1 by A], not p(B,A) in [3].",
    "a tuple window": "q(A,B) :- p(A,B) in [#7].",
    "a window at a time point of a window": "q(A,B) :- p(A,B) at T in [5], (p(B,A) in [2]) at T.",
    "a negated atom, always": "q(A,B) :- p(A,B) at T in [5], (not p(B,A)) always in [2].",
    "a window in a window": "q(A,B) :- (p(A,B) and not (p(B,_) in [full 2])) in [3].",
    "a disjunction, always": "q(A) :- p(A,_) in [2], (p(A,1) or not p(A,2)) always in [2], (p(A,1) or p(2,A)) in [3].",
    "a negated atom, sometime": "q(A) :- p(A,_) in [2], (not p(A,_)) in [3], not ((p(A,1) -> p(A,2)) always in [4]).",
    "a window between times": "q(A) :- p(A,1) at T in [5], p(A,2) at U in [5], not p(A,3) in [T..U].",
    "background that never goes": "s(1). s(2). s(3). q(A,B) :- s(A), p(A,B) in [3], not p(B,A) in [1].",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_memory_stays_flat_when_windows_are_bounded(program: str) -> None:
    chance = random.Random(1)
    engine = LocalEngine(lasing.parse(program), 0)

    def go(begin: int, end: int) -> int:
        for time in range(begin, end):
            atoms = [lasing.Atom("p", (chance.randrange(9), chance.randrange(9))) for _ in range(3)]
            list(engine.advance(time, atoms))
        return engine.memory_bytes

    warm = go(0, 1500)
    assert go(1500, 6000) == warm


def test_a_long_run_beside_standing_rows_equals_the_reference() -> None:
    chance = random.Random(2)
    sensors = " ".join(f"s({i})." for i in range(40))
    program = f"{sensors} ok(S) :- s(S), not alarm(S) in [4]. last(S,V) :- r(S,V) in [#1 by S], not alarm(S) in [1]."
    rows = [
        (time, *chance.choice([("alarm", chance.randrange(40)), ("r", chance.randrange(40), chance.randrange(5))]))
        for time in range(400)
        for _ in range(2)
    ]
    local = [a.atoms for a in lasing.run(program, rows, engine="local")]
    assert local == [a.atoms for a in lasing.run(program, rows, engine="reference")]
