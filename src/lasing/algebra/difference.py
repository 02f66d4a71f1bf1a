"""Difference: the rows on the left, without those that a row on the right removes.

l is a row  ⇔  l is in L, and no r in R is compatible with l and has a value in a column in which l has one
"""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.join import join
from lasing.algebra.matches import Matches, decided_by, with_copies
from lasing.algebra.nodes import Columns, Difference
from lasing.algebra.rows import Rows
from lasing.algebra.terms import TRUE, call
from lasing.logic.formulas import Compare
from lasing.logic.terms import Term
from lasing.logic.values import UNBOUND


def difference(node: Difference, builder: Builder, bag: bool) -> Rows:
    """The rows of a difference."""
    left, right = builder.lower(node.left, bag), builder.lower(node.right, bag=False)
    shared = tuple(column for column in left.columns if column in right.columns)
    values = tuple(column for column in shared if column not in node.scope)
    if not values:
        return left
    if decided_by(left, right) is not None:
        matches = Matches(builder, "removed", shared, right.bodies)
    else:
        left = builder.stored(left, "minuend", bag)
        matches = _overlaps(left, builder.stored(right, "subtrahend", bag=False), shared, values, builder)
    bodies = tuple(body.extended(matches.fails(body)) for body in left.bodies)
    return Rows(left.columns, bodies, left.missing, left.apart)


def _overlaps(left: Rows, right: Rows, shared: Columns, values: Columns, builder: Builder) -> Matches:
    """The rows on the left with a compatible row on the right that has a value in the same column."""
    one, ours = with_copies(left, shared, builder)
    other, theirs = with_copies(right, shared, builder)
    bodies = [
        body.extended(
            Compare("=", call("any_of", *(_both(body.terms[ours[c]], body.terms[theirs[c]]) for c in values)), TRUE)
        )
        for body in join(one, other, builder, bag=False).bodies
    ]
    return Matches(builder, "removed", shared, bodies, ours)


def _both(one: Term, other: Term) -> Term:
    """Whether both terms are values."""
    return call("all_of", *(call("opposite", call("same", term, UNBOUND)) for term in (one, other)))
