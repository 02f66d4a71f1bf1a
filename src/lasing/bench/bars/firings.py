"""The shape of program that dictionaries are written for, and its rules as such code sees them.

The shape: positive rules of one or two literals that derive pairs of one predicate, from pairs of another in a window
and from their own. The predicate in the window is called p here, and the derived one q, whatever their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lasing.logic.formulas import Atom, Formula, Sometime, TimeWindow, Window
from lasing.logic.program import Program, Rule
from lasing.logic.terms import Term, Variable


class NotOfThisShape(Exception):  # noqa: N818 -- no error: the tables say so
    """No code is generated for such a program."""


@dataclass(frozen=True)
class Firing:
    """A rule with one literal that matches a new pair (x, y).

    The other literal, if there is one, is looked up in an index by `key`, which is x or y; the result is called z.
    """

    rule: Rule
    pair: str
    new: str
    other: str = ""
    column: str = ""
    key: str = ""

    @property
    def index(self) -> str:
        """The index in which the other literal is looked up."""
        return f"{self.other}_by_{self.column}"


def window_of(program: Program) -> int:
    """The one window of a program of this shape."""
    literals = [literal for rule in program.rules for literal in rule.body]
    derived = {atom.predicate for rule in program.rules for atom in rule.head_atoms()}
    plain = {literal.predicate for literal in literals if isinstance(literal, Atom)}
    windowed = {_atom(literal).predicate for literal in literals if not isinstance(literal, Atom)}
    if len(derived) != 1 or len(windowed) != 1 or plain - derived or derived == windowed:
        raise NotOfThisShape("one predicate is derived, from itself and one that is streamed in a window")
    match list({literal.function for literal in literals if isinstance(literal, Window)}):
        case [TimeWindow(int(back), 0, 1)] if not program.background and not program.data:
            return back
    raise NotOfThisShape("the window is a number of time points, the same everywhere")


def _atom(literal: Formula) -> Atom:
    """The atom of `p(X,Y) in [n]` and of `q(X,Y)`."""
    match literal:
        case Window(TimeWindow(), Sometime(Atom() as atom)) | (Atom() as atom):
            return atom
    raise NotOfThisShape("literals are atoms, or atoms in a window")


def firings_of(rule: Rule) -> Iterator[Firing]:
    """A rule, once for each literal that a new pair may match."""
    head = _head(rule)
    body = [("q" if isinstance(literal, Atom) else "p", _members(_atom(literal))) for literal in rule.body]
    for i, (new, (first, second)) in enumerate(body):
        names: dict[Term, str] = {first: "x", second: "y"}
        match body[:i] + body[i + 1 :]:
            case []:
                yield Firing(rule, _pair(head, names), new)
            case [(other, (left, right))] if (left in names) != (right in names):
                column, bound, free = ("first", left, right) if left in names else ("second", right, left)
                key = names[bound]
                names[free] = "z"
                yield Firing(rule, _pair(head, names), new, other, column, key)
            case _:
                raise NotOfThisShape("a rule joins two literals at most, by one variable")


def _head(rule: Rule) -> Atom:
    match rule.heads:
        case (Atom() as head,):
            return head
    raise NotOfThisShape("a rule has one head, without a time")


def _members(atom: Atom) -> tuple[Variable, Variable]:
    match atom.args:
        case (Variable() as first, Variable() as second) if first != second:
            return first, second
    raise NotOfThisShape("atoms have two arguments, different variables")


def _pair(head: Atom, names: Mapping[Term, str]) -> str:
    match head.args:
        case (first, second) if first in names and second in names:
            return f"({names[first]}, {names[second]})"
    raise NotOfThisShape("heads have two arguments, variables of the body")
