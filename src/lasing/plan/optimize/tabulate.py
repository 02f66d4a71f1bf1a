"""Tabulate: rules for one head that differ only in constants become one, with a table of these constants.

    triple(X,a1,Y) :- triple(X,knows,Z), triple(Z,b1,Y).
    triple(X,a2,Y) :- triple(X,knows,Z), triple(Z,b2,Y).   …
    triple(X,A,Y)  :- triple(X,knows,Z), triple(Z,B,Y), constants(A,B).

So a new row costs one lookup in the table, not one look at each rule. Constants that are the same in all rules stay
where they are, and those that always have the same value as others share a column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.values import Value
from lasing.plan.nodes import Lookup, Plan, PlanRule, others_of
from lasing.plan.optimize.merge import computes
from lasing.plan.relations import Relation

LEAST = 16
"""Smaller groups of rules are left unchanged: a few rules are looked at faster than a table."""

Constants = tuple[Value, ...]


def tabulate_rules(plan: Plan) -> Plan:
    """The plan with one rule in place of each group of at least LEAST for the same head."""
    if len(plan.guaranteed) < LEAST:
        return plan
    groups: dict[PlanRule, list[tuple[PlanRule, Constants]]] = {}
    for rule in plan.guaranteed:
        if not rule.timed and rule.within is None and not computes(rule):
            shape, constants = _shape(rule)
            groups.setdefault(shape, []).append((rule, constants))
    for shape, members in groups.items():
        if len(members) >= LEAST:
            plan = _tabulated(plan, shape, members)
    return plan


def _shape(rule: PlanRule) -> tuple[PlanRule, Constants]:
    """A rule with variables in place of its constants, and the constants."""
    names: dict[Term, Term] = {}
    constants: list[Value] = []

    def shaped(term: Term) -> Term:
        if isinstance(term, Variable):
            return names.setdefault(term, Variable(f"V{len(names)}"))
        assert not isinstance(term, Arithmetic), "the rule computes nothing"
        constants.append(term)
        return _constant(len(constants) - 1)

    lookups = tuple(x.with_args(tuple(map(shaped, x.args))) for x in rule.lookups)
    tests = tuple(x.with_sides(shaped(x.left), shaped(x.right)) for x in rule.tests)
    args = tuple(map(shaped, rule.args))
    return replace(rule, args=args, lookups=lookups, tests=tests, origin=-1, others=()), tuple(constants)


def _tabulated(plan: Plan, shape: PlanRule, members: list[tuple[PlanRule, Constants]]) -> Plan:
    rules = {id(rule) for rule, _ in members}
    columns = list(zip(*(constants for _, constants in members), strict=True))
    kept = [column for column in dict.fromkeys(columns) if len(set(column)) > 1]
    if not kept:
        return plan
    values: dict[Term, Term] = {
        _constant(i): _constant(kept.index(column)) if column in kept else column[0] for i, column in enumerate(columns)
    }

    def filled(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(values.get(term, term) for term in terms)

    first = members[0][0]
    table = Relation(f"constants of {len(members)} rules for {first.head.name}", len(kept))
    lookup = Lookup(table, tuple(_constant(i) for i in range(len(kept))))
    rule = replace(
        shape,
        args=filled(shape.args),
        lookups=(*(x.with_args(filled(x.args)) for x in shape.lookups), lookup),
        tests=tuple(x.with_sides(*filled((x.left, x.right))) for x in shape.tests),
        origin=first.origin,
        others=others_of([rule for rule, _ in members]),
    )
    return replace(
        plan,
        relations=(*plan.relations, table),
        guaranteed=tuple(_in_place(plan.guaranteed, rules, rule)),
        background=(*plan.background, *((table, row, None) for row in dict.fromkeys(zip(*kept, strict=True)))),
    )


def _in_place(rules: tuple[PlanRule, ...], replaced: set[int], rule: PlanRule) -> Iterator[PlanRule]:
    """The rules, with one in place of the first that it replaces."""
    found = False
    for one in rules:
        if id(one) not in replaced:
            yield one
        elif not found:
            found = True
            yield rule


def _constant(number: int) -> Variable:
    return Variable(f"constant {number}")
