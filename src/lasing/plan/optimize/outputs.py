"""Put out originals: a counted relation that is only put out, and is a copy of another one, is not kept.

result(K,N) :- #count 1(K,N).      the output is `#count 1`
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lasing.logic.terms import Term, Variable
from lasing.plan.nodes import Derive, Plan, PlanRule, Stage
from lasing.plan.optimize.fuse import is_copy
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads, rules_of, substitute


def put_out_originals(plan: Plan) -> Plan:
    """The plan that puts out counted relations themselves, not copies of them."""
    derived = Counter(rule.head for rule in rules_of(plan))
    read = {lookup.relation for rule in plan.guaranteed for lookup in rule.lookups} | plan.tracked
    read |= {relation for stage in plan.stages for relation in reads(stage)}
    fed = {feed.relation for feed in plan.feeds}
    outputs = Counter(output.relation for output in plan.outputs)
    originals: dict[Relation, Relation] = {}
    stages: list[Stage] = []
    for stage in plan.stages:
        if isinstance(stage, Derive) and len(stage.rules) == 1 and stage.heads == (stage.rules[0].head,):
            rule = _plainly(stage.rules[0])
            source = rule.lookups[0].relation
            alone = derived[rule.head] == 1 and rule.head not in read and rule.head not in fed
            once = outputs[rule.head] == 1 and not outputs[source] and source not in originals.values()
            if is_copy(rule) and alone and once and source.counted and not rule.stamps:
                originals[rule.head] = source
                continue
        stages.append(stage)
    if not originals:
        return plan
    return replace(
        plan,
        relations=tuple(relation for relation in plan.relations if relation not in originals),
        stages=tuple(stages),
        outputs=tuple(replace(x, relation=originals.get(x.relation, x.relation)) for x in plan.outputs),
    )


def _plainly(rule: PlanRule) -> PlanRule:
    """The rule without variables that are just another name for a column."""
    found = {term for lookup in rule.lookups for term in lookup.args}
    names: dict[Variable, Term] = {}
    for test in rule.tests:
        for one, other in ((test.left, test.right), (test.right, test.left)):
            is_new = isinstance(one, Variable) and one not in found and one not in names
            if (
                test.comparison == "="
                and not test.negated
                and is_new
                and isinstance(other, Variable)
                and other in found
            ):
                names[one] = other  # type: ignore[index]  # it is a variable
                break
    if not names:
        return rule
    said = substitute(rule, names)
    return replace(said, tests=tuple(x for x in said.tests if not (x.comparison == "=" and x.left == x.right)))
