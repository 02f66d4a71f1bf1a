"""A rule that cannot fire, whatever the data."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Aggregate, Atom, Compare, Implies, IntervalWindow, Not, Or, Select, Window, walk
from lasing.logic.functions import holds
from lasing.logic.program import Program, Rule
from lasing.logic.terms import Variable, evaluate, mentions_now, own_calls, variables_of
from lasing.logic.values import Undefined


def never_fires(program: Program) -> Iterator[Diagnostic]:
    """W102 if a literal is false by itself, or needs an atom that only rules that never fire could derive."""
    background = set(program.background)
    waiting = deque((i, why) for i, rule in enumerate(program.rules) if (why := _false_by_itself(rule, background)))
    if not waiting:
        return
    facts = facts_of(program)
    provided = facts.streamed | facts.background
    idle: dict[int, tuple[int, str]] = {}
    alive = Counter(atom.predicate for rule in program.rules for atom in rule.head_atoms())
    users: dict[str, list[tuple[int, Atom]]] = {}
    for number, rule in enumerate(program.rules):
        for atom in _needed(rule):
            if atom.predicate in alive and atom.predicate not in provided:
                users.setdefault(atom.predicate, []).append((number, atom))
    while waiting:
        number, why = waiting.popleft()
        if number in idle:
            continue
        idle[number] = why
        for head in program.rules[number].head_atoms():
            alive[head.predicate] -= 1
            if not alive[head.predicate]:
                reason = f"{head.predicate} is never derived"
                waiting += [(user, (atom.offset, reason)) for user, atom in users.get(head.predicate, ())]
    for number in sorted(idle):
        offset, reason = idle[number]
        yield Diagnostic("W102", f"this rule never fires: {reason}", program.rules[number].place(offset))


def _needed(rule: Rule) -> Iterator[Atom]:
    """The atoms without which the body is false."""
    for literal in rule.body:
        nodes = list(walk(literal))
        if not any(isinstance(node, Not | Aggregate | Select | Or | Implies) for node in nodes):
            yield from (node for node in nodes if isinstance(node, Atom))


def _false_by_itself(rule: Rule, background: set[Atom]) -> tuple[int, str] | None:
    for literal in rule.body:
        match literal:
            case Compare() if _constant_truth(literal) is False:
                return literal.offset, "the comparison is false"
            case Not(Compare() as comparison) if _constant_truth(comparison) is True:
                return comparison.offset, "the comparison is true"
            case Not(Atom() as atom) if atom in background:
                return atom.offset, f"{atom} is background, so it always holds"
            case Window(IntervalWindow(int(lo), int(hi))) if lo > hi:
                return literal.offset, f"the window from {lo} to {hi} is empty"
            case _:
                continue
    return None


def _constant_truth(comparison: Compare) -> bool | None:
    """Whether a comparison is true or false for every value of its variables; None if that depends on them."""
    left, right = comparison.left, comparison.right
    if isinstance(left, Variable) and left == right:
        return {"=": True, "!=": False, "<": False, ">": False}.get(comparison.operator)
    if isinstance(left, Variable) or isinstance(right, Variable):
        return None
    if any(mentions_now(side) or any(variables_of(side)) or any(own_calls(side)) for side in (left, right)):
        return None
    try:
        return holds(comparison.operator, evaluate(left, {}), evaluate(right, {}))
    except Undefined:
        return False
