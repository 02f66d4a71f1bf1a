"""Table: given rows, as background facts; a single row needs none."""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Table
from lasing.algebra.rows import Body, Rows
from lasing.logic.formulas import Atom
from lasing.logic.terms import Term
from lasing.logic.values import UNBOUND


def table(node: Table, builder: Builder, bag: bool) -> Rows:
    """The rows of a table."""
    rows = [tuple(UNBOUND if value is None else value for value in row) for row in node.rows]
    missing = frozenset(c for i, c in enumerate(node.columns) if any(row[i] == UNBOUND for row in rows))
    if len(rows) <= 1:
        bodies = tuple(Body((), dict(zip(node.columns, row, strict=True))) for row in rows)
        return Rows(node.columns, bodies, missing)
    predicate = builder.predicate("values")
    repeated = bag and len(set(rows)) < len(rows)
    for number, row in enumerate(rows, start=1):
        builder.background.append(Atom(predicate, (*row, number) if repeated else row))
    args: tuple[Term, ...] = (*node.columns, builder.variable("Row")) if repeated else node.columns
    return Rows(node.columns, (Body((Atom(predicate, args),), {c: c for c in node.columns}),), missing)
