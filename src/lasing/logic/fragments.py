"""Which kind of program a rule belongs to, and so which engine it needs (the table of the language reference, §6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lasing.logic.formulas import (
    Aggregate,
    Always,
    At,
    Atom,
    Compare,
    Formula,
    IntervalWindow,
    Not,
    PartitionWindow,
    Select,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
)
from lasing.logic.program import Rule

Fragment = Literal["plain", "rewritten", "nested", "several answers"]

ENGINE_NEEDED: dict[Fragment, str] = {
    "plain": "local",
    "rewritten": "local",
    "nested": "reference",
    "several answers": "clingo",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A fragment, and why a rule belongs to it."""

    fragment: Fragment
    why: str


def fragment(rule: Rule, in_negative_cycle: bool) -> Reason:
    """The fragment of a rule."""
    if rule.penalty is not None:
        return Reason("several answers", "it is a weak constraint")
    if not rule.heads:
        return Reason("several answers", "it is a constraint")
    if rule.choice:
        return Reason("several answers", "its head is a choice")
    if len(rule.heads) > 1:
        return Reason("several answers", "its head is a disjunction")
    if in_negative_cycle:
        return Reason("several answers", "it is part of a cycle through negation")
    for literal in rule.body:
        if not is_plain(literal):
            return Reason("nested", "it has a nested formula, or a window [T..U] under not or always")
    return Reason("plain", "its literals are plain")


def is_plain(literal: Formula) -> bool:
    """Whether a literal is one of the table's rows up to `a at T in [w]`, a comparison, or braces with such a
    condition."""
    match literal:
        case Not(Window(IntervalWindow())) | Window(IntervalWindow(), Always()):  # as rare as nested formulas
            return False
        case Not(body):
            return not isinstance(body, Not) and is_plain(body)
        case Atom() | Compare() | At(_, Atom()):
            return True
        case Window(_, Sometime(Atom()) | Always(Atom()) | At(_, Atom())):
            return True
        case Aggregate(condition=condition) | Select(condition=condition):
            return all(is_plain(part) for part in condition)
        case _:
            return False


def is_absence_between(literal: Formula) -> bool:
    """Whether a literal is `not a in [T..U]` or `not a at S in [T..U]`: plans have a way of their own for it, which
    costs more than the rewriting, but needs nothing to be known about T and U."""
    match literal:
        case Not(Window(IntervalWindow(), Sometime(Atom()) | At(_, Atom()))):
            return True
        case _:
            return False


def non_monotone(rule: Rule) -> str:
    """Why more data can remove the rule's conclusion, or nothing if that cannot happen."""
    for literal in rule.body:
        if reason := why_not_monotone(literal):
            return reason
    return ""


def why_not_monotone(literal: Formula) -> str:
    """Why more data can make a literal false, or nothing if it cannot. The planner uses this too."""
    match literal:
        case Not(Compare()):
            return ""
        case Not():
            return "not"
        case Aggregate() | Select():
            return f"#{literal.name}"
        case Atom() | Compare() | At(_, Atom()):
            return ""
        case Window(TimeWindow(0, 0, 1), Always(Atom())):
            return ""
        case Window(_, Always(Atom())):
            return "always"
        case Window(TimeWindow() | IntervalWindow(), Sometime(Atom()) | At(_, Atom())):
            return ""
        case Window(TupleWindow() | PartitionWindow(), Sometime(Atom()) | At(_, Atom())):
            return "a tuple window"
        case _:
            return "a nested formula"
