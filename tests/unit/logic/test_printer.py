"""Formulas as text."""

from __future__ import annotations

import pytest

import lasing
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
    PartitionWindow,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
    WindowFunction,
)
from lasing.logic.printer import formula_text
from lasing.logic.terms import Arithmetic, Variable

N, T, X = Variable("N"), Variable("T"), Variable("X")
P, Q, R = Atom("p", (X,)), Atom("q"), Atom("r")

FORMULAS: list[tuple[Formula, str]] = [
    (Not(P), "not p(X)"),
    (Not(Not(P)), "not (not p(X))"),
    (At(Arithmetic("+", (T, 1)), P), "p(X) at T + 1"),
    (Window(TimeWindow(5), Sometime(P)), "p(X) in [5]"),
    (Window(TimeWindow(5), Always(P)), "p(X) always in [5]"),
    (Not(Window(TimeWindow(5), At(T, P))), "not p(X) at T in [5]"),
    (At(T, Window(TimeWindow(5), Sometime(P))), "(p(X) in [5]) at T"),
    (Window(TimeWindow(5), And((Sometime(Q), Always(R)))), "⊞[5] ((◇ q) and (□ r))"),
    (Or((And((Q, R)), Not(Q))), "(q and r) or (not q)"),
    (Implies(Implies(Q, R), Or((Q, R))), "(q -> r) -> (q or r)"),
    (Compare("<=", Arithmetic("-", (X, 1)), 5), "X - 1 <= 5"),
    (Aggregate("count", (X,), (P, Q), ">=", 3, frozenset((X,))), "#count{X : p(X), q} >= 3"),
    (Aggregate("avg", (X, 1), (P,), "=", N, frozenset((X,))), "N = #avg{X,1 : p(X)}"),
]

WINDOWS: list[tuple[WindowFunction, str]] = [
    (TimeWindow(0), "[0]"),
    (TimeWindow(0, 5), "[+5]"),
    (TimeWindow(3, 1), "[3,+1]"),
    (TimeWindow(5, 0, 2), "[5 step 2]"),
    (TimeWindow(3, 1, 2), "[3,+1 step 2]"),
    (TimeWindow(5, -1), "[5,-1]"),
    (TimeWindow(3, -3), "[3,-3]"),
    (TimeWindow(5, -1, 2), "[5,-1 step 2]"),
    (TimeWindow(None), "[*]"),
    (TimeWindow(None, -2), "[*,-2]"),
    (TupleWindow(3), "[#3]"),
    (TupleWindow(3, 2), "[#3,+2]"),
    (PartitionWindow(1, 0, "p", ((0,),)), "[#1 by X]"),
    (IntervalWindow(T, Arithmetic("+", (T, 2))), "[T..T + 2]"),
]


def body(text: str) -> tuple[Formula, ...]:
    """The body as the parser reads it, with every variable bound by other literals."""
    return lasing.parse(f"h :- b(N,T,X), {text}.").rules[0].body[1:]


@pytest.mark.parametrize(("formula", "text"), FORMULAS, ids=[text for _, text in FORMULAS])
def test_a_formula_has_the_words_of_the_language(formula: Formula, text: str) -> None:
    assert formula_text(formula) == text


@pytest.mark.parametrize(("function", "text"), WINDOWS, ids=[text for _, text in WINDOWS])
@pytest.mark.parametrize("full", [False, True], ids=["", "full"])
def test_a_window_is_written_in_brackets_and_reads_back(function: WindowFunction, text: str, full: bool) -> None:
    window = Window(function, Sometime(P), full)
    expected = f"p(X) in {text.replace('[', '[full ') if full else text}"
    assert formula_text(window) == expected
    assert body(expected) == (window,)


@pytest.mark.parametrize(
    "text",
    [text for _, text in FORMULAS if not text.startswith(("N =", "#"))]
    + ["not (q or r) at T", "(q -> r) always in [3]", "⊞[2] ◇ (q and r)", "not N = #sum{V : p(V)}"],
)
def test_text_reads_back_to_the_same_formula(text: str) -> None:
    read = body(text)
    assert body(", ".join(formula_text(f) for f in read)) == read
