"""What can be wrong with a rule that can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from lasing.errors import similar
from lasing.events.declarations import fits
from lasing.events.mistakes import Mistake
from lasing.languages.tesla.clock import timer_mistakes
from lasing.languages.tesla.syntax import (
    TIMER,
    Aggregate,
    Attribute,
    Constant,
    Constraint,
    Description,
    EventType,
    Expression,
    Negation,
    Operation,
    Parameter,
    Position,
    Reference,
    Selection,
    TeslaRule,
    Type,
    anchors,
)
from lasing.languages.tesla.types import comparable, type_of

OWN = ""
"""The name of the event that is being described."""


def mistakes_of(rule: TeslaRule, types: Mapping[str, EventType], dotr: bool = False) -> Iterator[Mistake]:
    """All mistakes in a rule, given all types of events. In DOTR, attributes are variables, and a variable of the
    result can have several values: those of all events that fit."""
    yield from _Check(rule, types, dotr).mistakes()


@dataclass(slots=True)
class _Check:
    rule: TeslaRule
    types: Mapping[str, EventType]
    dotr: bool
    scope: dict[str, EventType] = field(default_factory=dict)
    gathered: set[str] = field(default_factory=set)
    """The names of events of which a match holds all."""
    parameters: dict[str, Type | None] = field(default_factory=dict)

    def mistakes(self) -> Iterator[Mistake]:
        rule = self.rule
        if rule.terminator.type == TIMER:
            yield from timer_mistakes(rule.terminator)
        else:
            yield from self._description(rule.terminator, rule.name, binds=True)
        self._name(rule.name, rule.terminator.type)
        for selection in rule.selections():
            yield from self._selection(selection)
        for clause in rule.clauses:
            if isinstance(clause, Negation):
                yield from self._position(clause.position)
                yield from self._description(clause.event, OWN, binds=False)
        yield from self._assignments()
        for name, offset in zip(rule.consumed, rule.consumed_at, strict=True):
            if name not in self.scope:
                known = ", ".join(filter(None, self.scope))
                note = " ".join(filter(None, (similar(name, self.scope), f"it has {known}")))
                yield Mistake(f"the pattern has no event {name}", offset, len(name), note, "E712")
        if rule.defines.name == TIMER:
            yield Mistake("Timer is the name of the events of the clock", rule.defines.offset, 5, code="E712")

    def _name(self, name: str, type_: str) -> None:
        self.scope[name] = self.types.get(type_) or self._supposed(type_)

    def _supposed(self, type_: str) -> EventType:
        """The type that an event would have to have that is not declared, so that this is its only mistake."""
        return EventType(type_, tuple(map(Attribute, dict.fromkeys(self.rule.attributes_of(type_)))))

    def _selection(self, selection: Selection) -> Iterator[Mistake]:
        yield from self._position(selection.position)
        if selection.name in self.scope and selection.event.type != TIMER:
            note = f"give one of them another name: {selection.event.type}(…) as Other"
            yield Mistake(
                f"two events are named {selection.name}",
                selection.event.offset,
                len(selection.event.type),
                note,
                "E712",
            )
        yield from self._description(selection.event, selection.name, binds=selection.policy != "all")
        self._name(selection.name, selection.event.type)
        if selection.policy == "all":
            self.gathered.add(selection.name)

    def _position(self, position: Position) -> Iterator[Mistake]:
        for name in anchors(position):
            if name not in self.scope:
                yield self._unknown_name(name, position.offset)
            elif name in self.gathered:
                yield Mistake(
                    f"{name} has several times, because it is all events that fit", position.offset, code="E712"
                )

    def _unknown_name(self, name: str, offset: int) -> Mistake:
        known = ", ".join(filter(None, self.scope))
        note = " ".join(filter(None, (similar(name, self.scope), f"events named before are {known}")))
        return Mistake(f"no event before this one is named {name}", offset, note=note, code="E712")

    def _description(self, event: Description, name: str, binds: bool) -> Iterator[Mistake]:
        type_ = self.types.get(event.type)
        if type_ is None:
            yield self._undeclared(event.type, event.offset)
            if event.type == TIMER:
                return
        yield from self._constraints(type_ or self._supposed(event.type), event.constraints, name, binds)

    def _undeclared(self, type_: str, offset: int) -> Mistake:
        if type_ == TIMER:
            note = "a rule can fire on a timer: from Timer(hour = 8) and …"
            return Mistake("a timer can only be the first event of a pattern", offset, len(TIMER), note, "E712")
        hint = similar(type_, self.types)
        declare = f"declare it: event {type_}({', '.join(a.name for a in self._supposed(type_).attributes)});"
        message = f"the event {type_} is not declared"
        if self.dotr:
            declare = f"give it a query: {type_} = [SELECT … WHERE {{ … }}]"
            message = f"{type_} is neither an event with a query nor a result"
        note = " ".join(filter(None, (hint, declare)))
        return Mistake(message, offset, len(type_), note, "E712")

    def _constraints(
        self, type_: EventType, constraints: tuple[Constraint, ...], name: str, binds: bool
    ) -> Iterator[Mistake]:
        outer, known = dict(self.scope), dict(self.parameters)
        self.scope |= {OWN: type_} | ({name: type_} if name else {})
        for constraint in constraints:
            index = type_.index(constraint.attribute)
            if index < 0:
                yield self._no_attribute(type_, constraint.attribute, constraint.offset)
                continue
            wanted = type_.attributes[index].type
            expression = constraint.expression
            if isinstance(expression, Parameter) and expression.name not in self.parameters:
                if constraint.comparison != "=":
                    note = f"give it one before: attribute = ${expression.name}"
                    yield Mistake(
                        f"${expression.name} has no value yet",
                        expression.offset,
                        len(expression.name) + 1,
                        note,
                        "E712",
                    )
                self.parameters[expression.name] = wanted
                continue
            found = list(self._expression(expression))
            yield from found
            if not found and not comparable(type_of(expression, self.scope, self.parameters, self.types), wanted):
                actual = type_of(expression, self.scope, self.parameters, self.types)
                message = f"{type_.name}.{constraint.attribute} is of type {wanted}, and is compared with {_a(actual)}"
                yield Mistake(message, constraint.offset, len(constraint.attribute), code="E713")
        self.scope = outer
        if not binds:
            self.parameters = known

    def _assignments(self) -> Iterator[Mistake]:
        rule, given = self.rule, set[str]()
        if self.dotr:
            self.gathered = set()
        for assignment in rule.assignments:
            index = rule.defines.index(assignment.attribute)
            if index < 0:
                yield self._no_attribute(rule.defines, assignment.attribute, assignment.offset)
                continue
            if assignment.attribute in given:
                message = f"{self._written(assignment.attribute)} is given twice"
                yield Mistake(message, assignment.offset, len(assignment.attribute), code="E712")
            given.add(assignment.attribute)
            found = list(self._expression(assignment.expression))
            yield from found
            wanted = rule.defines.attributes[index].type
            if not found:
                actual = type_of(assignment.expression, self.scope, self.parameters, self.types)
                if not fits(actual, wanted):
                    message = f"{assignment.attribute} is of type {wanted}, but the value is {_a(actual)}"
                    yield Mistake(message, assignment.offset, len(assignment.attribute), code="E713")
        for attribute in rule.defines.attributes:
            if attribute.name not in given:
                shown = f"{rule.defines.name}.?{attribute.name}" if self.dotr else attribute.name
                note = f"give it one: with {shown} = …"
                length = len(rule.defines.name if self.dotr else attribute.name)
                message = f"{rule.defines.name}.{self._written(attribute.name)} has no value"
                yield Mistake(message, attribute.offset, length, note, "E713")

    def _expression(self, expression: Expression) -> Iterator[Mistake]:
        match expression:
            case Constant():
                return
            case Parameter():
                if expression.name not in self.parameters:
                    note = f"give it one: attribute = ${expression.name}"
                    length = len(expression.name) + 1
                    yield Mistake(f"${expression.name} has no value", expression.offset, length, note, "E712")
            case Reference():
                yield from self._reference(expression)
            case Operation():
                for side in (expression.left, expression.right):
                    found = list(self._expression(side))
                    yield from found
                    if not found and type_of(side, self.scope, self.parameters, self.types) in ("string", "bool"):
                        yield Mistake(f"{expression.operator} needs numbers", _offset(side), code="E713")
            case Aggregate():
                yield from self._aggregate(expression)
            case _:
                assert_never(expression)

    def _reference(self, reference: Reference) -> Iterator[Mistake]:
        name = OWN if reference.event is None else reference.event
        if name not in self.scope:
            if reference.event is None:
                message = f"{reference.attribute} is not an attribute here"
                note = "write Event.attribute, or quote a text"
                if self.dotr:
                    message = f"?{reference.attribute} is not a variable of one event here"
                    note = f"name its event, such as Smoke.?{reference.attribute}"
                yield Mistake(message, reference.offset, len(reference.attribute), note, "E712")
            else:
                yield self._unknown_name(name, reference.offset)
        elif name in self.gathered:
            attribute = self._written(reference.attribute)
            message = f"{name} is all events that fit, so {name}.{attribute} is not one value"
            note = f"use an aggregate, such as MAX({self.scope[name].name}.{attribute}) within …"
            yield Mistake(message, reference.offset, len(name), note, "E712")
        elif self.scope[name].index(reference.attribute) < 0:
            yield self._no_attribute(self.scope[name], reference.attribute, reference.offset)

    def _written(self, attribute: str) -> str:
        """An attribute as it is written."""
        return f"?{attribute}" if self.dotr else attribute

    def _no_attribute(self, type_: EventType, attribute: str, offset: int) -> Mistake:
        names = [known.name for known in type_.attributes]
        known = f"it has {', '.join(map(self._written, names))}" if names else "it has none"
        if self.dotr and type_.name != self.rule.defines.name:
            known += "; the SELECT of its query can have more"
        note = " ".join(filter(None, (similar(attribute, names), known)))
        what = "variable" if self.dotr else "attribute"
        length = 1 if self.dotr else len(attribute)
        return Mistake(f"{type_.name} has no {what} {self._written(attribute)}", offset, length, note, "E712")

    def _aggregate(self, aggregate: Aggregate) -> Iterator[Mistake]:
        yield from self._position(aggregate.position)
        type_ = self.types.get(aggregate.type)
        if type_ is None:
            yield self._undeclared(aggregate.type, aggregate.offset)
            return
        if aggregate.attribute is not None:
            index = type_.index(aggregate.attribute)
            if index < 0:
                yield self._no_attribute(type_, aggregate.attribute, aggregate.offset)
            elif aggregate.function != "COUNT" and type_.attributes[index].type in ("string", "bool"):
                message = f"{aggregate.function} needs numbers, and {type_.name}.{aggregate.attribute} is none"
                yield Mistake(message, aggregate.offset, len(aggregate.function), code="E713")
        yield from self._constraints(type_, aggregate.constraints, OWN, binds=False)


def _a(type_: Type | None) -> str:
    return f"an {type_}" if type_ == "int" else f"a {type_}"


def _offset(expression: Expression) -> int:
    return _offset(expression.left) if isinstance(expression, Operation) else expression.offset


def cycle(rules: tuple[TeslaRule, ...]) -> tuple[str, ...]:
    """A cycle of events that fire on one another at the same time point; nothing if there is none."""
    fires: dict[str, list[str]] = {}
    for rule in rules:
        fires.setdefault(rule.defines.name, []).append(rule.terminator.type)
    done: set[str] = set()
    for start in fires:
        path: list[str] = []
        stack: list[tuple[str, int]] = [(start, 0)]
        while stack:
            name, depth = stack.pop()
            del path[depth:]
            if name in path:
                return (*path[path.index(name) :], name)
            if name in done:
                continue
            path.append(name)
            following = fires.get(name, [])
            stack += [(other, depth + 1) for other in following]
            if not following:
                done.add(name)
        done.add(start)
    return ()
