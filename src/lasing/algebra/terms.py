"""Terms and conditions of the algebra as terms and literals of rules."""

from __future__ import annotations

from lasing.logic.formulas import Compare, Formula
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.values import UNBOUND, Truth, is_value

TRUE, FALSE = Truth(True), Truth(False)


def call(name: str, *operands: Term) -> Arithmetic:
    """A function of terms."""
    depth = 1 + max((o.depth for o in operands if isinstance(o, Arithmetic)), default=0)
    return Arithmetic(name, operands, depth=depth)


def given(term: Term) -> Term:
    """A term that has no value where a column is missing."""
    return term if is_value(term) and term != UNBOUND else call("given", term)


def or_unbound(term: Term) -> Term:
    """A term, or `UNBOUND` where it has no value."""
    match term:
        case Arithmetic("given", (inner,)):
            return inner
        case Arithmetic():
            return call("coalesce", term, UNBOUND)
        case _:
            return term


def never_fails(term: Term) -> bool:
    """Whether a term has a value in every row."""
    return not isinstance(term, Arithmetic)


def conjuncts(term: Term) -> tuple[Term, ...]:
    """The parts of a conjunction."""
    match term:
        case Arithmetic("all_of", operands):
            return tuple(part for operand in operands for part in conjuncts(operand))
        case _:
            return (term,)


def is_true(term: Term) -> Formula:
    """The literal that a condition is true; a condition without a value is not.

    Comparisons become comparisons of the language where both mean the same.
    """
    match term:
        case Arithmetic("less", (a, b)) if _plain(a) and _plain(b):
            return Compare("<", a, b)
        case Arithmetic("less_equal", (a, b)) if _plain(a) and _plain(b):
            return Compare("<=", a, b)
        case Arithmetic("same", (a, b)) if _plain(a) and _plain(b):
            return Compare("=", a, b)
        case Arithmetic("opposite", (Arithmetic("same", (a, b)),)) if _plain(a) and _plain(b):
            return Compare("!=", a, b)
        case _:
            return Compare("=", call("coalesce", call("truth", term), FALSE), TRUE)


def _plain(term: Term) -> bool:
    """Whether a term is a variable or a constant, so that no comparison of it lacks a value."""
    return isinstance(term, Variable) or is_value(term)
