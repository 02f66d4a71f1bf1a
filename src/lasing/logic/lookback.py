"""How far back a program looks: in time points, and in facts.

The answer at t depends on no data older than that, so this bounds what must be kept, and what must survive a failure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from lasing.logic.facts import facts_of
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
    children,
)
from lasing.logic.narrowing import narrowed, narrowed_rules
from lasing.logic.program import Program, Rule, per_program


@dataclass(frozen=True, slots=True)
class Lookback:
    """Time points before t (None: all of them), last facts of the stream, and last facts per key of a partition."""

    points: int | None = 0
    facts: int = 0
    per_key: int = 0

    def __or__(self, other: Lookback) -> Lookback:
        if other is _NONE:
            return self
        return Lookback(
            None if self.points is None or other.points is None else max(self.points, other.points),
            max(self.facts, other.facts),
            max(self.per_key, other.per_key),
        )

    def __str__(self) -> str:
        parts = ["all time points" if self.points is None else f"{self.points} time point{'s'[: self.points != 1]}"]
        if self.facts:
            parts.append(f"{self.facts} fact{'s'[: self.facts != 1]}")
        if self.per_key:
            parts.append(f"{self.per_key} fact{'s'[: self.per_key != 1]} per key")
        return ", ".join(parts)


_NONE = Lookback()


@per_program
def lookback(program: Program) -> Lookback:
    """The lookback of all rules together."""
    result, derived = _NONE, facts_of(program).only_derived
    for rule in narrowed_rules(program):
        result |= _all(rule.body, derived, 0, None)
    return result


def rule_lookback(rule: Rule, derived: frozenset[str]) -> Lookback:
    """The lookback of one rule; atoms of the `derived` predicates need none."""
    return _all(narrowed(rule).body, derived, 0, None)


def formula_lookback(formula: Formula, derived: frozenset[str]) -> Lookback:
    """The lookback of one literal."""
    return _of(formula, derived, 0, None)


def _all(formulas: Iterable[Formula], derived: frozenset[str], here: int | None, reach: int | None) -> Lookback:
    result = _NONE
    for formula in formulas:
        result |= _of(formula, derived, here, reach)
    return result


def _of(formula: Formula, derived: frozenset[str], here: int | None, reach: int | None) -> Lookback:
    """`here` is how far before t the reference time point may lie, `reach` how far the timeline does; None: any."""
    match formula:
        case Atom(predicate):
            return _NONE if predicate in derived else Lookback(here)
        case Compare():
            return _NONE
        case Aggregate() | Select() | Not() | And() | Or() | Implies():
            return _all(children(formula), derived, here, reach)
        case At(_, body) | Sometime(body) | Always(body):
            return _of(body, derived, reach, reach)
        case Window():
            return _of_window(formula, derived, here, reach)
        case _:
            assert_never(formula)


def _of_full(formula: Formula, derived: frozenset[str]) -> Lookback:
    """Inside a window that counts facts only those matter, except for what is taken from the whole stream."""
    nodes = [formula]
    result = _NONE
    while nodes:
        node = nodes.pop()
        if isinstance(node, Window) and node.full:
            result |= _of(node, derived, None, None)
        else:
            nodes.extend(children(node))
    return result


def _of_window(window: Window, derived: frozenset[str], here: int | None, reach: int | None) -> Lookback:
    match window.function:
        case TimeWindow(back, _, step):
            if back is None or here is None:
                return _of(window.body, derived, here, None if window.full else reach)
            width = here + back + step - 1
            return _of(window.body, derived, here, width if window.full or reach is None else min(width, reach))
        case TupleWindow(back) | PartitionWindow(back):
            if here != 0:  # it is taken at an earlier time point, and its facts are counted from there
                within = None if window.full else reach
                return Lookback(within) | _of(window.body, derived, here, within)
            inside = _of_full(window.body, derived)
            if isinstance(window.function, TupleWindow):
                return inside | Lookback(0, back)
            return inside | Lookback(0, 0, back)
        case IntervalWindow():
            return _of(window.body, derived, here, reach)
        case _:
            assert_never(window.function)
