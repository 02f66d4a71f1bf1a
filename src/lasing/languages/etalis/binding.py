"""Which variables of a pattern have values, whichever of its alternatives happens."""

from __future__ import annotations

from collections.abc import Iterable

from lasing.languages.etalis.syntax import (
    Absence,
    Binary,
    Condition,
    Event,
    Limited,
    Pattern,
    Repetition,
    Where,
    written_out,
)
from lasing.logic.formulas import Atom, Compare
from lasing.logic.terms import Variable, variables_of

Bound = frozenset[Variable]
NOTHING: Bound = frozenset()


def bound(pattern: Pattern, given: Bound = NOTHING) -> Bound:
    """The variables to which a pattern gives values, if some already have one.

    >>> from lasing.languages.etalis.reader import read
    >>> names = lambda text: sorted(v.name for v in bound(read(f"e <- {text}.").rules[0].pattern))
    >>> names("p(X) SEQ q(X, Y)"), names("p(X) OR q(X, Y)"), names("p(X + 1)"), names("p(X) WHERE Z = X + 1")
    (['X', 'Y'], ['X'], [], ['X', 'Z'])
    """
    match pattern:
        case Event():
            return frozenset(term for term in pattern.args if isinstance(term, Variable))
        case Repetition():
            return bound(written_out(pattern), given)
        case Limited():
            return bound(pattern.pattern, given)
        case Binary("OR", left, right):
            return bound(left, given) & bound(right, given)
        case Binary(_, left, right):
            return both(left, right, given)
        case Absence():
            return both(pattern.first, pattern.last)
        case Where():
            inner = bound(pattern.pattern, given)
            return inner | assigned(pattern.conditions, inner | given)


def both(left: Pattern, right: Pattern, given: Bound = NOTHING) -> Bound:
    """The variables to which one of two patterns that both happen gives values."""
    first = bound(right, given)
    found = first | bound(left, given | first)
    return found | bound(right, given | found)


def assigned(conditions: Iterable[Condition], given: Bound) -> Bound:
    """The variables to which conditions give values: static atoms, and `X = term`."""
    found, rest = set(given), list(conditions)
    for condition in rest:
        if isinstance(condition, Atom):
            found |= {term for term in condition.args if isinstance(term, Variable)}
    grown = True
    while grown:
        before = len(found)
        for condition in rest:
            if isinstance(condition, Compare) and condition.operator == "=":
                for target, source in ((condition.left, condition.right), (condition.right, condition.left)):
                    if isinstance(target, Variable) and all(v in found for v in variables_of(source)):
                        found.add(target)
        grown = len(found) > before
    return frozenset(found) - given
