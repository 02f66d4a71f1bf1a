"""The meaning of TESLA, executed literally: slow, short, and the judge of the rules that a program becomes.

Events. A fact is an *event* if its type is declared and each of its values has the declared type: a text for `string`,
an integral number for `int`, any number for `float`, the name `true` or `false` for `bool`, anything if no type is
declared. Two events of the same type, time and values are the same event.

Timers. `Timer(hour = 8, minute = 30)` is an event at each time point that contains the beginning of such a second of
the day, in UTC. Units that are not given are 0, and any number if no larger unit is given.

Firing. A rule has *matches* at a time point t. A match gives an event to each name in the rule (several to the name of
an `all` event), and values to parameters. It begins with a terminator: an event at t of the terminator's type that
satisfies its constraints and survives its negations. Each selection, in the order of the text, widens the match by some
of its *candidates*: the events that

  - have its type, and lie in the open interval of its position;
  - are not consumed for this rule;
  - satisfy its constraints;
  - survive its negations.

| policy | a match is widened |
|---|---|
| `each` | once by each candidate |
| `n-last`, `n-first` | once by each of the n greatest or least candidates: by time, then by their values in order |
| `all` | once, by all candidates; not at all if there are none |

A rule *fires* for every match for which all assignments have values. Its results are events at t: other rules see them
at t as terminators, and later in positions. As intervals are open, nothing but a terminator is ever at t.

Positions. `within w from X` is the interval (t(X) - w, t(X)). `between X and Y` is (min(t(X), t(Y)), max(t(X), t(Y))).

Constraints hold one by one, in order. `attribute = $p` gives $p the value of the attribute if $p has no value yet.
Otherwise the attribute is compared with the value of the expression; equality is identity, and a number and a text are
unequal, neither less nor greater. A constraint fails if its expression has no value: after a division by zero,
arithmetic on texts, or a result beyond 64 bits. What an `all` event gives to a parameter is known to this event and its
negations only.

Negations. `not E(…) position` holds for a match if no event in the interval satisfies the constraints. It is one of the
negations of a single event: the last one, in the order of the text, among its anchors, the events whose attributes
occur in it, and the events that give its parameters their values. Other parameters are local to it.

Aggregates range over the events in the interval that satisfy the constraints, with one value for each event, even if
values are equal. Parameters without a value are local to them. Of no events, COUNT is 0 and the others have no value.
Sums are exact, and rounded once.

Consumption. If a rule fires at t, the events that it consumes in these matches are no candidates for its selections
after t. Negations, aggregates, terminators and other rules still see them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub
from typing import Any, NamedTuple, assert_never

from lasing.languages.tesla import syntax as ast
from lasing.logic.functions import holds
from lasing.logic.values import Truth, Undefined, Value, is_number, is_text, normal, order_key


class Event(NamedTuple):
    """Something that happened at a time point: a type, and the values of its attributes in declared order."""

    time: int
    type: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Match:
    """The events that some names of a rule have, and the values of some parameters."""

    events: dict[str, tuple[Event, ...]]
    parameters: dict[str, Value]

    def event(self, name: str) -> Event:
        """The one event of a name."""
        (event,) = self.events[name]
        return event

    def holding(self, name: str, *events: Event) -> Match:
        return Match(self.events | {name: events}, self.parameters)


def results(program: ast.TeslaProgram, stream: Iterable[Event]) -> dict[int, frozenset[Event]]:
    """The results of all rules at each time point from the first fact of the stream to the last.

    Facts may come in any order. No rule may lead to its own terminator at the same time point.
    """
    facts = [Event(fact.time, fact.type, tuple(map(_normal, fact.values))) for fact in stream]
    if not facts:
        return {}
    inputs = {declared.name for declared in program.inputs}
    history: set[Event] = set()
    consumed: dict[int, set[Event]] = {number: set() for number in range(len(program.rules))}
    found: dict[int, frozenset[Event]] = {}
    for now in range(min(fact.time for fact in facts), max(fact.time for fact in facts) + 1):
        history |= {fact for fact in facts if fact.time == now and fact.type in inputs and is_event(program, fact)}
        # Results are terminators of other rules: repeat until there are no new ones.
        firings: list[tuple[int, Match, Event]] = []
        size = -1
        while size < len(history):
            size = len(history)
            firings = [
                (number, match, result)
                for number, rule in enumerate(program.rules)
                for match, result in Matcher(program, rule, history, consumed[number]).firings(now)
            ]
            history |= {result for _, _, result in firings}
        found[now] = frozenset(result for _, _, result in firings)
        for number, match, _ in firings:
            for name in program.rules[number].consumed:
                consumed[number] |= set(match.events[name])
    return found


def is_event(program: ast.TeslaProgram, fact: Event) -> bool:
    """Whether the values of a fact have the declared types."""
    declared = program.types()[fact.type].attributes
    return len(fact.values) == len(declared) and all(
        attribute.type is None or _HAS_TYPE[attribute.type](value)
        for attribute, value in zip(declared, fact.values, strict=True)
    )


_HAS_TYPE: dict[ast.Type, Callable[[Value], bool]] = {
    "string": is_text,
    "int": lambda value: isinstance(value, int),  # 1.0 is the same number as 1, which has this form
    "float": is_number,
    "bool": lambda value: value in ("true", "false"),
}


@dataclass(frozen=True)
class Matcher:
    """A rule at a moment: what has happened so far, and which events are consumed for the rule."""

    program: ast.TeslaProgram
    rule: ast.TeslaRule
    history: set[Event]
    consumed: set[Event]

    def firings(self, now: int) -> Iterator[tuple[Match, Event]]:
        """The matches for which the rule fires, each with its result."""
        for match in self.matches(now):
            try:
                given = {done.attribute: self.value(done.expression, match) for done in self.rule.assignments}
            except Undefined:
                continue
            defined = self.rule.defines
            result = Event(now, defined.name, tuple(given[attribute.name] for attribute in defined.attributes))
            if is_event(self.program, result):
                yield match, result

    def matches(self, now: int) -> list[Match]:
        described = self.rule.terminator
        terminators = [event for event in self.history if event.time == now]
        if described.type == ast.TIMER:
            terminators = [Event(now, ast.TIMER, ())] if self.is_time(described, now) else []
            described = ast.Description(ast.TIMER)
        matches = list(self.fitting(described, self.rule.name, terminators, Match({}, {})))
        for selection in self.rule.selections():
            matches = [wider for match in matches for wider in self.widened(match, selection)]
        return matches

    def is_time(self, timer: ast.Description, now: int) -> bool:
        """Whether a timer fires at a time point."""
        given = {done.attribute: done.expression for done in timer.constraints}
        first = now * self.program.tick
        for second in range(-(-first // 1000), -(-(first + self.program.tick) // 1000)):
            clock = {"hour": second // 3600 % 24, "minute": second // 60 % 60, "second": second % 60}
            wanted: dict[str, Value] = {}
            for unit in clock:  # from the largest
                if unit in given or wanted:
                    wanted[unit] = self.value(given.get(unit, ast.Constant(0)), Match({}, {}))
            if all(clock[unit] == value for unit, value in wanted.items()):
                return True
        return False

    def widened(self, match: Match, selection: ast.Selection) -> list[Match]:
        """A match, widened by the candidates of a selection that its policy selects."""
        name = selection.name
        near = [event for event in self.inside(selection.position, match) if event not in self.consumed]
        wider = list(self.fitting(selection.event, name, near, match))
        wider.sort(key=lambda one: (one.event(name).time, *map(order_key, one.event(name).values)))
        if selection.policy == "all":
            return [match.holding(name, *(one.event(name) for one in wider))] if wider else []
        if selection.policy == "each":
            return wider
        return wider[: selection.count] if selection.policy == "first" else wider[-selection.count :]

    def fitting(self, described: ast.Description, name: str, events: Iterable[Event], match: Match) -> Iterator[Match]:
        """A match, widened by each event that satisfies the constraints and survives the negations of this name."""
        negations = [c for c in self.rule.clauses if isinstance(c, ast.Negation) and self.last_mentioned(c) == name]
        for event in events:
            wider = self.satisfied(described, event, match.holding(name, event))
            if wider is not None and not any(self.found(n.event, n.position, wider) for n in negations):
                yield wider

    def last_mentioned(self, negation: ast.Negation) -> str:
        """The last event among those that a negation needs."""
        described = {self.rule.name: self.rule.terminator} | {s.name: s.event for s in self.rule.selections()}
        givers: dict[str, str] = {}
        for name, event in described.items():
            for constraint in event.constraints:
                givers.setdefault(_parameter(constraint), name)
        needed = {*ast.anchors(negation.position)}
        for part in _within(negation.event.constraints):
            if isinstance(part, ast.Reference) and part.event is not None:
                needed.add(part.event)
            elif isinstance(part, ast.Parameter) and part.name in givers:
                needed.add(givers[part.name])
            elif isinstance(part, ast.Aggregate):
                needed.update(ast.anchors(part.position))
        return max(needed, key=list(described).index)

    def inside(self, position: ast.Position, match: Match) -> list[Event]:
        """The events in the open interval of a position."""
        if isinstance(position, ast.Within):
            high = match.event(position.anchor).time
            low = high - self.program.points(position.length)
        else:
            low, high = sorted((match.event(position.one).time, match.event(position.other).time))
        return [event for event in self.history if low < event.time < high]

    def found(self, described: ast.Description | ast.Aggregate, position: ast.Position, match: Match) -> list[Event]:
        """The events in the interval of a position that satisfy some constraints."""
        return [e for e in self.inside(position, match) if self.satisfied(described, e, match) is not None]

    def satisfied(self, described: ast.Description | ast.Aggregate, event: Event, match: Match) -> Match | None:
        """The match with the parameters that the event gives values to; None if the event does not fit."""
        if event.type != described.type:
            return None
        for constraint in described.constraints:
            actual, parameter = self.attribute(event, constraint.attribute), _parameter(constraint)
            if parameter and parameter not in match.parameters:
                match = Match(match.events, match.parameters | {parameter: actual})
                continue
            try:
                if not holds(constraint.comparison, actual, self.value(constraint.expression, match, event)):
                    return None
            except Undefined:
                return None
        return match

    def attribute(self, event: Event, name: str) -> Value:
        return event.values[self.program.types()[event.type].index(name)]

    def value(self, expression: ast.Expression, match: Match, described: Event | None = None) -> Value:
        """The value of an expression, in the description of an event if there is one; raises `Undefined` without."""
        match expression:
            case ast.Constant():
                return _normal(expression.value)
            case ast.Parameter():
                if expression.name not in match.parameters:
                    raise Undefined("a parameter without a value")
                return match.parameters[expression.name]
            case ast.Reference():
                event = described if expression.event is None else match.event(expression.event)
                assert event is not None, "assignments name the events whose attributes they use"
                return self.attribute(event, expression.attribute)
            case ast.Operation():
                left, right = (self.value(side, match, described) for side in (expression.left, expression.right))
                return normal(_OPERATIONS[expression.operator](_number(left), _number(right)))
            case ast.Aggregate():
                return self.aggregated(expression, match)
            case _:
                assert_never(expression)

    def aggregated(self, aggregate: ast.Aggregate, match: Match) -> Value:
        events = self.found(aggregate, aggregate.position, match)
        if aggregate.function == "COUNT":
            return len(events)
        assert aggregate.attribute is not None, "only COUNT needs no attribute"
        numbers = [_number(self.attribute(event, aggregate.attribute)) for event in events]
        if not numbers:
            raise Undefined("an aggregate of nothing")
        if aggregate.function in ("MIN", "MAX"):
            return min(numbers) if aggregate.function == "MIN" else max(numbers)
        total = sum(map(Fraction, numbers), Fraction(0))
        return normal(_ratio(total, len(numbers) if aggregate.function == "AVG" else 1))


def _parameter(constraint: ast.Constraint) -> str:
    """The parameter in `attribute = $p`, to which it may give its value; empty if it is another constraint."""
    expression = constraint.expression
    return expression.name if constraint.comparison == "=" and isinstance(expression, ast.Parameter) else ""


def _within(constraints: Iterable[ast.Constraint]) -> Iterator[ast.Expression]:
    """All expressions in some constraints, those inside of aggregates too."""
    for constraint in constraints:
        for part in ast.parts(constraint.expression):
            yield part
            if isinstance(part, ast.Aggregate):
                yield from _within(part.constraints)


def _ratio(a: int | float | Fraction, b: int | float) -> int | float:
    """A quotient: whole if it divides evenly, otherwise rounded."""
    if b == 0:
        raise Undefined("a division by zero")
    whole = not isinstance(a, float) and not isinstance(b, float) and a % b == 0
    return int(a // b) if whole else float(a / b)


def _number(value: Value) -> int | float:
    if not isinstance(value, (int, float)):
        raise Undefined("not a number")
    return value


def _normal(value: Value) -> Value:
    if isinstance(value, Truth):
        return value.lexical
    return normal(value) if isinstance(value, (int, float)) else value


_OPERATIONS: dict[ast.Operator, Callable[[Any, Any], int | float]] = {"+": add, "-": sub, "*": mul, "/": _ratio}
