"""Weak constraints, and `#minimize` and `#maximize`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lasing
from lasing.errors import Diagnostic, LasingError
from lasing.logic.formulas import Aggregate, Atom
from lasing.logic.program import Penalty, Rule
from lasing.logic.terms import Arithmetic, Variable

W, X = Variable("W"), Variable("X")


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
    ("text", "penalty"),
    [
        ("[1]", Penalty(1)),
        ("[W]", Penalty(W)),
        ("[W@2]", Penalty(W, 2)),
        ("[W@X, X, a]", Penalty(W, X, (X, "a"))),
        ("[1, X]", Penalty(1, 0, (X,))),
        ("[-1@-2]", Penalty(-1, -2)),
        ("[W + 1@X + 1]", Penalty(Arithmetic("+", (W, 1)), Arithmetic("+", (X, 1)))),
        ("[n@n]", Penalty(3, 3)),
    ],
)
def test_a_penalty_follows_the_full_stop(text: str, penalty: Penalty) -> None:
    program = lasing.parse(f"#const n = 3. :~ p(W, X). {text} q.")
    assert program.rules == (Rule((), (Atom("p", (W, X)),), penalty=penalty),)
    assert program.background == (Atom("q"),)
    assert lasing.parse(str(program)) == program


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#minimize{1 : a}.", [":~ a. [1]"]),
        ("#minimize{W@2,X : p(W, X), not q(_) ; 1 : a}.", [":~ p(W,X), not q(_). [W@2, X]", ":~ a. [1]"]),
        ("#minimize{1 : p(_, 1) ; 2 : p(_, 2)}.", [":~ p(_,1). [1]", ":~ p(_,2). [2]"]),
        ("#maximize{3@1 : a ; W : p(W, _)}.", [":~ a. [-3@1]", ":~ p(W,_). [-W]"]),
        ("#maximize{W + 1, X : p(W, X)}.", [":~ p(W,X). [-(W + 1), X]"]),
        ("#maximize{-W : p(W, X)}.", [":~ p(W,X). [-(-W)]"]),
    ],
)
def test_each_element_is_a_weak_constraint(text: str, expected: list[str]) -> None:
    assert rules(text) == expected


def test_a_variable_of_the_penalty_is_outside_of_braces() -> None:
    assert [d.message.split(":")[0] for d in mistakes(":~ #count{X : p(X)} > 1. [1, X]")] == ["X is unsafe"]
    (rule,) = lasing.parse("#minimize{1,X : #count{Y : p(X, Y)} > 1, q(X)}.").rules
    assert isinstance(rule.body[0], Aggregate)
    assert rule.body[0].local == {Variable("Y")}


def test_places_are_those_of_the_text() -> None:
    weak, first, second = lasing.parse(":~ a. [1]\n#minimize{1 : a ; 2@1 : b}.").rules
    assert [str(r.place()) for r in (weak, first, second)] == ["program:1:1", "program:2:11", "program:2:19"]
    assert [r.length for r in (weak, first, second)] == [9, 5, 7]


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        (":~ a.", "E116", 1),
        (":~ a. b :- c.", "E116", 1),
        (":~ a. [1.5]", "E116", 8),
        (":~ a. [w]", "E116", 8),
        (":~ a. [1@1.5]", "E116", 10),
        (":~ a. []", "E105", 8),
        (":~ a. [1, ]", "E105", 11),
        (":~ a. [1 2]", "E105", 10),
        (":~ a. [1", "E105", 9),
        (":~ a [1].", "E116", 6),
        (":~ . [1]", "E105", 4),
        (":~", "E105", 3),
        (":- a. [1]", "E105", 7),
        ("a :~ b. [1]", "E105", 3),
        (":~ p(X). [Y]", "E201", 11),
        (":~ p(X). [1@L]", "E201", 13),
        (":~ p(X). [1, _]", "E201", 14),
        ("#minimize{}.", "E116", 11),
        ("#minimize{1}.", "E116", 11),
        ("#minimize{1 : a ; 2, x}.", "E116", 19),
        ("#minimize 1 : a.", "E105", 11),
        ("#minimize{1 : a}", "E105", 17),
        ("#minimize{1 : a b}.", "E105", 17),
        ("#minimize{x : a}.", "E116", 11),
        ("#minimise{1 : a}.", "E109", 1),
        ("a :- ~b.", "E103", 6),
    ],
)
def test_a_mistake_is_found_once_at_its_place(text: str, code: str, column: int) -> None:
    found = mistakes(text)
    assert found[0].place is not None
    assert (found[0].code, found[0].place.column) == (code, column)


def test_a_mistake_in_a_bracket_does_not_hide_the_next() -> None:
    found = mistakes(":~ a. [1 2]\n:~ a. [1.5]\n:~ a. [1]\nb :- .")
    assert [d.place.line for d in found if d.place] == [1, 2, 4]


@pytest.mark.parametrize("text", [":~ a. [1]", "{a}.", "#minimize{1 : a}."])
def test_a_stream_has_only_facts(text: str) -> None:
    with pytest.raises(LasingError) as caught:
        list(lasing.run("q :- p.", f"p at 1. {text} p at 2."))
    assert [d.code for d in caught.value.diagnostics] == ["E501"]


TERMS = st.sampled_from(("1", "-2", "W", "X", "W + 1", "-X", "2 * (W - X)", "abs(W)", "n"))
OTHERS = st.sampled_from(("X", "a", '"b c"', "2.5", "W - 1", "(W - 1) * 2"))
LITERALS = st.sampled_from(("q(_, X)", "not r(_)", "#count{Y : s(Y, X)} > 1", "(a or b)", "W > -1"))


@given(
    st.sampled_from((":~", "#minimize", "#maximize")),
    st.lists(
        st.tuples(TERMS, st.none() | TERMS, st.lists(OTHERS, max_size=2), st.lists(LITERALS, max_size=2)),
        min_size=1,
        max_size=3,
    ),
)
def test_text_reads_back(kind: str, elements: list[tuple[str, str | None, list[str], list[str]]]) -> None:
    written = []
    for weight, level, terms, body in elements:
        penalty = ", ".join([weight if level is None else f"{weight}@{level}", *terms])
        literals = ", ".join(["p(W, X)", *body])
        written.append(f":~ {literals}. [{penalty}]" if kind == ":~" else f"{penalty} : {literals}")
    text = " ".join(written) if kind == ":~" else f"{kind}{{{' ; '.join(written)}}}."
    assert len(rules(f"#const n = 3. {text}")) == len(elements)
