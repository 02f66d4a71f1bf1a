"""A predicate has one number of arguments, everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic, Place
from lasing.logic.formulas import Atom, head_atom
from lasing.logic.program import Output, Program, Rule, Signature, body_nodes

_Use = tuple[str, int, Rule | None, Atom | Signature | Output]
"""A predicate, its number of arguments, the rule that it is in, if any, and what names it."""


def arity(program: Program) -> Iterator[Diagnostic]:
    """E202 for each use of a predicate with a different number of arguments than its first use."""
    first: dict[str, _Use] = {}
    for use in _uses(program):
        predicate, count, _, _ = use
        earlier = first.setdefault(predicate, use)
        known = earlier[1]
        if known != count:
            where = _place(program, earlier)
            note = f"it has {_arguments(known)}" + (f" at {where}" if where else "")
            note += "; a predicate has one number of arguments"
            yield Diagnostic("E202", f"{predicate} has {_arguments(count)} here", _place(program, use), note)


def _arguments(count: int) -> str:
    return f"{count or 'no'} argument{'s'[: count != 1]}"


def _uses(program: Program) -> Iterator[_Use]:
    """Rules first, then facts and directives."""
    for rule, nodes in body_nodes(program):
        for atom in map(head_atom, rule.heads):
            yield atom.predicate, len(atom.args), rule, atom
        for node in nodes:
            if isinstance(node, Atom):
                yield node.predicate, len(node.args), rule, node
    for atom in (*program.background, *(fact.atom for fact in program.data)):
        yield atom.predicate, len(atom.args), None, atom
    for table in program.tables:
        yield table.predicate, table.arity, None, Signature(table.predicate, table.arity)
    for declared in program.declared():
        yield declared.predicate, declared.arity, None, declared


def _place(program: Program, use: _Use) -> Place | None:
    predicate, _, rule, thing = use
    return program.place_of(thing) if rule is None else rule.place(thing.offset, len(predicate))
