"""Stop: facts are looked at from the newest to the oldest, so a test that asks for newer ones need not see the rest.

    m(X) :- a(X) at T in [9,-1], b(X) at U in [9,-1], T < U, c(X).

Once a row of `b at U` is too old for T, so are all that follow.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from operator import is_not

from lasing.logic.terms import Term, Variable
from lasing.plan.nodes import Plan, PlanRule, Test
from lasing.plan.relations import Relation
from lasing.plan.rewrite import map_rules
from lasing.plan.sources import facts_alone


def stop_at_older(plan: Plan) -> Plan:
    """The plan with tests that know in which order rows come."""
    in_order = {r for r, feed in facts_alone(plan).items() if feed.timed and (feed.span is None or feed.span.step == 1)}
    if not in_order:
        return plan

    def changed(rules: tuple[PlanRule, ...]) -> tuple[PlanRule, ...]:
        found = tuple([_with_order(rule, in_order) for rule in rules])
        return found if any(map(is_not, found, rules)) else rules

    return map_rules(plan, changed)


def _with_order(rule: PlanRule, in_order: set[Relation]) -> PlanRule:
    times = _times(rule, in_order) if rule.tests else {}
    if not times:
        return rule
    tests = tuple([_sorted(test, times) for test in rule.tests])
    return rule if tests == rule.tests else replace(rule, tests=tests)


def _times(rule: PlanRule, in_order: set[Relation]) -> dict[Term, tuple[Relation, tuple[Term, ...]]]:
    """The times of facts, each with its relation and the other arguments; a relation that occurs twice is left out."""
    looked_up = Counter(lookup.relation for lookup in rule.lookups)
    return {
        lookup.args[-1]: (lookup.relation, lookup.args[:-1])
        for lookup in rule.lookups
        if lookup.relation in in_order and looked_up[lookup.relation] == 1 and not lookup.negated
    }


def _sorted(test: Test, times: dict[Term, tuple[Relation, tuple[Term, ...]]]) -> Test:
    """The test; if it says that a time is greater than something that its fact does not say, with the relation."""
    if test.negated or test.sorted is not None or test.comparison not in ("<", "<=", ">", ">="):
        return test
    less, greater = (test.left, test.right) if test.comparison in ("<", "<=") else (test.right, test.left)
    if greater not in times or not isinstance(less, Variable | int) or less == greater:
        return test
    relation, others = times[greater]
    return test if less in others else replace(test, sorted=relation)
