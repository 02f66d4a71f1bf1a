"""What is read in braces: which tuples are selected, and which variables stay inside."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.formulas import Aggregate, Atom, Not, Select, walk
from lasing.logic.terms import Variable

U, V, W, X = (Variable(name) for name in "UVWX")


def literal(body: str) -> object:
    return lasing.parse(f"q :- {body}.").rules[0].body[-1]


@pytest.mark.parametrize(
    "text",
    [
        "p(U), U = #last{W : r(W)}",
        "p(U), #last{W : r(W)} = U",
        "p(U), (U) = #last{W : r(W)}",
        "p(U), U = #last 1 {W : r(W)}",
    ],
)
def test_one_target_in_any_notation(text: str) -> None:
    assert literal(text) == Select("last", 1, (U,), (W,), (Atom("r", (W,)),), frozenset([W]))


def test_targets_may_be_any_terms() -> None:
    found = literal("p(U), not (U + 1, a, _) = #first 3 {V, W, X : r(V, W, X)}")
    assert isinstance(found, Not)
    select = found.body
    assert isinstance(select, Select)
    assert (select.end, select.count, len(select.targets)) == ("first", 3, 3)
    assert select.local == {V, W, X}


def test_the_number_may_be_a_constant() -> None:
    (rule,) = lasing.parse("#const n = 4. q(V) :- V = #last n {W : r(W)}.").rules
    assert isinstance(rule.body[0], Select)
    assert rule.body[0].count == 4


def test_variables_of_outer_braces_are_not_local_to_inner_ones() -> None:
    outer = literal("s(U), #count{X : p(X), #count{V : r(X, V, U)} > 2} > 1")
    assert isinstance(outer, Aggregate)
    (inner,) = (node for part in outer.condition for node in walk(part) if isinstance(node, Aggregate))
    assert outer.local == {X}
    assert inner.local == {V}


def test_the_same_name_in_separate_braces_is_local_to_each() -> None:
    body = lasing.parse("q :- #count{X : p(X)} > 1, #count{X : r(X)} > 1.").rules[0].body
    assert all(isinstance(part, Aggregate) and part.local == {X} for part in body)


@pytest.mark.parametrize(
    "rule",
    [
        "q(T,V) :- (T, V) = #last{U,W : temp(R,W) at U in [5], W > 45}, s(R).",
        "q :- not (_, 5) = #first 2 {U,W : p(U,W)}.",
        "q(N) :- N = #count{X : p(X), V = #last{W : r(X,W) in [3]}, V > 2}.",
    ],
)
def test_what_is_printed_reads_back(rule: str) -> None:
    (read,) = lasing.parse(rule).rules
    (again,) = lasing.parse(str(read)).rules
    assert str(read) == str(again) == rule
