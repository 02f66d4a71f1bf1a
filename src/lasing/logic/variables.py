"""Which variables a formula binds, and which it needs bound: the basis of safety and of the order of evaluation.

A formula *binds* a variable when its instances can be found by looking at the stream: an atom binds its arguments,
`X = E` binds X once E is bound, a conjunction binds what its parts bind, a disjunction what all of them bind, and
negation and implication nothing. `at T` binds T where the time points to try are finite: inside a window, or where
the formula can hold only near atoms of the stream.

`#now` is a variable only in name: it has a value from the beginning, so nothing binds it, and nothing waits for it.

An anonymous variable under `not`, `or` or `->` means "some value" right there, and does not matter elsewhere.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import assert_never

from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Braces,
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
    terms_of,
)
from lasing.logic.terms import NOW, Term, Variable, variables_of

Bound = frozenset[Variable]


def bound_by(formulas: Iterable[Formula], given: Bound = frozenset(), windowed: bool = False) -> Bound:
    """The variables that are bound when all formulas hold together, including those `given`."""
    return given | newly_bound(formulas, given, windowed)


def newly_bound(formulas: Iterable[Formula], given: Container[Variable], windowed: bool = False) -> Bound:
    """The variables that formulas bind together, where some are given."""
    waiting = list(formulas)
    bound = _Growing(given)
    before = -1
    while before != len(bound.new):
        before = len(bound.new)
        for formula in waiting:
            bound.new.update(_binds(formula, bound, windowed))
        waiting.reverse()  # assignments in one order or the reverse take two rounds, not one each
    return frozenset(bound.new)


class _Growing:
    """Variables that are bound already, and new ones: lookups ask both, and only the new ones change."""

    __slots__ = ("given", "new")

    def __init__(self, given: Container[Variable]) -> None:
        self.given, self.new = given, set[Variable]()

    def __contains__(self, variable: object) -> bool:
        return variable in self.new or variable in self.given


def is_ready(formula: Formula, bound: Container[Variable], windowed: bool = False) -> bool:
    """Whether the formula's instances can be found when `bound` is bound already."""
    open_ends = [v for v in free_variables(formula) if v not in bound]
    if not open_ends:
        return True
    found = newly_bound((formula,), bound, windowed)
    return all(v in found for v in open_ends) and all(v in bound for v in _interval_ends(formula))


def free_variables(formula: Formula) -> Bound:
    """The variables that matter to the rest of the rule: not those inside braces, nor `_` inside `not`, `or`, `->`."""
    return frozenset(occurrences(formula))


def occurrences(formula: Formula, existential: bool = False) -> Iterator[Variable]:
    """The occurrences of free variables; `existential` leaves out anonymous ones."""
    match formula:
        case Atom() | Compare():
            for term in terms_of(formula):
                yield from _named(term, existential)
        case Aggregate():
            yield from inside(formula)
            yield from _named(formula.bound, False)
        case Select():
            yield from inside(formula)
            for target in formula.targets:
                yield from _named(target, existential)
        case Not(body):
            yield from occurrences(body, True)
        case Or(parts):
            for part in parts:
                yield from occurrences(part, True)
        case Implies(left, right):
            yield from occurrences(left, True)
            yield from occurrences(right, True)
        case And(parts):
            for part in parts:
                yield from occurrences(part, existential)
        case At() | Sometime() | Always() | Window():
            for term in terms_of(formula):
                yield from _named(term, existential)
            yield from occurrences(formula.body, existential)
        case _:
            assert_never(formula)


def inside(formula: Braces) -> Iterator[Variable]:
    """The occurrences between braces of variables that also occur outside: they group."""
    for part in formula.condition:
        yield from (v for v in occurrences(part) if v not in formula.local)
    for term in formula.terms:
        yield from (v for v in variables_of(term) if v not in formula.local)


def reach(formula: Formula) -> int | None:
    """How many time points after the last atom of the stream the formula can still hold; None: any number.

    If there is an answer, the time points to try are finite even if the timeline is not.

    >>> p = Atom("p")
    >>> reach(p), reach(Window(TimeWindow(5), Sometime(p))), reach(Not(p))
    (0, 5, None)
    """
    match formula:
        case Atom():
            return 0
        case And(parts):
            return min((r for part in parts if (r := reach(part)) is not None), default=None)
        case Or(parts):
            reaches = [reach(part) for part in parts]
            return None if None in reaches else max(r for r in reaches if r is not None)
        case Window(TimeWindow(int(back), _, step), Sometime() | Always() | At() as modal):
            body = modal.body
            while isinstance(body, Sometime | Always | At):  # they move around in the window, not out of it
                body = body.body
            inner = reach(body)
            return None if inner is None else inner + back + step - 1
        case Window(_, Atom() as atom):
            return reach(atom)
        case Compare() | Aggregate() | Select() | Not() | Implies() | At() | Sometime() | Always() | Window():
            return None
        case _:
            assert_never(formula)


def _named(term: Term, existential: bool) -> Iterator[Variable]:
    return (v for v in variables_of(term) if not (existential and v.anonymous))


def _interval_ends(formula: Formula) -> Bound:
    """The variables in the ends of an interval window: they must be known before the window is evaluated."""
    match formula:
        case Window(IntervalWindow(lo, hi)):
            return frozenset((*variables_of(lo), *variables_of(hi)))
        case _:
            return frozenset()


def _binds(formula: Formula, bound: Container[Variable], windowed: bool) -> Bound:
    match formula:
        case Atom(_, args):
            return frozenset(arg for arg in args if isinstance(arg, Variable) and arg != NOW)
        case Compare("=", left, right):
            return _assigned(left, right, bound) | _assigned(right, left, bound)
        case Aggregate(operator="=", bound=Variable() as result) if result != NOW:
            return frozenset((result,)) if all(v in bound for v in inside(formula)) else frozenset()
        case Select(targets=targets):
            found = frozenset(target for target in targets if isinstance(target, Variable) and target != NOW)
            return found if all(v in bound for v in inside(formula)) else frozenset()
        case Compare() | Aggregate() | Not() | Implies():
            return frozenset()
        case And(parts):
            return newly_bound(parts, bound, windowed)
        case Or(parts):
            return frozenset.intersection(*(_binds(part, bound, windowed) for part in parts))
        case At(time, body):
            found = _binds(body, bound, windowed)
            if isinstance(time, Variable) and time != NOW and (windowed or reach(body) is not None):
                found |= {time}
            return found
        case Sometime(body) | Always(body):
            return _binds(body, bound, windowed)
        case Window(_, body):
            return _binds(body, bound, True) if all(v in bound for v in _interval_ends(formula)) else frozenset()
        case _:
            assert_never(formula)


def _assigned(target: Term, source: Term, bound: Container[Variable]) -> Bound:
    if isinstance(target, Variable) and target != NOW and all(v in bound for v in variables_of(source)):
        return frozenset((target,))
    return frozenset()
