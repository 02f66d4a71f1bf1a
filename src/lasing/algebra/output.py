"""Rows as the atoms of an output: once each, with their number if equal rows are possible."""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Columns
from lasing.algebra.rows import Body, Rows
from lasing.logic.formulas import Aggregate, Atom
from lasing.logic.terms import Variable


def put_out(rows: Rows, columns: Columns, predicate: str, builder: Builder) -> bool:
    """Make rules for a predicate that holds these columns of the rows. Returns whether its last argument is a count of
    equal rows, which it has if there may be some."""
    counted = _has_equal_rows(rows, columns)
    if counted:
        _count(builder.stored(rows, "rows", bag=True), columns, predicate, builder)
        return True
    for body in rows.bodies:
        builder.rule(Atom(predicate, tuple(body.terms[column] for column in columns)), body.literals)
    return False


def _has_equal_rows(rows: Rows, columns: Columns) -> bool:
    if len(rows.bodies) > 1 and not rows.apart:
        return True
    kept = [Body(body.literals, {column: body.terms[column] for column in columns}) for body in rows.bodies]
    return any(body.unseen() for body in kept)


def _count(rows: Rows, columns: Columns, predicate: str, builder: Builder) -> None:
    """A rule that counts equal rows."""
    for body in rows.bodies:
        (atom,) = body.literals
        assert isinstance(atom, Atom), "stored rows are one atom"
        kept = tuple(body.terms[column] for column in columns)
        others = {
            term: builder.variable("Row") for term in atom.args if isinstance(term, Variable) and term not in kept
        }
        inside = Atom(
            atom.predicate, tuple(others.get(term, term) if isinstance(term, Variable) else term for term in atom.args)
        )
        number = builder.variable("Times")
        distinct = builder.helper("row", columns, [body])
        count = Aggregate("count", tuple(others.values()), (inside,), "=", number, frozenset(others.values()))
        builder.rule(Atom(predicate, (*kept, number)), (Atom(distinct, kept), count))
