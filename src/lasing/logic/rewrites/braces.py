"""Nested formulas in the conditions of braces."""

from __future__ import annotations

from dataclasses import replace

from lasing.logic.formulas import Braces, Formula, Not, terms_of, walk
from lasing.logic.fragments import is_absence_between, is_plain
from lasing.logic.program import Rule
from lasing.logic.rewrites.draft import Body, Draft
from lasing.logic.rewrites.standpoint import NOW, Left
from lasing.logic.terms import Arithmetic
from lasing.logic.variables import bound_by, free_variables


def braces(draft: Draft, rule: Rule) -> list[Rule]:
    """`#count{X : (p(X) or q(X)) in [5]} > 2` becomes `#count{X : part(X)} > 2`, with a helper for the condition."""
    around = _without_braces(rule.body)
    return [replace(rule, body=tuple(_literal(draft, around, literal) for literal in rule.body))]


def _literal(draft: Draft, around: tuple[Formula, ...], literal: Formula) -> Formula:
    """A literal of a body or condition; only braces change."""
    match literal:
        case _ if is_plain(literal):
            return literal
        case Not(body) if isinstance(body, Braces):
            return Not(_braces(draft, around, body))
        case _:
            return _braces(draft, around, literal) if isinstance(literal, Braces) else literal


def _braces(draft: Draft, around: tuple[Formula, ...], formula: Braces) -> Formula:
    around = (*_without_braces(formula.condition), *around)
    return replace(formula, condition=tuple(_part(draft, around, part) for part in formula.condition))


def _part(draft: Draft, around: tuple[Formula, ...], part: Formula) -> Formula:
    """A part of a condition, or a helper for it."""
    if is_plain(part) or isinstance(part.body if isinstance(part, Not) else part, Braces):
        return _literal(draft, around, part)
    if any(isinstance(term, Arithmetic) for node in walk(part) for term in terms_of(node)):
        raise Left("arithmetic in a nested condition of an aggregate")

    def build(inner: Body) -> list[Body]:
        return draft.holds(draft, inner, part, NOW)

    try:
        return draft.helper(Body((), around), free_variables(part), bound_by((part,)), build)
    except Left:
        if is_absence_between(part):
            return part
        raise


def _without_braces(formulas: tuple[Formula, ...]) -> tuple[Formula, ...]:
    """The plain literals that bind variables by themselves."""
    return tuple(f for f in formulas if is_plain(f) and not isinstance(f, Braces))
