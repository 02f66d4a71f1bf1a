"""From a tree of the algebra to rules: a case per node, each in the file of its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from lasing.algebra.builder import Builder
from lasing.algebra.conditions import filtered
from lasing.algebra.copies import copied
from lasing.algebra.difference import difference
from lasing.algebra.extend import extended
from lasing.algebra.groups import grouped
from lasing.algebra.join import join
from lasing.algebra.marked import marked
from lasing.algebra.nodes import (
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
)
from lasing.algebra.optional import optional
from lasing.algebra.project import project
from lasing.algebra.rows import Body, Rows
from lasing.algebra.slices import sliced
from lasing.algebra.table import table
from lasing.algebra.union import union


@dataclass(slots=True)
class Lowering(Builder):
    """A builder that knows all nodes."""

    def lower(self, node: Node, bag: bool = True) -> Rows:
        match node:
            case Pattern():
                body = Body(node.literals, {column: column for column in node.columns})
                return Rows(node.columns, (self.apart(body),), node.missing)
            case Table():
                return table(node, self, bag)
            case Join():
                return join(self.lower(node.left, bag), self.lower(node.right, bag), self, bag)
            case OptionalJoin():
                return optional(node, self, bag)
            case Union():
                return union(node, self, bag)
            case Difference():
                return difference(node, self, bag)
            case Filter():
                return filtered(self.lower(node.source, bag), node.condition, self, bag)
            case Extend():
                return extended(node, self, bag)
            case Project():
                return project(node, self, bag)
            case Distinct():
                return self.stored(self.lower(node.source, bag=False), "distinct", bag=False)
            case Group():
                return grouped(node, self)
            case Slice():
                return sliced(node, self, bag)
            case Marked():
                return marked(node, self, bag)
            case Copies():
                return copied(node, self, bag)
            case _:
                assert_never(node)
