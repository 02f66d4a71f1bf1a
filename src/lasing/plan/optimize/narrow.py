"""Narrow: columns that nobody asks for are not kept.

    hot(S) :- temp in 5(S,V), room(S).      hot(S) :- temp in 5 without 2(S), room(S).

So a fact that differs from another one only there is no new row: the one row stays for longer. Columns are kept if a
rule tests, joins or copies them into a column that is kept, and in everything that is output or that an operator reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from operator import is_not

from lasing.logic.terms import Variable
from lasing.plan.nodes import Derive, Feed, Lookup, Plan, PlanRule
from lasing.plan.optimize.duplicates import drop_duplicates
from lasing.plan.optimize.fuse import fuse_copies
from lasing.plan.optimize.merge import computes
from lasing.plan.relations import Relation
from lasing.plan.rewrite import map_stage, reads, rules_of, writes

Columns = dict[Relation, set[int]]


def drop_columns(plan: Plan) -> Plan:
    """The plan without columns that nobody asks for, and without rules that are then the same as others."""
    asked = _asked(plan)
    kept = {
        relation: tuple(sorted(asked[relation])) for relation in plan.relations if len(asked[relation]) < relation.arity
    }
    if not kept:
        return plan
    narrow = {relation: _narrowed(relation, columns) for relation, columns in kept.items()}

    def lookup_of(lookup: Lookup) -> Lookup:
        if lookup.relation not in narrow:
            return lookup
        args = tuple(lookup.args[i] for i in kept[lookup.relation])
        return Lookup(narrow[lookup.relation], args, lookup.negated, lookup.walk)

    def rule_of(rule: PlanRule) -> PlanRule:
        if rule.head not in narrow and all(lookup.relation not in narrow for lookup in rule.lookups):
            return rule
        head = narrow.get(rule.head, rule.head)
        args = tuple(rule.args[i] for i in kept[rule.head]) if rule.head in narrow else rule.args
        return replace(rule, head=head, args=args, lookups=tuple(dict.fromkeys(map(lookup_of, rule.lookups))))

    def rules_in(rules: tuple[PlanRule, ...]) -> tuple[PlanRule, ...]:
        found = tuple(map(rule_of, rules))
        return found if any(map(is_not, found, rules)) else rules

    stages = tuple(
        replace(stage, heads=tuple(narrow.get(head, head) for head in stage.heads))
        if isinstance(stage, Derive)
        else stage
        for stage in (map_stage(stage, rules_in) for stage in plan.stages)
    )
    found = replace(
        plan,
        relations=tuple(narrow.get(relation, relation) for relation in plan.relations),
        tracked=frozenset(narrow.get(relation, relation) for relation in plan.tracked),
        feeds=tuple(
            dict.fromkeys(
                _fed(feed, narrow[feed.relation], kept[feed.relation]) if feed.relation in narrow else feed
                for feed in plan.feeds
            )
        ),
        guaranteed=rules_in(plan.guaranteed),
        stages=stages,
        background=tuple(
            (narrow.get(relation, relation), tuple(row[i] for i in kept[relation]) if relation in narrow else row, span)
            for relation, row, span in plan.background
        ),
    )
    return fuse_copies(drop_duplicates(found))


def _narrowed(relation: Relation, kept: tuple[int, ...]) -> Relation:
    without = ", ".join(str(i + 1) for i in range(relation.arity) if i not in kept)
    return Relation(f"{relation.name} without {without}", len(kept), relation.counted)


def _fed(feed: Feed, relation: Relation, kept: tuple[int, ...]) -> Feed:
    """The feed of a relation's columns that are kept. The last one may be the fact's time."""
    known = {i for i, _ in feed.where} | set(feed.left_out)
    taken = feed.relation.arity - feed.timed
    free = [i for i in range(taken + len(known)) if i not in known]  # the argument that each column is
    left_out = {free[column] for column in range(taken) if column not in kept}
    timed = feed.timed and feed.relation.arity - 1 in kept
    return replace(feed, relation=relation, timed=timed, left_out=tuple(sorted({*feed.left_out, *left_out})))


def _asked(plan: Plan) -> Columns:
    """The columns of each relation for which somebody asks: the least such set, from what is output downwards."""
    whole = set(_whole(plan))
    asked: Columns = {r: set(range(r.arity)) if r in whole else set() for r in plan.relations}
    rules = [rule for rule in rules_of(plan) if not all(x.relation in whole for x in rule.lookups)]
    wanted = -1
    while wanted != (wanted := sum(map(len, asked.values()))):
        for rule in rules:
            used = _used(rule, asked[rule.head])
            for lookup in rule.lookups:
                asked[lookup.relation].update(
                    i for i, arg in enumerate(lookup.args) if arg in used or not isinstance(arg, Variable)
                )
    return asked


def _used(rule: PlanRule, head: set[int]) -> set[object]:
    """The variables of a rule whose values matter: for the columns of its head that are asked for, or in its body."""
    found: set[object] = {rule.args[i] for i in head}
    found.update(term for test in rule.tests for term in (test.left, test.right))
    if rule.within is not None:
        found.add(rule.within[0])
    times = Counter(arg for lookup in rule.lookups for arg in lookup.args)
    return found | {arg for arg, occurrences in times.items() if occurrences > 1}


def _whole(plan: Plan) -> Iterator[Relation]:
    """The relations that keep all their columns."""
    yield from (output.relation for output in plan.outputs)
    yield from (clock.relation for clock in plan.clocks)
    yield from (load.relation for load in plan.loads)
    yield from (feed.relation for feed in plan.feeds if feed.tag is not None)
    for stage in plan.stages:
        if not isinstance(stage, Derive):
            yield from (*reads(stage), *writes(stage))
    for rule in rules_of(plan):
        if rule.timed or rule.stamps or computes(rule):  # instances without a value are counted
            yield rule.head
            yield from (lookup.relation for lookup in rule.lookups)
        yield from (lookup.relation for lookup in rule.lookups if lookup.negated or lookup.walk is not None)
