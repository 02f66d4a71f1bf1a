"""What each pass does to a plan. That none changes what a plan means is tested on random programs."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.terms import Variable
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import Plan
from lasing.plan.operators import Fold
from lasing.plan.optimize import optimized
from lasing.plan.optimize.alike import merge_alike
from lasing.plan.optimize.constants import push_constants
from lasing.plan.optimize.dead import drop_dead
from lasing.plan.optimize.duplicates import drop_duplicates
from lasing.plan.optimize.fuse import fuse_copies
from lasing.plan.optimize.merge import LEAST, merge_rules
from lasing.plan.optimize.order import as_written, order_lookups
from lasing.plan.optimize.originals import read_originals
from lasing.plan.relations import Span
from lasing.plan.rewrite import rules_of


def plan(program: str) -> Plan:
    return compile_plan(lasing.parse(program))


def names(found: Plan) -> set[str]:
    return {relation.name for relation in found.relations}


def test_what_no_output_depends_on_is_dropped() -> None:
    found = drop_dead(plan("q(X) :- p(X) in [5]. r(X) :- s(X), not t(X) in [3]. #show q/1."))
    assert names(found) == {"q", "p in 5"}
    assert not found.stages
    assert {feed.predicate for feed in found.feeds} == {"p", "q"}


def test_a_rule_that_is_repeated_under_other_names_is_applied_once() -> None:
    found = drop_duplicates(plan("q(X) :- p(X,Y) in [5]. q(A) :- p(A,B) in [5]. q(A) :- p(B,A) in [5]."))
    assert [rule.origin for rule in found.guaranteed] == [0, 2]


def test_the_same_window_is_one_relation() -> None:
    assert len(plan("q(X) :- p(X) in [5], s(X). r(X) :- p(X) in [5], t(X).").relations) == 5


def test_constants_are_looked_up_at_once() -> None:
    (rule,) = push_constants(plan("q(X,V) :- p(X,V) in [5], V = 17.")).guaranteed
    assert not rule.tests
    assert rule.lookups[0].args[1] == 17
    assert rule.args[1] == 17


def test_rules_that_differ_in_constants_become_one() -> None:
    rules = "".join(f"h{i}(X) :- p(X,V) in [5], V > {i}." for i in range(10))
    found = merge_rules(plan(rules))
    (rule,) = found.guaranteed
    (test,) = rule.tests
    assert test.sorted is not None
    table = [values for relation, values, _ in found.background if relation == test.sorted]
    assert [row[0] for row in table] == list(range(9, -1, -1))  # the last rows, the least, are looked at first
    assert {output.tag for output in found.outputs} == set(range(10))


def test_few_rules_stay_as_they_are() -> None:
    rules = "".join(f"h{i}(X) :- p(X,{i}) in [5]." for i in range(LEAST - 1))
    assert len(merge_rules(plan(rules)).guaranteed) == LEAST - 1


def test_heads_that_others_use_are_not_merged() -> None:
    rules = "".join(f"h{i}(X) :- p(X,{i}) in [5]. g{i}(X) :- h{i}(X), s(X)." for i in range(LEAST))
    heads = {rule.head.name for rule in merge_rules(plan(rules)).guaranteed}
    assert {f"h{i}" for i in range(LEAST)} <= heads


def test_rules_that_differ_only_in_predicates_become_one() -> None:
    rules = "".join(f"h{i}(A{i}) :- p{i}(A{i},B) in [5], q{i}(B,C) in [2], C > 3." for i in range(LEAST))
    found = merge_alike(plan(rules))
    (rule,) = found.guaranteed
    assert [lookup.args[-1] for lookup in rule.lookups] == [rule.args[-1]] * 2  # one tag, everywhere
    assert {(feed.predicate, feed.tag) for feed in found.feeds} == {
        (f"{name}{i}", i) for name in "hpq" for i in range(LEAST)
    }
    assert {(output.predicate, output.tag) for output in found.outputs} == {(f"h{i}", i) for i in range(LEAST)}
    assert len(found.relations) == 3


@pytest.mark.parametrize(
    "rule",
    [
        "h{i}(X) :- p{i}(X,V) in [{i}], V > 3.",  # different windows
        "h{i}(X) :- p{i}(X,V) in [5], V > {i}.",  # different constants
        "h{i}(X) :- p{i}(X,V) in [5], all(V) in [5].",  # a relation that others read too
        "h{i}(X) :- p{i}(X,V) at T in [5], V > T.",  # facts with their times
        "h{i}(X) :- p{i}(X,V) in [5], V > 3. g{i}(X) :- h{i}(X), s{i}(X).",  # heads that others read
        "h{i}(X) :- p{i}(X,V) in [5], X / V > 3.",  # rules whose failures are counted
    ],
)
def test_rules_that_differ_in_more_stay_apart(rule: str) -> None:
    before = plan("".join(rule.format(i=i) for i in range(LEAST)))
    assert [rule for rule in merge_alike(before).guaranteed if rule.args[-1] == Variable("tag")] == []


def test_facts_of_many_predicates_that_are_output_share_a_relation() -> None:
    found = optimized(plan("".join(f"h{i}(X) :- p{i}(X,V) in [{i}]." for i in range(LEAST))))
    assert len(found.relations) == 1
    assert {(feed.predicate, feed.tag, feed.span) for feed in found.feeds} >= {
        (f"p{i}", i, Span(i)) for i in range(LEAST)
    }


def test_copies_are_fused() -> None:
    found = fuse_copies(plan("q(A,B) :- p(A,B) in [5]."))
    assert names(found) == {"q"}
    assert not found.guaranteed
    assert {(feed.predicate, feed.relation.name) for feed in found.feeds} == {("p", "q"), ("q", "q")}


def test_an_aggregate_reads_its_window_directly() -> None:
    found = read_originals(plan("a(S,X) :- s(S), X = #sum{V,T : p(S,V) at T in [9]}."))
    (fold,) = (stage for stage in found.stages if isinstance(stage, Fold))
    assert fold.source.name == "p at 9"
    assert not any(name.startswith("elements of #sum 1") and "on" not in name for name in names(found))
    assert {lookup.relation.name for rule in rules_of(found) for lookup in rule.lookups} <= names(found)


def test_elements_of_the_same_condition_are_kept_once() -> None:
    condition = "V : p(S,V) in [9], not r(S), V > 0"
    rules = f"a(S,X) :- s(S), X = #min{{{condition}}}. b(S,X) :- s(S), X = #max{{{condition.replace('V', 'W')}}}."
    found = read_originals(plan(rules))
    one, other = (stage for stage in found.stages if isinstance(stage, Fold))
    assert one.source == other.source
    assert one.source.name == "elements of #min 1"
    assert "elements of #max 2" not in names(found)


def test_elements_whose_terms_may_have_no_value_are_kept_for_each_rule() -> None:
    condition = "V / 2 : p(S,V) in [9]"
    found = read_originals(plan(f"a(S,X) :- s(S), X = #min{{{condition}}}. b(S,X) :- s(S), X = #max{{{condition}}}."))
    one, other = (stage for stage in found.stages if isinstance(stage, Fold))
    assert one.source != other.source


def test_what_binds_most_is_looked_up_first() -> None:
    found = order_lookups(plan("q(A,D) :- p(A,B) in [5], r(C,D) in [5], s(B,C) in [5], not t(B)."))
    rule = next(rule for rule in rules_of(found) if rule.origin == 0)
    assert rule.orders[0] == (3, 2, 1)
    assert as_written(rule, 0) == (3, 1, 2)  # absence at once, else as written


def test_all_passes_together() -> None:
    found = optimized(plan("q(A,B) :- p(A,B) in [5]. q(C,D) :- p(C,D) in [5]. r(X) :- q(X,_). #show q/2."))
    assert names(found) == {"q"}
