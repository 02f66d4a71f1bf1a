"""Copies: each row as many times as a column says.

copy(row, 1)      :- rows(row, N), N >= 1.
copy(row, I + 1)  :- copy(row, I), rows(row, N), I < N.
"""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Copies
from lasing.algebra.rows import Body, Rows
from lasing.algebra.terms import call
from lasing.logic.formulas import Atom, Compare


def copied(node: Copies, builder: Builder, bag: bool) -> Rows:
    """The rows of a node, each several times."""
    source = builder.stored(builder.lower(node.source, bag=False), "counted", bag=False)
    columns = tuple(column for column in source.columns if column != node.count)
    missing = source.missing - {node.count}
    if not bag:
        bodies = [body.extended(Compare(">=", body.terms[node.count], 1)) for body in source.bodies]
        return Rows(columns, tuple(Body(b.literals, {c: b.terms[c] for c in columns}) for b in bodies), missing)
    predicate, number = builder.predicate("copy"), builder.variable("Copy")
    for body in source.bodies:
        row, count = tuple(body.terms[column] for column in columns), body.terms[node.count]
        builder.rule(Atom(predicate, (*row, 1)), (*body.literals, Compare(">=", count, 1)))
        more = (Atom(predicate, (*row, number)), *body.literals, Compare("<", number, count))
        builder.rule(Atom(predicate, (*row, call("+", number, 1))), more)
    atom = Atom(predicate, (*columns, builder.variable("Copy")))
    return Rows(columns, (Body((atom,), {column: column for column in columns}),), missing)
