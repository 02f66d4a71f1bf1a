"""Nested formulas in the conditions of aggregates."""

from __future__ import annotations

from dataclasses import replace

from lasing.logic.formulas import Aggregate, Formula, Not, terms_of, walk
from lasing.logic.fragments import is_plain
from lasing.logic.program import Rule
from lasing.logic.rewrites.draft import Body, Draft
from lasing.logic.rewrites.standpoint import NOW, Left
from lasing.logic.terms import Arithmetic
from lasing.logic.variables import bound_by, free_variables


def aggregates(draft: Draft, rule: Rule) -> list[Rule]:
    """`#count{X : (p(X) or q(X)) in [5]} > 2` becomes `#count{X : part(X)} > 2`, with a helper for the condition."""
    return [replace(rule, body=tuple(_literal(draft, rule, literal) for literal in rule.body))]


def _literal(draft: Draft, rule: Rule, literal: Formula) -> Formula:
    match literal:
        case Not(Aggregate() as aggregate) if not is_plain(aggregate):
            return Not(_aggregate(draft, rule, aggregate))
        case Aggregate() if not is_plain(literal):
            return _aggregate(draft, rule, literal)
        case _:
            return literal


def _aggregate(draft: Draft, rule: Rule, aggregate: Aggregate) -> Aggregate:
    around = [f for f in (*aggregate.condition, *rule.body) if is_plain(f) and not isinstance(f, Aggregate)]
    condition: list[Formula] = []
    for part in aggregate.condition:
        if is_plain(part):
            condition.append(part)
            continue
        if any(isinstance(term, Arithmetic) for node in walk(part) for term in terms_of(node)):
            raise Left("arithmetic in a nested condition of an aggregate")
        args, bound = free_variables(part), bound_by((part,))

        def build(inner: Body, part: Formula = part) -> list[Body]:
            return draft.holds(draft, inner, part, NOW)

        condition.append(draft.helper(Body((), tuple(around)), args, bound, build))
    return replace(aggregate, condition=tuple(condition))
