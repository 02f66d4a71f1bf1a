"""Share: rules that say the same about the same head, whatever the names of their variables, are applied once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lasing.logic.terms import Term, Variable
from lasing.plan.nodes import NOW, Plan, PlanRule, others_of
from lasing.plan.rewrite import map_rules, substitute


def drop_duplicates(plan: Plan) -> Plan:
    """The plan without rules that another one repeats."""
    return map_rules(plan, _distinct)


def _distinct(rules: tuple[PlanRule, ...]) -> tuple[PlanRule, ...]:
    heads = Counter([rule.head for rule in rules])
    if len(heads) == len(rules):
        return rules
    kept: dict[PlanRule, list[PlanRule]] = {}
    for rule in rules:
        kept.setdefault(rule if heads[rule.head] == 1 else canonical(rule), []).append(rule)
    if len(kept) == len(rules):
        return rules
    return tuple(same[0] if len(same) == 1 else replace(same[0], others=others_of(same)) for same in kept.values())


def canonical(rule: PlanRule) -> PlanRule:
    """The rule with its variables numbered, and its literals once each, without its origin."""
    names: dict[Variable, Term] = {NOW: NOW}
    terms = [
        *rule.args,
        *(a for x in rule.lookups for a in x.args),
        *(t for x in rule.tests for t in (x.left, x.right)),
    ]
    for term in terms:
        if isinstance(term, Variable) and term not in names:
            names[term] = Variable(f"V{len(names)}")
    renamed = substitute(rule, names)
    within = None if rule.within is None else (names.get(rule.within[0], rule.within[0]), rule.within[1])
    return replace(
        renamed,
        lookups=tuple(dict.fromkeys(renamed.lookups)),
        tests=tuple(dict.fromkeys(renamed.tests)),
        origin=-1,
        others=(),
        within=within,  # type: ignore[arg-type]  # a variable has a variable's name
    )
