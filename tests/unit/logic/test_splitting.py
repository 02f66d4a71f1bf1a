"""What is decided, and how a program is split by it."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.splitting import has_several_answers, split, undecided


def lines(program: object) -> list[str]:
    return [line for line in str(program).splitlines() if not line.startswith("#show")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q :- p. r :- not q.", ""),
        ("a :- not b. b :- not a. c :- a. d :- p.", "a b c"),
        ("{a} :- p. b :- a in [3]. c :- p.", "a b"),
        ("a ; b :- p. c :- d. d :- not a.", "a b c d"),
        ("n(N) :- N = #count{X : m(X)}. m(X) :- n(X), p(X).", "m n"),
        ("a :- p. :- a.", ""),
    ],
)
def test_undecided_is_what_is_chosen_and_what_rests_on_it(text: str, expected: str) -> None:
    assert sorted(undecided(lasing.parse(text))) == expected.split()


def test_constraints_alone_make_answers_several() -> None:
    assert has_several_answers(lasing.parse("a :- p. :- a."))
    assert has_several_answers(lasing.parse("a :- p. :~ a. [1]"))
    assert not has_several_answers(lasing.parse("a :- not b. b :- p."))


def test_the_decided_part_of_a_body_is_asked_below_as_one() -> None:
    parts = split(
        lasing.parse("q(X) :- p(X,Y) in [5], r(Y). {a(X)} :- q(X), p(X,_) in [3], X > 2, not r(X). :- a(X), q(X).")
    )
    assert lines(parts.above) == ["{a(X)} :- #1 for rule 2(X).", ":- #2 for rule 3(X), a(X)."]
    assert lines(parts.below) == [
        "q(X) :- p(X,Y) in [5], r(Y).",
        "#1 for rule 2(X) :- q(X), p(X,_) in [3], X > 2, not r(X).",
        "#2 for rule 3(X) :- q(X).",
    ]
    assert parts.below_origin == (0, 1, 2)
    assert parts.above_origin == (1, 2)


def test_only_variables_that_are_needed_come_up() -> None:
    parts = split(lasing.parse("{a(X)} :- p(X,Y,Z) in [5], Y < Z."))
    assert lines(parts.above) == ["{a(X)} :- #1 for rule 1(X)."]


def test_literals_that_wait_for_a_choice_are_asked_one_by_one() -> None:
    parts = split(lasing.parse("{a(X)} :- p(X). b(Y) :- a(X), Y = X + 1, not q(Y) in [3], not r(X+1,c,_)."))
    assert lines(parts.above)[1] == "b(Y) :- a(X), Y = X + 1, not #2 for rule 2(Y), not #3 for rule 2(X + 1,c,_)."
    assert lines(parts.below)[1:] == ["#2 for rule 2(C0) :- q(C0) in [3].", "#3 for rule 2(C0,C1,C2) :- r(C0,C1,C2)."]


def test_the_same_question_is_asked_once() -> None:
    parts = split(lasing.parse("{a(X)} :- p(X) in [5]. {b(X)} :- p(X) in [5]."))
    assert lines(parts.above) == ["{a(X)} :- #1 for rule 1(X).", "{b(X)} :- #1 for rule 1(X)."]


def test_conditions_of_aggregates_are_split_as_bodies_are() -> None:
    parts = split(lasing.parse("{a(X)} :- p(X). :- g(G), #count{X,Y : a(X), q(X,Y,G) in [3]} > 2."))
    assert lines(parts.above)[1] == ":- #2 for rule 2(G), #count{X,Y : #3 for rule 2(G,X,Y), a(X)} > 2."


def test_a_formula_that_mixes_imports_what_is_decided() -> None:
    parts = split(lasing.parse("p at T :- s at T in [2]. {a}. b :- (a and p) in [1]."))
    assert lines(parts.above) == ["p at T :- #1 for rule 1(T).", "{a}.", "b :- (a and p) in [1]."]
    assert lines(parts.below) == ["p at T :- s at T in [2].", "#1 for rule 1(T) :- s at T in [2]."]


def test_weak_constraints_keep_the_variables_of_their_cost() -> None:
    parts = split(lasing.parse("{a(X)} :- p(X). :~ a(X), w(X,V,L,T). [V@L, T]"))
    assert lines(parts.above)[1] == ":~ #2 for rule 2(L,T,V,X), a(X). [V@L, T]"


def test_nothing_below_where_nothing_is_decided() -> None:
    parts = split(lasing.parse("a :- not b. b :- not a."))
    assert parts.below is None
    assert parts.above.rules == parts.whole.rules


def test_what_is_shown_of_the_decided_is_shown_below() -> None:
    parts = split(lasing.parse("q :- p. {a} :- q. #show q/0, a/0."))
    assert parts.below is not None
    assert [str(s) for s in parts.below.outputs or ()] == ["q/0", "#1 for rule 2/0"]
