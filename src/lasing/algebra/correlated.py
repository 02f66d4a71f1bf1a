"""Patterns that depend on the row in which they are evaluated: what EXISTS needs.

SPARQL replaces the variables of a pattern by the values of the current row before it looks for solutions. `context` is
a pattern with all such rows. Joined with every leaf, it puts these values wherever the pattern can read them.
"""

from __future__ import annotations

from typing import assert_never

from lasing.algebra.nodes import (
    Column,
    Columns,
    Condition,
    Copies,
    Difference,
    Distinct,
    Extend,
    Filter,
    Group,
    Join,
    Marked,
    Node,
    OptionalJoin,
    Pattern,
    Project,
    Slice,
    Table,
    Union,
    columns_of,
)
from lasing.logic.terms import variables_of


def columns_read(condition: Condition | None) -> frozenset[Column]:
    """The columns that a condition reads, also inside of its EXISTS."""
    if condition is None:
        return frozenset()
    read = set(variables_of(condition.term)) - {exists.marker for exists in condition.exists}
    return frozenset(read.union(*(mentioned(exists.node) for exists in condition.exists)))


def mentioned(node: Node) -> frozenset[Column]:
    """The columns that a node has or reads. What a projection drops is another column of the same name."""
    own = frozenset(columns_of(node))
    match node:
        case Pattern() | Table() | Project() | Group() | Copies():
            return own
        case Join() | Difference():
            return own | mentioned(node.left) | mentioned(node.right)
        case OptionalJoin():
            return own | mentioned(node.left) | mentioned(node.right) | columns_read(node.condition)
        case Union():
            return own.union(*map(mentioned, node.parts))
        case Filter():
            return own | mentioned(node.source) | columns_read(node.condition)
        case Extend():
            return own | mentioned(node.source) | columns_read(node.term)
        case Distinct() | Slice() | Marked():
            return own | mentioned(node.source)
        case _:
            assert_never(node)


def stands_alone(node: Node, outer: frozenset[Column]) -> bool:
    """Whether joining the solutions of a pattern with a row is the same as putting the row's values into it first."""
    match node:
        case Pattern() | Table() | Project() | Group() | Slice() | Copies():
            return True
        case Join():
            return stands_alone(node.left, outer) and stands_alone(node.right, outer)
        case Union():
            return all(stands_alone(part, outer) for part in node.parts)
        case Filter():
            return stands_alone(node.source, outer) and _reads_only(node.condition, node.source, outer)
        case Extend():
            reads = _reads_only(node.term, node.source, outer)
            return node.column not in outer and reads and stands_alone(node.source, outer)
        case Distinct() | Marked():
            return stands_alone(node.source, outer)
        case OptionalJoin() | Difference():
            return False
        case _:
            assert_never(node)


def _reads_only(condition: Condition, source: Node, outer: frozenset[Column]) -> bool:
    return not condition.exists and columns_read(condition) & outer <= set(columns_of(source))


def substituted_into(node: Node, context: Pattern, outer: Columns) -> Node:
    """The pattern with the rows of a context at its leaves."""

    def inside(part: Node) -> Node:
        return substituted_into(part, context, outer)

    match node:
        case Pattern() | Table() | Project() | Group() | Slice() | Copies():
            return Join(context, node)
        case Join():
            return Join(inside(node.left), inside(node.right))
        case OptionalJoin():
            return OptionalJoin(inside(node.left), inside(node.right), node.condition)
        case Union():
            return Union(tuple(map(inside, node.parts)))
        case Difference():
            common = set(columns_of(node.left)) & set(columns_of(node.right)) - set(outer)
            return Difference(inside(node.left), inside(node.right), node.scope) if common else inside(node.left)
        case Filter():
            return Filter(inside(node.source), node.condition)
        case Extend():
            return Extend(inside(node.source), node.column, node.term)
        case Distinct():
            return Distinct(inside(node.source))
        case Marked():
            return Marked(inside(node.source), node.known, node.maybe)
        case _:
            assert_never(node)
