"""Join: the pairs of compatible rows.

    (a, b) is a row  ⇔  a is one on the left, b one on the right, and both have the same value where both have one

A column that always has a value on both sides is one variable. Where a value may be missing, the cases are bodies of
their own, so that each is a plain join: both are the same, or one side has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Column
from lasing.algebra.rows import Body, Rows, unified
from lasing.logic.formulas import Compare
from lasing.logic.terms import Term
from lasing.logic.values import UNBOUND, is_value

MOST_BODIES = 6
"""Larger unions become predicates of their own before they are joined."""


def join(left: Rows, right: Rows, builder: Builder, bag: bool) -> Rows:
    """The join of two bags, or of two sets."""
    shared = tuple(column for column in left.columns if column in right.columns)
    uncertain = tuple(column for column in shared if column in left.missing or column in right.missing)
    if len(left.bodies) * len(right.bodies) * 3 ** len(uncertain) > MOST_BODIES:
        left, right = builder.stored(left, "part", bag), builder.stored(right, "part", bag)
    right = builder.renamed(right, uncertain)
    columns = tuple(dict.fromkeys((*left.columns, *right.columns)))
    bodies = [
        body
        for a, b in product(left.bodies, right.bodies)
        for body in _pairs(a, builder.apart(b), left, right, shared, uncertain)
    ]
    missing = {c for c in (*left.missing, *right.missing) if c not in shared}
    missing |= {c for c in shared if c in left.missing and c in right.missing}
    apart = left.apart and right.apart and (not uncertain or not bag)
    return Rows(columns, tuple(bodies), frozenset(missing), apart)


def _pairs(
    a: Body, b: Body, left: Rows, right: Rows, shared: tuple[Column, ...], uncertain: tuple[Column, ...]
) -> Iterator[Body]:
    certain = [(a.terms[column], b.terms[column]) for column in shared if column not in uncertain]
    both = Body((*a.literals, *b.literals), {**b.terms, **a.terms})
    start = unified(both, certain)
    if start is None:
        return
    cases = [_cases(a.terms[c], b.terms[c], c in left.missing, c in right.missing) for c in uncertain]
    for chosen in product(*cases):
        tests = tuple(test for case in chosen for test in case[1])
        terms = {column: case[2] for column, case in zip(uncertain, chosen, strict=True)}
        candidate = Body((*both.literals, *tests), {**both.terms, **terms})
        body = unified(candidate, [*certain, *(pair for case in chosen for pair in case[0])])
        if body is not None:
            yield body


Case = tuple[list[tuple[Term, Term]], list[Compare], Term]
"""Terms that are the same, tests, and the term of the column in the result."""


def _cases(a: Term, b: Term, a_missing: bool, b_missing: bool) -> list[Case]:
    """The ways in which two values of a column are compatible; no two hold together."""
    if a == UNBOUND:
        return [([], [], b)]
    if b == UNBOUND:
        return [([], [], a)]
    a_missing, b_missing = a_missing and not is_value(a), b_missing and not is_value(b)
    same: Case = ([(a, b)], [], a)
    if not a_missing and not b_missing:
        return [same]
    if not a_missing:
        return [same, ([(b, UNBOUND)], [], a)]
    if not b_missing:
        return [same, ([(a, UNBOUND)], [], b)]
    return [
        same,
        ([(a, UNBOUND)], [Compare("!=", b, UNBOUND)], b),
        ([(b, UNBOUND)], [Compare("!=", a, UNBOUND)], a),
    ]
