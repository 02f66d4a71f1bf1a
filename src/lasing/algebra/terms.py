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


def tests_of(term: Term) -> tuple[Formula, ...]:
    """The literals that a condition is true; a condition without a value is not.

    Comparisons become comparisons of the language where both mean the same. A missing value does not compare with any
    other, so only equations have to ask whether it is there.
    """
    match term:
        case Arithmetic("less", (a, b)) if _plain(a) and _plain(b):
            return (Compare("<", _inside(a), _inside(b)),)
        case Arithmetic("less_equal", (a, b)) if _plain(a) and _plain(b):
            return Compare("<=", _inside(a), _inside(b)), *_known(a if _is_given(b) else None)
        case Arithmetic("same", (a, b)) if _plain(a) and _plain(b):
            return Compare("=", _inside(a), _inside(b)), *_known(a if _is_given(a) and _is_given(b) else None)
        case Arithmetic("opposite", (Arithmetic("same", (a, b)),)) if _plain(a) and _plain(b):
            return Compare("!=", _inside(a), _inside(b)), *_known(a), *_known(b)
        case Arithmetic("bound", (a,)) if _plain(a):
            return _known(a)
        case Arithmetic("opposite", (Arithmetic("bound", (a,)),)) if _is_given(a):
            return (Compare("=", _inside(a), UNBOUND),)
        case _:
            return (Compare("=", call("coalesce", call("truth", term), FALSE), TRUE),)


def _plain(term: Term) -> bool:
    """Whether a term is a column or a constant."""
    return isinstance(term, Variable) or is_value(term) or _is_given(term)


def _is_given(term: Term) -> bool:
    """Whether a term is a column that may be missing."""
    return isinstance(term, Arithmetic) and term.operator == "given"


def _inside(term: Term) -> Term:
    return term.operands[0] if isinstance(term, Arithmetic) and _is_given(term) else term


def _known(term: Term | None) -> tuple[Formula, ...]:
    """The literal that a column has a value, if it may be missing."""
    return (Compare("!=", _inside(term), UNBOUND),) if term is not None and _is_given(term) else ()
