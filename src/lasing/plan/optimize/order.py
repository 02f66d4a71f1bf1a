"""Join order: for each lookup that evaluation may begin with, in which order the others follow.

Absence is checked as soon as all its columns are bound; a walk needs its group and its bounds; tests come as soon as
possible (the engine takes care of that). Among the rest, the lookup that is likely to give the fewest rows comes first:
the one with the larger share of bound columns, then the one with the shorter window, then as written.
"""

from __future__ import annotations

from dataclasses import replace

from lasing.logic.terms import Term, Variable, variables_of
from lasing.plan.nodes import NOW, Feed, Plan, PlanRule, Test
from lasing.plan.relations import Relation
from lasing.plan.rewrite import map_rules, rules_of


def order_lookups(plan: Plan) -> Plan:
    """The plan with an order for every rule and every first lookup."""
    sizes = _sizes(plan)
    return map_rules(plan, lambda rules: tuple([_ordered(rule, sizes) for rule in rules]))


def as_written(rule: PlanRule, begin: int) -> tuple[int, ...]:
    """The other lookups as written, but absence only when all its arguments are bound."""
    return _order(rule, begin, {})


def ordered(rule: PlanRule) -> PlanRule:
    """A rule with an order for every first lookup, if nothing is known about sizes."""
    return _ordered(rule, {lookup.relation: 1 for lookup in rule.lookups})


def _ordered(rule: PlanRule, sizes: dict[Relation, int]) -> PlanRule:
    orders = ((),) if len(rule.lookups) == 1 else tuple(_order(rule, i, sizes) for i in range(len(rule.lookups)))
    return replace(rule, orders=orders)


def _order(rule: PlanRule, begin: int, sizes: dict[Relation, int]) -> tuple[int, ...]:
    first = rule.lookups[begin]
    bound: set[Term] = {NOW, *_variables(first.args if first.walk is None else first.args[: first.walk.groups])}
    waiting = [i for i in range(len(rule.lookups)) if i != begin]
    order: list[int] = []
    while waiting:
        bound |= _assigned(rule.tests, bound)
        if first.walk is not None and _variables(first.given) <= bound:
            bound |= _variables(first.found) | _assigned(rule.tests, bound | _variables(first.found))
        ready = [i for i in waiting if _variables(rule.lookups[i].given) <= bound]
        absent = [i for i in ready if rule.lookups[i].negated]
        chosen = absent[0] if absent else _cheapest(rule, ready, bound, sizes) if sizes else ready[0]
        waiting.remove(chosen)
        order.append(chosen)
        bound |= _variables(rule.lookups[chosen].args)
    return tuple(order)


def _cheapest(rule: PlanRule, ready: list[int], bound: set[Term], sizes: dict[Relation, int]) -> int:
    def cost(number: int) -> tuple[float, int, int]:
        lookup = rule.lookups[number]
        known = sum(not isinstance(arg, Variable) or arg in bound for arg in lookup.args)
        return -known / max(1, len(lookup.args)), sizes.get(lookup.relation, 0), number

    return min(ready, key=cost)


def _variables(args: tuple[Term, ...]) -> set[Term]:
    return {arg for arg in args if isinstance(arg, Variable)}


def _assigned(tests: tuple[Test, ...], bound: set[Term]) -> set[Term]:
    """Variables that tests bind once others are bound."""
    found: set[Term] = set()
    for _ in tests:
        for test in tests:
            if test.comparison != "=" or test.negated:
                continue
            for target, source in ((test.left, test.right), (test.right, test.left)):
                if isinstance(target, Variable) and set(variables_of(source)) <= bound | found:
                    found.add(target)
    return found


def _sizes(plan: Plan) -> dict[Relation, int]:
    """For how many time points the rows of a relation stay; derived rows stay as long as the rows they come from."""
    endless = 2**62
    sizes = dict.fromkeys(plan.relations, 1)
    for feed in plan.feeds:
        sizes[feed.relation] = max(sizes.get(feed.relation, 1), _points(feed, endless))
    for load in plan.loads:
        sizes[load.relation] = endless
    for rule in rules_of(plan):
        sizes[rule.head] = max([sizes.get(rule.head, 1), *(sizes.get(x.relation, 1) for x in rule.lookups)])
    return sizes


def _points(feed: Feed, endless: int) -> int:
    return endless if feed.span is None or feed.span.back is None else 1 + feed.span.back
