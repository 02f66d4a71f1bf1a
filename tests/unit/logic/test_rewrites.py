"""Nested formulas as plain literals: what becomes of each, and what is left alone."""

from __future__ import annotations

import warnings

import pytest

import lasing
from lasing.engine_choice import unplanned
from lasing.logic.program import Program
from lasing.logic.rewrites import plain


def rewritten(text: str) -> list[str]:
    """The rewritten rules of a program."""
    found = plain(lasing.parse(text))
    assert not found.left
    return [str(rule) for rule in found.program.rules]


CONNECTIVES = {
    "q :- a and b.": ["q :- a, b."],
    "q :- a or b.": ["q :- a.", "q :- b."],
    "q :- a -> b.": ["q :- not a.", "q :- b."],
    "q :- not (a and b).": ["q :- not a.", "q :- not b."],
    "q :- not (a or b).": ["q :- not a, not b."],
    "q :- not (a -> b).": ["q :- a, not b."],
    "q :- not (not a).": ["q :- a."],
    "q :- s(X), (p(X) or r(X, _)).": ["q :- s(X), p(X).", "q :- s(X), r(X,_)."],
    "q :- a in [#3] or b always in [2].": ["q :- a in [#3].", "q :- b always in [2]."],
}

DIAMONDS = {
    "q :- (a and b) in [2].": ["q :- a at T'1 in [2], b at T'1 in [2]."],
    "q :- (a or b) in [2].": ["q :- a in [2].", "q :- b in [2]."],
    "q :- (not p) in [2].": ["q :- any time at T'1 in [2], not p at T'1 in [2]."],
    "q :- (not p(_)) in [2].": ["q :- any time at T'1 in [2], not p(_) at T'1 in [2]."],
    "q(X) :- (p(X) and not r(X)) in [3].": ["q(X) :- p(X) at T'1 in [3], not r(X) at T'1 in [3]."],
    "q(T) :- (a and not b) at T in [3].": ["q(T) :- a at T in [3], not b at T in [3]."],
    "q :- not (a or b) in [2].": ["q :- not a in [2], not b in [2]."],
    "q :- not (a and b) in [2].": ["q :- not q: part 1.", "q: part 1 :- a at T'1 in [2], b at T'1 in [2]."],
}

BOXES = {
    "q :- (not p) always in [2].": ["q :- not p in [2]."],
    "q :- not (not p) in [2].": ["q :- p always in [2]."],
    "q :- (a and b) always in [2].": ["q :- a always in [2], b always in [2]."],
    "q :- (a or b) always in [1].": [
        "q :- q: part 1 always in [1].",
        "q: part 1 at T'1 :- a at T'1 in [1].",
        "q: part 1 at T'1 :- b at T'1 in [1].",
    ],
    "q :- (a -> b) always in [2].": ["q :- not q: part 1.", "q: part 1 :- a at T'1 in [2], not b at T'1 in [2]."],
    # A window with a step may have no time point: then nothing is always so.
    "q :- (not p) always in [4 step 2].": [
        "q :- q: part 1 always in [4 step 2].",
        "q: part 1 at T'1 :- any time at T'1 in [4 step 2], not p at T'1 in [4 step 2].",
    ],
    # `_` may be another value at each time point, or has to be the same at all of them.
    "q :- not ((p(_) or a) always in [2]).": [
        "q :- any time at T'1 in [2], not p(_) at T'1 in [2], not a at T'1 in [2]."
    ],
    "q :- not ((p(_) and a) always in [2]).": ["q :- not p(_) always in [2].", "q :- not a always in [2]."],
    # Another literal binds what the formula does not.
    "q(X) :- s(X), (p(X) or t) always in [3].": [
        "q(X) :- s(X), q: part 1(X) always in [3].",
        "q: part 1(X) at T'1 :- s(X), p(X) at T'1 in [3].",
        "q: part 1(X) at T'1 :- s(X), t at T'1 in [3].",
    ],
    # In a recursion, no negation is added.
    "q :- (a -> q) always in [2].": [
        "q :- q: part 1 always in [2].",
        "q: part 1 at T'1 :- any time at T'1 in [2], not a at T'1 in [2].",
        "q: part 1 at T'1 :- any time at T'1 in [2], q at T'1 in [2].",
    ],
}

WINDOWS = {
    "q :- ⊞[3] ⊞[5] ◇ a.": ["q :- a in [3]."],
    "q(X) :- (p(X) in [4]) in [1].": [
        "q(X) :- any time at T'1 in [1], T'1 <= T'2 + 4, T'2 <= T'1, p(X) at T'2 in [1]."
    ],
    "q(X) :- (p(X) in [full 4]) in [1].": [
        "q(X) :- any time at T'1 in [1], T'1 <= T'2 + 4, T'2 <= T'1, p(X) at T'2 in [5]."
    ],
    "q :- (a in [full *]) in [2].": ["q :- any time at T'1 in [2], T'2 <= T'1, a at T'2 in [*]."],
    "q(T,U) :- a at T in [5], b at U in [5], not p in [T..U].": [
        "q(T,U) :- a at T in [5], b at U in [5], not q: part 1(T,U).",
        "q: part 1(T,U) :- a at T in [5], b at U in [5], T <= T'1, T'1 <= U, p at T'1 in [5].",
    ],
    "q(T,U) :- a at T in [5], b at U in [5], p always in [T..U].": [
        "q(T,U) :- a at T in [5], b at U in [5], T <= U, not q: part 1(T,U).",
        "q: part 1(T,U) :- a at T in [5], b at U in [5], any time at T'1 in [5], T <= T'1, T'1 <= U, "
        "not p at T'1 in [5].",
    ],
}

BEFORE_NOW = {
    "q :- (a and b) in [3,-1].": ["q :- a at T'1 in [3,-1], b at T'1 in [3,-1]."],
    "q :- ⊞[5] ⊞[4,-3] ◇ p.": ["q :- p in [4,-3]."],
    # Such a window may have no time point: then nothing is always so.
    "q :- (not p) always in [3,-1].": [
        "q :- q: part 1 always in [3,-1].",
        "q: part 1 at T'1 :- any time at T'1 in [3,-1], not p at T'1 in [3,-1].",
    ],
    "q :- go at T in [8], (p in [2,-1]) at T.": ["q :- go at T in [8], T <= T'1 + 2, T'1 + 1 <= T, p at T'1 in [10]."],
    "q :- go at T in [8], (p always in [2,-1]) at T.": [
        "q :- go at T in [8], any time at T'1 in [10], T <= T'1 + 2, T'1 + 1 <= T, not q: part 1(T).",
        "q: part 1(T) :- go at T in [8], any time at T'2 in [10], T <= T'2 + 2, T'2 + 1 <= T, not p at T'2 in [10].",
    ],
    # Another literal says in which window T lies.
    "q :- p at T in [5,-1], r at T.": ["q :- p at T in [5,-1], r at T in [5,-1]."],
}

EVALUATION_TIME = {
    "q(#now) :- p.": ["q(now') :- p, any time at now' in [0]."],
    "q :- p at #now - 5, not r at #now.": ["q :- p in [5,-5], not r in [0]."],
    "q :- p at #now + 1.": ["q :- p at now' + 1, any time at now' in [0]."],
    "q :- p in [#now - 5..#now - 1].": ["q :- p in [5,-1]."],
    "q :- not p(_) always in [#now - 5..#now].": ["q :- not p(_) always in [5]."],
    "q :- #count{T : p at T in [#now - 5..#now - 2]} > 1.": ["q :- #count{T : p at T in [5,-2]} > 1."],
    "q :- s(#now), (p in [2]) at #now.": [
        "q :- s(now'), any time at now' in [0], now' <= T'1 + 2, T'1 <= now', p at T'1 in [2]."
    ],
    "q :- #count{T : p at T in [3], T < #now} > 1.": [
        "q :- #count{T : p at T in [3], T < now'} > 1, any time at now' in [0]."
    ],
}

JUMPS = {
    "q(T) :- go at T in [8], (p in [1]) at T.": ["q(T) :- go at T in [8], T <= T'1 + 1, T'1 <= T, p at T'1 in [9]."],
    "q(T) :- go at T in [8], (p in [+5]) at T.": [
        "q(T) :- go at T in [8], T <= T'1, T'1 - 5 <= T, p at T'1 in [8,+5]."
    ],
    "q(T) :- go at T in [8], (p in [3,+1]) at T.": [
        "q(T) :- go at T in [8], T <= T'1 + 3, T'1 - 1 <= T, p at T'1 in [11,+1]."
    ],
    "q(T) :- go at T in [8 step 4], (p in [2 step 2]) at T.": [
        "q(T) :- go at T in [8 step 4], P'2 = T div 2 * 2, P'2 <= T'1 + 2, T'1 <= P'2, p at T'1 in [14]."
    ],
    "q(T) :- go at T, (p in [3]) at T.": ["q(T) :- go at T, T <= T'1 + 3, T'1 <= T, p at T'1."],
    "q(T) :- go at T in [8], (p or r) at (T - 1).": [
        "q(T) :- go at T in [8], V'1 = T - 1, p at V'1 in [9].",
        "q(T) :- go at T in [8], V'1 = T - 1, r at V'1 in [9].",
    ],
    "q(T) :- go at T in [8], (p always in [3]) at T.": [
        "q(T) :- go at T in [8], not q: part 1(T).",
        "q: part 1(T) :- go at T in [8], any time at T'1 in [11], T <= T'1 + 3, T'1 <= T, not p at T'1 in [11].",
    ],
    # `_` has the same value at every time point of the window: it gets a name.
    "q(T) :- go at T in [8], (p(_) always in [3]) at T.": [
        "q(T) :- go at T in [8], p(X'1) at T in [11], not q: part 1(T,X'1).",
        "q: part 1(T,X'1) :- go at T in [8], p(X'1) at T in [11], any time at T'2 in [11], T <= T'2 + 3, T'2 <= T, "
        "not p(X'1) at T'2 in [11].",
    ],
    # A jump to a time point before the start leads nowhere.
    "q :- (not a) at 5.": ["q :- any time at T'1 in [*], T'1 <= 5, not a at 5."],
    "q(T) :- go at T, (not a) at (T - 1).": [
        "q(T) :- go at T, V'1 = T - 1, any time at T'2 in [*], T'2 <= V'1, not a at V'1."
    ],
    "q :- ((a at T) and b) in [3], s(T).": ["q :- s(T), a at T in [3], b at T'1 in [3]."],
}

BESIDE = {
    "q(X) :- s(X), (p(X / 2) or a).": ["q(X) :- s(X), V'1 = X / 2, p(V'1).", "q(X) :- s(X), V'1 = X / 2, a."],
    "q :- #count{X : (p(X) or s(X)) in [5]} > 2.": [
        "q :- #count{X : q: part 1(X)} > 2.",
        "q: part 1(X) :- p(X) in [5].",
        "q: part 1(X) :- s(X) in [5].",
    ],
    "q :- not #count{X : p(X), not (s(X) and a) in [5]} > 2.": [
        "q :- not #count{X : p(X), q: part 2(X)} > 2.",
        "q: part 1(X) :- s(X) at T'1 in [5], a at T'1 in [5].",
        "q: part 2(X) :- p(X), not q: part 1(X).",
    ],
}

BACKGROUND = {
    # A window opened up to now sees background ahead of now; `at T` without a window sees it up to now.
    "b. q :- go at T in [5], (b in [+2]) at T.": ["q :- go at T in [5], T <= T'1, T'1 - 2 <= T, b at T'1 in [5,+2]."],
    "b. q :- go at T, (b in [2]) at T.": ["q :- go at T, T <= T'1 + 2, T'1 <= T, b at T'1."],
}

ALL = {**CONNECTIVES, **DIAMONDS, **BOXES, **WINDOWS, **BEFORE_NOW, **EVALUATION_TIME, **JUMPS, **BESIDE, **BACKGROUND}


@pytest.mark.parametrize(("text", "rules"), ALL.items(), ids=ALL)
def test_what_becomes_of_a_rule(text: str, rules: list[str]) -> None:
    assert rewritten(text) == rules
    assert not unplanned(lasing.parse(text))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("q :- (a and p in [#3]) in [2].", "a window of facts inside another formula"),
        ("q(X) :- go at T in [5], (p(X) in [#1,+1]) at T.", "a window of facts inside another formula"),
        ("q :- (#count{X : p(X)} > 2) in [3].", "#count inside another formula"),
        ("q :- (a in [2]) at T, s(T).", "a time that no windowed literal binds"),
        ("q :- p always in [2..4].", "a time that no windowed literal binds"),
        ("q :- s(T), s(U), p always in [T..U].", "a window between times that no literal shows to be time points"),
        ("q :- ⊞[3 step 2] (a and b).", "a window that need not contain the time point at which it opens"),
        ("q :- ⊞[3 step 2] ⊞[2] ◇ a.", "a window in a window that need not contain the time point at which it opens"),
        ("q :- ⊞[3] ⊞[2 step 2] ◇ a.", "a window with a step in another window"),
        ("q :- ⊞[5,-1] (a and b).", "a window that need not contain the time point at which it opens"),
        ("q :- ⊞[5,-1] ⊞[2] ◇ a.", "a window in a window that need not contain the time point at which it opens"),
        ("q :- ⊞[2] ⊞[5,-3] ◇ a.", "a window in another window, without a time point in common"),
        ("q :- s(T), go at T in [3], (p in [2 step 2]) at T.", "a time that is an argument as well"),
        ("q(N) :- N = #count{X : p(X)}, (r(N) or a) always in [2].", "a variable, N, that no reusable literal binds"),
        ("b. q :- go at T, (b in [+2]) at T.", "background seen from a time point that may lie ahead"),
        ("b. q :- go at T in [5,+2], (b in [2]) at T.", "background seen from a time point that may lie ahead"),
        ("q :- " + ", ".join(f"(a{i} or b{i})" for i in range(6)) + ".", "more than 32 alternatives"),
        ("q :- #count{X : p(X), (r(X + 1) or a)} > 2.", "arithmetic in a nested condition of an aggregate"),
        ("q :- a or b. c :- not d. d :- not c.", "a nested formula, in a program that may have several answers"),
        ("q :- a or b. c ; d :- a.", "a nested formula, in a program that may have several answers"),
    ],
)
def test_what_is_left_alone(text: str, why: str) -> None:
    program = lasing.parse(text)
    found = plain(program)
    assert found.program is program
    assert found.origin == tuple(range(len(program.rules)))
    assert found.left[0].startswith(why)


def test_a_program_without_nested_formulas_is_the_same() -> None:
    program = lasing.parse("q :- p always in [3], not r in [#2], #count{X : s(X) in [5]} > 2. t at T :- q at T.")
    assert plain(program).program is program
    assert plain(program).origin == (0, 1)


def test_a_plain_rule_beside_others_is_the_same() -> None:
    program = lasing.parse("q :- p always in [3]. r :- (a or b) always in [2]. s :- r.")
    found = plain(program)
    assert found.program.rules[0] is program.rules[0]
    assert found.program.rules[-1] is program.rules[-1]
    assert found.origin == (0, 1, 1, 1, 2)
    assert found.helpers() == {0: 0, 1: 2, 2: 0}


def test_what_can_be_rewritten_is_where_something_else_cannot() -> None:
    found = plain(lasing.parse("q :- (a in [#1]) in [2]. r :- (a or b) in [2]."))
    assert found.origin == (0, 1, 1)
    assert list(found.left) == [0]


def test_the_output_is_that_of_before() -> None:
    def output(text: str) -> frozenset[str]:
        return plain(lasing.parse(text)).program.output()

    nested = "q(X) :- s(X), (p(X) or t) always in [3]. r :- q(X)."
    assert output(nested) == {"q", "r"}
    assert output(f"{nested} #show r/0.") == {"r"}
    assert output(f"{nested} #show.") == frozenset()


def test_formulas_that_are_the_same_share_a_helper() -> None:
    found = rewritten("q :- (a or b) always in [2]. r :- (a or b) always in [2], c.")
    assert found[-1] == "r :- c, q: part 1 always in [2]."


def test_a_helper_has_a_name_that_cannot_be_written() -> None:
    found: Program = plain(lasing.parse("q :- not (a and b) in [2], (not a) in [2].")).program
    helpers = {atom.predicate for rule in found.rules for atom in rule.head_atoms()} - {"q"}
    for name in (*helpers, *(atom.predicate for atom in found.background)):
        with pytest.raises(lasing.LasingError):
            lasing.parse(f"{name} :- p.")


def test_a_failing_rule_is_named_by_its_own_number() -> None:
    program = "ok :- (a or b) always in [2]. q(X) :- s(X), (p(X) or a) always in [3], X / 0 > 1."
    run = lasing.run(program, "s(1) at 0. a at 0.", engine="local")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        list(run)
    assert {rule for rule, _ in run.report.failures} == {1}
