"""Literals `a at T` without a window, if another literal of the rule says in which window T lies."""

from __future__ import annotations

from dataclasses import replace

from lasing.logic.formulas import At, Atom, Formula, Not, TimeWindow, Window
from lasing.logic.program import Rule
from lasing.logic.terms import NOW, Arithmetic, Term, Variable
from lasing.timeline.limits import LIMIT


def narrowed(rule: Rule) -> Rule:
    """The rule with the window of T for each `a at T`: it means the same, and needs no older data.

    `q :- p at T in [5], r at T.` becomes `q :- p at T in [5], r at T in [5].`, and `q :- p at #now - 5.` becomes
    `q :- p at #now - 5 in [5,-5].`
    """
    if not any(_unwindowed(literal) for literal in rule.body):
        return rule
    windows: dict[Term, TimeWindow] = {}
    for literal in rule.body:
        match literal:
            case Window(TimeWindow(int(back), ahead, 1) as window, At(Variable() as time, Atom())) if ahead <= 0:
                known = windows.get(time)
                if known is None or known.back is None or back < known.back:
                    windows[time] = window
            case _ if (found := _unwindowed(literal)) and (ago := _ago(found.time)) is not None:
                windows[found.time] = TimeWindow(ago, -ago)
            case _:
                continue
    return replace(rule, body=tuple(_in_window(literal, windows) for literal in rule.body)) if windows else rule


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
        case At(Variable() | Arithmetic(), Atom()) | Not(At(Variable() | Arithmetic(), Atom())):
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
