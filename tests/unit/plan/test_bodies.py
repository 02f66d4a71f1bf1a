"""Which operators the braces of a rule become, and what is left to the reference engine, with the reason."""

from __future__ import annotations

import pytest

import lasing
from lasing.plan.compile import Unplanned, compile_plan
from lasing.plan.operators import Extremes, Fold

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")


@pytest.mark.parametrize(
    ("text", "folds", "extremes"),
    [
        ("q(V) :- V = #last{W : p(W)}.", 0, 1),
        ("q(V) :- s(X), not (X, _) = #first 2 {W, Y : p(W, Y)}, V = #last{W : r(X, W)}.", 0, 2),
        ("q(N) :- M = #avg{V : p(V)}, N = #count{V : p(V), V > M}.", 2, 0),
        ("q(N) :- N = #count{X : s(X), #count{V : r(X, V)} >= 2}.", 2, 0),
        ("q(N) :- s(T), s(U), N = #count{X : p(X) in [T..U], not r(X, _) in [T..U]}.", 1, 0),
        ("q(X) :- s(X). q(X) :- e(X, Y), q(Y), #count{Z : p(Z), Z > X} > 1.", 1, 0),
        ("q(T) :- T = #last{U : a at U in [9]}, not b in [T..#now], (c or d) in [2].", 0, 2),
        ("q(N) :- s(Z), N = #last{X : s(X), 2 = #last{Y : (p(Y) or t(Y)) in [2], not w(Y) in [Z..X]}}.", 0, 2),
    ],
)
def test_braces_have_operators(text: str, folds: int, extremes: int) -> None:
    stages = compile_plan(lasing.parse(text)).stages
    found = [sum(isinstance(stage, kind) for stage in stages) for kind in (Fold, Extremes)]
    assert found == [folds, extremes]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("n(X) :- s(X). n(Y) :- n(X), Y = X + 1, #count{Z : p(Z), Z > X} > 2.", "for each X, which only the recursion"),
        ("p(1). q :- s(T), #count{X : p(X) in [T..5]} > 2.", "background in a window between two times"),
        ("q :- " + ", ".join(f"#count{{X : p{i}(X)}} > 1" for i in range(10)) + ".", "more than 256 cases"),
    ],
)
def test_what_has_no_plan(text: str, why: str) -> None:
    with pytest.raises(Unplanned, match=why):
        compile_plan(lasing.parse(text))
