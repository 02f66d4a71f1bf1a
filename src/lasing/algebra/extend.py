"""Extend: the rows with one more column, whose value a term gives."""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.conditions import decided
from lasing.algebra.nodes import Extend
from lasing.algebra.rows import Body, Rows
from lasing.algebra.terms import never_fails, or_unbound
from lasing.logic.formulas import Compare
from lasing.logic.terms import substituted
from lasing.logic.values import UNBOUND


def extended(node: Extend, builder: Builder, bag: bool) -> Rows:
    """The rows of an extension."""
    source = builder.lower(node.source, bag)
    bodies, missing = [], False
    for body, condition in decided(source, node.term, builder, bag):
        term = or_unbound(substituted(condition, source.references(body, condition)))
        missing = missing or term == UNBOUND or not never_fails(term) or node.column in source.missing
        if never_fails(term):
            bodies.append(Body(body.literals, {**body.terms, node.column: term}))
            missing = missing or any(body.terms[c] == term for c in source.missing)
        else:
            value = builder.variable(node.column.name)
            bodies.append(Body((*body.literals, Compare("=", value, term)), {**body.terms, node.column: value}))
    columns = (*(column for column in source.columns if column != node.column), node.column)
    return Rows(columns, tuple(bodies), source.missing | ({node.column} if missing else set()), source.apart)
