"""Fuse: a relation whose rows are only copied into others becomes those relations.

`q(A,B) :- p(A,B) in [5].` needs no relation for `p in [5]`: the facts of p can be fed to q directly. If several rules
copy the same facts, each of their heads is fed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TypeVar

from lasing.logic.terms import Variable
from lasing.plan.nodes import Clock, Feed, Load, Plan, PlanRule
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads

Targets = tuple[Relation, ...]
Node = TypeVar("Node", Feed, Clock, Load)


def fuse_copies(plan: Plan) -> Plan:
    """The plan without relations that are only copied."""
    into = _copied(plan)
    if not into:
        return plan

    def targets(relation: Relation) -> Targets:
        return into.get(relation, (relation,))

    def moved(node: Node) -> tuple[Node, ...]:
        if node.relation not in into:
            return (node,)
        return tuple(replace(node, relation=relation) for relation in into[node.relation])

    gone = {id(rule) for rule in plan.guaranteed if is_copy(rule) and rule.lookups[0].relation in into}
    fused = replace(
        plan,
        relations=tuple(r for r in plan.relations if r not in into),
        feeds=tuple(one for feed in plan.feeds for one in moved(feed)),
        clocks=tuple(one for clock in plan.clocks for one in moved(clock)),
        guaranteed=tuple(
            replace(rule, head=into[rule.head][0]) if rule.head in into else rule
            for rule in plan.guaranteed
            if id(rule) not in gone
        ),
        background=tuple((r, values, span) for old, values, span in plan.background for r in targets(old)),
        loads=tuple(one for load in plan.loads for one in moved(load)),
    )
    return fuse_copies(fused)


def _copied(plan: Plan) -> dict[Relation, Targets]:
    """The relations that are only copied, and where to. No relation is both copied and copied to."""
    copies: dict[Relation, list[Relation]] = {}
    for rule in plan.guaranteed:
        if is_copy(rule):
            copies.setdefault(rule.lookups[0].relation, []).append(rule.head)
    if not copies:
        return {}
    readers = Counter(lookup.relation for rule in plan.guaranteed for lookup in rule.lookups)
    pinned = {output.relation for output in plan.outputs} | plan.tracked
    pinned |= {relation for stage in plan.stages for relation in reads(stage)}
    derived = {rule.head for rule in plan.guaranteed}
    into: dict[Relation, Targets] = {}
    copied_to: set[Relation] = set()
    for source, heads in copies.items():
        once = readers[source] == len(heads) == len(set(heads)) and (len(heads) == 1 or source not in derived)
        apart = source not in copied_to and source not in heads and not any(head in into for head in heads)
        if once and apart and source not in pinned:
            into[source] = tuple(heads)
            copied_to.update(heads)
    return into


def is_copy(rule: PlanRule) -> bool:
    """Whether the head has all columns of the one row that is looked up, in order, and has no other conditions."""
    if len(rule.lookups) != 1 or rule.tests or rule.within is not None or rule.timed:
        return False
    args = rule.lookups[0].args
    if rule.lookups[0].negated or rule.lookups[0].walk is not None:
        return False
    return rule.args == args and len(set(args)) == len(args) and all(isinstance(arg, Variable) for arg in args)
