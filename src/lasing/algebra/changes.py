"""What is new in a result and what is gone from it: the difference of two bags of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lasing.algebra.builder import Builder
from lasing.algebra.terms import call
from lasing.logic.formulas import Atom, Compare, Formula, Not, map_formula
from lasing.logic.program import Output
from lasing.logic.terms import Term


def difference_of(
    result: Output, predicate: str, here: Formula, there: Formula, builder: Builder, gates: Iterable[Formula] = ()
) -> None:
    """Rules for the rows of one literal that the other does not have, or has less often. Both are about one atom with
    the arguments of the result."""
    row = _args(here)
    there = with_args(there, row)
    if not result.counted:
        builder.rule(Atom(predicate, row), (here, Not(there), *gates))
        return
    # new rows, and rows that now occur more often
    place = result.arity - 1
    count, other = row[place], builder.variable("Times")
    rest = (*row[:place], *row[place + 1 :])
    some = (*row[:place], other, *row[place + 1 :])
    was = builder.predicate("was")
    builder.rule(Atom(was, rest), [with_args(there, some)])
    builder.rule(Atom(predicate, row), (here, Not(Atom(was, rest)), *gates))
    more = (*row[:place], call("-", count, other), *row[place + 1 :])
    literals = (here, with_args(there, some), Compare(">", count, other))
    builder.rule(Atom(predicate, more), (*literals, *gates))


def _args(literal: Formula) -> tuple[Term, ...]:
    found: list[tuple[Term, ...]] = []

    def note(part: Formula) -> Formula:
        if isinstance(part, Atom):
            found.append(part.args)
        return part

    map_formula(literal, note)
    return found[0]


def with_args(literal: Formula, args: tuple[Term, ...]) -> Formula:
    """A literal about one atom, with other arguments."""
    return map_formula(literal, lambda part: replace(part, args=args) if isinstance(part, Atom) else part)
