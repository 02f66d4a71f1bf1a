"""Relations whose rows are derived once: nothing has to be looked up before such a row is added, so they have no index.

    m(X,Y,T,U) :- a(X) at T in [9,-1], b(Y) at U in [0].

A row of m says which facts it comes from, and when: the rule derives it when b(Y) comes, and never again. Were T not in
the head, a(X) at two time points would give the same row twice. In general, there is one rule, only the output reads
its head, and

- the head has the time of some literal at the current time point, so a row is derived at no other time point;
- the head has everything that tells apart the rows of each literal, and no row is replaced during a time point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lasing.logic.terms import Term, Variable, variables_of
from lasing.plan.nodes import Feed, Lookup, Plan, PlanRule
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads, rules_of, writes
from lasing.plan.sources import facts_alone, used_elsewhere, written_otherwise


def derived_once(plan: Plan) -> frozenset[Relation]:
    """The relations of the guaranteed plane whose rows are derived at most once."""
    facts = facts_alone(plan)
    at_now = {relation for relation, feed in facts.items() if _is_now(feed)}
    rules = [rule for rule in plan.guaranteed if any(lookup.relation in at_now for lookup in rule.lookups)]
    if not rules:
        return frozenset()
    heads, outputs = Counter(rule.head for rule in rules_of(plan)), {output.relation for output in plan.outputs}
    taken = {lookup.relation for rule in rules_of(plan) for lookup in rule.lookups} | plan.tracked
    taken |= {relation for stage in plan.stages for relation in (*reads(stage), *writes(stage))}
    taken |= {feed.relation for feed in plan.feeds} | set(written_otherwise(plan))
    free = outputs - taken
    rules = [rule for rule in rules if heads[rule.head] == 1 and rule.head in free]
    standing = _standing(plan) if rules else frozenset()
    return frozenset(rule.head for rule in rules if _once(rule, facts, standing))


def _once(rule: PlanRule, facts: dict[Relation, Feed], standing: frozenset[Relation]) -> bool:
    """Whether no two instances of a rule have the same head."""
    if rule.stamps or rule.timed or rule.within is not None:
        return False
    found = [lookup for lookup in rule.lookups if not lookup.negated]
    known = _known(rule)
    return any(_is_now(facts.get(lookup.relation)) and lookup.args[-1] in known for lookup in found) and all(
        _told_apart(lookup, facts.get(lookup.relation), lookup.relation in standing, known) for lookup in found
    )


def _is_now(feed: Feed | None) -> bool:
    """Whether the time of a row is the current one."""
    return feed is not None and feed.timed and feed.span is not None and (feed.span.back, feed.span.ahead) == (0, 0)


def _told_apart(lookup: Lookup, feed: Feed | None, stands: bool, known: set[Term]) -> bool:
    """Whether the head has everything that tells rows of a literal apart, and none is replaced during a time point."""
    if lookup.walk is not None:
        return False
    needed: Iterable[Term] = lookup.args
    if not stands:
        if feed is None or feed.span is None or feed.span.step > 1:
            return False
        ends_before = feed.span.ahead < 0  # then facts that are added to the current time point change nothing
        if feed.newest:
            if not ends_before:
                return False
            needed = lookup.args[:-1]
        elif not feed.timed and not ends_before and feed.span.back != 0:
            return False
    return all(not isinstance(term, Variable) or term in known for term in needed)


def _known(rule: PlanRule) -> set[Term]:
    """The variables whose values the head says."""
    known: set[Term] = {arg for arg in rule.args if isinstance(arg, Variable)}
    before = -1
    while len(known) > before:
        before = len(known)
        for test in rule.tests:
            if test.comparison == "=" and not test.negated:
                for one, other in ((test.left, test.right), (test.right, test.left)):
                    if isinstance(one, Variable) and known.issuperset(variables_of(other)):
                        known.add(one)
    return known


def _standing(plan: Plan) -> frozenset[Relation]:
    """The relations whose rows hold forever, and so are never replaced: background, and what follows from it alone."""
    changing = {feed.relation for feed in plan.feeds} | {clock.relation for clock in plan.clocks}
    changing |= {rule.head for rule in rules_of(plan) if rule.stamps or rule.timed or rule.within is not None}
    changing |= set(used_elsewhere(plan))
    follows: dict[Relation, list[Relation]] = {}
    for rule in rules_of(plan):
        for lookup in rule.lookups:
            follows.setdefault(lookup.relation, []).append(rule.head)
    todo = list(changing)
    while todo:
        heads = follows.pop(todo.pop(), [])
        todo += heads
        changing.update(heads)
    return frozenset(plan.relations) - changing
