"""What passes have in common: walking over the rules of a plan, and finding what depends on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from operator import is_not
from typing import assert_never

from lasing.logic.terms import Term, Variable, substituted
from lasing.plan.nodes import Derive, Plan, PlanRule, Recompute, Stage
from lasing.plan.operators import OperatorNode
from lasing.plan.relations import Relation


def rules_of(plan: Plan) -> Iterator[PlanRule]:
    """All rules, of both planes."""
    yield from plan.guaranteed
    for stage in plan.stages:
        if isinstance(stage, Derive | Recompute):
            yield from stage.rules


def map_rules(plan: Plan, change: Callable[[tuple[PlanRule, ...]], tuple[PlanRule, ...]]) -> Plan:
    """The plan with `change` applied to each group of rules that are evaluated together."""
    guaranteed = change(plan.guaranteed)
    stages = tuple([map_stage(stage, change) for stage in plan.stages])
    if guaranteed is plan.guaranteed and not any(map(is_not, stages, plan.stages)):
        return plan
    return replace(plan, guaranteed=guaranteed, stages=stages)


def map_stage(stage: Stage, change: Callable[[tuple[PlanRule, ...]], tuple[PlanRule, ...]]) -> Stage:
    """The stage with `change` applied to its rules, if it has rules."""
    if not isinstance(stage, Derive | Recompute):
        return stage
    rules = change(stage.rules)
    return stage if rules is stage.rules else replace(stage, rules=rules)


def reads(stage: Stage) -> Iterator[Relation]:
    """The relations that a stage reads; for a recursion, also those inside it."""
    match stage:
        case Derive(rules):
            yield from _looked_up(rules)
        case OperatorNode(origin_of_rows=source):
            if source is not None:
                yield source
        case Recompute():
            yield from (relation for pair in stage.inputs for relation in pair)
            yield from _looked_up(stage.rules)
            yield from (rule.head for rule in stage.rules)
            yield from (relation for box in stage.boxes for relation in (box.source, box.target))
            yield from (scratch for _, scratch in stage.outputs)
        case _:
            assert_never(stage)


def writes(stage: Stage) -> Iterator[Relation]:
    """The relations that a stage writes."""
    match stage:
        case Derive():
            yield from stage.heads
        case OperatorNode():
            yield stage.target
        case Recompute():
            yield from (relation for relation, _ in stage.outputs)
        case _:
            assert_never(stage)


def _looked_up(rules: Iterable[PlanRule]) -> Iterator[Relation]:
    return (lookup.relation for rule in rules for lookup in rule.lookups)


def substitute(rule: PlanRule, values: dict[Variable, Term]) -> PlanRule:
    """A rule with other terms in place of variables."""
    return rule.with_terms(
        tuple([substituted(arg, values) for arg in rule.args]),
        tuple([x.with_args(tuple([substituted(a, values) for a in x.args])) for x in rule.lookups]),
        tuple([x.with_sides(substituted(x.left, values), substituted(x.right, values)) for x in rule.tests]),
    )
