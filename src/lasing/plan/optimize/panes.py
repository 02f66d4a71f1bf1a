"""Panes: sums over a window whose elements are told apart by their times are kept by time point, not row by row.

    N = #count{T,K,V : s(K,V) at T in [60]},  M = #avg{V,T,K : s(K,V) at T in [60]}

    s at 60(K,V,T) -> elements(K,V,T,K) -> #count, #avg         a record for each fact, twice
    s now(K,V)     -> #count and #avg by K                      a record for each K and T (see `Panes`)

All facts of a time point come and go together. Facts with the same time are told apart while it is the current time
point, and never again. Aggregates that one rule asks for together are rows of one relation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lasing.logic.functions import AGGREGATES, AggregateFunction
from lasing.logic.terms import Term, Variable
from lasing.plan.build import columns
from lasing.plan.idle import ticks
from lasing.plan.nodes import NOW, Derive, Feed, Lookup, Plan, PlanRule, Stage, Test
from lasing.plan.operators import Compared, Fold, Panes
from lasing.plan.optimize.dead import drop_dead
from lasing.plan.optimize.merge import computes
from lasing.plan.relations import POINT, Relation
from lasing.plan.rewrite import map_stage, reads, rules_of
from lasing.plan.sources import written_otherwise


def add_up_panes(plan: Plan) -> Plan:
    """The plan with panes in place of elements, where that is possible."""
    if not any(isinstance(stage, Fold) for stage in plan.stages) or ticks(plan):
        return plan
    for elements in list(_elements(plan)):
        plan = _replaced(plan, elements)
    return plan


@dataclass(frozen=True, slots=True)
class _Elements:
    """Facts with their times, the rule that makes elements of them, the relation of elements, and what reads it."""

    feed: Feed
    rule: PlanRule
    relation: Relation
    folds: tuple[Fold, ...]
    groups: int

    @property
    def time(self) -> Term:
        return self.rule.lookups[0].args[-1]

    @property
    def first(self) -> Term | None:
        """The term that is added up, if any is."""
        return self.rule.args[self.groups] if any(AGGREGATES[x.function].adds_up for x in self.folds) else None


def _elements(plan: Plan) -> Iterator[_Elements]:
    """The elements that can be added up, if nothing else needs the facts with their times."""
    feeds = Counter(feed.relation for feed in plan.feeds)
    derived = Counter(rule.head for rule in rules_of(plan))
    outputs = {output.relation for output in plan.outputs}
    background = set(written_otherwise(plan))
    for feed in plan.feeds:
        facts = feed.relation
        if feeds[facts] > 1 or derived[facts] or facts in outputs or facts in background:
            continue
        if not feed.timed or feed.newest or feed.tag is not None or feed.span is None or feed.span.back is None:
            continue
        found = list(_read_from(plan, feed, derived, outputs))
        if found and all(elements is not None for elements in found):
            yield from (elements for elements in found if elements is not None)


def _read_from(
    plan: Plan, feed: Feed, derived: Counter[Relation], outputs: set[Relation]
) -> Iterator[_Elements | None]:
    """All elements that are made of these facts; None for anything else that reads them."""
    facts = feed.relation
    if any(lookup.relation == facts for rule in plan.guaranteed for lookup in rule.lookups):
        yield None
    direct = any(isinstance(stage, Fold) and stage.source == facts for stage in plan.stages)
    if direct:
        args = columns(facts.arity)
        yield _summed(plan, feed, PlanRule(facts, args, (Lookup(facts, args),)), facts)
    for stage in plan.stages:
        if facts not in reads(stage):
            continue
        if isinstance(stage, Fold):
            continue
        if not isinstance(stage, Derive):
            yield None
            continue
        for rule in stage.rules:
            if not any(lookup.relation == facts for lookup in rule.lookups):
                continue
            if direct and _asks_for_groups(rule, facts):
                continue  # `_summed` has looked at it
            made = (
                len(rule.lookups) == 1
                and rule.head not in outputs
                and derived[rule.head] == 1
                and stage.heads == (rule.head,)
            )
            yield _summed(plan, feed, rule, rule.head) if made and not direct else None


def _summed(plan: Plan, feed: Feed, rule: PlanRule, relation: Relation) -> _Elements | None:
    """The elements that a rule makes of facts, if all that is done with them is adding them up by groups."""
    folds = [stage for stage in plan.stages if isinstance(stage, Fold) and stage.source == relation]
    groups = {fold.groups for fold in folds}
    if len(groups) != 1 or not all(type(x) is Fold and AGGREGATES[x.function].is_sum for x in folds):
        return None
    (number,) = groups
    found = _Elements(feed, rule, relation, tuple(folds), number)
    return found if _told_apart_by_time(found) and _only_summed(plan, found) else None


def _told_apart_by_time(elements: _Elements) -> bool:
    """Whether elements of different times differ, and their times matter in no other way."""
    rule, time = elements.rule, elements.time
    if len(rule.lookups) != 1 or rule.lookups[0].negated or rule.within is not None or rule.timed or rule.stamps:
        return False
    if computes(rule) or not isinstance(time, Variable) or time in rule.lookups[0].args[:-1]:
        return False
    if time in rule.args[: elements.groups] or time not in rule.args or time == elements.first:
        return False
    known = set(rule.lookups[0].args)
    tested = {term for test in rule.tests for term in (test.left, test.right)}
    bound = all(not isinstance(term, Variable) or term in known for term in (*tested, *rule.args))
    grouped = all(isinstance(term, Variable) for term in rule.args[: elements.groups])
    return bound and grouped and not tested & {time, NOW}


def _only_summed(plan: Plan, elements: _Elements) -> bool:
    """Whether all else that reads the elements asks for their groups."""
    for stage in plan.stages:
        if elements.relation in reads(stage) and not isinstance(stage, Fold | Derive):
            return False
    return all(
        _asks_for_groups(rule, elements.relation, elements.groups)
        for rule in rules_of(plan)
        if rule != elements.rule and any(lookup.relation == elements.relation for lookup in rule.lookups)
    )


def _asks_for_groups(rule: PlanRule, relation: Relation, groups: int | None = None) -> bool:
    """Whether a rule has a row for each group of a relation: the first columns, whatever is in the others."""
    if len(rule.lookups) != 1 or rule.tests or rule.lookups[0].relation != relation or not rule.head.counted:
        return False
    args, number = rule.lookups[0].args, len(rule.args)
    plain = not (rule.lookups[0].negated or rule.within is not None or rule.timed or rule.stamps)
    distinct = len(set(args)) == len(args) and all(isinstance(arg, Variable) for arg in args)
    return plain and distinct and rule.args == args[:number] and (groups is None or number == groups)


def _replaced(plan: Plan, elements: _Elements) -> Plan:
    """The plan with panes in place of these elements."""
    feed, rule = elements.feed, elements.rule
    args = rule.lookups[0].args[:-1]
    now = Relation(f"{feed.relation.name} now", feed.relation.arity - 1)
    fed = replace(feed, relation=now, span=POINT, timed=False)
    untimed = (x for x in plan.feeds if not x.timed)
    same = next((x.relation for x in untimed if replace(x, relation=now) == fed and _facts_alone(plan, x)), None)
    if same is not None:
        now = same
    elif fed not in plan.feeds:
        plan = replace(plan, relations=(*plan.relations, now), feeds=(*plan.feeds, fed))
    if set(rule.args) - {elements.time} == set(args) and len(set(args)) == len(args):
        source = _Source(now, args, rule.tests)
    else:  # facts that differ only in other columns count once
        kept = tuple(dict.fromkeys(arg for arg in rule.args if arg != elements.time))
        current = Relation(f"{elements.relation.name} now", len(kept))
        makes = replace(rule, head=current, args=kept, lookups=(Lookup(now, args),), orders=())
        plan = replace(plan, relations=(*plan.relations, current), guaranteed=(*plan.guaranteed, makes))
        source = _Source(current, kept, ())
    rules, sums = _sums(plan, elements, source)
    stages: list[Stage] = []
    put = False
    for stage in rules:
        if isinstance(stage, Fold) and stage.source == elements.relation:
            if not put:
                stages += sums
                put = True
        else:
            stages.append(stage)
    relations = [*plan.relations, *(one.target for one in sums if one.target not in plan.relations)]
    return drop_dead(replace(plan, relations=tuple(relations), stages=tuple(stages)))


@dataclass(frozen=True, slots=True)
class _Source:
    """The facts of the current time point: their relation, what its columns are called, and what they must satisfy."""

    relation: Relation
    args: tuple[Term, ...]
    tests: tuple[Test, ...]


def _facts_alone(plan: Plan, feed: Feed) -> bool:
    """Whether a relation has nothing but these facts, and no stage reads their changes."""
    relation = feed.relation
    others = {rule.head for rule in rules_of(plan)} | {output.relation for output in plan.outputs} | plan.tracked
    fed = sum(one.relation == relation for one in plan.feeds)
    return fed == 1 and relation not in others and relation not in set(written_otherwise(plan))


def _sums(plan: Plan, elements: _Elements, source: _Source) -> tuple[tuple[Stage, ...], list[Panes]]:
    """The stages, whose rules read the sums in place of the aggregates and of the elements; and these sums."""
    group_at = tuple(source.args.index(arg) for arg in elements.rule.args[: elements.groups])
    value_at = None if elements.first is None else source.args.index(elements.first)

    def panes(functions: tuple[AggregateFunction, ...], target: Relation, fold: Fold) -> Panes:
        added = value_at if any(AGGREGATES[name].adds_up for name in functions) else None
        assert elements.feed.span is not None
        tests = tuple(Compared(test.comparison, test.left, test.right, test.negated) for test in source.tests)
        names = source.args if tests else ()
        span = elements.feed.span
        return Panes(functions, source.relation, target, group_at, added, span, fold.by, fold.origin, names, tests)

    together = _asked_together(plan, elements)
    if together is not None:
        joined = Relation(" and ".join(x.target.name for x in together), elements.groups + len(together), True)
        found = [panes(tuple(x.function for x in together), joined, together[0])]
        reading = {x.target: joined for x in together}
    else:
        joined, reading = elements.relation, {}
        found = [panes((x.function,), x.target, x) for x in elements.folds]
    counts = next((one for one in found if one.functions == ("count",)), None)
    asked = any(rule != elements.rule and _asks_for_groups(rule, elements.relation) for rule in rules_of(plan))
    if counts is None and asked:
        number = Relation(f"number of {elements.relation.name}", elements.groups + 1, True)
        counts = panes(("count",), number, elements.folds[0])
        found.append(counts)

    def redirected(rule: PlanRule) -> PlanRule:
        if counts is not None and rule != elements.rule and _asks_for_groups(rule, elements.relation):
            args = rule.lookups[0].args[: elements.groups]
            return replace(rule, lookups=(Lookup(counts.target, (*args, Variable("number"))),))
        mine = [x for x in rule.lookups if x.relation in reading]
        if not mine:
            return rule
        values = {x.relation: x.args[-1] for x in mine}
        args = (*mine[0].args[:-1], *(values[x.target] for x in together or ()))
        at = rule.lookups.index(mine[0])
        others = [x for x in rule.lookups if x.relation not in reading]
        return replace(rule, lookups=(*others[:at], Lookup(joined, args), *others[at:]))

    stages = tuple(map_stage(stage, lambda rules: tuple(map(redirected, rules))) for stage in plan.stages)
    return stages, found


def _asked_together(plan: Plan, elements: _Elements) -> tuple[Fold, ...] | None:
    """The aggregates, if each rule that asks for one of them asks for all of them, for the same group."""
    folds = elements.folds
    targets = {fold.target for fold in folds}
    outputs = {output.relation for output in plan.outputs}
    if len(folds) < 2 or len({fold.origin for fold in folds}) > 1 or targets & outputs:
        return None
    for stage in plan.stages:
        if targets.intersection(reads(stage)) and not isinstance(stage, Derive):
            return None
    for rule in rules_of(plan):
        mine = [lookup for lookup in rule.lookups if lookup.relation in targets]
        if not mine:
            continue
        if {x.relation for x in mine} != targets or len(mine) != len(targets) or any(x.negated for x in mine):
            return None
        if len({x.args[:-1] for x in mine}) > 1:
            return None
    return folds
