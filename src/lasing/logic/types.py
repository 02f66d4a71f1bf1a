"""The types of the arguments of predicates, derived from those of the streams before anything runs.

Types are for users that must know in advance what comes out, such as tables with typed columns. They follow values
through the rules: if several types can meet at one place, it gets the type that holds them all. Where numbers meet
text, that is mixed, and so are values of all other kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from lasing.logic.formulas import (
    Aggregate,
    At,
    Atom,
    Braces,
    Compare,
    Formula,
    Implies,
    Not,
    Or,
    Select,
    children,
    head_atom,
    walk,
)
from lasing.logic.functions import AGGREGATES
from lasing.logic.program import Program, Rule
from lasing.logic.terms import NOW, Arithmetic, Term, Variable
from lasing.logic.values import Type, type_of_value

_NUMBERS = ("integer", "double")

__all__ = ["Type", "Types", "argument_types", "joined", "type_of_value"]

Types = dict[str, tuple[Type | None, ...]]
"""The types of each predicate's arguments; None if no value has been seen."""


def argument_types(program: Program, streams: Mapping[str, Sequence[Type]]) -> Types:
    """The types of all predicates' arguments, given those of the streams.

    >>> from lasing.logic.formulas import Atom
    >>> argument_types(Program(background=(Atom("room", ("s1", 3)),)), {"temp": ("text", "double")})
    {'temp': ('text', 'double'), 'room': ('text', 'integer')}
    """
    known: Types = {predicate: tuple(types) for predicate, types in streams.items()}
    for atom in (*program.background, *(fact.atom for fact in program.data)):
        _widen(known, atom.predicate, [_of_term(arg, {}) for arg in atom.args])
    for table in program.tables:
        types = (set(map(type_of_value, table.used(i))) for i in range(table.arity))
        _widen(known, table.predicate, [reduce(joined, found, None) for found in types])
    changed = True
    while changed:  # ends: types only widen, and there are few
        before = dict(known)
        for rule in program.rules:
            variables = _of_variables(rule, known)
            for head in rule.heads:
                atom = head_atom(head)
                _widen(known, atom.predicate, [_of_term(arg, variables) for arg in atom.args])
        changed = known != before
    return known


def joined(one: Type | None, other: Type | None) -> Type | None:
    """The type that holds the values of both.

    >>> joined("integer", "double"), joined("integer", "text"), joined("text", "date"), joined(None, "date")
    ('double', 'mixed', 'text', 'date')
    """
    if one is None or other is None or one == other:
        return one or other
    if one == "mixed" or other == "mixed" or (one in _NUMBERS) != (other in _NUMBERS):
        return "mixed"
    return "double" if one in _NUMBERS else "text"


def _widen(known: Types, predicate: str, types: Sequence[Type | None]) -> None:
    before = known.get(predicate)
    known[predicate] = tuple(types) if before is None else tuple(map(joined, before, types))


def _of_variables(rule: Rule, known: Types) -> dict[Variable, Type | None]:
    """The types of a rule's variables. A variable that is bound at several places has the narrowest of their types.

    That does not hold inside `or` and nested `not`, so there the wider one is taken.
    """
    found: dict[Variable, Type | None] = {}
    literals = [literal for literal in rule.body if not isinstance(literal, Not)]
    nested = any(isinstance(node, Or | Implies | Not) for literal in literals for node in walk(literal))
    together = joined if nested else _narrower
    for _ in range(len(literals) + 1):  # X = Y + 1 may wait for Y = Z + 1, and so on
        before = dict(found)
        for literal in literals:
            for node in _outside(literal):
                for variable, given in _bindings(node, known, found):
                    found[variable] = together(found.get(variable), given)
        if found == before:
            break
    return found


def _outside(formula: Formula) -> Iterable[Formula]:
    """A formula and its subformulas, except those inside braces: these may hold for no value at all."""
    stack = [formula]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, Braces):
            stack.extend(reversed(children(node)))


def _bindings(
    node: Formula, known: Types, variables: Mapping[Variable, Type | None]
) -> Iterable[tuple[Variable, Type | None]]:
    match node:
        case Atom(predicate, args):
            types = known.get(predicate, (None,) * len(args))
            return [(arg, given) for arg, given in zip(args, types, strict=False) if isinstance(arg, Variable)]
        case At(Variable() as time, _):
            return [(time, "integer")]
        case Compare("=", left, right):
            sides = ((left, right), (right, left))
            return [(a, _of_term(b, variables)) for a, b in sides if isinstance(a, Variable)]
        case Aggregate(operator="=", bound=Variable() as result):
            return [(result, _of_aggregate(node, known, variables))]
        case Select(targets=targets):
            inside = _inside(node, known, variables)
            pairs = zip(targets, node.terms, strict=True)
            return [(target, _of_term(term, inside)) for target, term in pairs if isinstance(target, Variable)]
        case _:
            return []


def _of_aggregate(aggregate: Aggregate, known: Types, variables: Mapping[Variable, Type | None]) -> Type | None:
    inside = _inside(aggregate, known, variables)
    return AGGREGATES[aggregate.function].result(_of_term(aggregate.terms[0], inside))


def _inside(braces: Braces, known: Types, variables: Mapping[Variable, Type | None]) -> Mapping[Variable, Type | None]:
    """The types of variables between braces."""
    inside = {v: t for v, t in variables.items() if v not in braces.local}
    for _ in range(len(braces.condition) + 1):
        for literal in braces.condition:
            for node in walk(literal):
                for variable, given in _bindings(node, known, inside):
                    if variable in braces.local:
                        inside[variable] = joined(inside.get(variable), given)
    return inside


def _narrower(one: Type | None, other: Type | None) -> Type | None:
    if one is None or other is None or one == other:
        return one or other
    if one == "mixed" or other == "mixed":
        return one if other == "mixed" else other
    if {one, other} == {"integer", "double"}:
        return "integer"
    return "text" if one not in _NUMBERS and other not in _NUMBERS else one


def _of_term(term: Term, variables: Mapping[Variable, Type | None]) -> Type | None:
    match term:
        case Variable():
            return "integer" if term == NOW else variables.get(term)
        case Arithmetic(_, operands):
            types = [_of_term(operand, variables) for operand in operands]
            return term.function.result(types)
        case _:
            return type_of_value(term)
