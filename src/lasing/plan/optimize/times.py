"""Trust times: what is known to be a time, or to lie in a window, is not checked again.

    isSteam at T :- temp at 20(V,T), V > 100.             T is the time of a fact, so the head's time needs no check
    steam at 20(V,T) :- temp at 20(V,T), T in [20].       rows of `temp at 20` hold no longer than that anyway

Rules without these checks can be unfolded, and facts that only such rules read need not be kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import is_not

from lasing.logic.terms import Term, Variable
from lasing.plan.nodes import NOW, Plan, PlanRule
from lasing.plan.operators import OperatorNode
from lasing.plan.relations import Relation, Span
from lasing.plan.rewrite import map_rules, rules_of, writes


def trust_times(plan: Plan) -> Plan:
    """The plan without checks of times that are known to succeed."""
    if not any(rule.timed or rule.within is not None for rule in rules_of(plan)):
        return plan
    times, spans = _times(plan), _spans(plan)

    def trusted(rules: tuple[PlanRule, ...]) -> tuple[PlanRule, ...]:
        found = tuple([_trusted(rule, times, spans) for rule in rules])
        return found if any(map(is_not, found, rules)) else rules

    return map_rules(plan, trusted)


def _trusted(rule: PlanRule, times: set[Relation], spans: dict[Relation, set[Span]]) -> PlanRule:
    if rule.timed and rule.args[-1] in _known_times(rule, times):
        rule = replace(rule, timed=False)
    if rule.within is not None:
        time, span = rule.within
        known = (spans.get(x.relation) for x in rule.lookups if not x.negated and x.args and x.args[-1] == time)
        if any(bounds is not None and all(_inside(bound, span) for bound in bounds) for bounds in known):
            rule = replace(rule, within=None)
    return rule


def _inside(bound: Span, span: Span) -> bool:
    """Whether all rows that hold while their time is in the one window hold no longer than in the other."""
    if bound == span:
        return True
    return (
        bound.step == span.step == 1
        and bound.ahead <= span.ahead
        and (span.back is None or (bound.back is not None and bound.back <= span.back))
    )


def _known_times(rule: PlanRule, times: set[Relation]) -> set[Term]:
    """The variables of a rule that stand for time points from the start on."""
    return {NOW, *(x.args[-1] for x in rule.lookups if x.relation in times and not x.negated and x.walk is None)}


def _times(plan: Plan) -> set[Relation]:
    """The relations whose last column holds time points from the start on, and nothing else.

    These are what remains when all others have been left out, one round after the other.
    """
    fed = {feed.relation for feed in plan.feeds if feed.timed}
    headed = {rule.head for rule in plan.guaranteed if rule.args and isinstance(rule.args[-1], Variable)}
    found = (fed | headed | {clock.relation for clock in plan.clocks}) - set(_filled_in_other_ways(plan))
    found -= {feed.relation for feed in plan.feeds if not feed.timed}
    while True:
        wrong = {
            rule.head
            for rule in plan.guaranteed
            if rule.head in found and not rule.timed and rule.args[-1] not in _known_times(rule, found)
        }
        if not wrong:
            return found
        found -= wrong


def _spans(plan: Plan) -> dict[Relation, set[Span]]:
    """The windows outside of which no row of a relation holds, given the time in its last column.

    These are what remains when all relations have been left out of which that is not known, one round after the other.
    """
    found: dict[Relation, set[Span]] = {}
    free = set(_filled_in_other_ways(plan)) | {clock.relation for clock in plan.clocks}
    for feed in plan.feeds:
        if feed.timed and feed.span is not None:
            found.setdefault(feed.relation, set()).add(feed.span)
        else:
            free.add(feed.relation)
    inheriting: list[tuple[Relation, Relation]] = []
    for rule in plan.guaranteed:
        time = rule.args[-1] if rule.args else None
        if rule.within is not None and time == rule.within[0]:
            found.setdefault(rule.head, set()).add(rule.within[1])
            continue
        same = [x.relation for x in rule.lookups if x.args and x.args[-1] == time and not x.negated and x.walk is None]
        if same and isinstance(time, Variable) and time != NOW:
            found.setdefault(rule.head, set())
            inheriting.append((rule.head, same[0]))
        else:
            free.add(rule.head)
    bounded = {relation: spans for relation, spans in found.items() if relation not in free}
    before = -1
    while before != (before := len(bounded) + sum(map(len, bounded.values()))):
        for head, source in inheriting:
            if head in bounded:
                if source in bounded:
                    bounded[head] |= bounded[source]
                else:
                    del bounded[head]
    return {relation: spans for relation, spans in bounded.items() if spans}


def _filled_in_other_ways(plan: Plan) -> Iterator[Relation]:
    """The relations of background, of operators and of the counted plane."""
    yield from (relation for relation, _, _ in plan.background)
    yield from (load.relation for load in plan.loads)
    for stage in plan.stages:
        yield from writes(stage)
        if not isinstance(stage, OperatorNode):
            yield from (rule.head for rule in stage.rules)
