"""Slice: the rows from a place on, in an order.

    slice(S, offset, limit)  =  the first offset + limit rows of S, without the first offset

Order keys become terms that the engine's own order sorts: the class of a value as SPARQL orders classes, and the value.
A descending key is a text that sorts the other way round, unless all keys descend.
"""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Slice
from lasing.algebra.rows import Body, Rows
from lasing.algebra.terms import call, or_unbound
from lasing.logic.formulas import Atom, Compare, End, Formula, Not, Select
from lasing.logic.terms import Term, Variable, substituted


def sliced(node: Slice, builder: Builder, bag: bool) -> Rows:
    """The rows of a slice."""
    source = builder.stored(builder.lower(node.source, bag), "rows", bag)
    if not source.bodies or (node.limit is None and node.offset == 0):
        return source
    if node.limit == 0:
        return Rows(source.columns, (), source.missing)
    (body,) = source.bodies
    (row,) = body.literals
    assert isinstance(row, Atom), "stored rows are one atom"
    if not row.args:  # it is there once or not at all
        return Rows(source.columns, () if node.offset else source.bodies, source.missing)
    descending = bool(node.order) and all(key.descending for key in node.order)
    keys: list[Variable] = []
    tests: list[Formula] = []
    for key in node.order:
        value = or_unbound(substituted(key.term, source.references(body, key.term)))
        turned = key.descending and not descending
        for term in [call("sort_text_down", value)] if turned else [call("sort_class", value), value]:
            keys.append(builder.variable("Key"))
            tests.append(Compare("=", keys[-1], term))
    ordered = builder.predicate("ordered")
    builder.rule(Atom(ordered, (*keys, *row.args)), (row, *tests))
    return _taken(node, source, Atom(ordered, (*keys, *row.args)), "last" if descending else "first", builder, bag)


def _taken(node: Slice, source: Rows, ordered: Atom, end: End, builder: Builder, bag: bool) -> Rows:
    """The rows of a predicate whose first arguments are the keys."""

    kept = tuple(source.bodies[0].terms[column] for column in node.scope)
    scope = (Atom(builder.helper("scope", node.scope, source.bodies), kept),) if kept else ()

    def first(count: int, targets: tuple[Term, ...]) -> Select:
        inside = {term: term if term in kept else builder.variable("Row") for term in targets}
        terms = tuple(inside.values())
        local = frozenset(v for v in terms if isinstance(v, Variable) and v not in kept)
        return Select(end, count, targets, terms, (Atom(ordered.predicate, terms),), local)

    literals: list[Formula] = [ordered]
    if node.limit is not None:
        literals = [*scope, first(node.offset + node.limit, ordered.args)]
    if node.offset:
        skipped = builder.predicate("skipped")
        builder.rule(Atom(skipped, ordered.args), [*scope, first(node.offset, ordered.args)])
        literals.append(Not(Atom(skipped, ordered.args)))
    body = Body(tuple(literals), source.bodies[0].terms)
    return builder.stored(Rows(source.columns, (body,), source.missing), "slice", bag)
