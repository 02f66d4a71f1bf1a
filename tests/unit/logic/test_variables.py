"""Which variables formulas bind and need."""

from __future__ import annotations

import pytest

from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    IntervalWindow,
    Not,
    Or,
    Sometime,
    TimeWindow,
    Window,
)
from lasing.logic.terms import Arithmetic, Variable
from lasing.logic.variables import bound_by, free_variables, is_ready, reach

T, X, Y, Z = (Variable(name) for name in "TXYZ")
ANY = Variable("_#1")
P_X, P_Y = Atom("p", (X,)), Atom("p", (Y,))
X_PLUS_1 = Arithmetic("+", (X, 1))


def names(variables: frozenset[Variable]) -> str:
    return "".join(sorted(v.name for v in variables))


@pytest.mark.parametrize(
    ("formulas", "bound"),
    [
        ([Atom("p", (X, Y, 1))], "XY"),
        ([Atom("p", (X_PLUS_1,))], ""),
        ([Compare("=", Y, X_PLUS_1), P_X], "XY"),
        ([Compare("=", X_PLUS_1, Y), P_X], "XY"),
        ([Compare("=", Z, Y), Compare("=", Y, X), P_X], "XYZ"),
        ([Compare("=", X, Y)], ""),
        ([Compare("<", X, 3)], ""),
        ([Not(P_X)], ""),
        ([Implies(P_X, P_Y)], ""),
        ([And((P_X, P_Y))], "XY"),
        ([Or((Atom("p", (X, Y)), P_X))], "X"),
        ([At(T, P_X)], "TX"),
        ([At(T, Not(P_X)), P_X], "X"),
        ([Window(TimeWindow(3), At(T, Not(P_X))), P_X], "TX"),
        ([Window(TimeWindow(3), Always(P_X))], "X"),
        ([Window(IntervalWindow(T, 9), Sometime(P_X))], ""),
        ([Window(IntervalWindow(T, 9), Sometime(P_X)), Atom("q", (T,))], "TX"),
        ([Aggregate("sum", (X,), (P_X,), "=", Z, frozenset((X,)))], "Z"),
        ([Aggregate("sum", (X,), (Atom("p", (X, Y)),), "=", Z, frozenset((X,)))], ""),
        ([Aggregate("sum", (X,), (P_X,), ">", Z, frozenset((X,)))], ""),
    ],
)
def test_what_a_body_binds(formulas: list[Formula], bound: str) -> None:
    assert names(bound_by(formulas)) == bound


@pytest.mark.parametrize(
    ("formula", "free"),
    [
        (And((P_X, Not(P_Y))), "XY"),
        (Not(Atom("p", (X, ANY))), "X"),
        (Or((Atom("p", (X, ANY)), P_X)), "X"),
        (Aggregate("count", (X,), (Atom("p", (X, Y)),), ">", Z, frozenset((X,))), "YZ"),
        (Window(IntervalWindow(T, Y), At(Z, P_X)), "TXYZ"),
    ],
)
def test_free_variables_leave_out_what_is_local(formula: Formula, free: str) -> None:
    assert names(free_variables(formula)) == free


def test_an_anonymous_variable_outside_of_negation_is_free() -> None:
    assert free_variables(Atom("p", (ANY,))) == {ANY}


@pytest.mark.parametrize(
    ("formula", "bound", "ready"),
    [
        (Not(P_X), (), False),
        (Not(P_X), (X,), True),
        (Compare("=", X, Y), (Y,), True),
        (Window(IntervalWindow(X, 9), Sometime(P_X)), (), False),
        (Window(IntervalWindow(X, 9), Sometime(P_X)), (X,), True),
    ],
)
def test_a_formula_waits_for_the_variables_it_does_not_bind(
    formula: Formula, bound: tuple[Variable, ...], ready: bool
) -> None:
    assert is_ready(formula, frozenset(bound)) is ready


# p at 4        4 5 6 7 8
# p             |
# p in [3]      [-----]     holds up to 3 later
# p in [3 step 2]: at an odd t the pivot is one earlier, so up to 4 later
@pytest.mark.parametrize(
    ("formula", "points"),
    [
        (P_X, 0),
        (Window(TimeWindow(3), Sometime(P_X)), 3),
        (Window(TimeWindow(3, 0, 2), Sometime(P_X)), 4),
        (And((P_X, Not(P_Y))), 0),
        (Or((P_X, Window(TimeWindow(3), Sometime(P_X)))), 3),
        (Or((P_X, Not(P_X))), None),
        (Not(P_X), None),
        (Window(TimeWindow(None), Sometime(P_X)), None),
    ],
)
def test_how_long_after_the_last_atom_a_formula_can_hold(formula: Formula, points: int | None) -> None:
    assert reach(formula) == points
