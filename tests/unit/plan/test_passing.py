"""Facts that one rule turns into heads need not be kept."""

from __future__ import annotations

import pytest

import lasing
from lasing.plan.compile import compile_plan
from lasing.plan.optimize import optimized
from lasing.plan.passing import passing


@pytest.mark.parametrize(
    ("program", "names"),
    [
        ("q(lower(X)) :- p(X).", {"p"}),
        ("q(Y,X) :- p(X,Y) in [5], X > 2.", {"p in 5"}),
        ("q(lower(X)) :- p(X,a,Y), Y > 2.", {"p where 2 is a"}),
        ("q(lower(X)) :- p(X). r(upper(X)) :- s(X) in [3].", {"p", "s in 3"}),
    ],
)
def test_a_relation_of_facts_that_only_one_rule_of_one_literal_reads_is_passing(program: str, names: set[str]) -> None:
    assert {relation.name for relation in passing(optimized(compile_plan(lasing.parse(program))))} == names


@pytest.mark.parametrize(
    "program",
    [
        "q(X) :- p(X).",  # p is fed to q, and has no relation
        "q(lower(X)) :- p(X). r(upper(X)) :- p(X).",  # two rules read it
        "q(lower(X)) :- p(X), r(X).",  # rows of r that come later look for it
        "q(lower(X)) :- p(X) in [*].",  # a fact that comes again is not new
        "q(lower(X)) :- p(X) in [5 step 5].",  # it waits for its window
        "q(lower(X)) :- p(X) in [5,-1].",
        "q(X) at T :- p(X) at U in [3], T = U + 1.",
        "#input p/1. p(lower(X)) :- r(X), s(X). q(upper(X)) :- p(X).",  # p is derived and put out
        "q(lower(X)) :- r(X), not p(X).",
        "p(a). q(upper(X)) :- p(X).",  # it is background
    ],
)
def test_other_relations_are_kept(program: str) -> None:
    assert not passing(optimized(compile_plan(lasing.parse(program))))
