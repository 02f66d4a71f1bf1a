"""Union: the rows of all parts; a column that a part lacks is missing in its rows."""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.join import MOST_BODIES
from lasing.algebra.nodes import Union, columns_of
from lasing.algebra.rows import Body, Rows
from lasing.logic.values import UNBOUND


def union(node: Union, builder: Builder, bag: bool) -> Rows:
    """The rows of a union."""
    parts = [builder.lower(part, bag) for part in node.parts]
    columns = columns_of(node)
    bodies = tuple(
        Body(body.literals, {column: body.terms.get(column, UNBOUND) for column in columns})
        for part in parts
        for body in part.bodies
    )
    missing = frozenset(c for c in columns if any(c in part.missing or c not in part.columns for part in parts))
    rows = Rows(columns, bodies, missing, apart=len(bodies) <= 1)
    return rows if len(bodies) <= MOST_BODIES else builder.stored(rows, "union", bag)
