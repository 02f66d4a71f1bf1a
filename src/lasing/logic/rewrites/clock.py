"""`#now` as a variable that a literal binds, so that engines need not know it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import is_not
from typing import assert_never

from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Head,
    Implies,
    IntervalWindow,
    Not,
    Or,
    Select,
    Sometime,
    TimeWindow,
    Window,
    all_nodes,
    map_formula,
    terms_of,
)
from lasing.logic.program import Program, Rule, body_nodes
from lasing.logic.rewrites.draft import EVALUATION_TIME, TICK
from lasing.logic.terms import NOW, Arithmetic, Term, mentions_now

_BOUND = Window(TimeWindow(0), At(EVALUATION_TIME, TICK))


def with_clock(program: Program) -> Program:
    """The program with a variable in place of `#now`, bound by the only time point of `[0]`.

    `q(#now) :- p.` becomes `q(N) :- p, any time at N in [0].`, where `any time` is background. A formula may jump
    anywhere: N keeps its value.
    """
    rules = tuple(_with_clock(rule) if _asks(rule, nodes) else rule for rule, nodes in body_nodes(program))
    if not any(map(is_not, rules, program.rules)):
        return program
    return replace(program, rules=rules, background=(*program.background, TICK))


def _asks(rule: Rule, nodes: Sequence[Formula]) -> bool:
    """Whether a rule whose body has these nodes mentions `#now`."""
    return any(mentions_now(term) for node in (*all_nodes(rule.heads), *nodes) for term in terms_of(node))


def _with_clock(rule: Rule) -> Rule:
    heads = tuple(_head(head) for head in rule.heads)
    body = tuple(map_formula(literal, _node) for literal in rule.body)
    return replace(rule, heads=heads, body=(*body, _BOUND))


def _head(head: Head) -> Head:
    found = map_formula(head, _node)
    assert isinstance(found, Atom | At)
    return found


def _node(node: Formula) -> Formula:
    match node:
        case Atom():
            return replace(node, args=tuple(map(_term, node.args)))
        case Compare():
            return replace(node, left=_term(node.left), right=_term(node.right))
        case Aggregate():
            return replace(node, terms=tuple(map(_term, node.terms)), bound=_term(node.bound))
        case Select():
            return replace(node, terms=tuple(map(_term, node.terms)), targets=tuple(map(_term, node.targets)))
        case At():
            return replace(node, time=_term(node.time))
        case Window(IntervalWindow(lo, hi)):
            return replace(node, function=IntervalWindow(_term(lo), _term(hi)))
        case Not() | And() | Or() | Implies() | Sometime() | Always() | Window():
            return node
        case _:
            assert_never(node)


def _term(term: Term) -> Term:
    match term:
        case Arithmetic():
            return replace(term, operands=tuple(map(_term, term.operands)))
        case _:
            return EVALUATION_TIME if term == NOW else term
