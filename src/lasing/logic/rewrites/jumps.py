"""@T φ: φ at the time point T of the timeline."""

from __future__ import annotations

from lasing.logic.formulas import At, Atom, Not
from lasing.logic.rewrites.anchors import anchors
from lasing.logic.rewrites.draft import Body, Draft, is_inside
from lasing.logic.rewrites.standpoint import Standpoint
from lasing.logic.variables import bound_by, free_variables


def jumps(draft: Draft, body: Body, formula: At, view: Standpoint) -> list[Body]:
    """@T φ holds: φ holds at T, which lies in the timeline.

    `q(T) :- go at T in [8], (p in [1]) at T.` becomes `q(T) :- go at T in [8], p at U in [9], T <= U + 1, U <= T.`
    """
    there = draft.moved(body, view, formula.time)
    return draft.holds(draft, draft.at_point(body, there, anchors(formula.body)), formula.body, there)


def no_jump(draft: Draft, body: Body, formula: At, view: Standpoint) -> list[Body]:
    """@T φ does not hold: φ fails at T, or T does not lie in the timeline."""
    there = draft.moved(body, view, formula.time)
    if is_inside(body, there):
        return draft.fails(draft, body, formula.body, there)
    if isinstance(formula.body, Atom) and not view.cuts:
        return [body.add(Not(draft.seen(formula.body, there)))]
    args = {v for v in free_variables(formula) if not v.anonymous} | set(view.variables())
    bound = bound_by((formula,), windowed=True)
    return [body.add(Not(draft.helper(body, args, bound, lambda inner: jumps(draft, inner, formula, view))))]
