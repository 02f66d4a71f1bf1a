"""Literals that may need data of any age, but do not: the rule says how far they look back.

These are literals `a at T` without a window, if another literal says in which window T lies or T is computed from now,
and windows `[T..U]` between two times that are computed from now.
"""

from __future__ import annotations

from dataclasses import replace
from operator import is_not
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
    IntervalWindow,
    Not,
    Or,
    Select,
    Sometime,
    TimeWindow,
    Window,
    children,
    map_children,
)
from lasing.logic.program import Program, Rule, per_program
from lasing.logic.terms import NOW, Arithmetic, Term, Variable
from lasing.timeline.limits import LIMIT


@per_program
def narrowed_rules(program: Program) -> tuple[Rule, ...]:
    """All rules of a program, narrowed."""
    return tuple(map(narrowed, program.rules))


def narrowed(rule: Rule) -> Rule:
    """The rule with the window of T for each `a at T`: it means the same, and needs no older data.

    `q :- p at T in [5], r at T.` becomes `q :- p at T in [5], r at T in [5].`, and `q :- p at #now - 5.` becomes
    `q :- p in [5,-5].` In the same way, `[#now - 5..#now - 1]` becomes `[5,-1]`.
    """
    body = tuple(map(_around_now, rule.body))
    if any(map(is_not, body, rule.body)):
        rule = replace(rule, body=body)
    if not any(map(_unwindowed, rule.body)):
        return rule
    windows: dict[Term, TimeWindow] = {}
    for literal in rule.body:
        match literal:
            case Window(TimeWindow(int(back), ahead, 1) as window, At(Variable() as time, Atom())) if ahead <= 0:
                known = windows.get(time)
                if known is None or known.back is None or back < known.back:
                    windows[time] = window
            case _:
                continue
    return replace(rule, body=tuple(_in_window(literal, windows) for literal in rule.body)) if windows else rule


def _around_now(formula: Formula) -> Formula:
    """A formula that is evaluated now, with time windows in place of times computed from now."""
    match formula:
        case At(time, Atom(offset=offset) as atom) if (ago := _ago(time)) is not None:
            return Window(TimeWindow(ago, -ago), Sometime(atom), offset=offset)
        case Window(IntervalWindow(lo, hi)):
            first, last = _ago(lo), _ago(hi)
            if first is None or last is None or first < last:
                return formula
            return replace(formula, function=TimeWindow(first, -last))
        case Atom() | Compare() | At() | Sometime() | Always() | Window():
            return formula
        case Not() | And() | Or() | Implies() | Aggregate() | Select():
            parts = children(formula)
            changed = tuple(map(_around_now, parts))
            if not any(map(is_not, changed, parts)):
                return formula
            in_order = iter(changed)
            return map_children(formula, lambda _: next(in_order))
        case _:
            assert_never(formula)


def _ago(time: Term) -> int | None:
    """How long before now a time is, if it is computed from `#now`; None if it is not, or may be later."""
    match time:
        case Variable():
            return 0 if time == NOW else None
        case Arithmetic("-", (Variable() as now, int(points))) if now == NOW and 0 <= points < LIMIT:
            return points
        case _:
            return None


def _unwindowed(literal: Formula) -> At | None:
    match literal:
        case At(Variable(), Atom()) | Not(At(Variable(), Atom())):
            found = literal.body if isinstance(literal, Not) else literal
            assert isinstance(found, At)
            return found
        case _:
            return None


def _in_window(literal: Formula, windows: dict[Term, TimeWindow]) -> Formula:
    found = _unwindowed(literal)
    if found is None or found.time not in windows:
        return literal
    assert isinstance(found.body, Atom)
    seen = Window(windows[found.time], found, offset=found.body.offset)
    return Not(seen) if isinstance(literal, Not) else seen
