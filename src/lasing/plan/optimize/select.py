"""Select: a literal with constants reads a relation of its own, with the facts that have these arguments only.

    q(S,O) :- triple(S,<p>,O), ...          q(S,O) :- triple where 2 is <p>(S,O), ...

So a fact goes straight to the literals that it matches: what it costs does not depend on how many constants the program
has. Facts that match no literal are not kept. Only relations that hold facts and nothing else are split up like this;
the rows of others are found as rules derive them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from lasing.logic.terms import term_text
from lasing.logic.values import is_value
from lasing.plan.nodes import Lookup, Plan, PlanRule
from lasing.plan.optimize.fuse import fuse_copies
from lasing.plan.relations import Relation, Where
from lasing.plan.rewrite import map_stage, reads, rules_of, writes

Column = TypeVar("Column")


def select_constants(plan: Plan) -> Plan:
    """The plan with a relation for each literal with constants, where that is possible."""
    if not any(map(_has_constants, rules_of(plan))):
        return plan
    widths = _widths(plan)
    made: dict[tuple[Relation, Where], Relation] = {}

    def selected(lookup: Lookup) -> Lookup:
        source = lookup.relation
        constants = [(i, arg) for i, arg in enumerate(lookup.args[: widths.get(source, 0)]) if is_value(arg)]
        if not constants:
            return lookup
        where = tuple(constants)
        if (source, where) not in made:
            name = ", ".join(f"{i + 1} is {term_text(value)}" for i, value in where)
            made[source, where] = Relation(f"{source.name} where {name}", source.arity - len(where))
        return Lookup(made[source, where], without(lookup.args, where), lookup.negated, lookup.walk)

    def with_selected(rules: tuple[PlanRule, ...]) -> tuple[PlanRule, ...]:
        return tuple(
            replace(rule, lookups=tuple(map(selected, rule.lookups))) if _has_constants(rule) else rule
            for rule in rules
        )

    guaranteed = with_selected(plan.guaranteed)
    stages = tuple(map_stage(stage, with_selected) for stage in plan.stages)
    if not made:
        return plan
    read = {lookup.relation for rule in guaranteed for lookup in rule.lookups}
    read |= {relation for stage in stages for relation in reads(stage)} | {output.relation for output in plan.outputs}
    unread = {source for source, _ in made} - read
    feeds = [feed for feed in plan.feeds if feed.relation not in unread]
    loads = [load for load in plan.loads if load.relation not in unread]
    background = [row for row in plan.background if row[0] not in unread]
    for (source, where), relation in made.items():
        feeds += [replace(feed, relation=relation, where=where) for feed in plan.feeds if feed.relation == source]
        loads += [replace(load, relation=relation, where=where) for load in plan.loads if load.relation == source]
        background += [
            (relation, without(row, where), span)
            for known, row, span in plan.background
            if known == source and all(row[i] == value for i, value in where)
        ]
    tracked = {relation for (source, _), relation in made.items() if source in plan.tracked}
    split = replace(
        plan,
        guaranteed=guaranteed,
        stages=stages,
        relations=(*(relation for relation in plan.relations if relation not in unread), *made.values()),
        tracked=(plan.tracked | tracked) - unread,
        feeds=tuple(feeds),
        loads=tuple(loads),
        background=tuple(background),
    )
    return fuse_copies(split)


def without(row: tuple[Column, ...], where: Where) -> tuple[Column, ...]:
    """A row without the columns that are known."""
    known = {i for i, _ in where}
    return tuple(value for i, value in enumerate(row) if i not in known)


def _has_constants(rule: PlanRule) -> bool:
    return any(is_value(arg) for lookup in rule.lookups for arg in lookup.args)


def _widths(plan: Plan) -> dict[Relation, int]:
    """The relations that hold facts and nothing else, and how many of their columns are arguments of facts."""
    found = {relation: relation.arity for relation, _, _ in plan.background}
    found |= {load.relation: load.relation.arity for load in plan.loads}
    found |= {feed.relation: feed.relation.arity - feed.timed for feed in plan.feeds}
    derived = {rule.head for rule in rules_of(plan)} | {clock.relation for clock in plan.clocks}
    derived |= {relation for stage in plan.stages for relation in writes(stage)}
    derived |= {feed.relation for feed in plan.feeds if feed.tag is not None or feed.where}
    derived |= {load.relation for load in plan.loads if load.where}
    return {relation: width for relation, width in found.items() if relation not in derived}
