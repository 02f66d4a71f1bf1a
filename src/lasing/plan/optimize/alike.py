"""Alike: rules that differ only in predicates become one, whose rows say whose they are.

    h1(X) :- p1(X,V) in [5].   h2(X) :- p2(X,V) in [5].   …        h(X,Tag) :- p(X,V,Tag).

The facts of p1, p2, … go into one relation, each with a tag, and so do the heads. A thousand relations are a thousand
places in memory, of which a fact finds none in the processor's cache; one relation is one place. And a join of tagged
relations has one index.

The same goes for facts that are output as they come, without any rule.

The relations that a rule reads must have the facts of one predicate each, and no other reader. Then rows with one tag
are those of one rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.plan.nodes import Feed, Lookup, Plan, PlanOutput, PlanRule, Test, others_of
from lasing.plan.optimize.merge import LEAST, computes, free_heads
from lasing.plan.relations import Relation, Span
from lasing.plan.rewrite import rules_of, writes
from lasing.plan.sources import facts_alone, written_otherwise

_TAG = Variable("tag")


@dataclass(frozen=True)
class _Literal:
    """A lookup without its relation: which of the relations of the rule that is, what feeds it, and its arguments."""

    relation: int
    arity: int
    span: Span | None
    left_out: tuple[int, ...]
    args: tuple[Term, ...]


@dataclass(frozen=True)
class _Shape:
    """A rule without its predicates, and with variables named in the order of their appearance."""

    args: tuple[Term, ...]
    literals: tuple[_Literal, ...]
    tests: tuple[Test, ...]


def merge_alike(plan: Plan) -> Plan:
    """The plan with one rule in place of each group of at least LEAST that differ only in predicates."""
    plan = _with_shared_facts(plan)
    numbers = _heads(plan, 1)
    if len(numbers) < LEAST:
        return plan
    feeds = _private(plan)
    groups: dict[_Shape, list[PlanRule]] = {}
    for rule in plan.guaranteed:
        if rule.head in numbers and rule.lookups and _is_plain(rule) and all(x.relation in feeds for x in rule.lookups):
            groups.setdefault(_shape(rule, feeds), []).append(rule)
    for members in groups.values():
        if len(members) >= LEAST:
            plan = _merged(plan, members, numbers)
    return plan


def _with_shared_facts(plan: Plan) -> Plan:
    """The plan with one relation in place of at least LEAST whose rows are facts, and that only the output reads."""
    widths: dict[int, list[Relation]] = {}
    numbers = _heads(plan, 0)
    for relation in numbers:
        widths.setdefault(relation.arity, []).append(relation)
    for arity, found in widths.items():
        if len(found) >= LEAST:
            shared = Relation(f"{found[0].name} and {len(found) - 1} more", arity + 1)
            plan = _shared(plan, {relation: (shared, numbers[relation]) for relation in found})
    return plan


def _heads(plan: Plan, rules: int) -> dict[Relation, int]:
    """The relations that only so many rules and facts put rows into, and only the output reads; with their numbers."""
    others = {*written_otherwise(plan), *(feed.relation for feed in plan.feeds if not _can_have_tag(feed))}
    others |= {output.relation for output in plan.outputs if output.tag is not None}
    others |= {relation for stage in plan.stages for relation in writes(stage)}
    others |= {relation for relation, count in Counter(o.relation for o in plan.outputs).items() if count > 1}
    return {relation: number for relation, number in free_heads(plan, rules).items() if relation not in others}


def _private(plan: Plan) -> dict[Relation, Feed]:
    """The relations that have facts alone, and that one rule reads."""
    readers = Counter(r for rule in rules_of(plan) for r in {x.relation for x in rule.lookups})
    return {r: feed for r, feed in facts_alone(plan).items() if readers[r] == 1 and _can_have_tag(feed)}


def _can_have_tag(feed: Feed) -> bool:
    """Whether a feed adds nothing to its facts so far, and takes all of them."""
    return feed.tag is None and not (feed.timed or feed.where or feed.newest)


def _is_plain(rule: PlanRule) -> bool:
    """Whether a rule only joins and compares."""
    if rule.stamps or rule.timed or rule.within is not None or computes(rule):
        return False
    return not any(x.negated or x.walk for x in rule.lookups) and not any(test.sorted for test in rule.tests)


def _shape(rule: PlanRule, feeds: dict[Relation, Feed]) -> _Shape:
    names: dict[Term, Term] = {}
    relations: dict[Relation, int] = {}

    def shaped(term: Term) -> Term:
        assert not isinstance(term, Arithmetic), "such a rule computes"
        return names.setdefault(term, Variable(f"V{len(names)}")) if isinstance(term, Variable) else term

    literals = tuple(
        _Literal(
            relations.setdefault(x.relation, len(relations)),
            x.relation.arity,
            feeds[x.relation].span,
            feeds[x.relation].left_out,
            tuple(map(shaped, x.args)),
        )
        for x in rule.lookups
    )
    tests = tuple(test.with_sides(shaped(test.left), shaped(test.right)) for test in rule.tests)
    return _Shape(tuple(map(shaped, rule.args)), literals, tests)


def _merged(plan: Plan, members: list[PlanRule], numbers: dict[Relation, int]) -> Plan:
    first = members[0]
    more = f" and {len(members) - 1} more"
    head = Relation(first.head.name + more, first.head.arity + 1)
    tagged = {x.relation: Relation(x.relation.name + more, x.relation.arity + 1) for x in first.lookups}
    lookups = tuple(Lookup(tagged[x.relation], (*x.args, _TAG)) for x in first.lookups)
    rule = replace(first, head=head, args=(*first.args, _TAG), lookups=lookups, others=others_of(members), orders=())
    becomes: dict[Relation, tuple[Relation, int]] = {}
    for member in members:
        number = numbers[member.head]
        becomes[member.head] = head, number
        for mine, others in zip(first.lookups, member.lookups, strict=True):
            becomes[others.relation] = tagged[mine.relation], number
    heads = {member.head for member in members}
    plan = replace(plan, guaranteed=(*(r for r in plan.guaranteed if r.head not in heads), rule))
    return _shared(plan, becomes)


def _shared(plan: Plan, becomes: dict[Relation, tuple[Relation, int]]) -> Plan:
    """The plan with other relations in place of some, in which rows have a tag; rules are not changed."""
    return replace(
        plan,
        relations=(*(r for r in plan.relations if r not in becomes), *dict.fromkeys(r for r, _ in becomes.values())),
        feeds=tuple(_tagged(feed, becomes) for feed in plan.feeds),
        outputs=tuple(
            PlanOutput(o.predicate, *becomes[o.relation]) if o.relation in becomes else o for o in plan.outputs
        ),
    )


def _tagged(feed: Feed, becomes: dict[Relation, tuple[Relation, int]]) -> Feed:
    if feed.relation not in becomes:
        return feed
    relation, tag = becomes[feed.relation]
    return replace(feed, relation=relation, tag=tag)
