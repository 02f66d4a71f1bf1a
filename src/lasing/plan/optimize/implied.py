"""Implied: what the value of an aggregate implies is not asked again.

    groups(K) :- s(K,V) in [60], V > 0.
    result(K,N,M) :- groups(K), N = #count{…}, M = #avg{V,T : s(K,V) at T in [60], V > 0}.

An aggregate has a value for K only if some s(K,V) is in the window, so `groups(K)` holds; and no case of the rule in
which there are no rows to count, but an average of the same rows, ever holds. Nor does one in which a group has no rows
although `groups(K)` holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lasing.logic.terms import Term, Variable
from lasing.plan.build import columns
from lasing.plan.nodes import Derive, Feed, Lookup, Plan, PlanRule, Stage, Test
from lasing.plan.operators import Fold
from lasing.plan.optimize.dead import drop_dead
from lasing.plan.optimize.merge import computes
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads, rules_of, substitute, writes
from lasing.plan.sources import written_otherwise


def drop_implied(plan: Plan) -> Plan:
    """The plan without lookups that an aggregate implies, and without rules that contradict one."""
    if not any(isinstance(stage, Fold) for stage in plan.stages):
        return plan
    known = _Known.of(plan)
    if not known.elements:
        return plan
    stages: list[Stage] = []
    for stage in plan.stages:
        if isinstance(stage, Derive):
            possible = tuple(rule for rule in stage.rules if not known.contradicts(rule))
            stage = replace(stage, rules=tuple(map(known.without_implied, possible or stage.rules)))
        stages.append(stage)
    return plan if tuple(stages) == plan.stages else drop_dead(replace(plan, stages=tuple(stages)))


@dataclass(frozen=True, slots=True)
class _Known:
    """What a plan says about aggregates over facts.

    `elements` has, for each relation of values or of groups, the one rule of one literal that makes the elements, whose
    first columns are the group; `negatable` are those of groups. `facts` are relations of facts, `heads` the rules of
    relations that nothing else fills.
    """

    elements: dict[Relation, PlanRule]
    negatable: frozenset[Relation]
    facts: dict[Relation, Feed]
    heads: dict[Relation, list[PlanRule]]

    @classmethod
    def of(cls, plan: Plan) -> _Known:
        fed = Counter(feed.relation for feed in plan.feeds)
        rules: dict[Relation, list[PlanRule]] = {}
        for rule in rules_of(plan):
            rules.setdefault(rule.head, []).append(rule)
        filled = set(written_otherwise(plan))
        for stage in plan.stages:
            if not isinstance(stage, Derive):
                filled.update(writes(stage))
                filled.update(() if isinstance(stage, Fold) else reads(stage))  # a recursion may derive anything
        alone = (feed for feed in plan.feeds if fed[feed.relation] == 1 and feed.tag is None and not feed.newest)
        facts = {feed.relation: feed for feed in alone if feed.relation not in rules and feed.relation not in filled}
        heads = {head: some for head, some in rules.items() if head not in filled and not fed[head]}
        makers = {head: some[0] for head, some in heads.items() if len(some) == 1 and _of_facts(some[0], facts)}
        elements: dict[Relation, PlanRule] = {}
        for stage in plan.stages:
            if isinstance(stage, Fold) and (maker := _maker(stage.source, makers, facts)) is not None:
                elements[stage.target] = maker
        groups = dict(_groups(heads, makers, facts))
        return cls({**groups, **elements}, frozenset(groups), facts, heads)

    def contradicts(self, rule: PlanRule) -> bool:
        """Whether a rule asks for a group that has no elements, and for something that only a group with some has."""
        for absent in rule.lookups:
            if absent.negated and absent.relation in self.negatable:
                maker = self.elements[absent.relation]
                if any(self._implies_elements(x, maker, absent.args) for x in rule.lookups if x is not absent):
                    return True
        return False

    def _implies_elements(self, lookup: Lookup, maker: PlanRule, group: tuple[Term, ...]) -> bool:
        if lookup.negated or lookup.walk is not None:
            return False
        if lookup.relation in self.elements:
            return self._follows(maker, group, self.elements[lookup.relation], lookup.args)
        rules = self.heads.get(lookup.relation, [])
        return bool(rules) and all(
            _of_facts(rule, self.facts) and self._follows(maker, group, rule, lookup.args) for rule in rules
        )

    def without_implied(self, rule: PlanRule) -> PlanRule:
        """The rule without lookups that the value of an aggregate implies."""
        values = [x for x in rule.lookups if x.relation in self.elements and not x.negated]
        if not values or rule.orders:
            return rule
        kept = tuple(x for x in rule.lookups if not any(self._implied(x, value) for value in values if value is not x))
        return rule if len(kept) == len(rule.lookups) else replace(rule, lookups=kept)

    def _implied(self, lookup: Lookup, value: Lookup) -> bool:
        """Whether a lookup finds a row whenever a group has elements."""
        if lookup.negated or lookup.walk is not None or lookup.relation in self.elements:
            return False
        maker = self.elements[value.relation]
        rules = self.heads.get(lookup.relation, [])
        return any(
            _of_facts(rule, self.facts) and self._follows(rule, lookup.args, maker, value.args) for rule in rules
        )

    def _follows(self, rule: PlanRule, args: tuple[Term, ...], given: PlanRule, known: tuple[Term, ...]) -> bool:
        """Whether a rule derives a row that begins with `args` if another one has derived a row that begins with
        `known`. (The other columns of both are of no interest.)"""
        facts, others = self.facts[rule.lookups[0].relation], self.facts[given.lookups[0].relation]
        if not _same_facts(facts, others) or any(isinstance(arg, Variable) and arg not in known for arg in args):
            return False
        width = facts.relation.arity - facts.timed
        mine = _unified(rule.lookups[0].args[:width], given.lookups[0].args[:width])
        if mine is None:
            return False
        if facts.timed:
            time = rule.lookups[0].args[-1]
            used = {*rule.args[: len(args)], *rule.lookups[0].args[:-1], *_sides(rule.tests)}
            if not isinstance(time, Variable) or (time in used and not others.timed):
                return False
            if others.timed:
                mine[time] = given.lookups[0].args[-1]
        said = substitute(rule, mine)
        if not set(said.tests) <= set(given.tests):
            return False
        values: dict[Term, Term] = {}
        for name, value in zip(given.args, known, strict=False):
            if values.setdefault(name, value) != value:
                return False
        return all(
            values.get(one, one if not isinstance(one, Variable) else None) == arg
            for one, arg in zip(said.args, args, strict=False)
        )


def _sides(tests: tuple[Test, ...]) -> set[Term]:
    return {side for test in tests for side in (test.left, test.right)}


def _of_facts(rule: PlanRule, facts: dict[Relation, Feed]) -> bool:
    """Whether a rule selects some facts of a window, and computes nothing."""
    if len(rule.lookups) != 1 or rule.within is not None or rule.timed or rule.stamps or computes(rule):
        return False
    (lookup,) = rule.lookups
    found = set(lookup.args)
    bound = all(not isinstance(side, Variable) or side in found for side in _sides(rule.tests))
    return lookup.relation in facts and not lookup.negated and lookup.walk is None and bound


def _maker(source: Relation, makers: dict[Relation, PlanRule], facts: dict[Relation, Feed]) -> PlanRule | None:
    """The rule that makes elements; if they are the facts themselves, one that copies them."""
    if source in facts:
        return PlanRule(source, columns(source.arity), (Lookup(source, columns(source.arity)),))
    return makers.get(source)


def _groups(
    heads: dict[Relation, list[PlanRule]], makers: dict[Relation, PlanRule], facts: dict[Relation, Feed]
) -> Iterator[tuple[Relation, PlanRule]]:
    """The relations of groups that have elements, and the rules that make these."""
    for head, rules in heads.items():
        rule = rules[0]
        if len(rules) > 1 or not head.counted or len(rule.lookups) != 1 or rule.tests or rule.lookups[0].negated:
            continue
        args, maker = rule.lookups[0].args, _maker(rule.lookups[0].relation, makers, facts)
        distinct = len(set(args)) == len(args) and all(isinstance(arg, Variable) for arg in args)
        plain = rule.within is None and not rule.timed and not rule.stamps and rule.lookups[0].walk is None
        if maker is not None and distinct and plain and rule.args == args[: len(rule.args)]:
            yield head, maker


def _same_facts(one: Feed, other: Feed) -> bool:
    """Whether two relations have the same facts, but for their times."""
    return (one.predicate, one.span, one.where, one.left_out) == (
        other.predicate,
        other.span,
        other.where,
        other.left_out,
    )


def _unified(general: tuple[Term, ...], special: tuple[Term, ...]) -> dict[Variable, Term] | None:
    """What the variables of the one row are if it is the other one."""
    found: dict[Variable, Term] = {}
    for one, other in zip(general, special, strict=True):
        if isinstance(one, Variable):
            if found.setdefault(one, other) != other:
                return None
        elif one != other:
            return None
    return found
