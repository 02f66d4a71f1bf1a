"""The syntax tree of TESLA, whichever of its notations a text uses.

    define Fire(room: string, temp: float)
    from Smoke(area = $a)
         and last Temp(room = $a, value > 45) within 5 min from Smoke
         and not Rain(area = $a) between Temp and Smoke
    with room = Smoke.area, temp = Temp.value
    consuming Temp

Nodes are frozen and compare by meaning; offsets into the text serve messages only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, assert_never

from lasing.events.declarations import TYPES, Attribute, EventType, Length, Type
from lasing.logic.functions import Comparison
from lasing.logic.values import Value

__all__ = ["TYPES", "Attribute", "EventType", "Length", "Type"]  # also part of the syntax

AggregateName = Literal["AVG", "SUM", "MIN", "MAX", "COUNT"]
AGGREGATES: tuple[AggregateName, ...] = ("AVG", "SUM", "MIN", "MAX", "COUNT")

Operator = Literal["+", "-", "*", "/"]


@dataclass(frozen=True, slots=True)
class Within:
    """`within length from anchor`: at a time u with t(anchor) - length < u < t(anchor)."""

    length: Length
    anchor: str
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Between:
    """`between one and other`: after the earlier of the two events, and before the later one."""

    one: str
    other: str
    offset: int = field(default=-1, compare=False, repr=False)


Position = Within | Between


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a text or a truth value."""

    value: Value
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$a`: one value wherever it occurs in a rule."""

    name: str
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reference:
    """`Temp.value`: an attribute of an event of the pattern. Without an event, one of the event being described."""

    event: str | None
    attribute: str
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """`left + right` and the like."""

    operator: Operator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`AVG(Temp.value(room = $a)) within 5 min from Smoke`: over the events of a type that lie in an open interval.

    COUNT needs no attribute. Of no events COUNT is 0, and the others have no value.
    """

    function: AggregateName
    type: str
    attribute: str | None
    constraints: tuple[Constraint, ...]
    position: Position
    offset: int = field(default=-1, compare=False, repr=False)


Expression = Constant | Parameter | Reference | Operation | Aggregate


@dataclass(frozen=True, slots=True)
class Constraint:
    """`attribute comparison expression`. The first `attribute = $a` of a rule gives the parameter its value."""

    attribute: str
    comparison: Comparison
    expression: Expression
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Description:
    """`Temp(room = $a, value > 45)`: events of a type, with constraints on their attributes."""

    type: str
    constraints: tuple[Constraint, ...] = ()
    offset: int = field(default=-1, compare=False, repr=False)


Policy = Literal["each", "first", "last", "all"]


@dataclass(frozen=True, slots=True)
class Selection:
    """`last Temp(…) as T within …`: which of the events that fit become part of a match.

    `each` of them; the `count` first or last ones; or `all`, which are part of the same match. Events are ordered by
    their time, and those of one time point by their attributes.
    """

    policy: Policy
    count: int
    event: Description
    name: str
    position: Position
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """`not Rain(…) between Temp and Smoke`: no event that fits lies in the open interval."""

    event: Description
    position: Position
    offset: int = field(default=-1, compare=False, repr=False)


Clause = Selection | Negation


@dataclass(frozen=True, slots=True)
class Assignment:
    """`room = Smoke.area`: the value of an attribute of the result."""

    attribute: str
    expression: Expression
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TeslaRule:
    """A pattern, and the event that it defines. It fires on its terminator, whose time the result has."""

    defines: EventType
    terminator: Description
    name: str
    clauses: tuple[Clause, ...]
    assignments: tuple[Assignment, ...]
    consumed: tuple[str, ...] = ()
    """The names of the events that are used up when the rule fires."""
    rows: tuple[tuple[Value, ...], ...] = ()
    """The constants of the rules that this one stands for: a row for each, with the values of the parameters that
    `shared_constant` names."""
    offset: int = field(default=-1, compare=False, repr=False)
    consumed_at: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def selections(self) -> Iterator[Selection]:
        return (clause for clause in self.clauses if isinstance(clause, Selection))

    def aggregates(self) -> Iterator[Aggregate]:
        """All aggregates, also those in constraints of others."""
        events = [self.terminator, *(clause.event for clause in self.clauses)]
        expressions = [constraint.expression for event in events for constraint in event.constraints]
        expressions += [assignment.expression for assignment in self.assignments]
        while expressions:
            for part in parts(expressions.pop(0)):
                if isinstance(part, Aggregate):
                    yield part
                    expressions += [constraint.expression for constraint in part.constraints]

    def positions(self) -> Iterator[Position]:
        """The positions of all events of the past."""
        yield from (clause.position for clause in self.clauses)
        yield from (aggregate.position for aggregate in self.aggregates())

    def lengths(self) -> Iterator[Length]:
        """All lengths."""
        return (position.length for position in self.positions() if isinstance(position, Within))

    def past_types(self) -> Iterator[str]:
        """The types of all events of the past."""
        yield from (clause.event.type for clause in self.clauses)
        yield from (aggregate.type for aggregate in self.aggregates())

    def attributes_of(self, type_: str) -> Iterator[str]:
        """The attributes of a type that the rule mentions, as often as it does."""
        names = {self.name: self.terminator.type} | {s.name: s.event.type for s in self.selections()}
        described = [self.terminator, *(clause.event for clause in self.clauses)]
        described += [Description(a.type, a.constraints) for a in self.aggregates()]
        for event in described:
            yield from (constraint.attribute for constraint in event.constraints if event.type == type_)
        yield from (a.attribute for a in self.aggregates() if a.type == type_ and a.attribute is not None)
        expressions = [constraint.expression for event in described for constraint in event.constraints]
        expressions += [assignment.expression for assignment in self.assignments]
        for part in (part for expression in expressions for part in parts(expression)):
            if isinstance(part, Reference) and names.get(part.event or "") == type_:
                yield part.attribute


def shared_constant(number: int) -> str:
    """The name of the parameter for a constant in which rules differ."""
    return f"#{number}"


TIMER = "Timer"
"""The type of the events that the clock makes: `Timer(hour = 8, minute = 0)`."""


@dataclass(frozen=True, slots=True)
class TeslaProgram:
    """The events that come in, the rules, and the length of a time point in milliseconds; 0 if times are numbers."""

    inputs: tuple[EventType, ...]
    rules: tuple[TeslaRule, ...]
    tick: int = 0

    def types(self) -> dict[str, EventType]:
        """All types of events by name."""
        defined = {rule.defines.name: rule.defines for rule in self.rules}
        return defined | {event.name: event for event in self.inputs}

    def points(self, length: Length) -> int:
        """The time points of a length."""
        return length.amount if not length.unit else length.amount * length.unit // self.tick


def anchors(position: Position) -> tuple[str, ...]:
    """The events that a position refers to."""
    match position:
        case Within():
            return (position.anchor,)
        case Between():
            return position.one, position.other
        case _:
            assert_never(position)


def parts(expression: Expression) -> Iterator[Expression]:
    """An expression and all expressions in it, but not those inside an aggregate."""
    yield expression
    if isinstance(expression, Operation):
        yield from parts(expression.left)
        yield from parts(expression.right)
