"""Rows as the bodies of rules: what a node of the algebra becomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lasing.algebra.nodes import Column, Columns
from lasing.algebra.terms import given
from lasing.logic.formulas import Aggregate, Compare, Formula, Select, map_formula, map_terms
from lasing.logic.terms import Term, Variable, substituted, variables_of
from lasing.logic.values import UNBOUND
from lasing.logic.variables import bound_by, occurrences

Terms = Mapping[Column, Term]


@dataclass(frozen=True, slots=True)
class Body:
    """A conjunction of literals, and the term that each column has in it: a variable or a constant."""

    literals: tuple[Formula, ...]
    terms: Terms

    def replaced(self, terms: Terms) -> Body:
        """The body with terms in place of variables."""
        if not terms:
            return self

        def change(term: Term) -> Term:
            return substituted(term, terms)

        literals = tuple(map_formula(literal, lambda node: map_terms(node, change)) for literal in self.literals)
        return Body(literals, {column: change(term) for column, term in self.terms.items()})

    def extended(self, *literals: Formula) -> Body:
        """The body with more literals."""
        return Body((*self.literals, *literals), self.terms)

    def unseen(self) -> tuple[Variable, ...]:
        """The variables of data that are in no column. Rows that differ in them are different rows.

        A variable that only an equation binds depends on the others, so it tells no rows apart.
        """
        seen = {variable for term in self.terms.values() for variable in variables_of(term)}
        data = [literal for literal in self.literals if not _depends(literal)]
        bound = bound_by(data)
        named = dict.fromkeys(variable for literal in data for variable in occurrences(literal))
        return tuple(variable for variable in named if variable in bound and variable not in seen)


def _depends(literal: Formula) -> bool:
    """Whether the other literals decide what a literal binds: an equation, an aggregate, the first of some tuples."""
    return isinstance(literal, Compare | Aggregate) or (isinstance(literal, Select) and literal.count == 1)


@dataclass(frozen=True, slots=True)
class Rows:
    """A bag of rows: those of each body. `missing` has the columns that may be without a value.

    If the bodies are `apart`, no row belongs to two of them, even if unseen variables are left aside.
    """

    columns: Columns
    bodies: tuple[Body, ...]
    missing: frozenset[Column] = frozenset()
    apart: bool = True

    def references(self, body: Body, term: Term) -> Terms:
        """What a term that refers to columns is to read in a body: `given(X)` if a value may be missing."""
        found: dict[Column, Term] = {}
        for column in variables_of(term):
            value = body.terms.get(column, UNBOUND)
            found[column] = given(value) if column in self.missing or value == UNBOUND else value
        return found


def unified(body: Body, pairs: Iterable[tuple[Term, Term]]) -> Body | None:
    """The body in which the terms of each pair are the same; None if two constants differ.

    Terms of columns are variables or constants, so replacing variables is enough.
    """
    replaced: dict[Variable, Term] = {}
    for one, other in pairs:
        a, b = substituted(one, replaced), substituted(other, replaced)
        if a == b:
            continue
        if isinstance(b, Variable):
            a, b = b, a
        if not isinstance(a, Variable):
            return None
        replaced = {variable: substituted(term, {a: b}) for variable, term in replaced.items()}
        replaced[a] = b
    return body.replaced(replaced)
