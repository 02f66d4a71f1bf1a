"""Push constants down: a rule that requires `V = 17` looks for 17 directly."""

from __future__ import annotations

from dataclasses import replace

from lasing.logic.terms import Term, Variable
from lasing.logic.values import is_value
from lasing.plan.nodes import NOW, Plan, PlanRule, Test
from lasing.plan.rewrite import map_rules, substitute


def push_constants(plan: Plan) -> Plan:
    """The plan with every variable that must equal a constant replaced by it."""
    return map_rules(plan, lambda rules: tuple(_pushed(rule) for rule in rules))


def _pushed(rule: PlanRule) -> PlanRule:
    bound = {a for x in rule.lookups if not x.negated for a in x.args}
    for test in rule.tests:
        found = _equation(test)
        if found is not None and found[0] in bound and (rule.within is None or rule.within[0] != found[0]):
            rest = tuple(other for other in rule.tests if other is not test)
            return _pushed(substitute(replace(rule, tests=rest), dict([found])))
    return rule


def _equation(test: Test) -> tuple[Variable, Term] | None:
    """The variable and the constant that a test makes equal."""
    if test.comparison != "=" or test.negated:
        return None
    for variable, value in ((test.left, test.right), (test.right, test.left)):
        if isinstance(variable, Variable) and variable != NOW and is_value(value):
            return variable, value
    return None
