"""Columns, relations and checks that nobody needs are dropped. Random programs test that the answers stay the same."""

from __future__ import annotations

import pytest

import lasing
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import Plan
from lasing.plan.optimize import optimized
from lasing.plan.passing import passing
from lasing.plan.show import show

COOLING = """
#input temp/1.
steam(V) at T :- temp(V) at T in [20], V >= 100.
isSteam at T :- steam(V) at T in [20].
alarm :- isSteam always in [20].
"""


def plan(program: str) -> Plan:
    return optimized(compile_plan(lasing.parse(program)))


def arities(program: str) -> dict[str, int]:
    return {relation.name: relation.arity for relation in plan(program).relations}


def test_a_column_that_no_rule_asks_for_is_not_kept() -> None:
    found = plan("hot(S) :- temp(S,V) in [5], room(S) in [9].")
    assert {(feed.relation.name, feed.left_out) for feed in found.feeds if feed.predicate == "temp"} == {
        ("temp in 5 without 2", (1,))
    }


def test_the_time_of_a_fact_is_a_column_too() -> None:
    found = plan("hot(S) :- temp(S,V) at T in [5], room(S) in [9], V > 3.")
    (feed,) = (feed for feed in found.feeds if feed.predicate == "temp")
    assert (feed.timed, feed.left_out, feed.relation.arity) == (False, (), 2)


def test_arguments_are_counted_in_the_fact_even_if_some_are_constants() -> None:
    found = plan("q(X) :- p(X,a,Y,Z) in [5], r(X,Z) in [5].")
    (feed,) = (feed for feed in found.feeds if feed.predicate == "p")
    assert (feed.where, feed.left_out, feed.relation.arity) == (((1, "a"),), (2,), 2)


@pytest.mark.parametrize(
    "program",
    [
        "q(X) :- p(X,Y) in [5], r(Y) in [5].",  # joined
        "q(X) :- p(X,Y) in [5], r(X) in [5], Y > 2.",  # tested
        "q(X) :- p(X,Y) always in [5].",  # the same Y at every time point
        "q(N) :- N = #count{X,Y : p(X,Y) in [5]}.",  # counted
        "q(X) :- p(X,2) in [5], r(X). s(X) :- p(X,Y) in [5], r(Y).",  # a constant asks for it
        "q(X) :- p(X,X) in [5], r(X).",  # compared with itself
        "q(X) :- p(X,Y) in [#3].",  # a window of facts
        "q(X) :- p(X,Y) in [5], r(X), not s(Y) in [5].",
        "q(lower(X)) :- p(X,Y) in [5].",  # each fact without a value counts
    ],
)
def test_columns_that_matter_are_kept(program: str) -> None:
    assert not any("without" in name for name in arities(program))


def test_what_only_selects_rows_is_unfolded_and_facts_that_pass_are_not_kept() -> None:
    found = plan(COOLING + "#show alarm/0.")
    assert "steam" not in show(found).split("facts")[0].replace("isSteam", "")
    assert {relation.name for relation in passing(found)} == {"temp at 20"}


def test_facts_of_a_derived_predicate_still_reach_the_rules_that_read_it() -> None:
    rules = "steam(V) at T :- temp(V) at T in [9], V >= 100. hot(T) :- steam(V) at T in [9], V >= 150."
    facts = "temp(160) at 1. steam(170) at 2. steam(120) at 3."
    answers = list(lasing.run(rules, facts, start=0, end=3))
    assert [str(atom) for atom in sorted(answers[-1].atoms, key=str)] == ["hot(1)", "hot(2)", "steam(120)"]


def test_a_constant_that_is_asked_for_becomes_a_test() -> None:
    rules = "steam(V) at T :- temp(V) at T in [9], V >= 100. boils(T) :- steam(100) at T in [9]. #show boils/1."
    answers = list(lasing.run(rules, "temp(100) at 1. temp(101) at 2.", start=0, end=3))
    assert [str(atom) for atom in answers[-1].atoms] == ["boils(1)"]


def test_windows_of_two_rules_become_the_shorter_one() -> None:
    rules = "a(X) at T :- p(X) at T in [9]. b(X,T) :- a(X) at T in [4]. #show b/2. #input p/1."
    last = [answer.time for answer in lasing.run(rules, "p(x) at 1.", start=0, end=12) if answer.atoms]
    assert last == [1, 2, 3, 4, 5]


def test_a_time_of_a_fact_is_not_checked_again() -> None:
    assert not any(rule.timed for rule in plan(COOLING).guaranteed)
    assert any(rule.timed for rule in plan("q(X) at T :- p(X,T).").guaranteed)  # T may be anything
    assert any(rule.timed for rule in plan("q(X) at U :- p(X) at T in [3], U = T - 1.").guaranteed)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_row_that_many_facts_share_stays_for_the_longest(engine: lasing.EngineName) -> None:
    rules = "hot(S) :- temp(S,V) in [3], room(S) in [9]."
    facts = "room(a) at 0. temp(a,1) at 1. temp(a,2) at 3. temp(a,3) at 3."
    held = [answer.time for answer in lasing.run(rules, facts, start=0, end=12, engine=engine) if answer.atoms]
    assert held == [1, 2, 3, 4, 5, 6]
