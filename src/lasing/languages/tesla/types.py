"""The types of attributes and expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

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
from lasing.logic.formulas import Atom, Compare, Formula
from lasing.logic.terms import Arithmetic, Term
from lasing.logic.values import Truth, Value

Scope = Mapping[str, EventType]
"""The types of the events that an expression can refer to, by their names. The event that is being described has the
name ''."""

TRUTH_VALUE = "truth_value"
"""The predicate that holds for the names `true` and `false`, the values of type `bool`."""

NAMES_OF_TRUTH = ("true", "false")

GREATEST = 1.7976931348623157e308
"""No number is greater, and no other value is less."""


def type_of(
    expression: Expression, scope: Scope, parameters: Mapping[str, Type | None], types: Mapping[str, EventType]
) -> Type | None:
    """The type of an expression, given all types of events; None if it is not known."""
    match expression:
        case Constant(value):
            return _constant_type(value)
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


def fits(value: Type | None, wanted: Type | None) -> bool:
    """Whether values of one type can be values of another. Nothing is known against a type that is not known.

    >>> fits("int", "float"), fits("float", "int"), fits("string", "float"), fits(None, "int")
    (True, False, False, True)
    """
    return value is None or wanted is None or value == wanted or (value, wanted) == ("int", "float")


def has_type(value: Value, wanted: Type | None) -> bool:
    """Whether a constant is a value of a type.

    >>> has_type(1, "float"), has_type(1.5, "int"), has_type("a", None)
    (True, False, True)
    """
    return fits(_constant_type(value), wanted) or (wanted == "bool" and value in NAMES_OF_TRUTH)


def _constant_type(value: Value) -> Type:
    if isinstance(value, Truth):
        return "bool"
    return "string" if isinstance(value, str) else "int" if isinstance(value, int) else "float"


def comparable(one: Type | None, other: Type | None) -> bool:
    """Whether values of two types can be equal, or one less than the other."""
    return fits(one, other) or fits(other, one)


def tests(term: Term, type_: Type | None) -> list[Formula]:
    """The literals that a term has a value of some type.

    Only numbers compare with numbers and texts with texts, so comparing with the least or greatest value is enough, and
    kernels can do that.
    """
    match type_:
        case None:
            return []
        case "string":
            return [Compare(">=", term, "")]
        case "float":
            return [Compare("<=", term, GREATEST)]
        case "int":
            return [Compare("<=", term, GREATEST), Compare("=", Arithmetic("floor", (term,)), term)]
        case "bool":
            return [Atom(TRUTH_VALUE, (term,))]
        case _:
            assert_never(type_)
