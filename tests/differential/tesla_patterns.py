"""Random TESLA programs, small random streams for them, and the text of a program.

Programs are such that TESLA says what they mean:

- A rule that defines a type fires on inputs, or on types that come earlier in DEFINED: no rule leads to its own
  terminator. Selections, negations and aggregates take any type.
- A parameter has a value wherever it occurs, or it is local to the negation or aggregate in which it occurs.
- Nothing refers to an event that is selected with `all`, neither by name nor through a parameter.
- Values have the declared types of results, and only numbers are aggregated. Where a type is declared, values are
  compared with others of their kind; attributes without a type hold numbers and texts, and are compared with anything.

Times and values are few, so that patterns match. A few facts do not have the declared types.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Literal, assert_never

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from lasing.languages.tesla.definition import Event
from lasing.languages.tesla.syntax import (
    AGGREGATES,
    TIMER,
    Aggregate,
    Assignment,
    Attribute,
    Between,
    Clause,
    Constant,
    Constraint,
    Description,
    EventType,
    Expression,
    Length,
    Negation,
    Operation,
    Operator,
    Parameter,
    Policy,
    Position,
    Reference,
    Selection,
    TeslaProgram,
    TeslaRule,
    Type,
    Within,
    anchors,
)
from lasing.logic.functions import Comparison
from lasing.logic.values import Truth, Value, quoted, value_text

INPUTS = ("Smoke", "Temp", "Rain", "Wind")
DEFINED = ("Fire", "Alarm", "Panic")
ATTRIBUTES = ("room", "level", "state")
DECLARED: tuple[Type | None, ...] = ("int", None, "float", None, "string", "bool")
LAST = 24
FACTS = 60
LONG = (8, 5, 6, 12, 20, 3, 2, 1)
SHORT = (3, 2, 4, 2, 6, 1)

Kind = Literal["text", "truth", "whole", "number", "loose", "any"]
KINDS: dict[Type | None, Kind] = {"string": "text", "bool": "truth", "int": "whole", "float": "number", None: "any"}
INSIDE: dict[Kind, tuple[Kind, ...]] = {
    "text": ("text",),
    "truth": ("truth",),
    "whole": ("whole",),
    "number": ("whole", "number"),
    "loose": ("whole", "number", "any"),
    "any": ("text", "truth", "whole", "number", "any"),
}
"""The kinds of attributes that an expression of a kind may have as its value. `loose` ones should be numbers."""

VALUES: dict[Kind, tuple[Value, ...]] = {
    "text": ("a", "b", "1"),
    "truth": (Truth(True), Truth(False)),
    "whole": (1, 2, 0, -1),
    "number": (1, 2, 1.5, 0, -1),
    "loose": (1, 2, 1.5, 0),
    "any": (1, "a", 2, "1", 1.5, "true"),
}
TICK = 10_000
"""The length of a time point where there are timers: there are six of them in a minute."""


CLOCK = EventType(TIMER, ())


@dataclass(frozen=True)
class Example:
    """A program, and facts in the order of time. Some facts are no events."""

    program: TeslaProgram
    stream: tuple[Event, ...]

    def __str__(self) -> str:
        rows = "".join(f"  {fact.time}: {fact.type}{fact.values}\n" for fact in self.stream)
        return f"{text(self.program)}--- stream\n{rows}"


@st.composite
def examples(draw: DrawFn) -> Example:
    """A program of up to three rules, and a stream of up to 25 time points."""
    program = draw(programs())
    return Example(program, draw(streams(program)))


@st.composite
def streams(draw: DrawFn, program: TeslaProgram) -> tuple[Event, ...]:
    """Some of the facts that a seed gives: Hypothesis leaves out facts, but would make streams too small by itself."""
    chance = random.Random(draw(st.integers(0, 2**16)))
    used = {rule.terminator.type for rule in program.rules}
    terminators = [declared for declared in program.inputs if declared.name in used]
    facts = []
    for _ in range(FACTS):
        declared = chance.choice((*program.inputs, *terminators))
        values = tuple(_value(chance, attribute) for attribute in declared.attributes)
        fact = Event(chance.randint(1, LAST), declared.name, values)
        if draw(st.integers(0, 3)):
            facts.append(fact)
    return tuple(sorted(facts, key=lambda fact: fact.time))


def _value(chance: random.Random, attribute: Attribute) -> Value:
    wrong = chance.random() < 0.03
    value = chance.choice(VALUES["any" if wrong else KINDS[attribute.type]])
    return value.lexical if isinstance(value, Truth) else value


# -- programs ---------------------------------------------------------------------------------------------------------


@st.composite
def programs(draw: DrawFn) -> TeslaProgram:
    """Two to four types of events that come in, and one to three rules, in any order."""
    inputs = [draw(_event_type(name, least=1)) for name in INPUTS[: draw(st.integers(2, 4))]]
    layers = [0]
    for _ in range(draw(st.integers(0, 2))):
        layers.append(layers[-1] + draw(st.sampled_from((1, 1, 0))))
    defined = [draw(_event_type(name, least=0)) for name in DEFINED[: layers[-1] + 1]]
    rules = [_Rule(draw, inputs, defined, layer, layers.count(layer) == 1).made() for layer in layers]
    timed = any(rule.terminator.type == TIMER for rule in rules)
    return TeslaProgram(tuple(inputs), tuple(draw(st.permutations(rules))), TICK if timed else 0)


@st.composite
def _event_type(draw: DrawFn, name: str, least: int) -> EventType:
    size = draw(st.sampled_from([size for size in (2, 1, 3, 2, 1, 0) if size >= least]))
    return EventType(name, tuple(Attribute(known, draw(st.sampled_from(DECLARED))) for known in ATTRIBUTES[:size]))


@dataclass
class _Scope:
    """What an expression may refer to: events, parameters that have a value, and the event that is being described."""

    events: dict[str, EventType] = field(default_factory=dict)
    parameters: dict[str, Kind] = field(default_factory=dict)
    own: EventType | None = None
    own_name: str | None = None

    def describing(self, own: EventType, name: str | None = None) -> _Scope:
        """The scope in the description of an event, which may have a name."""
        named = {} if name is None else {name: own}
        return _Scope(self.events | named, dict(self.parameters), own, name)


class _Rule:
    """Makes one rule, clause by clause."""

    def __init__(
        self, draw: DrawFn, inputs: list[EventType], defined: list[EventType], layer: int, alone: bool
    ) -> None:
        self.draw = draw
        self.types = [*inputs, *inputs, *inputs, *defined]
        self.selected = [declared for declared in self.types if declared != defined[layer] or not alone]
        self.terminators = [*inputs, *defined[:layer], *defined[:layer]]
        self.defines = defined[layer]
        self.scope = _Scope()
        self.taken: set[str] = set()
        self.numbers = count(1)

    def made(self) -> TeslaRule:
        if _rarely(self.draw, 12):
            name = self.name(CLOCK)
            self.scope = _Scope({name: CLOCK})
            terminator = self.timer()
        else:
            of_type = self.draw(st.sampled_from(self.terminators))
            name = self.name(of_type)
            terminator = self.described(of_type, name, 2)
        clauses: list[Clause] = [self.negation() for _ in range(self.draw(st.sampled_from((0, 0, 0, 1))))]
        for _ in range(self.draw(st.sampled_from((1, 2, 0, 1, 2, 3)))):
            clauses.append(self.selection())
            for _ in range(self.draw(st.sampled_from((0, 0, 1, 0, 1, 0, 0, 2)))):
                negation = self.negation()
                clauses.insert(self.place(negation, name, clauses), negation)
        assignments = tuple(
            Assignment(attribute.name, self.expression(self.scope, KINDS[attribute.type], 2))
            for attribute in self.defines.attributes
        )
        consumed: tuple[str, ...] = ()
        if self.draw(st.booleans()):
            weights = [n for n in sorted(self.taken) for _ in range(1 if n == name else 3)]
            consumed = tuple(self.draw(st.lists(st.sampled_from(weights), unique=True, min_size=1, max_size=2)))
        return TeslaRule(self.defines, terminator, name, tuple(clauses), assignments, consumed)

    def timer(self) -> Description:
        """A timer that fires within the first minutes."""
        second = Constraint("second", "=", Constant(self.draw(st.sampled_from((30, 0, 15, 59)))))
        if _rarely(self.draw, 2):
            return Description(TIMER, (Constraint("minute", "=", Constant(self.draw(st.integers(0, 3)))), second))
        return Description(TIMER, (second,))

    def name(self, of_type: EventType) -> str:
        """A name of its own for an event: that of its type if no other event has it."""
        number = next(self.numbers)
        aliased = of_type.name in self.taken or _rarely(self.draw, 4)
        name = f"{of_type.name[0]}{number}" if aliased else of_type.name
        self.taken.add(name)
        return name

    def place(self, negation: Negation, terminator: str, clauses: list[Clause]) -> int:
        """Where to put a negation: at the end, or right after the events that it names.

        Then the events that give its parameters their values may come after it.
        """
        expressions = [constraint.expression for constraint in negation.event.constraints]
        if not _rarely(self.draw, 2) or any(isinstance(e, Operation | Aggregate) for e in expressions):
            return len(clauses)
        if any(isinstance(c.expression, Parameter) and c.comparison != "=" for c in negation.event.constraints):
            return len(clauses)
        named = {e.event for e in expressions if isinstance(e, Reference)} | {*anchors(negation.position)}
        places = {terminator: 0} | {c.name: i + 1 for i, c in enumerate(clauses) if isinstance(c, Selection)}
        return max(places[name] for name in named if name is not None)

    # -- clauses ------------------------------------------------------------------------------------------------------

    def selection(self) -> Selection:
        policy: Policy = self.draw(st.sampled_from(("each", "last", "first", "each", "last", "all")))
        size = self.draw(st.sampled_from((1, 2, 1, 2, 3))) if policy in ("first", "last") else 1
        position = self.position(self.scope, LONG)
        of_type = self.draw(st.sampled_from(self.selected))
        name = self.name(of_type)
        if policy == "all":
            described = self.constrained(self.scope.describing(of_type), of_type, 2, "nothing")
            return Selection(policy, size, described, name, position)
        return Selection(policy, size, self.described(of_type, name, 2), name, position)

    def negation(self) -> Negation:
        position = self.position(self.scope, SHORT)
        of_type = self.draw(st.sampled_from(self.types))
        return Negation(self.constrained(self.scope.describing(of_type), of_type, 1, "local"), position)

    def described(self, of_type: EventType, name: str, depth: int) -> Description:
        """The description of an event to which later parts of the rule may refer."""
        scope = self.scope.describing(of_type, name)
        made = self.constrained(scope, of_type, depth, "known")
        self.scope = _Scope(scope.events, scope.parameters)
        return made

    def position(self, scope: _Scope, lengths: tuple[int, ...]) -> Position:
        names = list(scope.events)
        if len(names) > 1 and _rarely(self.draw, 3):
            one, other = self.draw(st.permutations(names))[:2]
            return Between(one, other)
        length = self.draw(st.sampled_from(lengths))
        return Within(Length(length), self.draw(st.sampled_from(names)))

    # -- constraints --------------------------------------------------------------------------------------------------

    def constrained(
        self, scope: _Scope, of_type: EventType, depth: int, new: Literal["known", "local", "nothing"]
    ) -> Description:
        """A type with up to two constraints. New parameters, if there may be any, are added to the scope."""
        if not of_type.attributes:
            return Description(of_type.name)
        first, *others = self.draw(st.permutations(of_type.attributes))
        if new == "local" and others and _rarely(self.draw, 5):
            parameter = Parameter(f"l{next(self.numbers)}")
            comparison: Comparison = self.draw(st.sampled_from(("=", "!=", "<=")))
            both = Constraint(first.name, "=", parameter), Constraint(others[0].name, comparison, parameter)
            return Description(of_type.name, both)
        chosen = [first, *others, first][: self.draw(st.sampled_from((1, 2, 1, 0) if new == "local" else (1, 0, 2)))]
        constraints = []
        for attribute in chosen:
            if new == "known" and _rarely(self.draw, 2):
                name = f"p{next(self.numbers)}"
                scope.parameters[name] = KINDS[attribute.type]
                constraints.append(Constraint(attribute.name, "=", Parameter(name)))
            else:
                constraints.append(self.constraint(scope, attribute, depth))
        return Description(of_type.name, tuple(constraints))

    def constraint(self, scope: _Scope, attribute: Attribute, depth: int) -> Constraint:
        kind = KINDS[attribute.type]
        compared: Kind = "number" if kind == "whole" else kind
        known = [name for name, of in scope.parameters.items() if of in INSIDE[compared] or "any" in (of, kind)]
        if known and self.draw(st.integers(0, 1)) == 0:
            equal: Comparison = self.draw(st.sampled_from(("=", "=", "=", "!=", "<=")))
            return Constraint(attribute.name, equal, Parameter(self.draw(st.sampled_from(known))))
        comparison: Comparison = self.draw(st.sampled_from((">=", "<=", "!=", ">=", "<=", "!=", "<", ">", "=")))
        expression = self.expression(scope, compared, depth)
        if expression in (Reference(None, attribute.name), Reference(scope.own_name, attribute.name)):
            expression = self.expression(_Scope(), compared, 0)
        return Constraint(attribute.name, comparison, expression)

    # -- expressions --------------------------------------------------------------------------------------------------

    def expression(self, scope: _Scope, kind: Kind, depth: int) -> Expression:
        """An expression whose values are of a kind. At depth 1 it has no aggregates, at 0 no operations."""
        inside = INSIDE[kind]
        constant = st.sampled_from([value for value in VALUES[kind] if value != -1]).map(Constant)
        makers: list[Callable[[], Expression]] = [lambda: self.draw(constant)]
        if parameters := [Parameter(name) for name, of in scope.parameters.items() if of in inside]:
            makers += [lambda: self.draw(st.sampled_from(parameters))] * 2
        if references := [reference for reference, of in _references(scope) if of in inside]:
            makers += [lambda: self.draw(st.sampled_from(references))] * 5
        if depth > 0 and kind not in ("text", "truth"):
            makers.append(lambda: self.operation(scope, kind, depth))
        if depth > 1 and kind not in ("text", "truth") and scope.events:
            makers.append(lambda: self.aggregate(scope, kind))
        return self.draw(st.sampled_from(makers))()

    def operation(self, scope: _Scope, kind: Kind, depth: int) -> Operation:
        """Arithmetic. Products have a constant factor: so values stay small, however often a rule uses its results."""
        operator: Operator = self.draw(st.sampled_from(("+", "-", "*") if kind == "whole" else ("+", "-", "*", "/")))
        taken: Kind = "loose" if kind == "any" or (kind == "number" and _rarely(self.draw, 3)) else kind
        left = self.expression(scope, taken, depth - 1)
        if operator == "*":
            return Operation("*", left, Constant(self.draw(st.sampled_from((2, 3)))))
        return Operation(operator, left, self.expression(scope, taken, depth - 1))

    def aggregate(self, scope: _Scope, kind: Kind) -> Aggregate:
        """An aggregate, whose constraints have no further ones."""
        position = self.position(scope, LONG)
        function = self.draw(st.sampled_from(AGGREGATES))
        accepted = ("whole",) if kind == "whole" else ("whole", "number")
        numeric = [(t, a) for t in self.types for a in t.attributes if KINDS[a.type] in accepted]
        if (function == "AVG" and kind == "whole") or not numeric:
            function = "COUNT"
        attribute: str | None = None
        if function == "COUNT":
            of_type = self.draw(st.sampled_from(self.types))
            if of_type.attributes and _rarely(self.draw, 3):
                attribute = self.draw(st.sampled_from(of_type.attributes)).name
        else:
            of_type, chosen = self.draw(st.sampled_from(numeric))
            attribute = chosen.name
        constraints = self.constrained(scope.describing(of_type), of_type, 1, "local").constraints
        return Aggregate(function, of_type.name, attribute, constraints, position)


def _references(scope: _Scope) -> Iterator[tuple[Reference, Kind]]:
    for name, of_type in scope.events.items():
        for attribute in of_type.attributes:
            yield Reference(name, attribute.name), KINDS[attribute.type]
    for attribute in scope.own.attributes if scope.own is not None else ():
        yield Reference(None, attribute.name), KINDS[attribute.type]


def _rarely(draw: DrawFn, times: int) -> bool:
    """True once in some times; never in the simplest example."""
    return draw(st.integers(1, times)) == times


# -- text -------------------------------------------------------------------------------------------------------------


def text(program: TeslaProgram) -> str:
    """A program in the notation of the papers, with lengths in time points."""
    tick = [f"tick {program.tick} ms;"] if program.tick else []
    inputs = [f"event {_declared(declared)};" for declared in program.inputs]
    return "".join(f"{line}\n" for line in (*tick, *inputs, *map(_rule, program.rules)))


def _declared(declared: EventType) -> str:
    shown = (known.name if known.type is None else f"{known.name}: {known.type}" for known in declared.attributes)
    return f"{declared.name}({', '.join(shown)})"


def _rule(rule: TeslaRule) -> str:
    pattern = [_named(rule.terminator, rule.name), *map(_clause, rule.clauses)]
    lines = [f"define {_declared(rule.defines)}", f"from {' and '.join(pattern)}"]
    if rule.assignments:
        lines.append("with " + ", ".join(f"{done.attribute} = {_shown(done.expression)}" for done in rule.assignments))
    if rule.consumed:
        lines.append(f"consuming {', '.join(rule.consumed)}")
    return "\n".join(lines) + ";"


def _clause(clause: Clause) -> str:
    if isinstance(clause, Negation):
        return f"not {_description(clause.event)} {_position(clause.position)}"
    policy = f"{clause.count}-{clause.policy}" if clause.count > 1 else clause.policy
    return f"{policy} {_named(clause.event, clause.name)} {_position(clause.position)}"


def _named(described: Description, name: str) -> str:
    return _description(described) + (f" as {name}" if name != described.type else "")


def _description(described: Description) -> str:
    return f"{described.type}({_constraints(described.constraints)})"


def _constraints(constraints: Iterable[Constraint]) -> str:
    return ", ".join(f"{c.attribute} {c.comparison} {_shown(c.expression)}" for c in constraints)


def _position(position: Position) -> str:
    if isinstance(position, Within):
        return f"within {position.length.amount} from {position.anchor}"
    return f"between {position.one} and {position.other}"


def _shown(expression: Expression) -> str:
    match expression:
        case Constant(Truth() as truth):
            return truth.lexical
        case Constant():
            return quoted(expression.value) if isinstance(expression.value, str) else value_text(expression.value)
        case Parameter():
            return f"${expression.name}"
        case Reference():
            return expression.attribute if expression.event is None else f"{expression.event}.{expression.attribute}"
        case Operation():
            return f"{_operand(expression.left)} {expression.operator} {_operand(expression.right)}"
        case Aggregate():
            of = expression.type if expression.attribute is None else f"{expression.type}.{expression.attribute}"
            over = f"{expression.function}({of}({_constraints(expression.constraints)}))"
            return f"{over} {_position(expression.position)}"
        case _:
            assert_never(expression)


def _operand(expression: Expression) -> str:
    shown = _shown(expression)
    return f"({shown})" if isinstance(expression, Operation | Aggregate) else shown
