"""`p at T in [w]` is `p in [w]` if nothing else in the rule uses T.

That takes less memory. And what holds now, or always, is then guaranteed for as long as it holds; with its time T, it
would be guaranteed for one time point only.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lasing.logic.formulas import At, Atom, Formula, Sometime, TimeWindow, Window
from lasing.logic.program import Rule
from lasing.logic.terms import Variable
from lasing.logic.variables import occurrences


def timeless(rule: Rule) -> Rule:
    """The rule without the times that nothing uses."""
    if not any(map(_time, rule.body)):
        return rule
    asked_for = Counter(v for formula in (*rule.heads, *rule.body) for v in occurrences(formula))
    body = tuple(_literal(literal, asked_for) for literal in rule.body)
    return rule if body == rule.body else replace(rule, body=body)


def _time(literal: Formula) -> Variable | None:
    """The variable that a literal such as `p(X) at T in [5]` names its time with."""
    match literal:
        case Window(TimeWindow(), At(Variable() as time, Atom())):
            return time
        case _:
            return None


def _literal(literal: Formula, asked_for: Counter[Variable]) -> Formula:
    time = _time(literal)
    if time is None or asked_for[time] > 1:
        return literal
    assert isinstance(literal, Window)
    assert isinstance(literal.body, At)
    return replace(literal, body=Sometime(literal.body.body))
