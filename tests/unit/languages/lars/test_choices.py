"""Choices, their conditions and their bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lasing
from lasing.errors import Diagnostic, LasingError
from lasing.logic.formulas import Aggregate, Atom
from lasing.logic.program import Rule
from lasing.logic.terms import Variable


def rules(text: str) -> list[str]:
    """The rules of a program; checks that they read back the same after printing."""
    program = lasing.parse(text)
    assert lasing.parse(str(program)) == program
    return [str(rule) for rule in program.rules]


def mistakes(text: str) -> list[Diagnostic]:
    with pytest.raises(LasingError) as caught:
        lasing.parse(text)
    return list(caught.value.diagnostics)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a}.", ["{a}."]),
        ("{a ; b} :- c.", ["{a ; b} :- c."]),
        ("{a ; b at T} :- c at T in [5].", ["{a ; b at T} :- c at T in [5]."]),
        ("{a ; b ; a}.", ["{a ; b}."]),
        ("{pick(X) : item(X), not bad(X)}.", ["{pick(X)} :- item(X), not bad(X)."]),
        (
            "{pick(X) : item(X) ; other ; q(Y) at T : r(Y) at T in [5] ; more} :- c.",
            ["{other ; more} :- c.", "{pick(X)} :- c, item(X).", "{q(Y) at T} :- c, r(Y) at T in [5]."],
        ),
        ("{p(X) : q(X, _) ; r(Y) : s(Y, _)} :- t(_).", ["{p(X)} :- t(_), q(X,_).", "{r(Y)} :- t(_), s(Y,_)."]),
    ],
)
def test_an_element_with_a_condition_is_a_rule_of_its_own(text: str, expected: list[str]) -> None:
    assert rules(text) == expected


def test_a_choice_is_not_a_fact() -> None:
    program = lasing.parse("{a}. {b at 3}. c. d at 3.")
    assert program.rules == (Rule((Atom("a"),), (), choice=True), lasing.parse("{b at 3}.").rules[0])
    assert [len(program.background), len(program.data)] == [1, 1]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ("1 {a}", ["< 1"]),
        ("{a} 1", ["> 1"]),
        ("1 {a} 2", ["< 1", "> 2"]),
        ("1 <= {a} <= 2", ["< 1", "> 2"]),
        ("1 < {a} < 3", ["<= 1", ">= 3"]),
        ("{a} = 1", ["!= 1"]),
        ("{a} >= 2", ["< 2"]),
        ("3 > {a}", [">= 3"]),
        ("n {a} n + 1", ["< 2", "> 2 + 1"]),
        ("n - 1 {a} (n)", ["< 2 - 1", "> 2"]),
        ("max(n, 3) {a}", ["< max(2,3)"]),
        ("-1 {a}", ["< -1"]),
        ("N {a} M * 2", ["< N", "> M * 2"]),
    ],
)
def test_bounds_are_constraints(bounds: str, expected: list[str]) -> None:
    read = rules(f"#const n = 2. {bounds} :- c(N, M).")
    assert read == ["{a} :- c(N,M).", *(f":- c(N,M), #count{{1 : a}} {bound}." for bound in expected)]


def test_a_number_that_must_not_be_binds_no_variable() -> None:
    assert rules("{a} != 1.") == ["{a}.", ":- not #count{1 : a} != 1."]
    assert [d.code for d in mistakes("{a} != N.")] == ["E201"]


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("1 {pick(X) : item(X), not bad(X)}.", "#count{X : pick(X), item(X), not bad(X)} < 1"),
        ("1 {pick(X, Y) : item(Y)} :- c(X).", "#count{X,Y : pick(X,Y), item(Y)} < 1"),
        ("1 {p(X) at T + 1 : q(X) at T in [5]}.", "#count{X,T + 1 : p(X) at T + 1, q(X) at T in [5]} < 1"),
        ("1 {a ; a ; b}.", "#count{I : ((I = 1) and a) or ((I = 2) and b)} < 1"),
        ("1 {a : b ; a : c}.", "#count{1 : (a and b) or (a and c)} < 1"),
        ("1 {p(1) ; p(2)}.", "#count{A1 : ((A1 = 1) and p(1)) or ((A1 = 2) and p(2))} < 1"),
        (
            "1 {p(X) : q(X, Y) ; b}.",
            "#count{I,A1 : ((I = 1) and p(X) and q(X,Y) and (A1 = X))"
            " or ((I = 2) and b and (A1 = 0) and (X = 0) and (Y = 0))} < 1",
        ),
        ("1 {a ; a at T} :- c(T).", "#count{T_1 : (a at T_1 in [0]) or ((T_1 = T) and (a at T))} < 1"),
        ("I {a ; b} :- c(I).", "#count{I_1 : ((I_1 = 1) and a) or ((I_1 = 2) and b)} < I"),
    ],
)
def test_what_is_counted(text: str, counted: str) -> None:
    assert rules(text)[-1].removesuffix(".").endswith(counted)


def test_variables_of_the_body_group() -> None:
    counted = lasing.parse("1 {pick(X, Y) : item(Y, Z)} N :- c(X, N).").rules[-1].body[-1]
    assert isinstance(counted, Aggregate)
    assert counted.local == {Variable("Y"), Variable("Z")}


@pytest.mark.parametrize(
    ("choice", "held", "number"),
    [
        ("{a ; b}", "a. b.", 2),
        ("{a ; b}", "b.", 1),
        ("{p(X) : q(X, Y)}", "p(1). p(2). p(3). q(1, 1). q(1, 2). q(2, 1).", 2),
        ("{p(X) : q(X, _) ; p(Y) : r(Y) ; p(3) ; s}", "p(1). p(2). p(3). q(1, 1). r(1). r(2). s.", 4),
        ("{p(X) : q(X, _) ; p(Y) : r(Y)}", "p(1). p(2). p(3). q(2, 1). r(1). r(2). r(5).", 2),
        (
            "{p(X) : q(X, _) ; r(X) : s(X, Y)}",
            "p(1). p(2). q(1, 2). q(2, a). r(1). r(a). s(1, 1). s(a, 2). s(a, 3).",
            4,
        ),
        ("{p(X + 1) : q(X)}", "p(1). p(2). p(3). q(1). q(2). q(3). q(4).", 2),
        ("{p(1 + 1) ; p(2) ; q}", "p(2). q.", 2),
        ("{p(X + 1) : q(X, _) ; p(X + 1) : q(X, _)}", "p(1). p(2). p(3). q(1, a). q(1, b). q(2, a). q(3, a).", 2),
        ("{a ; a at T : t(T) ; b at T : t(T)}", "a at 5. a at 3. b at 4. b at 5. b at 1. t(3). t(4). t(5). t(6).", 4),
        ("{a ; b(0) ; b(X) : c(X)}", "a. b(0). c(0).", 2),
    ],
)
def test_each_atom_counts_once(choice: str, held: str, number: int) -> None:
    """The constraint compares this number with its bound; here a rule derives it."""
    counted = rules(f"{choice} 7.")[-1].removeprefix(":- ").removesuffix(" > 7.")
    *_, answer = lasing.run(f"n(N) :- N = {counted}. {held} #show n/1.", start=0, end=5)
    assert [str(atom) for atom in answer.atoms] == [f"n({number})"]


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("{}.", "E115", 2),
        ("{a} ; b.", "E115", 5),
        ("{a} or b.", "E115", 5),
        ("a ; {b}.", "E115", 5),
        ("{a ; b} 1.5.", "E115", 9),
        ("k {a ; b}.", "E115", 1),
        ("{a : #count{X : p(X)} > 1} 1.", "E115", 6),
        ("1 {a(X + 1) ; b} :- c(X).", "E115", 8),
        ("1 {a ; b : c(X), X > 3 - X}.", "E115", 24),
        ("{a ; b(1 / 0)} 1.", "E115", 10),
        ("{a(X) : b(X)} :- #count{X : c(X)} > 1.", "E115", 4),
        ("{a, b}.", "E105", 3),
        ("{a ; }.", "E105", 6),
        ("{a} at 3.", "E105", 5),
        ("{a.", "E105", 3),
        ("1 {a} 2 3 :- b.", "E105", 9),
        ("{a in [5]}.", "E112", 4),
        ("{not a}.", "E105", 2),
        ("{a(X)} :- b.", "E201", 4),
        ("N {a : b(N)}.", "E201", 1),
        ("1 {a(X) : b(Y)} 2.", "E201", 6),
        ("{a ; a(1)}.", "E202", 6),
    ],
)
def test_a_mistake_is_found_once_at_its_place(text: str, code: str, column: int) -> None:
    (found,) = mistakes(text)
    assert found.place is not None
    assert (found.code, found.place.column) == (code, column)


def test_a_mistake_in_the_body_is_reported_once_for_all_rules() -> None:
    assert len(mistakes("1 {a(X) : b(X) ; c} 2 :- d, W > 1.")) == 1


def test_rules_of_a_choice_know_their_place() -> None:
    choice, low, high = lasing.parse("c :- d.\n 1 {a : b} 20 :- c.").rules[1:]
    assert [str(rule.place()) for rule in (choice, low, high)] == ["program:2:2", "program:2:2", "program:2:12"]
    assert [rule.length for rule in (choice, low, high)] == [18, 1, 2]


ATOMS = st.sampled_from(("a", "b(1)", "c(X)", "c(Y)", "d(X, Y)", "e(X + 1)", "f(X) at T", "a at 3"))
LITERALS = st.sampled_from(
    (
        "q(X, Y)",
        "r(_, X)",
        "not s(_)",
        "q(Y, _) in [5]",
        "X < 3",
        "t at T in [5]",
        "(a or r(_, _))",
        "#count{Z : u(Z, X)} > 1",
    )
)
BOUND = "g(X, Y, T)"


@given(
    st.lists(st.tuples(ATOMS, st.lists(LITERALS, max_size=2)), min_size=1, max_size=4),
    st.lists(LITERALS, max_size=2),
    st.sampled_from(("", "1 ", "X ", "2 < ")),
    st.sampled_from(("", " 1", " = Y", " != 2")),
)
def test_the_expansion_of_a_choice_reads_back(
    elements: list[tuple[str, list[str]]], body: list[str], low: str, high: str
) -> None:
    written = " ; ".join(f"{atom} : {', '.join(condition)}" if condition else atom for atom, condition in elements)
    text = f"{low}{{{written}}}{high} :- {', '.join([BOUND, *body])}."
    several = len({(atom, *condition) for atom, condition in elements}) > 1
    if (low or high) and ("#" in written or ("+" in written and several)):
        assert {d.code for d in mistakes(text)} == {"E115"}
    else:
        rules(text)
