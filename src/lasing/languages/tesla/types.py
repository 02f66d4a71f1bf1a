"""The types of attributes and expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from lasing.events.declarations import constant_type, fits
from lasing.languages.tesla.syntax import (
    Aggregate,
    Constant,
    EventType,
    Expression,
    Operation,
    Parameter,
    Reference,
    Type,
)

Scope = Mapping[str, EventType]
"""The types of the events that an expression can refer to, by their names. The event that is being described has the
name ''."""


def type_of(
    expression: Expression, scope: Scope, parameters: Mapping[str, Type | None], types: Mapping[str, EventType]
) -> Type | None:
    """The type of an expression, given all types of events; None if it is not known."""
    match expression:
        case Constant(value):
            return constant_type(value)
        case Parameter():
            return parameters.get(expression.name)
        case Reference():
            event = scope[expression.event or ""]
            return event.attributes[event.index(expression.attribute)].type
        case Operation():
            sides = {type_of(side, scope, parameters, types) for side in (expression.left, expression.right)}
            return "int" if sides == {"int"} and expression.operator != "/" else "float"
        case Aggregate("COUNT"):
            return "int"
        case Aggregate("AVG"):
            return "float"
        case Aggregate():
            assert expression.attribute is not None
            event = types[expression.type]
            return event.attributes[event.index(expression.attribute)].type
        case _:
            assert_never(expression)


def comparable(one: Type | None, other: Type | None) -> bool:
    """Whether values of two types can be equal, or one less than the other."""
    return fits(one, other) or fits(other, one)
