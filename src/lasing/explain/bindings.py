"""Values for variables: how formulas and rows extend them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from lasing.explain.evidence import Args, Positions
from lasing.logic.formulas import Braces, Compare, Formula, children, map_formula, map_terms, terms_of, walk
from lasing.logic.terms import NOW, Arithmetic, Substitution, Term, Variable, evaluate, substituted, variables_of
from lasing.logic.values import Undefined, Value

Binding = dict[Variable, Value]


def is_bound(term: Term, binding: Binding) -> bool:
    """Whether all variables of a term have values."""
    match term:
        case Variable():
            return term in binding
        case Arithmetic():
            return all(v in binding for v in variables_of(term))
        case _:
            return True


def pattern_of(terms: tuple[Term, ...], binding: Binding) -> tuple[Positions, Args] | None:
    """The positions of terms whose value is known, and these values; None if one has no value."""
    positions, values = [], []
    for i, term in enumerate(terms):
        if is_bound(term, binding):
            try:
                values.append(evaluate(term, binding))
            except Undefined:
                return None
            positions.append(i)
    return tuple(positions), tuple(values)


def matched(terms: Iterable[Term], row: Args, binding: Binding) -> Binding | None:
    """The extension of a binding under which the terms are a row; None if there is none."""
    found, computed = dict(binding), []
    for term, value in zip(terms, row, strict=True):
        if isinstance(term, Variable):
            if found.setdefault(term, value) != value:
                return None
        elif isinstance(term, Arithmetic):
            computed.append((term, value))
        elif term != value:
            return None
    try:
        return found if all(evaluate(term, found) == value for term, value in computed) else None
    except Undefined:
        return None


def assigned(formula: Compare, binding: Binding) -> Binding:
    """The binding, extended by `X = E` if X has no value yet. Raises `Undefined` if E has none."""
    if formula.operator == "=":
        for target, source in ((formula.left, formula.right), (formula.right, formula.left)):
            if isinstance(target, Variable) and target not in binding and is_bound(source, binding):
                return {**binding, target: evaluate(source, binding)}
    return binding


@cache
def has_arithmetic(formula: Formula) -> bool:
    """Whether some term of a formula is computed."""
    return any(isinstance(term, Arithmetic) for node in walk(formula) for term in terms_of(node))


def check_terms(formula: Formula, substitution: Substitution) -> None:
    """Raise `Undefined` if some term of the formula has no value; braces check their own elements."""
    for term in formula.outside if isinstance(formula, Braces) else terms_of(formula):
        if isinstance(term, Arithmetic):
            evaluate(term, substitution)
    if not isinstance(formula, Braces):
        for part in children(formula):
            check_terms(part, substitution)


def given(formula: Formula, binding: Mapping[Variable, Value]) -> Formula:
    """The formula with values in place of the variables that have one."""
    known: dict[Variable, Term] = {variable: value for variable, value in binding.items() if variable != NOW}
    return map_formula(formula, lambda node: map_terms(node, lambda term: substituted(term, known)))
