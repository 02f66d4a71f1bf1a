"""Which rows have a partner on another side: what optional joins, differences and EXISTS have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Column, Columns
from lasing.algebra.rows import Body, Rows
from lasing.logic.formulas import Atom, Formula, Not

Copies = dict[Column, Column]


class Matches:
    """A predicate for the rows that have a partner, over the columns that decide it."""

    def __init__(
        self, builder: Builder, what: str, columns: Columns, bodies: Iterable[Body], copies: Copies | None = None
    ) -> None:
        """From the rows on the other side, or from joined rows in which `copies` hold the columns of this side."""
        self._columns = columns
        self._predicate = builder.helper(what, tuple((copies or {}).get(c, c) for c in columns), bodies)

    def holds(self, body: Body) -> Formula:
        """The literal that a row has a partner."""
        return Atom(self._predicate, tuple(body.terms[column] for column in self._columns))

    def fails(self, body: Body) -> Formula:
        """The literal that it has none."""
        return Not(self.holds(body))


def decided_by(left: Rows, right: Rows, read: Collection[Column] = ()) -> Columns | None:
    """The columns that decide whether a row on the left has a partner, if the rows on the right alone tell: those that
    both sides have. None if a value may be missing in them, or if a condition reads a column of the left side only."""
    shared = tuple(column for column in left.columns if column in right.columns)
    if any(column in left.missing or column in right.missing for column in shared):
        return None
    if any(column in left.columns and column not in right.columns for column in read):
        return None
    return shared


def with_copies(rows: Rows, columns: Iterable[Column], builder: Builder) -> tuple[Rows, Copies]:
    """The rows with some columns twice, and the names of the second ones.

    In a join, a missing value is filled in from the other side; a copy keeps what it was.
    """
    copies = {column: builder.variable(column.name) for column in columns}
    bodies = tuple(
        Body(body.literals, {**body.terms, **{copy: body.terms[c] for c, copy in copies.items()}})
        for body in rows.bodies
    )
    return Rows((*rows.columns, *copies.values()), bodies, rows.missing, rows.apart), copies
