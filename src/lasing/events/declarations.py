"""Declared events: names, attributes and their types, and the length of a time point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, assert_never

from lasing.logic.formulas import Atom, Compare, Formula, Not
from lasing.logic.program import Output, Rule, Signature
from lasing.logic.provenance import Said
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.values import RESERVED, Truth, Value

Type = Literal["string", "int", "float", "bool"]
TYPES: tuple[Type, ...] = ("string", "int", "float", "bool")
NAMES_OF_TYPES: dict[str, Type] = {
    **{name: name for name in TYPES}, "text": "string", "integer": "int", "double": "float", "number": "float",
    "boolean": "bool",
}  # fmt: skip
"""The types by the names that can be written for them."""

TRUTH_VALUE = "truth_value"
"""The predicate that holds for the names `true` and `false`, the values of type `bool`."""

NAMES_OF_TRUTH = ("true", "false")

GREATEST = 1.7976931348623157e308
"""No number is greater, and no other value is less."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long something lasts: a number of units, each of some milliseconds. A unit of 0 is a time point."""

    amount: int
    unit: int = 0
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Attribute:
    """`room: string`. Without a type, values of all kinds are accepted."""

    name: str
    type: Type | None = None
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EventType:
    """The name and the attributes of some events, in the order in which facts have them."""

    name: str
    attributes: tuple[Attribute, ...]
    offset: int = field(default=-1, compare=False, repr=False)

    def index(self, attribute: str) -> int:
        """Where an attribute is among the attributes; -1 if it is none of them."""
        return next((i for i, known in enumerate(self.attributes) if known.name == attribute), -1)


def predicate_of(type_: str) -> str:
    """The predicate of the facts that are events of a type.

    >>> predicate_of("HighTemp"), predicate_of("Not")
    ('highTemp', 'not_')
    """
    name = type_[0].lower() + type_[1:]
    name = f"e{name}" if name.startswith("_") else name
    return f"{name}_" if name in RESERVED or name == TRUTH_VALUE else name


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
    return fits(constant_type(value), wanted) or (wanted == "bool" and value in NAMES_OF_TRUTH)


def constant_type(value: Value) -> Type:
    """The type of a constant."""
    if isinstance(value, Truth):
        return "bool"
    return "string" if isinstance(value, str) else "int" if isinstance(value, int) else "float"


def input_of(event: EventType) -> Signature:
    """The input whose facts are events of a type."""
    names = tuple(attribute.name for attribute in event.attributes)
    return Signature(predicate_of(event.name), len(names), names=names)


def rejected(events: Iterable[EventType], taken: set[str]) -> tuple[list[Rule], list[Output]]:
    """Rules and outputs for the events that come in with a value of the wrong type."""
    rules: list[Rule] = []
    outputs: list[Output] = []
    for event in events:
        variables = tuple(Variable(a.name[0].upper() + a.name[1:] + f"_{i}") for i, a in enumerate(event.attributes))
        predicate = f"rejected_{predicate_of(event.name)}"
        while predicate in taken:
            predicate += "_"
        checked = [(v, a.type) for v, a in zip(variables, event.attributes, strict=True) if a.type is not None]
        for variable, type_ in checked:
            passed: list[Formula] = []
            for test in tests(variable, type_):
                literals = (Atom(predicate_of(event.name), variables), *passed, Not(test))
                rules.append(Rule((Atom(predicate, variables),), literals))
                passed.append(test)
        if checked:
            names = tuple(a.name for a in event.attributes)
            outputs.append(Output(predicate, names, rejects=event.name))
    return rules, outputs


WORDS = {"consumed": "not consumed before", "spoilt": "nothing between:"}
"""What it means for a pattern that something is not there."""


def said_of(types: Iterable[EventType], predicates: Mapping[str, str] | None = None) -> dict[str, Said]:
    """How to speak of events; `predicates` has those of types whose predicate has another name."""
    known = predicates or {}
    return {
        known.get(event.name, predicate_of(event.name)): Said(
            "event", event.name, tuple(a.name for a in event.attributes)
        )
        for event in types
    }
