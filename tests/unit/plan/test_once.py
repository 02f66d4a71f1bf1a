"""Which rows are derived once, which facts replace earlier ones, and which tests end a search."""

from __future__ import annotations

from dataclasses import replace

import pytest

import lasing
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import Plan
from lasing.plan.once import derived_once
from lasing.plan.optimize import optimized

DECLARED = "#input a/1, b/1, c/1. "


def plan(rules: str) -> Plan:
    """The plan of a program to which only its inputs come in."""
    return optimized(compile_plan(replace(lasing.parse(DECLARED + rules), only_inputs=True)))


@pytest.mark.parametrize(
    "rules",
    [
        "m(X,Y,T,U) :- a(X) at T in [9,-1], b(Y) at U in [0].",
        "m(X,Y,T,U) :- a(X) at T in [9], b(Y) at U in [0].",
        "m(X,Y,U) :- a(X) in [9,-1], b(Y) at U in [0].",
        "m(X,Y,T,U) :- a(X) at T in [9,-1], b(Y) at U in [0], Y < X, c(X).",
        "m(X,Y,Z,T,V) :- a(X) at T in [9,-1], b(Y) at U in [9,-1], T < U, c(Z) at V in [0].",  # only the newest b(Y)
        "m(Y,U,D) :- b(Y) at U in [0], a(X) at T in [9,-1], D = U - T, X = Y, T = U - D.",
        "m(X,Z,T,V) :- a(X) at T in [9,-1], b(Y) at U in [9,-1], T < U, c(Z) at V in [0].",  # some b, whatever Y
        "m(X,U) at U :- b(X) at U in [0], c(X).",
        "known(1). also(X) :- known(X). m(X,U) :- b(X) at U in [0], also(X). #show m/2.",
    ],
)
def test_a_head_with_all_that_tells_its_instances_apart_is_derived_once(rules: str) -> None:
    assert {relation.name for relation in derived_once(plan(rules))} == {"m"}


@pytest.mark.parametrize(
    "rules",
    [
        "m(X,Y,U) :- a(X) at T in [9,-1], b(Y) at U in [0], T != 3.",  # a(X) at two time points
        "m(X,Y,T) :- a(X) at T in [9,-1], b(Y) in [0].",  # the head holds again when b(Y) comes again
        "m(X,Y,U) :- a(X) in [9], b(Y) at U in [0].",  # a(X) may come again at this time point
        "m(X,Y,T,U) :- a(X) at T in [9,-1], b(Y) at U in [4].",
        "m(X,Z,T,V) :- a(X) at T in [9,-1], b(Y) at U in [9,-1], T < U, Y > 3, c(Z) at V in [0].",  # two b(Y)
        "m(X,U) :- a(X) at U in [0]. m(X,U) :- b(X) at U in [0], c(X).",
        "m(X,U) :- b(X) at U in [0], c(X). n(X) :- m(X,U). #show m/2, n/1.",
        "m(X,U) :- b(X) at U in [0], c(X). n(X) :- a(X), not m(X,1). #show m/2, n/1.",
        "m(X,U) at V :- b(X) at U in [0], c(X), V = U + 1.",  # it holds later
        "m(X,T,U) :- a(X) at T in [9 step 3], b(X) at U in [0].",
        "m(X,Z,T,V) :- a(X) at T in [9,-1], b(X) at U in [9], T < U, c(Z) at V in [0].",  # b(X) may come again now
    ],
)
def test_other_heads_may_be_derived_again(rules: str) -> None:
    assert not derived_once(plan(rules))


def test_a_predicate_that_can_come_in_may_be_there_already() -> None:
    program = lasing.parse(DECLARED + "m(X,U) :- b(X) at U in [0], c(X).")
    assert not derived_once(optimized(compile_plan(program)))
    assert derived_once(optimized(compile_plan(replace(program, only_inputs=True))))


def newest(rules: str) -> set[str]:
    return {feed.relation.name for feed in plan(rules).feeds if feed.newest}


def test_the_newest_fact_is_enough_for_a_lower_bound() -> None:
    assert newest("m(X,Z) :- a(X) at T in [9,-1], b(X) at U in [9,-1], T < U, c(Z).") == {"b at 9,-1"}
    assert newest("m(X,Z) :- a(X) at T in [9,-1], b(X) at U in [9,-1], U >= T, U > 3, c(Z).") == {"b at 9,-1"}


@pytest.mark.parametrize(
    "rule",
    [
        "m(X,U) :- a(X) at T in [0], b(X) at U in [9,-1].",  # the head has the time
        "m(X) :- a(X) at T in [0], b(X) at U in [9,-1], c(X) at V in [9,-1], U != V.",
        "m(X) :- a(X) at T in [0], b(X) at U in [9,-1], U < 5.",
        "m(X) :- a(X) at T in [0], b(X) at U in [9,-1], not U > 5.",
        "m(X) :- a(X) at T in [0], b(X) at U in [9,-1], c(U).",
        "m(X) :- a(X) at T in [0], b(X) at U in [9,-1], U > X + 1.",  # instances without a value are counted
        "m(X) :- a(X) at T in [0], b(X) at U in [*], U > X.",  # it does not stay for longer
        "m(X) :- a(X) at T in [0], b(X) at U in [9 step 2], U > X.",
        "m(X) :- a(X) at T in [0], b(X) at U in [0], U > X.",  # there is no other time
    ],
)
def test_a_rule_may_need_older_facts(rule: str) -> None:
    assert not newest(rule)


def test_a_rule_that_needs_older_facts_keeps_them_for_others() -> None:
    rule = "m(X) :- a(X), b(X) at U in [9,-1], U > 3."
    assert newest(rule) == {"b at 9,-1"}
    assert not newest(f"{rule} n(X,U) :- c(X), b(X) at U in [9,-1].")


def ends(rule: str) -> list[str]:
    return [str(test.sorted and test.sorted.name) for found in plan(rule).guaranteed for test in found.tests]


def test_a_test_ends_a_search_for_newer_facts() -> None:
    assert ends("m(X,T,U) :- a(X) at T in [9], b(X) at U in [9], T < U, c(X).") == ["b at 9"]
    assert ends("m(X,T,U) :- a(X) at T in [9], b(X) at U in [9], T >= U, c(X).") == ["a at 9"]
    assert ends("m(X,U) :- b(X) at U in [9], U > 3, c(X).") == ["b at 9"]


@pytest.mark.parametrize(
    "rule",
    [
        "m(X,T,U) :- a(X) at T in [9], b(X) at U in [9], T != U, c(X).",
        "m(X,T,U) :- a(X) at T in [9], a(Y) at U in [9], T < U, c(X).",  # which of the two rows comes first?
        "m(X,U) :- b(X) at U in [9], X < U, c(X).",  # another row has another X
        "m(X,U) :- b(X) at U in [9], not U > 3, c(X).",
        "m(X,U) :- b(X) at U in [9], U < 3, c(X).",  # those that follow are older
    ],
)
def test_other_tests_do_not(rule: str) -> None:
    assert set(ends(rule)) == {"None"}
