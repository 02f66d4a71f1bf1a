"""Merge: rules that differ only in constants become one, with a table of parameters.

    h17(X) :- p(X,17).   h18(X) :- p(X,18).      merged(X,Tag) :- p(X,P), parameters(P,Tag).
    h17(X) :- p(X,V), V > 17.   …                merged(X,Tag) :- p(X,V), parameters(P,Tag), V > P.

The tag says whose head it is. So a new row costs one lookup in the table, not one per rule. If the parameter is
compared by order, the table is sorted, and the lookup stops at the first row that fails.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from lasing.logic.functions import COMPARISONS
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.values import Value, is_number, order_key
from lasing.plan.nodes import Feed, Lookup, Plan, PlanOutput, PlanRule, Test, others_of
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads, rules_of

LEAST = 4
"""Smaller groups of rules are left unchanged."""

_TAG = Variable("tag")


@dataclass(frozen=True)
class _Shape:
    """A rule without its head's predicate, with parameters for its constants."""

    args: tuple[Term, ...]
    lookups: tuple[Lookup, ...]
    tests: tuple[Test, ...]


def merge_rules(plan: Plan) -> Plan:
    """The plan with one rule in place of each group of at least LEAST."""
    free = free_heads(plan)
    groups: dict[_Shape, list[tuple[PlanRule, tuple[Value, ...]]]] = {}
    for rule in plan.guaranteed:
        if rule.head in free and not rule.timed and rule.within is None:
            shape, parameters = _shape(rule)
            if parameters and not computes(rule):
                groups.setdefault(shape, []).append((rule, parameters))
    for shape, members in groups.items():
        if len(members) >= LEAST:
            plan = _merged(plan, shape, members, free)
    return plan


def computes(rule: PlanRule) -> bool:
    """Whether instances of the rule may have no value. Then their rule must be known."""
    terms = (*rule.args, *(t for x in rule.tests for t in (x.left, x.right)))
    return any(isinstance(term, Arithmetic) for term in terms)


def free_heads(plan: Plan, rules: int = 1) -> dict[Relation, int]:
    """The relations that are output, come from so many rules, and that nothing else reads; with their numbers."""
    read = {x.relation for rule in rules_of(plan) for x in rule.lookups}
    read |= {relation for stage in plan.stages for relation in reads(stage)} | plan.tracked
    heads = Counter(rule.head for rule in plan.guaranteed)
    return {
        output.relation: number
        for number, output in enumerate(plan.outputs)
        if output.relation not in read and heads[output.relation] == rules
    }


def _shape(rule: PlanRule) -> tuple[_Shape, tuple[Value, ...]]:
    names: dict[Term, Term] = {}
    parameters: list[Value] = []

    def shaped(term: Term) -> Term:
        if isinstance(term, Variable):
            return names.setdefault(term, Variable(f"V{len(names)}"))
        if isinstance(term, Arithmetic):
            return replace(term, operands=tuple(map(shaped, term.operands)))
        parameters.append(term)
        return Variable(f"P{len(parameters) - 1}")

    lookups = tuple(x.with_args(tuple(map(shaped, x.args))) for x in rule.lookups)
    tests = tuple(x.with_sides(shaped(x.left), shaped(x.right)) for x in rule.tests)
    return _Shape(tuple(map(shaped, rule.args)), lookups, tests), tuple(parameters)


def _merged(
    plan: Plan, shape: _Shape, members: list[tuple[PlanRule, tuple[Value, ...]]], numbers: dict[Relation, int]
) -> Plan:
    first = members[0][0]
    name = f"{first.head.name} and {len(members) - 1} more"
    head = Relation(name, first.head.arity + 1)
    table = Relation(f"parameters of {name}", len(members[0][1]) + 1)
    tests, descending = _sorted_tests(shape.tests, table, [parameters for _, parameters in members])
    rows = sorted(
        ((*parameters, numbers[rule.head]) for rule, parameters in members),
        key=lambda row: order_key(row[0]),
        reverse=descending,
    )
    columns = (*(Variable(f"P{i}") for i in range(len(members[0][1]))), _TAG)
    rule = PlanRule(head, (*shape.args, _TAG), (*shape.lookups, Lookup(table, columns)), tests, first.origin)
    rule = replace(rule, others=others_of([rule for rule, _ in members]))
    heads = {rule.head for rule, _ in members}
    return replace(
        plan,
        relations=(*(r for r in plan.relations if r not in heads), head, table),
        feeds=tuple(_tagged(feed, head, numbers) if feed.relation in heads else feed for feed in plan.feeds),
        guaranteed=(*(r for r in plan.guaranteed if r.head not in heads), rule),
        outputs=tuple(
            PlanOutput(o.predicate, head, number) if o.relation in heads else o for number, o in enumerate(plan.outputs)
        ),
        background=(*plan.background, *((table, row, None) for row in rows)),
    )


def _tagged(feed: Feed, head: Relation, numbers: dict[Relation, int]) -> Feed:
    return replace(feed, relation=head, tag=numbers[feed.relation])


def _sorted_tests(
    tests: tuple[Test, ...], table: Relation, parameters: list[tuple[Value, ...]]
) -> tuple[tuple[Test, ...], bool]:
    """The tests, and whether the table's rows come in descending order: the last ones are examined first.

    Only a table of one column, of numbers, is sorted for a comparison with it.
    """
    if len(parameters[0]) > 1 or not all(is_number(value) for row in parameters for value in row):
        return tests, False
    for i, test in enumerate(tests):
        if not COMPARISONS[test.comparison].orders or test.negated:
            continue
        greater = (test.comparison in (">", ">=")) == (test.right == Variable("P0"))  # variable > parameter
        if Variable("P0") in (test.left, test.right):
            return (*tests[:i], replace(test, sorted=table), *tests[i + 1 :]), greater
    return tests, False
