"""A predicate has one number of arguments, everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from lasing.errors import Diagnostic, Place
from lasing.logic.formulas import Atom, atoms_of
from lasing.logic.program import Program, Rule


def arity(program: Program) -> Iterator[Diagnostic]:
    """E202 for each use of a predicate with a different number of arguments than its first use."""
    first: dict[str, tuple[int, Callable[[], Place | None]]] = {}
    for predicate, count, place in _uses(program):
        known, first_place = first.setdefault(predicate, (count, place))
        if known != count:
            where = first_place()
            note = f"it has {_arguments(known)}" + (f" at {where}" if where else "")
            note += "; a predicate has one number of arguments"
            yield Diagnostic("E202", f"{predicate} has {_arguments(count)} here", place(), note)


def _arguments(count: int) -> str:
    return f"{count or 'no'} argument{'s'[: count != 1]}"


def _uses(program: Program) -> Iterator[tuple[str, int, Callable[[], Place | None]]]:
    """Each predicate with its number of arguments and how to find the place: rules first, then facts and directives."""
    for rule in program.rules:
        for atom in _rule_atoms(rule):
            yield atom.predicate, len(atom.args), partial(rule.place, atom.offset, len(atom.predicate))
    for atom in (*program.background, *(fact.atom for fact in program.data)):
        yield atom.predicate, len(atom.args), partial(program.place_of, atom)
    for table in program.tables:
        yield table.predicate, table.arity, lambda: None
    for declared in program.declared():
        yield declared.predicate, declared.arity, partial(program.place_of, declared)


def _rule_atoms(rule: Rule) -> Iterator[Atom]:
    yield from rule.head_atoms()
    for literal in rule.body:
        yield from atoms_of(literal)
