"""When a formula holds at a view, and when it does not, in plain literals: by the entailment relation, case by case."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    Not,
    Or,
    Select,
    Sometime,
    Window,
    walk,
)
from lasing.logic.fragments import is_plain
from lasing.logic.rewrites.always import always, not_always
from lasing.logic.rewrites.anchors import anchors
from lasing.logic.rewrites.draft import Body, Draft, Extend, limited
from lasing.logic.rewrites.jumps import jumps, no_jump
from lasing.logic.rewrites.sometime import never, sometime
from lasing.logic.rewrites.standpoint import NOW, Left, Standpoint
from lasing.logic.rewrites.windows import windows


def holds(draft: Draft, body: Body, formula: Formula, view: Standpoint) -> list[Body]:
    """The body extended so that the formula holds at the view: by one body for each alternative."""
    if view == NOW and is_plain(formula):
        return [body.add(formula)]
    match formula:
        case Atom():
            return [body.add(draft.seen(formula, view))]
        case Compare():
            return [body.add(formula)]
        case Aggregate() | Select():
            raise Left(f"#{formula.name} inside another formula")
        case Not(inner):
            return fails(draft, body, inner, view)
        case And(parts):
            return _each(draft, [body], parts, view, holds)
        case Or(parts):
            return limited([found for part in parts for found in holds(draft, body, part, view)])
        case Implies(left, right):
            return limited([*fails(draft, body, left, view), *holds(draft, body, right, view)])
        case Sometime(inner):
            return sometime(draft, body, inner, view)
        case Always(inner):
            return always(draft, body, inner, view)
        case At():
            return jumps(draft, body, formula, view)
        case Window():
            return holds(draft, body, formula.body, windows(body, formula, view))
        case _:
            assert_never(formula)


def fails(draft: Draft, body: Body, formula: Formula, view: Standpoint) -> list[Body]:
    """The body extended so that the formula does not hold at the view: by one body for each alternative.

    Anonymous variables mean "some value" in a formula that fails. They occur once, so they stay with their part.
    """
    if view == NOW and is_plain(Not(formula)):
        return [body.add(Not(formula))]
    match formula:
        case Atom():
            return [body.add(Not(draft.seen(formula, view)))]
        case Compare():
            return [body.add(Not(formula))]
        case Aggregate() | Select():
            raise Left(f"#{formula.name} inside another formula")
        case Not(inner):
            return holds(draft, body, inner, view)
        case And(parts):
            return limited([found for part in parts for found in fails(draft, body, part, view)])
        case Or(parts):
            return _each(draft, [body], parts, view, fails)
        case Implies(left, right):
            return limited([b for a in holds(draft, body, left, view) for b in fails(draft, a, right, view)])
        case Sometime(inner):
            return never(draft, body, inner, view)
        case Always(inner):
            return not_always(draft, body, inner, view)
        case At():
            return no_jump(draft, body, formula, view)
        case Window():
            return fails(draft, body, formula.body, windows(body, formula, view))
        case _:
            assert_never(formula)


def in_order(formulas: Iterable[Formula], extend: Extend = holds) -> list[Formula]:
    """Formulas that bind before those that need something bound."""
    return sorted(formulas, key=lambda formula: _rank(formula, extend is holds))


def _rank(formula: Formula, positive: bool) -> int:
    if isinstance(formula, Compare):
        return 1
    nodes = list(walk(formula))
    simple = not any(isinstance(node, Not | Implies) for node in nodes) if positive else False
    always = any(isinstance(node, Always) for node in nodes)
    if simple and not always:
        return 0
    if anchors(formula, positive):
        return 2
    return 3 if simple else 4


def _each(draft: Draft, bodies: list[Body], parts: Iterable[Formula], view: Standpoint, extend: Extend) -> list[Body]:
    for part in in_order(parts, extend):
        bodies = limited([found for body in bodies for found in extend(draft, body, part, view)])
    return bodies
