"""Rules that differ only in constants become one rule, with a row of constants for each.

    from Temp(sensor = 1, value > 40) …     from Temp(sensor = $#0, value > $#1) …     with the rows (1, 40), (2, 45), …
    from Temp(sensor = 2, value > 45) …

So the engine has one pattern, and an event finds the rows that it fits by a lookup. Constants that are the same in all
rules stay in the rule, and those that always have the same value as another share its parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from lasing.languages.tesla.syntax import (
    TIMER,
    Aggregate,
    Clause,
    Constant,
    Constraint,
    Description,
    Expression,
    Operation,
    Parameter,
    TeslaRule,
    shared_constant,
)
from lasing.logic.values import Truth, Value

LEAST = 4
"""Smaller groups of rules are left as they are."""

Row = tuple[Value, ...]
Change = Callable[[Expression], Expression]


def shared(rules: Iterable[TeslaRule]) -> list[TeslaRule]:
    """The rules, with one in place of each group that differs only in constants."""
    groups: dict[TeslaRule, list[tuple[TeslaRule, Row]]] = {}
    for rule in rules:
        shape, constants = shape_of(rule)
        groups.setdefault(shape, []).append((rule, constants))
    found: list[TeslaRule] = []
    for shape, members in groups.items():
        rows = tuple(dict.fromkeys(constants for _, constants in members))
        if len(rows) < LEAST:
            found += dict.fromkeys(rule for rule, _ in members)
        else:
            found.append(with_rows(shape, rows))
    return found


def shape_of(rule: TeslaRule) -> tuple[TeslaRule, Row]:
    """A rule with parameters in place of its constants, and the constants."""
    found: list[Value] = []

    def taken_out(part: Expression) -> Expression:
        if not isinstance(part, Constant):
            return part
        found.append(part.value)
        return Parameter(shared_constant(len(found) - 1), part.offset)

    return _changed(rule, taken_out), tuple(found)


def with_rows(shape: TeslaRule, rows: Sequence[Row]) -> TeslaRule:
    """The rule of a shape for all rows, with as few parameters as they need."""
    columns = list(zip(*rows, strict=True))
    kept = [column for column in dict.fromkeys(columns) if len(set(column)) > 1]
    values: dict[str, Expression] = {
        shared_constant(number): Parameter(shared_constant(kept.index(column)))
        if column in kept
        else Constant(column[0])
        for number, column in enumerate(columns)
    }

    def put_back(part: Expression) -> Expression:
        return values.get(part.name, part) if isinstance(part, Parameter) else part

    return replace(_changed(shape, put_back), rows=tuple(zip(*kept, strict=True)))


def with_names_of_truth(rule: TeslaRule) -> TeslaRule:
    """A rule with the names `true` and `false` in place of truth values: facts have those."""

    def named(part: Expression) -> Expression:
        truth = part.value if isinstance(part, Constant) else None
        return Constant(truth.lexical) if isinstance(truth, Truth) else part

    return _changed(rule, named)


def _changed(rule: TeslaRule, change: Change) -> TeslaRule:
    """A rule with other expressions in place of its constants, parameters and references."""

    def clause(part: Clause) -> Clause:
        return replace(part, event=_described(part.event, change))

    fixed = rule.terminator.type == TIMER
    return replace(
        rule,
        terminator=rule.terminator if fixed else _described(rule.terminator, change),
        clauses=tuple(map(clause, rule.clauses)),
        assignments=tuple(replace(a, expression=_expression(a.expression, change)) for a in rule.assignments),
    )


def _described(event: Description, change: Change) -> Description:
    return replace(event, constraints=_constraints(event.constraints, change))


def _constraints(constraints: tuple[Constraint, ...], change: Change) -> tuple[Constraint, ...]:
    return tuple(replace(c, expression=_expression(c.expression, change)) for c in constraints)


def _expression(expression: Expression, change: Change) -> Expression:
    match expression:
        case Operation():
            left = _expression(expression.left, change)
            return Operation(expression.operator, left, _expression(expression.right, change))
        case Aggregate():
            return replace(expression, constraints=_constraints(expression.constraints, change))
        case _:
            return change(expression)
