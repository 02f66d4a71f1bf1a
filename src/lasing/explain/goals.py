"""What is asked: an atom, perhaps with variables, and perhaps with its time. `alarm(s3)`, `alarm(X) at 41`"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lasing.errors import Diagnostic, LasingError, SourceText, fault, similar
from lasing.languages import prefixes_of
from lasing.languages.lars.lower import lower
from lasing.logic.facts import facts_of
from lasing.logic.formulas import At, Atom, Formula
from lasing.logic.program import Program
from lasing.logic.terms import Arithmetic, Variable

_HEAD = "asked :-"
_LINES_BEFORE = 2
"""How many lines are put before what is asked."""


@dataclass(frozen=True, slots=True)
class Goal:
    """An atom, and its time if it is known."""

    atom: Atom
    time: int | None = None

    @property
    def is_ground(self) -> bool:
        return not any(isinstance(arg, Variable | Arithmetic) for arg in self.atom.args)


def goal_of(asked: str | Atom, program: Program) -> Goal:
    """The goal that a text or an atom asks for, in the terms of a program: its prefixes, its tick.

    >>> from lasing.languages import read_program
    >>> program = read_program([SourceText("p", "#tick 1 min. alarm(X) :- temp(X,V) in [5 min], V > 30.")])
    >>> goal_of("alarm(s3) at 41", program).time
    41
    """
    goal = _whole(Goal(asked) if isinstance(asked, Atom) else _read(asked, program), program)
    known = facts_of(program).arity
    predicate, number = goal.atom.predicate, len(goal.atom.args)
    if predicate in known and known[predicate] != number:
        raise fault("E333", f"in the program, {predicate} takes {known[predicate]} and not {number} arguments")
    if predicate not in known:
        note = similar(predicate, known) or f"its predicates are {', '.join(sorted(known)[:10])}"
        raise fault("E333", f"the program has no predicate {predicate}", note=note)
    return goal


def _placed(found: Diagnostic) -> Diagnostic:
    """A finding with its place in what was asked."""
    place = found.place
    return found if place is None else replace(found, place=replace(place, line=max(1, place.line - _LINES_BEFORE)))


def _whole(goal: Goal, program: Program) -> Goal:
    """The goal with variables for the columns of an output that are not shown: the order and the number of rows."""
    output = next((output for output in program.outputs or () if output.predicate == goal.atom.predicate), None)
    hidden = 0 if output is None else len(output.order) + output.counted
    if output is None or not hidden or len(goal.atom.args) != output.arity - hidden:
        return goal
    more = tuple(Variable(f"_#hidden{i}") for i in range(hidden))
    return replace(goal, atom=replace(goal.atom, args=(*goal.atom.args, *more)))


def _read(text: str, program: Program) -> Goal:
    """Read a goal as the body of a rule, after the declarations that give it its meaning."""
    written = text.strip().removesuffix(".")
    declared = [f"#tick {program.tick}."] if program.tick is not None else []
    prefixes = prefixes_of(program).items()
    declared += [f"#prefix {name}: <{beginning}>." for name, beginning in prefixes if name]  # rules have no empty one
    source = SourceText("what is asked", f"{' '.join(declared)}\n{_HEAD}\n{written}.")
    read, found = lower([source], {})
    if found:
        raise LasingError([_placed(one) for one in found])
    body: tuple[Formula, ...] = read.rules[0].body if len(read.rules) == 1 else ()
    match body:
        case (Atom() as atom,):
            return Goal(atom)
        case (At(int(time), Atom() as atom),):
            return Goal(atom, time)
        case _:
            note = "such as alarm(s3), alarm(X) or alarm(s3) at 41"
            raise fault("E333", f"{text.strip()!r} is not an atom with or without a time", note=note)
