"""Newest: of facts that differ in their time alone, only the newest is kept, if no rule needs the others.

    m(X,Z) :- a(X) at T in [9,-1], b(Y) at U in [9,-1], T < U, c(Z).

Some time U of b(Y) is after T if the newest one is. It also stays in the window for longest. So the rows of
`b at U in [9,-1]` need not be told apart by U: a fact that comes again replaces the row of the one before.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lasing.logic.terms import Term, Variable
from lasing.plan.nodes import NOW, Feed, Plan, PlanRule, Test
from lasing.plan.optimize.merge import computes
from lasing.plan.relations import Relation
from lasing.plan.rewrite import rules_of
from lasing.plan.sources import facts_alone


def keep_newest(plan: Plan) -> Plan:
    """The plan with feeds that keep the newest fact only, where that is enough."""
    wanted = {feed.relation for feed in facts_alone(plan).values() if _can_replace(feed)}
    wanted -= {relation for relation, enough in _readers(plan) if not enough}
    if not wanted:
        return plan
    return replace(plan, feeds=tuple(replace(f, newest=True) if f.relation in wanted else f for f in plan.feeds))


def _can_replace(feed: Feed) -> bool:
    """Whether a fact that comes later also stays for longer, and there is room for more than one time."""
    span = feed.span
    return (
        feed.timed and span is not None and span.step == 1 and span.back is not None and span.back > max(0, -span.ahead)
    )


def _readers(plan: Plan) -> list[tuple[Relation, bool]]:
    """Each relation that some rule looks up, and whether the newest times are enough for that."""
    return [
        (lookup.relation, not lookup.negated and _later_is_better(rule, lookup.args[-1:]))
        for rule in rules_of(plan)
        for lookup in rule.lookups
    ]


def _later_is_better(rule: PlanRule, last: tuple[Term, ...]) -> bool:
    """Whether an instance of a rule stays one if the value of its last argument becomes greater.

    Instances without a value are counted, so there must be none.
    """
    if not last or not isinstance(last[0], Variable) or last[0] == NOW or computes(rule):
        return False
    (time,) = last
    tested = [test for test in rule.tests if time in (test.left, test.right)]
    uses = Counter(term for lookup in rule.lookups for term in lookup.args)
    used = uses[time] > 1 or time in rule.args or (rule.within is not None and rule.within[0] == time)
    return not used and all(_is_lower_bound(test, time) for test in tested)


def _is_lower_bound(test: Test, time: Term) -> bool:
    lesser = test.comparison in ("<", "<=") and test.right == time
    greater = test.comparison in (">", ">=") and test.left == time
    return not test.negated and test.left != test.right and (lesser or greater)
