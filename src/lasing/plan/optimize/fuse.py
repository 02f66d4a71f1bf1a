"""Fuse: a relation whose rows are only copied into one other relation becomes that relation.

`q(A,B) :- p(A,B) in [5].` needs no relation for `p in [5]`: the facts of p can be fed to q directly.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lasing.logic.terms import Variable
from lasing.plan.nodes import Plan, PlanRule
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads


def fuse_copies(plan: Plan) -> Plan:
    """The plan without relations that are only copied."""
    readers = Counter(lookup.relation for rule in plan.guaranteed for lookup in rule.lookups)
    pinned = {output.relation for output in plan.outputs} | plan.tracked
    pinned |= {relation for stage in plan.stages for relation in reads(stage)}
    into: dict[Relation, Relation] = {}
    involved: set[Relation] = set()
    for rule in plan.guaranteed:
        if is_copy(rule):
            source = rule.lookups[0].relation
            if readers[source] == 1 and source not in pinned and source != rule.head and source not in involved:
                into[source] = rule.head
                involved |= {source, rule.head}
    if not into:
        return plan
    gone = {rule for rule in plan.guaranteed if is_copy(rule) and rule.lookups[0].relation in into}
    fused = replace(
        plan,
        relations=tuple(r for r in plan.relations if r not in into),
        feeds=tuple(replace(feed, relation=into.get(feed.relation, feed.relation)) for feed in plan.feeds),
        clocks=tuple(replace(c, relation=into.get(c.relation, c.relation)) for c in plan.clocks),
        guaranteed=tuple(replace(r, head=into.get(r.head, r.head)) for r in plan.guaranteed if r not in gone),
        background=tuple((into.get(r, r), values, span) for r, values, span in plan.background),
        loads=tuple(replace(load, relation=into.get(load.relation, load.relation)) for load in plan.loads),
    )
    return fuse_copies(fused)


def is_copy(rule: PlanRule) -> bool:
    """Whether the head has all columns of the one row that is looked up, in order, and has no other conditions."""
    if len(rule.lookups) != 1 or rule.tests or rule.within is not None or rule.timed:
        return False
    args = rule.lookups[0].args
    if rule.lookups[0].negated:
        return False
    return rule.args == args and len(set(args)) == len(args) and all(isinstance(arg, Variable) for arg in args)
