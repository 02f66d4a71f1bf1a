"""A row (args, c, n)  ⇔  args held at c … c + n; (args, c, OPEN)  ⇔  args holds since c."""

from __future__ import annotations

import pytest

import lasing
from lasing.engines.local.engine import LocalEngine
from lasing.logic.formulas import Atom
from lasing.logic.runs import Run, runs_of
from tests.unit.engines.local.operators.laws import END, random_facts

PROGRAM = "#stream q/1. q(X) :- p(X). r(X) :- q(X) in [6]. s(X) :- q(X) always in [2,-1]."


@pytest.mark.parametrize("seed", range(4))
def test_runs_are_kept_while_windows_reach_them(seed: int) -> None:
    facts = random_facts(seed)
    engine = LocalEngine(lasing.parse(PROGRAM), 0)
    for now in range(END):
        list(engine.advance(now, [Atom("p", row) for row in facts.get(now, ())]))
        held = ((u, "q", row) for u in range(now + 1) for row in facts.get(u, ()))
        expected = {run for run in runs_of(held, now) if run.end is None or run.end + 6 >= now}
        assert set(engine.remembered()) == expected, now


def test_a_time_point_that_is_evaluated_again() -> None:
    """`over` ends the run of 1 at 3; in the same time point, it goes on and a run that began there vanishes."""
    program = "#stream q/1. q(X) :- p(X), not over(X). q(X) :- more(X). r(X) :- q(X) in [9,-1]."
    engine = LocalEngine(lasing.parse(program), 0)
    for now in range(3):
        list(engine.advance(now, [Atom("p", (1,))]))
    list(engine.advance(3, [Atom("p", (1,)), Atom("over", (1,)), Atom("p", (2,))]))
    assert set(engine.remembered()) == {Run("q", (1,), 0, 2), Run("q", (2,), 3, None)}
    list(engine.advance(3, [Atom("more", (1,)), Atom("over", (2,))]))
    assert set(engine.remembered()) == {Run("q", (1,), 0, None)}
    list(engine.advance(4, []))
    assert set(engine.remembered()) == {Run("q", (1,), 0, 3)}
