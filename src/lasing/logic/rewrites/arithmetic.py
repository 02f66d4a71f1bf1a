"""Arithmetic in nested formulas moves out of them, into the body."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from lasing.logic.formulas import At, Atom, Braces, Compare, Formula, IntervalWindow, Window, map_formula, walk
from lasing.logic.fragments import is_plain
from lasing.logic.program import Rule
from lasing.logic.rewrites.draft import Draft
from lasing.logic.rewrites.standpoint import Left
from lasing.logic.terms import Arithmetic, Term, variables_of
from lasing.logic.variables import free_variables


def arithmetic(draft: Draft, rule: Rule) -> list[Rule]:
    """`q :- r(X), (p(X + 1) or s) in [5].` becomes `q :- r(X), V = X + 1, (p(V) or s) in [5].`

    This is exact: if a term has no value, the whole instance fails, wherever the term is.
    """
    body: list[Formula] = []
    for literal in rule.body:
        if is_plain(literal) or any(isinstance(node, Braces) for node in walk(literal)):
            body.append(literal)
            continue
        computed: dict[Term, Term] = {}
        changed = map_formula(literal, partial(_without, draft, computed))
        for term in computed:
            if not free_variables(literal).issuperset(variables_of(term)):
                raise Left("arithmetic on a variable of the formula's own")
        body += [changed, *(Compare("=", variable, term) for term, variable in computed.items())]
    return [replace(rule, body=tuple(body))]


def _without(draft: Draft, computed: dict[Term, Term], node: Formula) -> Formula:
    """The node with variables in place of its arithmetic."""

    def simple(term: Term) -> Term:
        if not isinstance(term, Arithmetic):
            return term
        if term not in computed:
            computed[term] = draft.variable("V")
        return computed[term]

    match node:
        case Atom():
            return replace(node, args=tuple(map(simple, node.args)))
        case Compare():
            return replace(node, left=simple(node.left), right=simple(node.right))
        case At():
            return replace(node, time=simple(node.time))
        case Window(IntervalWindow(lo, hi)):
            return replace(node, function=IntervalWindow(simple(lo), simple(hi)))
        case _:
            return node
