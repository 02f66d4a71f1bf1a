"""Which windows the rules of a program have at a moment, and which facts they see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from lasing.explain.evidence import Args, Evidence, View
from lasing.explain.views import view_of
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
    PartitionWindow,
    Select,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
)
from lasing.logic.printer import window_text
from lasing.logic.terms import NOW, variables_of
from lasing.logic.values.numbers import Undefined
from lasing.timeline.intervals import Interval


@dataclass(frozen=True, slots=True)
class Look:
    """What a literal looks at: a predicate, through a window (empty: without one), from when to when.

    A window that counts facts sees only those of `view`.
    """

    predicate: str
    window: str
    view: View

    def sees(self, time: int, predicate: str, args: Args) -> bool:
        """Whether this fact is in the window. A window that counts facts has those of other predicates too."""
        if predicate != self.predicate and self.view.sees_derived:
            return False
        return time in self.view.timeline and self.view.data.holds(time, predicate, args)


def looks(evidence: Evidence) -> list[Look]:
    """What the rules of a program look at, each window of a predicate once.

    A window inside another one, `(p in [2]) at T in [9]`, reaches as far as it does from any time point of the other.
    Windows `[T..U]` are left out, because their ends differ from instance to instance.
    """
    now = Interval(evidence.now, evidence.now)
    found: dict[tuple[str, str, Interval], Look] = {}
    for rule in evidence.program.rules:
        for literal in rule.body:
            for look in _looks(literal, evidence, evidence.whole(), now, ""):
                found.setdefault((look.predicate, look.window, look.view.timeline), look)
    return list(found.values())


def _looks(formula: Formula, evidence: Evidence, view: View, points: Interval, window: str) -> Iterator[Look]:
    """What a formula looks at, if it is evaluated at one of these time points on this view."""
    match formula:
        case Atom(predicate):
            yield Look(predicate, window, view.narrowed(points, view.ahead))
        case Compare():
            return
        case Aggregate() | Select():
            for part in formula.condition:
                yield from _looks(part, evidence, view, points, window)
        case Not(body):
            yield from _looks(body, evidence, view, points, window)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _looks(part, evidence, view, points, window)
        case Implies(left, right):
            for part in (left, right):
                yield from _looks(part, evidence, view, points, window)
        case At(_, body) | Sometime(body) | Always(body):
            if window:  # without one, the formula looks at the whole timeline, which would be shaded from end to end
                yield from _looks(body, evidence, view, view.timeline, window)
        case Window(_, body):
            selected = _through(formula, evidence, evidence.whole() if formula.full else view, points)
            if selected is not None:
                name = window_text(formula) + (f" in {window}" if window else "")
                yield from _looks(body, evidence, selected, points & selected.timeline, name)
        case _:
            assert_never(formula)


def _through(window: Window, evidence: Evidence, view: View, points: Interval) -> View | None:
    """What a window selects from any of these time points; None if that cannot be said without values of variables."""
    function = window.function
    first, last = points.lo, points.hi
    if last is None or not points:
        return None
    match function:
        case TimeWindow():
            begin = view_of(function, evidence, view, first, {})
            end = view_of(function, evidence, view, last, {})
            return replace(begin, timeline=Interval(begin.timeline.lo, end.timeline.hi))
        case TupleWindow() | PartitionWindow():
            return view_of(function, evidence, view, first, {}) if first == last else None
        case IntervalWindow(lo, hi):
            if any(variable != NOW for term in (lo, hi) for variable in variables_of(term)):
                return None
            try:
                return view_of(function, evidence, view, first, {NOW: evidence.now})
            except Undefined:  # such as 1 div 0
                return None
        case _:
            assert_never(function)
