"""◇φ: φ at some time point of the timeline."""

from __future__ import annotations

from lasing.logic.formulas import Always, At, Atom, Formula, Implies, Not, Or, Sometime, Window
from lasing.logic.rewrites.anchors import anchors
from lasing.logic.rewrites.draft import Body, Draft, limited
from lasing.logic.rewrites.standpoint import Standpoint
from lasing.logic.variables import bound_by, free_variables


def sometime(draft: Draft, body: Body, formula: Formula, view: Standpoint) -> list[Body]:
    """◇φ holds: φ holds at a named time point.

    `both :- (a and b) in [2].` becomes `both :- a at T in [2], b at T in [2].`, and ◇(φ ∨ ψ) is ◇φ ∨ ◇ψ.
    """
    match formula:
        case Sometime() | Always() | At():  # it does not depend on the time point
            return draft.holds(draft, body, formula, view)
        case Or(parts):
            return limited([found for part in parts for found in sometime(draft, body, part, view)])
        case Implies(left, right):
            return sometime(draft, body, Or((Not(left), right)), view)
        case Atom() if view.opened_now and view.seen is not None:
            return [body.add(Window(view.seen, Sometime(formula)))]
        case _:
            there = draft.moved(body, view, draft.variable())
            body = draft.at_point(body, there, anchors(formula))
            return draft.holds(draft, body, formula, there)


def never(draft: Draft, body: Body, formula: Formula, view: Standpoint) -> list[Body]:
    """◇φ does not hold: a helper that holds if ◇φ does is absent.

    `calm :- not (a and b) in [2].` becomes `some :- a at T in [2], b at T in [2].` and `calm :- not some.`
    """
    match formula:
        case Sometime() | Always() | At():
            return draft.fails(draft, body, formula, view)
        case Or(parts):
            bodies = [body]
            for part in parts:
                bodies = [found for b in bodies for found in never(draft, b, part, view)]
            return limited(bodies)
        case Implies(left, right):
            return never(draft, body, Or((Not(left), right)), view)
        case Atom() if view.opened_now and view.seen is not None:
            return [body.add(Not(Window(view.seen, Sometime(formula))))]
        case Not(Atom() as atom) if view.opened_now and view.has_points and view.seen is not None:
            if not any(v.anonymous for v in free_variables(atom)):
                return [body.add(Window(view.seen, Always(atom)))]
        case _:
            pass
    args = {v for v in free_variables(formula) if not v.anonymous} | set(view.variables())
    bound = bound_by((formula,), windowed=True)
    some = draft.helper(body, args, bound, lambda inner: sometime(draft, inner, formula, view))
    return [body.add(Not(some))]
