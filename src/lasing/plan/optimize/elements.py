"""Share elements: what counts the rows of a group reads the rows that another aggregate of the same rows keeps.

    N = #count{T,K,V : s(K,V) at T in [60]}     elements of #count (K, T,K,V)    one relation (K, V,T,K) for both
    M = #avg{V,T,K : s(K,V) at T in [60]}       elements of #avg (K, V,T,K)

A count does not depend on the order of the terms, nor does the question whether a group has any rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from lasing.logic.functions import AGGREGATES
from lasing.logic.terms import Term, Variable
from lasing.plan.nodes import NOW, Derive, Lookup, Plan, PlanRule, Stage, Test, others_of
from lasing.plan.operators import Fold
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads, substitute

Meaning = tuple[tuple[Lookup, ...], frozenset[Test], tuple[Term, ...], tuple[tuple[str, int], ...]]


def share_elements(plan: Plan) -> Plan:
    """The plan in which counts read the elements of other aggregates over the same rows."""
    found = list(_elements(plan))
    if len(found) < 2:
        return plan
    kept: dict[Meaning, _Elements] = {}
    for one in sorted(found, key=lambda x: x.counted_only):
        kept.setdefault(one.meaning, one)
    into = {one.rule.head: kept[one.meaning].rule.head for one in found if one.counted_only}
    into = {gone: head for gone, head in into.items() if gone != head}
    return _replaced(plan, into) if into else plan


@dataclass(frozen=True, slots=True)
class _Elements:
    """The rule of a relation of elements that only aggregates and projections to groups read."""

    rule: PlanRule
    meaning: Meaning
    counted_only: bool


def _elements(plan: Plan) -> list[_Elements]:
    derived = Counter(head for stage in plan.stages if isinstance(stage, Derive) for head in stage.heads)
    pinned = {output.relation for output in plan.outputs} | plan.tracked
    folds: dict[Relation, list[Fold]] = {}
    others: set[Relation] = set()
    for stage in plan.stages:
        if isinstance(stage, Fold):
            folds.setdefault(stage.source, []).append(stage)
        elif not isinstance(stage, Derive):
            others.update(reads(stage))
    found = []
    for stage in plan.stages:
        if not isinstance(stage, Derive) or len(stage.rules) != 1 or stage.heads != (stage.rules[0].head,):
            continue
        (rule,) = stage.rules
        readers = folds.get(rule.head, [])
        groups = {fold.groups for fold in readers}
        if derived[rule.head] > 1 or rule.head in pinned or rule.head in others or len(groups) != 1:
            continue
        (number,) = groups
        meaning = _meaning(rule, number)
        if meaning is None or not all(_asks_for_groups(x, number) for x in _lookups(plan, rule.head)):
            continue
        counted = all(AGGREGATES[fold.function].weight == "one" and type(fold) is Fold for fold in readers)
        found.append(_Elements(rule, meaning, counted))
    return found


def _lookups(plan: Plan, relation: Relation) -> list[tuple[PlanRule, Lookup]]:
    rules = [rule for stage in plan.stages if isinstance(stage, Derive) for rule in stage.rules]
    return [
        (rule, lookup) for rule in (*rules, *plan.guaranteed) for lookup in rule.lookups if lookup.relation == relation
    ]


def _asks_for_groups(read: tuple[PlanRule, Lookup], groups: int) -> bool:
    """Whether a rule has rows only for what groups them: the other columns are variables that occur nowhere else."""
    rule, lookup = read
    rest = lookup.args[groups:]
    elsewhere = {*rule.args, *lookup.args[:groups]}
    single = len(rule.lookups) == 1 and not rule.tests and not lookup.negated
    return single and len(set(rest)) == len(rest) and not elsewhere.intersection(rest) and _variables(rest)


def _variables(terms: tuple[Term, ...]) -> bool:
    return all(isinstance(term, Variable) for term in terms)


def _meaning(rule: PlanRule, groups: int) -> Meaning | None:
    """What a rule says about its groups, whatever its variables are called and whatever the order of its other columns
    is; None if that cannot be told."""
    if rule.within is not None or rule.timed or rule.orders or not _variables(rule.args):
        return None
    names: dict[Variable, Term] = {NOW: NOW}
    for lookup in rule.lookups:
        for arg in lookup.args:
            if isinstance(arg, Variable) and arg not in names:
                names[arg] = Variable(f"V{len(names)}")
    for test in rule.tests:  # variables that tests bind
        for side in (test.left, test.right):
            if isinstance(side, Variable) and side not in names:
                names[side] = Variable(f"V{len(names)}")
    renamed = substitute(rule, names)
    terms = Counter(str(arg) for arg in renamed.args[groups:])
    return renamed.lookups, frozenset(renamed.tests), renamed.args[:groups], tuple(sorted(terms.items()))


def _replaced(plan: Plan, into: dict[Relation, Relation]) -> Plan:
    """The plan with some relations in place of others. A relation is derived where the first of them was."""
    every = {x.rules[0].head: x.rules[0] for x in plan.stages if isinstance(x, Derive) and len(x.rules) == 1}
    derives = {}
    for kept in set(into.values()):
        same = [every[kept], *(every[gone] for gone, target in into.items() if target == kept)]
        derives[kept] = Derive((replace(every[kept], others=others_of(same)),), (kept,))
    stages: list[Stage] = []
    done: set[Relation] = set()
    for stage in plan.stages:
        match stage:
            case Derive(_, (head,)) if head in into or head in into.values():
                kept = into.get(head, head)
                if kept not in done:
                    done.add(kept)
                    stages.append(derives[kept])
            case Fold(source=source) if source in into:
                stages.append(replace(stage, source=into[source]))
            case Derive(rules, _):
                stages.append(replace(stage, rules=tuple(_reading(rule, into) for rule in rules)))
            case _:
                stages.append(stage)
    return replace(
        plan,
        relations=tuple(r for r in plan.relations if r not in into),
        guaranteed=tuple(_reading(rule, into) for rule in plan.guaranteed),
        stages=tuple(stages),
    )


def _reading(rule: PlanRule, into: dict[Relation, Relation]) -> PlanRule:
    if not any(lookup.relation in into for lookup in rule.lookups):
        return rule
    return replace(rule, lookups=tuple(replace(x, relation=into.get(x.relation, x.relation)) for x in rule.lookups))
