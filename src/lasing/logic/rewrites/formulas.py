"""Nested formulas in bodies."""

from __future__ import annotations

from lasing.logic.formulas import Braces, Formula, Not
from lasing.logic.fragments import is_absence_between, is_plain
from lasing.logic.program import Rule
from lasing.logic.rewrites.draft import Body, Draft, limited
from lasing.logic.rewrites.standpoint import NOW, Left
from lasing.logic.rewrites.truth import in_order


def formulas(draft: Draft, rule: Rule) -> list[Rule]:
    """The rule with plain literals: one rule for each alternative."""
    plain = [literal for literal in rule.body if _is_done(literal)]
    bodies = [Body(tuple(plain))]
    for literal in in_order(literal for literal in rule.body if not _is_done(literal)):
        try:
            bodies = limited([found for body in bodies for found in draft.holds(draft, body, literal, NOW)])
        except Left:
            if not is_absence_between(literal):
                raise
            bodies = [body.add(literal) for body in bodies]
    return [draft.finished(body) for body in bodies]


def _is_done(literal: Formula) -> bool:
    """Whether a literal stays as it is; the conditions of braces have been rewritten already."""
    return is_plain(literal) or isinstance(literal.body if isinstance(literal, Not) else literal, Braces)
