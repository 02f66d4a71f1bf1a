"""Rules and directives, and the places of their mistakes."""

from __future__ import annotations

import pytest

import lasing
from lasing.errors import Diagnostic, LasingError
from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    Not,
    Or,
    Sometime,
    TimeWindow,
    Window,
)
from lasing.logic.terms import Arithmetic, Variable

T, X, Y = Variable("T"), Variable("X"), Variable("Y")
A, B, C = Atom("a"), Atom("b"), Atom("c")


def literal(text: str) -> Formula:
    """A literal as the parser reads it, with T, X and Y bound by other literals."""
    return lasing.parse(f"h :- v(T,X,Y), {text}.").rules[0].body[1]


def mistakes(text: str) -> list[Diagnostic]:
    with pytest.raises(LasingError) as caught:
        lasing.parse(text)
    return list(caught.value.diagnostics)


@pytest.mark.parametrize(
    ("written", "formula"),
    [
        ("a in [5]", Window(TimeWindow(5), Sometime(A))),
        ("a [5]", Window(TimeWindow(5), Sometime(A))),
        ("⊞[5] ◇ a", Window(TimeWindow(5), Sometime(A))),
        ("a always in [5]", Window(TimeWindow(5), Always(A))),
        ("⊞[5] □ a", Window(TimeWindow(5), Always(A))),
        ("a at T in [5]", Window(TimeWindow(5), At(T, A))),
        ("⊞[5] @T a", Window(TimeWindow(5), At(T, A))),
        ("(a in [5]) at T", At(T, Window(TimeWindow(5), Sometime(A)))),
        ("(a at T) in [5]", Window(TimeWindow(5), Sometime(At(T, A)))),
        ("not a at T", Not(At(T, A))),
        ("(not a) at T", At(T, Not(A))),
        ("¬a ∨ b ∧ c → a", Implies(Or((Not(A), And((B, C)))), A)),
        ("a -> b -> c", Implies(A, Implies(B, C))),
        ("a or b or c", Or((A, B, C))),
        ("not not a", Not(Not(A))),
        ("(X + 1) * 2 < Y", Compare("<", Arithmetic("*", (Arithmetic("+", (X, 1)), 2)), Y)),
        ("X - 1 - Y = 0", Compare("=", Arithmetic("-", (Arithmetic("-", (X, 1)), Y)), 0)),
        ("X + 2 * Y != -7", Compare("!=", Arithmetic("+", (X, Arithmetic("*", (2, Y)))), -7)),
        ('X = "x1"', Compare("=", X, "x1")),
        ("X = 1.0", Compare("=", X, 1)),
        ("X = -9223372036854775808", Compare("=", X, -(2**63))),
    ],
)
def test_how_a_literal_is_read(written: str, formula: Formula) -> None:
    assert literal(written) == formula


def test_an_aggregate_may_be_on_either_side() -> None:
    assert literal("3 <= #count{Z : p(Z)}") == literal("#count{Z : p(Z)} >= 3")


def test_variables_that_occur_only_in_braces_are_local() -> None:
    aggregate = literal("#sum{V,X : p(V,X,W)} > 3")
    assert isinstance(aggregate, Aggregate)
    assert aggregate.local == {Variable("V"), Variable("W")}


def test_each_anonymous_variable_is_another() -> None:
    atom = literal("p(_,_)")
    assert isinstance(atom, Atom)
    assert len(set(atom.args)) == 2


@pytest.mark.parametrize("statement", ["a ; b.", "a or b."])
def test_heads_may_be_disjunctions(statement: str) -> None:
    assert lasing.parse(statement).rules[0].heads == (A, B)


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("q(X, Y) :- p(X).", "E201", 6),
        ("q :- p(9223372036854775808).", "E104", 8),
        ("q :- p(X), X.", "E105", 13),
        ("q :- p(X), 1 < X < 3.", "E105", 18),
        ("q :- p(f(1)).", "E105", 8),
        ("q :- p(in).", "E105", 8),
        ("q :- p, .", "E105", 9),
        ("q :- p", "E105", 7),
        ("Q :- p.", "E105", 1),
        ("q :- a in [5] in [3].", "E105", 15),
        ("q :- p in [#0].", "E107", 12),
        ("q :- p in [-1].", "E107", 12),
        ("q :- p in [n].", "E107", 12),
        ("q :- p in [5 step 0].", "E107", 19),
        ("q :- p in [5 min].", "E108", 12),
        ("#tick 1.5 sec.", "E108", 7),
        ("#shwo q/1.", "E109", 1),
        ("q in [5] :- p.", "E112", 3),
        ("#const n = 1/0.", "E113", 12),
        ("p(1/0).", "E113", 1),
        ("p at 1.5.", "E113", 6),
        ("q :- p(X) always in [#1 by X].", "E204", 28),
        ("q :- p(X) in [#1 by Y].", "E205", 21),
    ],
)
def test_a_mistake_is_found_at_its_place(text: str, code: str, column: int) -> None:
    (found,) = mistakes(text)
    assert found.code == code
    assert found.place is not None
    assert (found.place.line, found.place.column) == (1, column)


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_text() -> None:
    found = mistakes("q(X) :- p.\nr :- .\nok :- p.\n#shwo r/0.\ns(Y) :- q(1,2).")
    assert [(d.code, d.place.line) for d in found if d.place] == [
        ("E201", 1),
        ("E105", 2),
        ("E109", 4),
        ("E201", 5),
        ("E202", 5),
    ]


def test_a_misspelt_directive_is_answered_with_the_right_one() -> None:
    assert "#show" in mistakes("#shwo q/1.")[0].note


@pytest.mark.parametrize("body", ["(" * 60 + "a" + ")" * 60, "not " * 60 + "a", "X = " + "- " * 60 + "X"])
def test_nesting_that_no_person_writes_is_refused(body: str) -> None:
    assert [d.code for d in mistakes(f"q :- p(X), {body}.")] == ["E106"]
