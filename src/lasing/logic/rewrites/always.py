"""□φ: φ at every time point of the timeline."""

from __future__ import annotations

from dataclasses import replace

from lasing.logic.formulas import (
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    Not,
    Or,
    Sometime,
    Window,
    map_formula,
)
from lasing.logic.rewrites.anchors import anchors
from lasing.logic.rewrites.draft import Body, Draft, is_point, limited
from lasing.logic.rewrites.sometime import never, sometime
from lasing.logic.rewrites.standpoint import Left, Standpoint
from lasing.logic.terms import Term, Variable
from lasing.logic.variables import bound_by, free_variables


def always(draft: Draft, body: Body, formula: Formula, view: Standpoint) -> list[Body]:
    """□φ holds: a helper that holds where φ holds always holds, or a helper that holds where φ fails is absent.

    `either :- (a or b) always in [1].` becomes `each at T :- a at T in [1].`, the same with b, and
    `either :- each always in [1].`; and `kept :- (a -> b) always in [2].` becomes
    `miss :- a at T in [2], not b at T in [2].` and `kept :- not miss.` And □(φ ∧ ψ) is □φ ∧ □ψ.
    """
    match formula:
        case Sometime() | Always() | At():  # it does not depend on the time point
            return draft.holds(draft, body, formula, view)
        case And(parts):
            bodies = [body]
            for part in parts:
                bodies = [found for b in bodies for found in always(draft, b, part, view)]
            return limited(bodies)
        case Atom() if view.opened_now and view.seen is not None:
            return [body.add(Window(view.seen, Always(formula)))]
        case Not(inner) if view.opened_now and view.has_points and draft.absent:
            return never(draft, body, inner, view)
        case _:
            pass
    if view.whole:
        raise Left("`always` without a window")
    if view.opened_now and view.seen is not None:
        variables = free_variables(formula)
        known = variables <= bound_by(body.known) and not any(v.anonymous for v in variables)
        if not (draft.absent and view.has_points and known and _rather_absent(formula)):
            each = _each(draft, body, _named(draft, formula), view)
            return [body.add(Window(view.seen, Always(each)))]
        return [_without_misses(draft, body, formula, view)]
    formula = _named(draft, formula)
    if free_variables(formula) <= bound_by(body.known):
        bodies = [_with_a_point(draft, body, view)]
    else:  # it holds at every time point, and so at any one: that binds its variables
        there = view
        if view.time is None or not view.inside:
            there = draft.moved(body, view, draft.variable())
            body = draft.at_point(body, there, anchors(formula))
        bodies = draft.holds(draft, body, formula, there)
    return [_without_misses(draft, found, formula, view) for found in bodies]


def not_always(draft: Draft, body: Body, formula: Formula, view: Standpoint) -> list[Body]:
    """□φ does not hold: φ fails at some time point, or there is none."""
    match formula:
        case Sometime() | Always() | At():
            return draft.fails(draft, body, formula, view)
        case And(parts):
            return limited([found for part in parts for found in not_always(draft, body, part, view)])
        case Atom() if view.opened_now and view.seen is not None:
            return [body.add(Not(Window(view.seen, Always(formula))))]
        case _:
            pass
    if view.whole:
        raise Left("`always` without a window")
    variables = free_variables(formula)
    if view.has_points and not any(v.anonymous for v in variables):
        return sometime(draft, body, Not(formula), view)
    if view.opened_now and view.seen is not None:
        each = _each(draft, body, _named(draft, formula), view)
        unnamed: dict[Term, Term] = {
            arg: Variable(f"_#{arg}") for arg in each.args if isinstance(arg, Variable) and arg not in variables
        }  # any value
        each = replace(each, args=tuple(unnamed.get(arg, arg) for arg in each.args))
        return [body.add(Not(Window(view.seen, Always(each))))]
    args = {v for v in variables if not v.anonymous} | set(view.variables())
    bound = bound_by((formula,), windowed=True)
    every = draft.helper(body, args, bound, lambda inner: always(draft, inner, formula, view))
    return [body.add(Not(every))]


def _named(draft: Draft, formula: Formula) -> Formula:
    """The formula with names for its `_`, which after `not` would mean any value, not the same one."""
    unnamed = sorted((v for v in free_variables(formula) if v.anonymous), key=lambda v: v.name)
    names: dict[Term, Term] = {v: draft.variable("X") for v in unnamed}

    def named(node: Formula) -> Formula:
        match node:
            case Atom():
                return replace(node, args=tuple(names.get(arg, arg) for arg in node.args))
            case At():
                return replace(node, time=names.get(node.time, node.time))
            case _:
                return node

    return map_formula(formula, named) if names else formula


def _rather_absent(formula: Formula) -> bool:
    """Whether a formula fails only where one of its atoms holds, so that there are few time points to check."""
    return isinstance(formula, Implies | Or) and anchors(formula, holds=False)


def _each(draft: Draft, body: Body, formula: Formula, view: Standpoint) -> Atom:
    """A helper that holds at those time points of the view at which the formula holds."""
    time = draft.variable()

    def build(inner: Body) -> list[Body]:
        there = draft.moved(inner, view, time)
        return draft.holds(draft, draft.at_point(inner, there, anchors(formula)), formula, there)

    return draft.helper(body, free_variables(formula), bound_by((formula,), windowed=True), build, time)


def _without_misses(draft: Draft, body: Body, formula: Formula, view: Standpoint) -> Body:
    """The body, without a time point of the view at which the formula fails."""

    def build(inner: Body) -> list[Body]:
        there = draft.moved(inner, view, draft.variable())
        return draft.fails(draft, draft.at_point(inner, there, anchors(formula, holds=False)), formula, there)

    args = free_variables(formula) | set(view.variables())
    return body.add(Not(draft.helper(body, args, frozenset(), build)))


def _with_a_point(draft: Draft, body: Body, view: Standpoint) -> Body:
    """The body, plus tests that the view has a time point at all."""
    if view.has_points:
        return body
    if not view.exact and len(view.cuts) == 1:
        (cut,) = view.cuts
        if (
            cut.lo is not None
            and cut.step == 1
            and cut.ahead >= 0
            and all(is_point(body.known, end) for end in (cut.lo, cut.hi))
        ):
            return body.add(Compare("<=", cut.lo, cut.hi))
    return draft.at_point(body, draft.moved(body, view, draft.variable()), anchored=False)
