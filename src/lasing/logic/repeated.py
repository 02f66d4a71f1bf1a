"""Rules that are evaluated several times at a time point: once for each value of a domain.

Predicates that differ between evaluations get one more argument, the last one, that says which evaluation it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lasing.logic.formulas import Atom, Formula, Head, atoms_of, map_formula
from lasing.logic.program import Rule
from lasing.logic.terms import Variable


def dependent(rules: Sequence[Rule], seeds: Iterable[str]) -> frozenset[str]:
    """The predicates of some rules that rest on one of the seeds, and the seeds."""
    found = set(seeds)
    before = -1
    while before != len(found):
        before = len(found)
        for rule in rules:
            if any(atom.predicate in found for literal in rule.body for atom in atoms_of(literal)):
                found.update(atom.predicate for atom in rule.head_atoms())
    return frozenset(found)


def for_each(rules: Sequence[Rule], predicates: frozenset[str], domain: str, each: Variable) -> list[Rule]:
    """The rules, with one more argument for some predicates; `domain` has its values.

    >>> p, q, r = Atom("p", (Variable("X"),)), Atom("q", (Variable("X"),)), Atom("r", (Variable("X"),))
    >>> rules = [Rule((p,), (q,)), Rule((p,), (r,)), Rule((q,), (r,))]
    >>> print(*for_each(rules, frozenset("pr"), "turn", Variable("I")))
    p(X,I) :- q(X), turn(I). p(X,I) :- r(X,I). q(X) :- r(X).
    """
    return [_repeated(rule, predicates, domain, each) for rule in rules]


def _repeated(rule: Rule, predicates: frozenset[str], domain: str, each: Variable) -> Rule:
    if not any(atom.predicate in predicates for atom in rule.head_atoms()):
        return rule

    def change(formula: Formula) -> Formula:
        if isinstance(formula, Atom) and formula.predicate in predicates:
            return replace(formula, args=(*formula.args, each))
        return formula

    heads: list[Head] = [map_formula(head, change) for head in rule.heads]  # type: ignore[misc]  # heads stay heads
    body = [map_formula(literal, change) for literal in rule.body]
    if not any(isinstance(literal, Atom) and literal.predicate in predicates for literal in body):
        body.append(Atom(domain, (each,)))
    return replace(rule, heads=tuple(heads), body=tuple(body))
