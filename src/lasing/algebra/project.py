"""Project: the rows with some of their columns. The variables of the others stay in the body, under new names."""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Column, Columns, Project
from lasing.algebra.rows import Body, Rows
from lasing.logic.values import UNBOUND


def project(node: Project, builder: Builder, bag: bool) -> Rows:
    """The rows of a projection."""
    source = builder.lower(node.source, bag)
    columns = tuple(dict.fromkeys(node.columns))
    bodies = tuple(
        builder.apart(Body(body.literals, {column: body.terms.get(column, UNBOUND) for column in columns}))
        for body in source.bodies
    )
    missing = frozenset(c for c in columns if c in source.missing or c not in source.columns)
    return Rows(columns, bodies, missing, source.apart and all(_is_kept(c, columns, source) for c in source.columns))


def _is_kept(column: Column, columns: Columns, source: Rows) -> bool:
    """Whether a projection keeps a column, or another one that always has the same value."""
    return column in columns or any(
        all(body.terms[column] == body.terms.get(other) for body in source.bodies) for other in columns
    )
