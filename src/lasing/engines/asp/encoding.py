"""Conditions in clingo's terms: a literal for each, with rules for the atoms that represent compound ones.

The reduct of LARS (Definition 9) keeps a body whole if it holds; clingo takes bodies apart. The two agree on monotone
and antitone conditions (more atoms can only make them true, or only make them false), and on all others that do not
depend on the heads of their own rule. An antitone condition is encoded as the negation of a monotone one.
"""

from __future__ import annotations

from typing import assert_never

from clingo.backend import Backend

from lasing.engines.asp.aggregates import LARGEST_WEIGHT
from lasing.engines.asp.conditions import (
    AllOf,
    AnyOf,
    AtLeast,
    Condition,
    Literal,
    TimedAtom,
    literals,
    negation,
)
from lasing.errors import fault


class Encoder:
    """Gives each atom and each compound condition a number in clingo's program."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.atoms: dict[TimedAtom, int] = {}
        self._compound: dict[Condition, int] = {}

    def atom(self, atom: TimedAtom) -> int:
        """The number of an atom."""
        number = self.atoms.get(atom)
        if number is None:
            number = self.atoms[atom] = self._backend.add_atom()
        return number

    def close(self) -> None:
        """Make the last atom one that holds. clingo drops trivial rules such as `a ; b :- b`. An atom that it has seen
        nowhere else, and whose number is greater than all those it knows, would then count as true.
        """
        self._backend.add_rule([self._backend.add_atom()], [])

    def body(self, condition: Condition) -> list[int]:
        """Literals that all hold if and only if a condition does, which is not simply false."""
        match condition:
            case True:
                return []
            case AllOf(parts):
                return [self.literal(part) for part in parts]
            case _:
                return [self.literal(condition)]

    def literal(self, condition: Condition) -> int:
        """A literal that holds if and only if a condition does."""
        if isinstance(condition, Literal):
            number = self.atom(condition.atom)
            return -number if condition.negated else number
        if condition not in self._compound:
            if all(literal.negated for literal in literals(condition)):
                self._compound[condition] = -self.literal(negation(condition))
            else:
                self._compound[condition] = self._defined(condition)
        return self._compound[condition]

    def _defined(self, condition: Condition) -> int:
        number = self._backend.add_atom()
        match condition:
            case bool() | Literal():
                raise AssertionError("not compound")
            case AllOf():
                self._backend.add_rule([number], self.body(condition))
            case AnyOf(parts):
                for part in parts:
                    self._backend.add_rule([number], self.body(part))
            case AtLeast(bound, weighted):
                if sum(weight for _, weight in weighted) > LARGEST_WEIGHT:
                    raise fault("E310", f"a sum is beyond {LARGEST_WEIGHT:,}, the largest that clingo can add up")
                body = [(self.literal(part), weight) for part, weight in weighted]
                self._backend.add_weight_rule([number], bound, body)
            case _:
                assert_never(condition)
        return number


def is_mixed(condition: Condition) -> bool:
    """Whether some part of a conjunction is neither monotone nor antitone."""
    if isinstance(condition, AllOf):
        return any(map(is_mixed, condition.parts))
    return len({literal.negated for literal in literals(condition)}) == 2
