"""Optional join: the joined rows, and the rows on the left that have no partner.

optional(L, R, C)  =  filter(join(L, R), C)  ∪  { l in L : no r in R with (l, r) in the first part }
"""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.conditions import filtered
from lasing.algebra.correlated import columns_read
from lasing.algebra.join import join
from lasing.algebra.matches import Matches, decided_by, with_copies
from lasing.algebra.nodes import OptionalJoin
from lasing.algebra.rows import Body, Rows
from lasing.logic.values import UNBOUND


def optional(node: OptionalJoin, builder: Builder, bag: bool) -> Rows:
    """The rows of an optional join."""
    left, right, condition = builder.lower(node.left, bag), builder.lower(node.right, bag), node.condition
    if len(left.bodies) != 1 or len(left.bodies[0].literals) > 3:
        left = builder.stored(left, "optional", bag)  # it is needed twice
    if len(right.bodies) != 1:
        right = builder.stored(right, "part", bag)
    read = columns_read(condition)

    def paired(one: Rows, as_bag: bool) -> Rows:
        both = join(one, right, builder, as_bag)
        return both if condition is None else filtered(both, condition, builder, as_bag)

    both, shared = paired(left, bag), decided_by(left, right, read)
    if shared is not None:
        partners = right if condition is None else filtered(right, condition, builder, bag=False)
        matches = Matches(builder, "matched", shared, partners.bodies)
    else:
        deciding = tuple(column for column in left.columns if column in right.columns or column in read)
        copied, copies = with_copies(left, deciding, builder)
        matches = Matches(builder, "matched", deciding, paired(copied, False).bodies, copies)
    new = tuple(column for column in right.columns if column not in left.columns)
    alone = tuple(
        Body((*body.literals, matches.fails(body)), {**body.terms, **dict.fromkeys(new, UNBOUND)})
        for body in left.bodies
    )
    bodies = (*both.bodies, *alone)
    return Rows(both.columns, bodies, both.missing | left.missing | frozenset(new), both.apart)
