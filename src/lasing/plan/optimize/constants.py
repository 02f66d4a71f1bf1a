"""Push constants down: a rule that requires `V = 17` looks for 17 directly."""

from __future__ import annotations

from operator import is_not

from lasing.logic.terms import Term, Variable
from lasing.logic.values import is_value
from lasing.plan.nodes import NOW, Plan, PlanRule, Test
from lasing.plan.rewrite import map_rules, substitute


def push_constants(plan: Plan) -> Plan:
    """The plan with every variable that must equal a constant replaced by it."""
    return map_rules(plan, _all_pushed)


def _all_pushed(rules: tuple[PlanRule, ...]) -> tuple[PlanRule, ...]:
    pushed = tuple(map(_pushed, rules))
    return pushed if any(map(is_not, pushed, rules)) else rules


def _pushed(rule: PlanRule) -> PlanRule:
    for test in rule.tests:
        found = _equation(test)
        if found is not None and _is_bound(rule, found[0]) and (rule.within is None or rule.within[0] != found[0]):
            rest = tuple([other for other in rule.tests if other is not test])
            return _pushed(substitute(rule.with_terms(rule.args, rule.lookups, rest), dict([found])))
    return rule


def _is_bound(rule: PlanRule, variable: Variable) -> bool:
    """Whether a row that is looked up gives the variable its value."""
    return any(variable in lookup.args for lookup in rule.lookups if not lookup.negated)


def _equation(test: Test) -> tuple[Variable, Term] | None:
    """The variable and the constant that a test makes equal."""
    if test.comparison != "=" or test.negated:
        return None
    for variable, value in ((test.left, test.right), (test.right, test.left)):
        if isinstance(variable, Variable) and variable != NOW and is_value(value):
            return variable, value
    return None
