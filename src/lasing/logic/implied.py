"""Conditions without arguments that follow from the rest of each rule that asks for them.

    hot(X)  :- warm(X), content.             every instance of warm(X) needs a triple in [9],
    warm(X) :- s(X, p, V) in [9], V > 30.    so content holds whenever the first rule could fire
    content :- s(S, P, O) in [9].

In a shard, `content` depends on facts of other shards. If it follows from the rest, that does not matter: where the
rest holds, a fact of the same shard makes it true.

A literal implies the condition if each way to derive it uses a literal that does: facts of the stream in the same
window, in the end. Derivations are finite, so a recursion may be taken to imply it too, unless some way around it does
not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from lasing.logic.facts import facts_of
from lasing.logic.formulas import At, Atom, Formula, Sometime, Window, all_nodes, map_terms
from lasing.logic.program import Program, Rule
from lasing.logic.tables import FactTable
from lasing.logic.terms import Term, Variable, substituted
from lasing.logic.values import Value, is_value

Pattern = tuple[str, tuple[Value | None, ...]]
"""A predicate, and its arguments where they are constants."""


def without_implied_conditions(program: Program, background: frozenset[str]) -> Program:
    """The program in which conditions that follow are always true. Predicates in `background` are not streamed.

    >>> x, v, window = Variable("X"), Variable("V"), lambda a: Window(TimeWindow(9), Sometime(a))
    >>> from lasing.logic.formulas import TimeWindow
    >>> from lasing.logic.program import Output, Signature
    >>> rules = (Rule((Atom("hot", (x,)),), (Atom("warm", (x,)), Atom("content"))),
    ...     Rule((Atom("warm", (x,)),), (window(Atom("s", (x, 1))),)),
    ...     Rule((Atom("content"),), (window(Atom("s", (x, v))),)))
    >>> program = Program(rules, outputs=(Output("hot", ("",)),), inputs=(Signature("s", 2),))
    >>> print(*without_implied_conditions(program, frozenset()).rules)
    hot(X) :- warm(X), content. warm(X) :- s(X,1) in [9]. content.
    """
    if not program.inputs:  # then anything may be streamed
        return program
    implied = {name for name, sources in _conditions(program) if _follows(program, name, sources, background)}
    if not implied:
        return program
    rules = (replace(rule, body=()) if _head(rule) in implied else rule for rule in program.rules)
    return replace(program, rules=tuple(rules))


def _head(rule: Rule) -> str:
    return next((atom.predicate for atom in rule.head_atoms()), "")


def _conditions(program: Program) -> Iterator[tuple[str, list[Window]]]:
    """The predicates without arguments that say that some window has a fact, and these windows."""
    given = facts_of(program).background | facts_of(program).streamed | program.output() | program.remembered()
    by_head: dict[str, list[Rule]] = {}
    for rule in program.rules:
        for atom in rule.head_atoms():
            by_head.setdefault(atom.predicate, []).append(rule)
    for name, rules in by_head.items():
        if name in given or any(head != Atom(name) for rule in rules for head in rule.heads):
            continue
        found = [rule.body[0] for rule in rules if len(rule.body) == 1 and rule.definite and _is_any(rule.body[0])]
        if len(found) == len(rules):
            yield name, [window for window in found if isinstance(window, Window)]


def _is_any(literal: Formula) -> bool:
    """Whether a literal says that a window has any fact of a predicate."""
    match literal:
        case Window(body=Sometime(Atom(args=args))):
            return len(set(args)) == len(args) and all(isinstance(arg, Variable) for arg in args)
    return False


def _follows(program: Program, name: str, sources: list[Window], background: frozenset[str]) -> bool:
    """Whether a condition follows wherever a rule asks for it."""
    asking = [rule for rule in program.rules if any(_asks(node, name) for node in all_nodes(rule.body))]
    proof = _Proof(program, sources, background)
    for rule in asking:
        rest = [literal for literal in rule.body if literal != Atom(name)]
        if any(_asks(node, name) for node in all_nodes(rest)):
            return False  # under `not`, or in braces
        if not proof.any_implies(rest):
            return False
    return bool(asking)


def _asks(node: Formula, name: str) -> bool:
    return isinstance(node, Atom) and node.predicate == name


@dataclass
class _Proof:
    """Which literals imply that one of some windows has a fact."""

    program: Program
    sources: list[Window]
    background: frozenset[str]
    ways: dict[Pattern, list[list[Pattern]] | None] = field(default_factory=dict)
    """For each pattern, the patterns in each way to derive it that is not known to imply the condition; None if a fact
    without any condition makes it true."""

    def any_implies(self, literals: Sequence[Formula]) -> bool:
        if any(self._is_source(literal) for literal in literals):
            return True
        patterns = [_pattern(literal) for literal in literals if isinstance(literal, Atom)]
        waiting = list(patterns)
        while waiting:
            pattern = waiting.pop()
            if pattern not in self.ways:
                found = self.ways[pattern] = self._ways(pattern)
                waiting += [other for way in found or () for other in way]
        fails = {pattern for pattern, found in self.ways.items() if found is None}
        before = -1
        while before != len(fails):
            before = len(fails)
            fails |= {
                pattern
                for pattern, found in self.ways.items()
                if found is not None and any(all(other in fails for other in way) for way in found)
            }
        return any(pattern not in fails for pattern in patterns)

    def _is_source(self, literal: Formula) -> bool:
        match literal:
            case Window(function, Sometime(Atom(predicate)) | At(_, Atom(predicate)), full):
                return any(
                    isinstance(source.body, Sometime)
                    and isinstance(source.body.body, Atom)
                    and (source.function, source.full, source.body.body.predicate) == (function, full, predicate)
                    for source in self.sources
                )
        return False

    def _ways(self, pattern: Pattern) -> list[list[Pattern]] | None:
        name, args = pattern
        facts = facts_of(self.program)
        if name in facts.streamed or name not in facts.derived | self.background or self._is_given(pattern):
            return None
        found: list[list[Pattern]] = []
        for rule in self.program.rules:
            for head in rule.head_atoms():
                if head.predicate != name:
                    continue
                values = _matched(head.args, args)
                if values is None:
                    continue
                body = [_with_values(literal, values) for literal in rule.body]
                if not any(self._is_source(literal) for literal in body):
                    found.append([_pattern(literal) for literal in body if isinstance(literal, Atom)])
        return found

    def _is_given(self, pattern: Pattern) -> bool:
        """Whether a background fact may be of this pattern."""
        name, args = pattern
        atoms = (atom for atom in self.program.background if atom.predicate == name)
        if any(_matched(atom.args, args) is not None for atom in atoms):
            return True
        return any(_has_row(table, args) for table in self.program.tables if table.predicate == name)


def _pattern(atom: Atom) -> Pattern:
    return atom.predicate, tuple(arg if is_value(arg) else None for arg in atom.args)


def _matched(head: tuple[Term, ...], args: tuple[Value | None, ...]) -> dict[Variable, Value] | None:
    """The values that variables of a head have, if it can be of a pattern; None if it cannot."""
    values: dict[Variable, Value] = {}
    for term, value in zip(head, args, strict=True):
        if value is None:
            continue
        if isinstance(term, Variable):
            if values.setdefault(term, value) != value:
                return None
        elif is_value(term) and term != value:
            return None
    return values


def _with_values(literal: Formula, values: dict[Variable, Value]) -> Formula:
    """An atom with known values; nothing else needs them."""
    return map_terms(literal, lambda term: substituted(term, values)) if isinstance(literal, Atom) else literal


def _has_row(table: FactTable, args: tuple[Value | None, ...]) -> bool:
    """Whether a row has these arguments."""
    wanted: list[tuple[int, set[int]]] = []
    for place, value in enumerate(args):
        if value is not None:
            numbers = {number for number in set(table.columns[place]) if table.values[number] == value}
            if not numbers:
                return False
            wanted.append((place, numbers))
    if len(wanted) < 2:
        return len(table) > 0
    columns = [table.columns[place] for place, _ in wanted]
    return any(
        all(number in numbers for number, (_, numbers) in zip(row, wanted, strict=True))
        for row in zip(*columns, strict=True)
    )
