"""Whether a program without a key could be divided if it were two programs, one after the other.

    smoke(R) :- triple(X,type,smoke), triple(X,from,S), triple(S,in,R).         the instant: triples share no argument
    fire(R)  :- smoke(R), (T) = #last{U : hot(R) at U in [300]}.                time: everything has the same R

The first step derives events from the facts of one time point and from background. It remembers nothing, so time points
can go anywhere. The second step looks back on events. If these have a key in common, it can be divided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lasing.logic.formulas import At, Atom, Window, head_atom, walk
from lasing.logic.keys import body_atoms
from lasing.logic.program import Program, Rule
from lasing.logic.variables import bound_by


def in_two_steps(program: Program, can_be_divided: Callable[[Program], bool]) -> str:
    """What to derive in a first step so that the rest can be divided; empty if that does not help."""
    instant = _of_the_instant(program)
    rest = [rule for rule in program.rules if not any(atom.predicate in instant for atom in rule.head_atoms())]
    read = {atom.predicate for rule in rest for atom in body_atoms(rule)}
    events = sorted(instant & read)
    if not events or not any(map(_looks_elsewhere, rest)):
        return ""
    second = replace(program, rules=tuple(_named(rule, read) for rule in rest))
    if not can_be_divided(second):
        return ""
    *others, last = events
    if not others:
        return f"derive {last} in a program of its own: what looks back on it has a key"
    return f"derive {', '.join(others)} and {last} in a program of their own: what looks back on them has a key"


def _of_the_instant(program: Program) -> frozenset[str]:
    """The derived predicates that depend on the facts of one time point, and on background, alone."""
    derived = {atom.predicate for rule in program.rules for atom in rule.head_atoms()}
    later: set[str] = set()
    before = -1
    while before < len(later):
        before = len(later)
        for rule in program.rules:
            if _looks_elsewhere(rule) or any(atom.predicate in later for atom in body_atoms(rule)):
                later.update(atom.predicate for atom in rule.head_atoms())
    return frozenset(derived - later)


def _looks_elsewhere(rule: Rule) -> bool:
    """Whether a rule looks at, or derives for, another time point."""
    formulas = (*rule.heads, *rule.body)
    return any(isinstance(node, At | Window) for formula in formulas for node in walk(formula))


def _named(rule: Rule, read: set[str]) -> Rule:
    """A rule whose head has all variables of the body, if nothing reads it: results can be named by anything."""
    head = head_atom(rule.heads[0])
    if head.predicate in read:
        return rule
    variables = sorted(bound_by(rule.body), key=str)
    return replace(rule, heads=(Atom(f"{head.predicate} {len(variables)}", tuple(variables)),))
