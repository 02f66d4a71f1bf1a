"""Drop what no output depends on: rules, stages, relations and feeds."""

from __future__ import annotations

from dataclasses import replace

from lasing.plan.nodes import Plan
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads, writes


def drop_dead(plan: Plan) -> Plan:
    """The plan without what does not affect its output."""
    needed: set[Relation] = {output.relation for output in plan.outputs}
    size = -1
    while len(needed) != size:
        size = len(needed)
        for rule in plan.guaranteed:
            if rule.head in needed:
                needed.update(lookup.relation for lookup in rule.lookups)
        for stage in plan.stages:
            if needed.intersection(writes(stage)):
                needed.update(reads(stage))
                needed.update(writes(stage))
    if needed.issuperset(plan.relations):
        return plan
    stages = tuple(stage for stage in plan.stages if needed.intersection(writes(stage)))
    kept = tuple(relation for relation in plan.relations if relation in needed)
    return replace(
        plan,
        relations=kept,
        tracked=plan.tracked & set(kept),
        feeds=tuple(feed for feed in plan.feeds if feed.relation in needed),
        clocks=tuple(clock for clock in plan.clocks if clock.relation in needed),
        guaranteed=tuple(rule for rule in plan.guaranteed if rule.head in needed),
        stages=stages,
        background=tuple(row for row in plan.background if row[0] in needed),
        loads=tuple(load for load in plan.loads if load.relation in needed),
    )
