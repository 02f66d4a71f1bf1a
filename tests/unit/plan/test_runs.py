"""Runs take the place of boxes where all rows are facts, and nothing else needs these rows."""

from __future__ import annotations

import pytest

import lasing
from lasing.plan.compile import compile_plan
from lasing.plan.operators import Box, Runs
from lasing.plan.optimize import optimized


def kinds(program: str) -> list[type]:
    plan = optimized(compile_plan(lasing.parse(program)))
    return [type(stage) for stage in plan.stages if isinstance(stage, Box | Runs)]


@pytest.mark.parametrize(
    "program",
    [
        "q(X) :- p(X) always in [5].",
        "q(X) :- p(X,a) always in [5], not r(X).",
        "q :- p always in [*].",
        "q(X) :- p(X) always in [5], p(X) at T in [9], T < 3.",
    ],
)
def test_facts_have_runs(program: str) -> None:
    assert kinds(program) == [Runs]


@pytest.mark.parametrize(
    "program",
    [
        "q(X) :- p(X) always in [5,-1].",  # the window does not have the current time point
        "q(X) :- p(X) always in [4 step 2].",  # nor does this one, always
        "q(X) :- p(X) always in [#5].",
        "q(X) :- p(X) always in [5]. p(X) :- r(X).",  # derived atoms beside facts
        "q(X) :- p(X) always in [5]. p(X) at T + 1 :- r(X) at T in [2].",  # for other times
        "q(X) :- p(X) always in [5], p(X) at T in [5], T < 3.",  # the same rows are asked for
        "q(X) :- p(X) always in [5]. b(1). r(X,T) :- b(X) at T in [3].",  # time alone moves something
    ],
)
def test_other_boxes_count(program: str) -> None:
    assert Runs not in kinds(program)
