"""Literals `a at T` without a window, if another literal of the rule says in which window T lies."""

from __future__ import annotations

from dataclasses import replace

from lasing.logic.formulas import At, Atom, Formula, Not, TimeWindow, Window
from lasing.logic.program import Rule
from lasing.logic.terms import Term, Variable


def narrowed(rule: Rule) -> Rule:
    """The rule with the window of T for each `a at T`: it means the same, and needs no older data.

    `q :- p at T in [5], r at T.` becomes `q :- p at T in [5], r at T in [5].`
    """
    if not any(_unwindowed(literal) for literal in rule.body):
        return rule
    windows: dict[Term, TimeWindow] = {}
    for literal in rule.body:
        match literal:
            case Window(TimeWindow(int(back), 0, 1) as window, At(Variable() as time, Atom())):
                known = windows.get(time)
                if known is None or known.back is None or back < known.back:
                    windows[time] = window
            case _:
                continue
    return replace(rule, body=tuple(_in_window(literal, windows) for literal in rule.body)) if windows else rule


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
