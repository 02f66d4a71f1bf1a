"""The nodes of the algebra: each is a bag of rows. A column is a variable, and terms refer to columns by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from lasing.logic.formulas import Formula
from lasing.logic.terms import Term, Variable
from lasing.logic.values import Value

Column = Variable
Columns = tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """The rows that satisfy some literals. Variables of the literals that are not columns count, but are not seen.

    Values of `missing` columns may be `UNBOUND`; data has all its values.
    """

    literals: tuple[Formula, ...]
    columns: Columns
    missing: frozenset[Column] = frozenset()


@dataclass(frozen=True, slots=True)
class Table:
    """Given rows; None is a missing value."""

    columns: Columns
    rows: tuple[tuple[Value | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Join:
    """The pairs of rows that are compatible: where both have a value in a column, it is the same."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class OptionalJoin:
    """The join, with a condition, and the rows on the left that have no partner in it."""

    left: Node
    right: Node
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of all parts. A column that a part does not have is missing in its rows."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """The rows on the left without a compatible row on the right that shares a value with it (SPARQL's MINUS).

    Columns of the `scope` must be the same too, but are not values that rows share.
    """

    left: Node
    right: Node
    scope: Columns = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which a condition is true. A condition without a value is not true."""

    source: Node
    condition: Condition


@dataclass(frozen=True, slots=True)
class Extend:
    """The rows with one more column, missing where its term has no value."""

    source: Node
    column: Column
    term: Condition


@dataclass(frozen=True, slots=True)
class Project:
    """The rows with only these columns; as many rows as before. A column that the source lacks is always missing."""

    source: Node
    columns: Columns


@dataclass(frozen=True, slots=True)
class Distinct:
    """Each row once."""

    source: Node


@dataclass(frozen=True, slots=True)
class Marked:
    """The same rows, with another idea of which columns may be missing.

    A `known` column counts as one that always has a value: joins compare it by identity, and two rows that both lack a
    value in it are equal there. A column that is `maybe` missing counts as missing where it holds no value.
    """

    source: Node
    known: Columns = ()
    maybe: Columns = ()


@dataclass(frozen=True, slots=True)
class Copies:
    """Each row as many times as one of its columns says, which it then lacks. The rows are distinct."""

    source: Node
    count: Column


AggregateName = Literal[
    "count", "sum", "avg", "min", "max", "sample", "concat", "plain_sum", "plain_avg", "plain_min", "plain_max"
]
"""The plain ones are those of rules, and leave rows without a value aside. The others are those of SPARQL."""


@dataclass(frozen=True, slots=True)
class Aggregated:
    """An aggregate of a term over the rows of a group; `count` without a term counts rows."""

    function: AggregateName
    column: Column
    term: Term | None = None
    distinct: bool = False
    separator: str = " "


@dataclass(frozen=True, slots=True)
class Group:
    """A row for each value of the keys, with aggregates. Without keys, there is one group, even of no rows.

    `groups` has the groups, if there may be some without rows.
    """

    source: Node
    keys: Columns
    aggregates: tuple[Aggregated, ...]
    groups: Node | None = None


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A term to order rows by."""

    term: Term
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """The rows from `offset` on, at most `limit` of them, in an order; for each value of the `scope` columns."""

    source: Node
    order: tuple[OrderKey, ...]
    offset: int = 0
    limit: int | None = None
    scope: Columns = ()


Node = (
    Pattern
    | Table
    | Join
    | OptionalJoin
    | Union
    | Difference
    | Filter
    | Extend
    | Project
    | Distinct
    | Group
    | Slice
    | Marked
    | Copies
)


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a node has a row, once the columns of the current row are put in place of its own."""

    node: Node
    marker: Variable
    """The variable that represents it in the term of its condition."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A term, with what its markers ask for."""

    term: Term
    exists: tuple[Exists, ...] = ()


UNIT = Table((), ((),))
"""One row without columns: the neutral element of the join."""


def columns_of(node: Node) -> Columns:
    """The columns of a node, in the order in which they first appear."""
    match node:
        case Pattern() | Table() | Project():
            return node.columns
        case Join() | OptionalJoin():
            return _merged(columns_of(node.left), columns_of(node.right))
        case Union():
            return _merged(*map(columns_of, node.parts))
        case Difference():
            return columns_of(node.left)
        case Filter() | Distinct() | Slice() | Marked():
            return columns_of(node.source)
        case Copies():
            return tuple(column for column in columns_of(node.source) if column != node.count)
        case Extend():
            return _merged(columns_of(node.source), (node.column,))
        case Group():
            return (*node.keys, *(aggregated.column for aggregated in node.aggregates))
        case _:
            assert_never(node)


def _merged(*parts: Columns) -> Columns:
    return tuple(dict.fromkeys(column for part in parts for column in part))
