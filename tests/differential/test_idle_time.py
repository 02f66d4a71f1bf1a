"""Idle time is free: the cost of a gap does not grow with its length, and leaping over it changes no answer."""

from __future__ import annotations

import warnings

import pytest

import lasing
from lasing.engines.local import memory
from lasing.engines.local.engine import LocalEngine
from lasing.logic.program import Program
from lasing.plan.compile import Unplanned, compile_plan
from lasing.plan.idle import Steady, steady, ticks
from lasing.plan.optimize import optimized
from tests.differential.braces_programs import braces_example
from tests.differential.core_programs import core_example
from tests.differential.nested_programs import nested_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example

SEEDS = programs(160, 4000)
CHUNK = 40
GAP = 3000
LONG_GAP = 2**31
LONGER_GAP = 2**33

QUIET = [
    "quiet :- (not p) always in [2].  pause :- (not p) in [1].",
    "pause :- (not p) in [3 step 2].",
    "some :- (p -> q) in [4].",
    "none :- not (p or not q) in [5].",
    "b. both :- b at T in [4], p at T in [9].",
    "b(1). b(2). n(N) :- N = #count{X, T : b(X) at T in [3]}.",
    "b. w :- b at T in [3], not p at T in [3].",
    "b. w :- b at T in [6 step 3], not p at T in [7].",
    "h :- p in [5000].  t :- h at T in [3], not q at T in [3].",
    "h :- not p.  t :- h at T in [3].  u :- h in [4].",
    "h at U :- not p, q at T in [9], U = T + 1.  h :- h at T in [3], not q.",
    "k :- not p.  k :- k at T in [2].  l :- k always in [0].",
    "late :- (not p) at T in [3], q at U in [8], U < T.",
    "odd :- (not p) at T in [3], T mod 4 = 1, T mod 2 = 0.",
    "past :- (not p) at T in [3], T > 100.",
    "x :- p in [#2].  y :- (not p) in [2], x.",
    "gap :- (not p) always in [4,-1].  was :- p in [3,-2].  b. w :- b at T in [5,-2], not p at T in [6].",
    "recent :- p at T in [9], T + 3 > #now.  old :- q at #now - 7, not p at #now - 1.",
    "b. last(X) :- X = #last{Y : q2(Y) in [9]}.  y :- b at T in [2], not p at T in [2].",
    "b(1). b(2). top(X) :- X = #last{Y : b(Y) at T in [3], not p at T in [3]}.",
    "b. z(X) :- q2(X) in [#1 by X].  y :- b at T in [2], not p at T in [2].",
]


def _facts(first: int) -> list[tuple[int, str]]:
    return [(first + at, atom) for at, atom in ((0, "p"), (1, "p"), (1, "q"), (2, "q2(a)"), (5, "p"), (6, "q"))]


def _changes(
    program: Program, facts: list[tuple[int, str]], start: int, end: int, leaps: bool
) -> tuple[list[lasing.Changes], int]:
    """The changes, and the number of time points that the engine has evaluated."""
    plan = optimized(compile_plan(program))
    engine = LocalEngine(program, start, plan)
    if not leaps:
        engine._leaps = None
    rows = lasing.parse("".join(f"{atom} at {time}." for time, atom in facts)).data
    found: list[lasing.Changes] = []
    for time in sorted({start, end, *(row.time for row in rows)}):
        found += filter(None, engine.advance(time, [row.atom for row in rows if row.time == time]))
    return found, int(engine._arena[memory.TICK])


@pytest.mark.parametrize("text", QUIET)
def test_what_a_gap_costs_does_not_grow_with_its_length(text: str) -> None:
    program = lasing.parse(text)
    spent = []
    for gap in (LONG_GAP, LONGER_GAP):
        _, ticked = _changes(program, _facts(0) + _facts(gap), 0, gap + 50, leaps=True)
        spent.append(ticked)
    assert spent[0] == spent[1] < 10_000


@pytest.mark.parametrize("text", QUIET)
def test_a_leap_changes_no_answer(text: str) -> None:
    program = lasing.parse(text)
    for gap in (GAP, GAP + 1, 2 * GAP + 7):
        facts = _facts(0) + _facts(gap)
        expected, all_ticks = _changes(program, facts, 0, gap + 50, leaps=False)
        found, ticked = _changes(program, facts, 0, gap + 50, leaps=True)
        assert found == expected
        assert ticked <= all_ticks


@pytest.mark.parametrize("make", [nested_example, core_example, braces_example])
@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_leaps_change_no_answer_of_random_programs(first: int, make: object) -> None:
    assert callable(make)
    leapt = 0
    for seed in range(first, first + CHUNK):
        example: Example = make(seed)
        program = _steady(example)
        if program is None:
            continue
        again = [(time + GAP, atom) for time, atom in example.stream]
        facts, end = [*example.stream, *again], example.end + GAP
        expected, all_ticks = _changes(program, facts, example.start, end, leaps=False)
        found, ticked = _changes(program, facts, example.start, end, leaps=True)
        assert found == expected, f"{example.program}{example.stream_text}"
        leapt += ticked < all_ticks
    assert leapt or make is not nested_example


def _steady(example: Example) -> Program | None:
    """The program, if its plan allows leaps over idle time."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lasing.LasingWarning)
            program = lasing.parse(example.program)
        plan = optimized(compile_plan(program))
    except (lasing.LasingError, Unplanned):
        return None
    return program if ticks(plan) and isinstance(steady(plan), Steady) else None
