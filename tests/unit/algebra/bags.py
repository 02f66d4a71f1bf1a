"""Bags of rows: those of a node, found by its rules, and random tables to compute them from."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import lasing
from lasing.algebra.lowering import Lowering
from lasing.algebra.nodes import Node, Table, columns_of
from lasing.logic.checks import MISTAKES, findings
from lasing.logic.formulas import Atom
from lasing.logic.program import Output, Program
from lasing.logic.terms import Variable
from lasing.logic.values import UNBOUND, Value

A, B, C, D = map(Variable, "ABCD")

Row = dict[Variable, Value]
"""A row without its missing values."""
Bag = Counter[frozenset[tuple[Variable, Value]]]


def bag(rows: Iterable[Row]) -> Bag:
    """Rows, with how often they occur."""
    return Counter(frozenset(row.items()) for row in rows)


def rows_in(table: Table) -> list[Row]:
    """The rows of a table."""
    return [
        {column: value for column, value in zip(table.columns, row, strict=True) if value is not None}
        for row in table.rows
    ]


def lowered(node: Node, background: Iterable[Atom] = ()) -> Bag:
    """The rows of a node, as its rules derive them."""
    builder = Lowering({atom.predicate for atom in background})
    rows = builder.stored(builder.lower(node), "found", bag=True)
    if not rows.bodies:
        return Counter()
    (body,) = rows.bodies
    (found,) = body.literals
    assert isinstance(found, Atom)
    predicate = builder.predicate("answer")  # of its own, since background facts are not put out
    builder.rule(Atom(predicate, found.args), [found])
    output = Output(predicate, tuple("" for _ in found.args))
    program = Program(tuple(builder.rules), (*builder.background, *background), outputs=(output,))
    assert not findings(program, MISTAKES)
    (answer,) = lasing.run(program, None, start=0, end=0)
    assert set(rows.columns) == set(columns_of(node))
    places = {column: found.args.index(body.terms[column]) for column in rows.columns}
    atoms = [atom.values for atom in answer.atoms if atom.predicate == predicate]
    return bag({c: values[i] for c, i in places.items() if values[i] != UNBOUND} for values in atoms)


def tables(seed: int, *columns: tuple[Variable, ...]) -> Iterator[Table]:
    """Random tables with these columns; values may be missing, and rows may be equal."""
    chance = random.Random(seed)
    for names in columns:
        rows = [tuple(chance.choice((None, 1, 2, 3)) for _ in names) for _ in range(chance.randint(0, 5))]
        yield Table(names, tuple(rows))


def compatible(one: Row, other: Row) -> bool:
    """Whether rows have the same value where both have one."""
    return all(other[column] == value for column, value in one.items() if column in other)


def pairs(left: Iterable[Row], right: list[Row], condition: Callable[[Row], bool] = lambda _row: True) -> list[Row]:
    """The join of two bags, with a condition."""
    both = ({**one, **other} for one in left for other in right if compatible(one, other))
    return [row for row in both if condition(row)]


SEEDS = range(12)
