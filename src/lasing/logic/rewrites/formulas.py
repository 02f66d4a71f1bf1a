"""Nested formulas in bodies."""

from __future__ import annotations

from lasing.logic.fragments import is_plain
from lasing.logic.program import Rule
from lasing.logic.rewrites.draft import Body, Draft, limited
from lasing.logic.rewrites.standpoint import NOW
from lasing.logic.rewrites.truth import in_order


def formulas(draft: Draft, rule: Rule) -> list[Rule]:
    """The rule with plain literals: one rule for each alternative."""
    plain = [literal for literal in rule.body if is_plain(literal)]
    bodies = [Body(tuple(plain))]
    for literal in in_order(literal for literal in rule.body if not is_plain(literal)):
        bodies = limited([found for body in bodies for found in draft.holds(draft, body, literal, NOW)])
    return [draft.finished(body) for body in bodies]
