"""UNION, EXCEPT and INTERSECT, with and without ALL. Two NULLs are the same here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lasing.algebra.nodes import (
    Aggregated,
    Column,
    Columns,
    Condition,
    Copies,
    Distinct,
    Exists,
    Extend,
    Filter,
    Group,
    Join,
    Marked,
    Node,
    OptionalJoin,
    Pattern,
    Project,
    Union,
    columns_of,
)
from lasing.algebra.terms import call
from lasing.languages.cql.mistakes import TYPE, UNSUPPORTED, Mistake
from lasing.languages.cql.places import span
from lasing.languages.cql.scope import Source
from lasing.languages.cql.types import Field, common, converted, scale_of

if TYPE_CHECKING:
    from lasing.languages.cql.relations import Relation, Translator


def combined(
    translator: Translator, query: exp.SetOperation, outer: Source | None, context: Pattern | None
) -> Relation:
    """The rows of two queries together."""
    from lasing.languages.cql.relations import Relation

    if query.args.get("by_name") or query.args.get("side") or query.args.get("kind"):
        raise Mistake(UNSUPPORTED, "columns are combined by their place only", *span(query))
    left = translator.query(query.left, outer, context)
    right = translator.query(query.right, outer, context)
    if len(left.fields) != len(right.fields):
        number = f"{len(left.fields)} column{'s'[: len(left.fields) != 1]}"
        message = f"one side has {number}, the other {len(right.fields)}"
        raise Mistake(TYPE, message, *span(query))
    fields: list[Field] = []
    for one, other in zip(left.fields, right.fields, strict=True):
        kind = common(one.type, other.type)
        if kind is None:
            message = f"{one.name} is {one.type} on one side and {other.type} on the other"
            raise Mistake(TYPE, message, *span(query))
        nullable, scale = one.nullable or other.nullable, scale_of(one, other)
        fields.append(Field(one.name, translator.fresh(one.name), kind, nullable, scale=scale))
    captured = columns_of(context) if context is not None else ()
    columns = (*captured, *(f.column for f in fields))
    sides = [_aligned(side, fields, columns) for side in (left, right)]
    every = not query.args.get("distinct", True)
    match query:
        case exp.Union():
            node: Node = Union(tuple(sides))
            node = node if every else Distinct(node)
        case exp.Except() | exp.Intersect():
            inside = isinstance(query, exp.Intersect)
            make = _with_copies if every else _once
            node = Marked(make(translator, sides, columns, inside), maybe=columns)
        case _:
            raise Mistake(UNSUPPORTED, f"{query.key.upper()} is not supported", *span(query))
    return Relation(node, fields)


def _aligned(side: Relation, fields: list[Field], columns: Columns) -> Node:
    """The rows of one side, with the columns of both."""
    node = side.node
    for field, own in zip(fields, side.fields, strict=True):
        node = Extend(node, field.column, Condition(converted(own.typed, field.type, field.scale).term))
    return Project(node, columns)


def _once(translator: Translator, sides: list[Node], columns: Columns, inside: bool) -> Node:
    """The distinct rows on the left that are on the right, or that are not."""
    marker = translator.fresh("Exists")
    right = Marked(translator.materialized(Distinct(sides[1]), "other"), known=columns)
    condition = Condition(marker if inside else call("opposite", marker), (Exists(right, marker),))
    return Filter(Marked(Distinct(sides[0]), known=columns), condition)


def _with_copies(translator: Translator, sides: list[Node], columns: Columns, inside: bool) -> Node:
    """Each row as often as on both sides, or as often as it is more on the left."""
    ours, theirs, times = (translator.fresh(name) for name in ("Left", "Right", "Times"))
    left, right = (
        Marked(Group(side, columns, (Aggregated("count", count),)), known=columns)
        for side, count in zip(sides, (ours, theirs), strict=True)
    )
    if inside:
        return Copies(
            _only(Extend(Join(left, right), times, Condition(call("min", ours, theirs))), columns, times), times
        )
    rest = call("-", ours, call("coalesce", theirs, 0))
    return Copies(_only(Extend(OptionalJoin(left, right), times, Condition(rest)), columns, times), times)


def _only(node: Node, columns: Columns, times: Column) -> Node:
    return Project(node, (*columns, times))
