"""Read originals: a counted relation with the same rows as another one is not kept; what reads it reads the other one.

    elements(S,V,T) :- temp at 600(S,V,T).          #sum and #avg read `temp at 600`
    values: #sum of elements

    elements(S,V) :- temp in 9(S,V), V > 0.         they read one relation of elements
    more elements(S,X) :- temp in 9(S,X), X > 0.

So the elements of several aggregates over the same condition are kept once, or not at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from lasing.plan.nodes import Derive, Plan, PlanRule, Stage
from lasing.plan.operators import Extremes, Fold, Ranking
from lasing.plan.optimize.duplicates import canonical
from lasing.plan.optimize.fuse import is_copy
from lasing.plan.optimize.merge import computes
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads, rules_of


def read_originals(plan: Plan) -> Plan:
    """The plan without counted relations that repeat another one."""
    free = set(_free(plan))
    if not free:
        return plan
    originals: dict[Relation, Relation] = {}
    known: dict[PlanRule, Relation] = {}
    stages: list[Stage] = []
    for stage in plan.stages:
        match stage:
            case Fold() | Extremes() | Ranking():
                stages.append(replace(stage, source=originals.get(stage.source, stage.source)))
            case Derive():
                rules = [_redirected(rule, originals) for rule in stage.rules]
                for rule in rules:
                    if rule.head in free:
                        same = rule.lookups[0].relation if is_copy(rule) else known.setdefault(_body(rule), rule.head)
                        if same != rule.head:
                            originals[rule.head] = same
                heads = tuple(head for head in stage.heads if head not in originals)
                if heads:
                    kept = tuple(rule for rule in rules if rule.head not in originals)
                    stages.append(replace(stage, rules=kept, heads=heads))
            case _:
                stages.append(stage)
    relations = tuple(relation for relation in plan.relations if relation not in originals)
    return replace(plan, relations=relations, stages=tuple(stages))


def _free(plan: Plan) -> Iterator[Relation]:
    """The counted relations that come from one rule, and that only aggregates and other rules read."""
    derived = Counter(rule.head for rule in rules_of(plan))
    pinned = {output.relation for output in plan.outputs}
    for stage in plan.stages:
        if not isinstance(stage, Fold | Extremes | Ranking | Derive):
            pinned |= set(reads(stage))
    for stage in plan.stages:
        if isinstance(stage, Derive):
            for rule in stage.rules:
                is_plain = not (rule.stamps or rule.timed) and rule.within is None
                if is_plain and derived[rule.head] == 1 and rule.head not in pinned:
                    yield rule.head


def _redirected(rule: PlanRule, originals: dict[Relation, Relation]) -> PlanRule:
    lookups = tuple(replace(x, relation=originals.get(x.relation, x.relation)) for x in rule.lookups)
    return replace(rule, lookups=lookups)


def _body(rule: PlanRule) -> PlanRule:
    """What a rule says, whatever its head; whose rule it is matters only if some instance may have no value."""
    head = Relation("any", rule.head.arity, counted=True)
    said = replace(canonical(rule), head=head)
    return replace(said, origin=rule.origin) if computes(rule) else said
