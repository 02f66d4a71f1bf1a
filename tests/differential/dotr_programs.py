"""Random DOTR programs, in both notations, with the patterns that they mean and streams of small graphs.

A case has the text of a program, and beside it the same rules as TESLA's syntax, made without reading the text: for
each type of events a query, and for each rule a pattern and a graph.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from lasing.languages.tesla.syntax import (
    Aggregate,
    AggregateName,
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
    Position,
    Reference,
    Selection,
    TeslaRule,
    Within,
)
from lasing.logic.functions import Comparison
from lasing.logic.values import Iri, Value

EX = "http://ex.org/"
PREFIX = f"PREFIX : <{EX}>\n"
LAST = 14
Triple = tuple[Value, Value, Value]


@dataclass(frozen=True)
class Shape:
    """A query: the name of its events, what it selects, its pattern with holes for numbers, and its other variables."""

    name: str
    select: str
    pattern: str
    iris: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    unselected: tuple[str, ...] = ()
    """Variables that have numbers, and are not selected."""
    after: str = ""

    @property
    def variables(self) -> tuple[str, ...]:
        words = self.select.replace("(COUNT(?s) AS ?n)", "?n").split()
        return ("s", "v", "f") if words == ["*"] else tuple(word[1:] for word in words if word != "DISTINCT")


SHAPES = (
    Shape("Smoke", "?s ?room", "?s a :Smoke ; :in ?room .", ("s", "room")),
    Shape("Temp", "?s ?v", "?s a :Temp ; :value ?v .", ("s",), ("v",)),
    Shape("Reading", "?s ?v ?room", "?s :value ?v ; :in ?room .", ("s", "room"), ("v",)),
    Shape("Hot", "?s ?room", "?s :value ?v ; :in ?room . FILTER(?v > {0})", ("s", "room"), (), ("v",)),
    Shape("Warm", "?v ?s", "?s :value ?v . FILTER(?v > {0} && ?v < {1})", ("s",), ("v",)),
    Shape("Placed", "DISTINCT ?s ?room", "?s a :Temp . OPTIONAL {{ ?s :in ?room }}", ("s", "room")),
    Shape("Crowd", "?room (COUNT(?s) AS ?n)", "?s :in ?room .", ("room",), ("n",), after=" GROUP BY ?room"),
    Shape("Up", "*", "?s :value ?v . ?s :in/:floor ?f .", ("s",), ("v", "f")),
)


@dataclass
class Occurrence:
    """An event of a pattern: its type, its name, its variables by kind, and its constraints."""

    type: EventType
    name: str
    iris: tuple[str, ...]
    numbers: tuple[str, ...]
    constraints: list[Constraint] = field(default_factory=list)
    many: bool = False
    negated: bool = False
    late: list[Constraint] = field(default_factory=list)
    """The constraints that `with` adds: other events of the same name do not have them."""

    def all_constraints(self) -> tuple[Constraint, ...]:
        return (*self.constraints, *self.late)


@dataclass(frozen=True)
class RuleCase:
    """A pattern, and its graph: triples of variables (`?x`), new nodes (`1`, `2`) and terms."""

    pattern: TeslaRule
    graph: tuple[tuple[object, object, object], ...]


@dataclass(frozen=True)
class DotrCase:
    text: str
    queries: dict[str, str]
    """The SPARQL of each type of events."""
    types: dict[str, EventType]
    rules: tuple[RuleCase, ...]
    background: tuple[Triple, ...]
    stream: tuple[tuple[int, Triple], ...]


def iri(name: str) -> Iri:
    return Iri(EX + name)


TYPE = Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def dotr_example(seed: int) -> DotrCase:
    chance = random.Random(seed)
    maker = _Maker(chance)
    texts = [maker.rule(name) for name in ("Fire", "Alarm")[: chance.choice((1, 1, 2))]]
    background: list[Triple] = [(iri(f"r{i}"), iri("floor"), chance.choice((1, 2))) for i in (1, 2)]
    if chance.random() < 0.5:
        background.append((iri("s1"), iri("in"), iri("r1")))
    stream = tuple(_stream(chance))
    text = PREFIX + "tick 1 s;\n" + "".join(texts)
    return DotrCase(text, maker.queries, maker.types, tuple(maker.rules), tuple(background), stream)


def _stream(chance: random.Random) -> list[tuple[int, Triple]]:
    found: list[tuple[int, Triple]] = []
    for time in range(LAST + 1):
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            sensor = iri(f"s{chance.choice((1, 2, 3))}")
            some: list[Triple] = []
            kind = chance.choice(("Smoke", "Temp", "Temp"))
            some.append((sensor, TYPE, iri(kind)))
            for _ in range(chance.choice((0, 1, 1, 2)) if kind == "Temp" else chance.choice((0, 0, 1))):
                some.append((sensor, iri("value"), chance.choice((1, 2, 3, 4, 5, 2.5))))
            if chance.random() < 0.7:
                some.append((sensor, iri("in"), iri(f"r{chance.choice((1, 2))}")))
            found += [(time, triple) for triple in some]
    return list(dict.fromkeys(found))


class _Maker:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.queries: dict[str, str] = {}
        self.types: dict[str, EventType] = {}
        self.rules: list[RuleCase] = []
        self.keys: dict[tuple[str, str], str] = {}

    def rule(self, name: str) -> str:
        """The text of a rule, or of several that differ in numbers only."""
        chance = self.chance
        names = ["a", "b", "c"][: chance.choice((1, 2, 3))]
        graph: list[tuple[object, object, object]] = [(1, TYPE, iri(name))]
        graph += [(chance.choice((1, 2)), iri("p"), f"?{variable}") for variable in names]
        if chance.random() < 0.5:
            graph.append((f"?{names[0]}", iri("q"), 1))
        texts, copies = "", 5 if chance.random() < 0.3 else 1
        before = chance.getstate()
        for shift in range(copies):
            chance.setstate(before)
            texts += _Rule(self, name, shift, names, tuple(graph)).text()
        return texts

    def type_of(self, label: str, sparql: str, variables: tuple[str, ...]) -> EventType:
        key = (label, sparql)
        if key not in self.keys:
            name = f"{label}{len(self.keys)}"
            self.keys[key] = name
            self.queries[name] = sparql
            self.types[name] = EventType(name, tuple(map(Attribute, variables)))
        return self.types[self.keys[key]]


class _Rule:
    """Makes one rule: its text and what it means, side by side."""

    def __init__(
        self, maker: _Maker, name: str, shift: int, names: list[str], graph: tuple[tuple[object, object, object], ...]
    ) -> None:
        self.maker, self.name, self.shift, self.names, self.graph = maker, name, shift, names, graph
        self.chance = maker.chance
        self.events: list[Occurrence] = []
        self.system = self.chance.random() < 0.5
        self.demands: list[str] = []
        self.labels: set[str] = set()

    def text(self) -> str:
        chance, system = self.chance, self.system
        pattern = [self.event()]
        terminator = self.events[0]
        clauses: list[tuple[str, int, Occurrence, Position]] = []
        for _ in range(chance.choice((1, 1, 2, 2, 0))):
            position, shown = self.position()
            policy = chance.choice(("each", "last", "first", "last", "all", "not"))
            count = chance.choice((1, 1, 2)) if policy in ("first", "last") else 1
            written = self.event(negated=policy == "not", many=policy == "all")
            pattern.append(f"{policy if count == 1 else f'{count}-{policy}'} {written} {shown}")
            clauses.append((policy, count, self.events[-1], position))
        names, graph = self.names, self.graph
        values = {variable: self.value() for variable in names}
        consumed = [e.name for e in self.events if not e.negated and e is not terminator and chance.random() < 0.3]
        defines = EventType(self.name, tuple(map(Attribute, names)))
        self.maker.types.setdefault(self.name, defines)
        made: list[Clause] = []
        for policy, count, event, position in clauses:
            described = Description(event.type.name, event.all_constraints())
            if policy == "not":
                made.append(Negation(described, position))
            else:
                made.append(Selection(policy, count, described, event.name, position))  # type: ignore[arg-type]
        self.maker.rules.append(
            RuleCase(
                TeslaRule(
                    defines,
                    Description(terminator.type.name, terminator.all_constraints()),
                    terminator.name,
                    tuple(made),
                    tuple(Assignment(name, value) for name, (value, _) in values.items()),
                    tuple(consumed),
                ),
                graph,
            )
        )
        written = " . ".join(" ".join(map(_written, triple)) for triple in graph)
        equals = ":=" if system else "="
        lines = [f"define {self.name} {equals} " + (f"{{ {written} . }}" if system else f"[ {written} ]")]
        lines.append("from " + " and ".join(pattern))
        if self.demands:
            lines.append("with " + ", ".join(self.demands))
        if system and values:
            lines.append("where " + ", ".join(f"(string)?{name} := {shown}" for name, (_, shown) in values.items()))
        elif values:
            lines.append("with " + ", ".join(f"{self.name}.?{name} = {shown}" for name, (_, shown) in values.items()))
        if consumed:
            lines.append("consuming " + ", ".join(consumed))
        return "\n".join(lines) + ";\n"

    # -- events -------------------------------------------------------------------------------------------------------

    def event(self, negated: bool = False, many: bool = False) -> str:
        """The text of an event, which is added to the events of the rule."""
        chance = self.chance
        earlier = [rule.pattern.defines for rule in self.maker.rules if rule.pattern.defines.name != self.name]
        known = [event for event in self.events if not event.negated]
        if earlier and chance.random() < 0.4:
            return self.of_result(chance.choice(earlier), negated, many)
        if known and chance.random() < 0.15:
            return self.again(chance.choice(known), negated, many)
        shape = chance.choice(SHAPES)
        label = shape.name
        name = label
        alias = ""
        if label in self.labels:
            name = f"{label[0]}{len(self.events)}"
            alias = f" as {name}"
        self.labels |= {label, name}
        numbers = [chance.choice((1, 2)) + (self.shift if "{0}" in shape.pattern else 0), chance.choice((4, 5, 6))]
        pattern = shape.pattern.format(*numbers)
        filters, after, constraints, late, added = self.compared(shape, name)
        variables = (*shape.variables, *added)
        select = shape.select + "".join(f" ?{variable}" for variable in added)
        bound = "".join(f" FILTER(bound(?{variable}))" for variable in dict.fromkeys(v for v, _ in filters))
        sparql = f"{PREFIX}SELECT {select} WHERE {{ {pattern}{bound} }}{shape.after}"
        type_ = self.maker.type_of(label, sparql, variables)
        numeric = (*shape.numbers, *added)
        self.events.append(Occurrence(type_, name, shape.iris, numeric, constraints, many, negated, late))
        written = f"SELECT {shape.select} WHERE {{ {pattern}"
        if filters:
            written += f" FILTER({' && '.join(text for _, text in filters)})"
        written = f"{written} }}{shape.after}"
        shown = f"{label} := [{written}]" if self.system else f"{label} = [{written}]"
        return shown + (f"({', '.join(after)})" if after else "") + alias

    def of_result(self, defined: EventType, negated: bool, many: bool) -> str:
        name = defined.name if defined.name not in self.labels else f"{defined.name[0]}{len(self.events)}"
        self.labels |= {defined.name, name}
        self.events.append(Occurrence(defined, name, (), (), [], many, negated))
        return defined.name + (f" as {name}" if name != defined.name else "")

    def again(self, event: Occurrence, negated: bool, many: bool) -> str:
        """Another event of the kind that a name has."""
        name = f"{event.name}X{len(self.events)}"
        self.labels.add(name)
        copy = [*event.constraints]
        self.events.append(Occurrence(event.type, name, event.iris, event.numbers, copy, many, negated))
        return f"{event.name} as {name}"

    def compared(
        self, shape: Shape, name: str
    ) -> tuple[list[tuple[str, str]], list[str], list[Constraint], list[Constraint], list[str]]:
        """Comparisons with earlier events: in a FILTER, after the query, or in `with`; as constraints; and the
        variables that only a FILTER uses."""
        chance = self.chance
        in_filter: list[tuple[str, str, Constraint]] = []
        after: list[tuple[str, Constraint]] = []
        with_: list[tuple[str, Constraint]] = []
        others = [event for event in self.events if not event.negated and not event.many]
        for _ in range(chance.choice((0, 1, 1, 2)) if others else 0):
            other = chance.choice(others)
            if shape.iris and other.iris and chance.random() < 0.6:
                own, of = chance.choice(shape.iris), chance.choice(other.iris)
                comparison: Comparison = chance.choice(("=", "=", "=", "!="))
                if "Placed" in (shape.name, other.name, other.type.name[:6]) and comparison == "!=":
                    comparison = "="  # a value that is missing is unequal to all others
                value: Expression = Reference(other.name, of)
                shown = f"{other.name}.?{of}"
            else:
                own_numbers = [*shape.numbers, *(() if shape.after else shape.unselected)]
                if not own_numbers or not other.numbers:
                    continue
                own, of = chance.choice(own_numbers), chance.choice(other.numbers)
                comparison = chance.choice(("<", "<=", ">", ">=", "=", "!="))
                value, shown = Reference(other.name, of), f"{other.name}.?{of}"
                if chance.random() < 0.4:
                    value, shown = Operation("+", value, Constant(1)), f"{shown} + 1"
            constraint = Constraint(own, comparison, value)
            where = chance.choice(("filter", "filter", "after", "with"))
            if own in shape.unselected:
                where = "filter"
            elif shape.after and where == "filter":
                where = "after"
            if where == "with" and (comparison != "=" or not isinstance(value, Reference)):
                where = "after"
            if where == "filter":
                in_filter.append((own, f"?{own} {comparison} {shown}", constraint))
            elif where == "after":
                after.append((f"?{own} {comparison} {shown}", constraint))
            else:
                sides = [f"{name}.?{own}", shown]
                with_.append((" := ".join(sides if chance.random() < 0.5 else sides[::-1]), constraint))
        self.demands += [text for text, _ in with_]
        made = [c for _, _, c in in_filter] + [c for _, c in after]
        added = [v for v in dict.fromkeys(own for own, _, _ in in_filter) if v not in shape.variables]
        filters = [(own, text) for own, text, _ in in_filter]
        return filters, [text for text, _ in after], made, [c for _, c in with_], added

    def position(self) -> tuple[Position, str]:
        chance = self.chance
        names = [event.name for event in self.events if not event.negated and not event.many]
        if len(names) > 1 and chance.random() < 0.3:
            one, other = chance.sample(names, 2)
            return Between(one, other), f"between {one} and {other}"
        length, name = chance.choice((2, 3, 5, 8)), chance.choice(names)
        shown = f"{length * 1000}" if self.system else f"{length} s"
        return Within(Length(length), name), f"within {shown} from {name}"

    # -- results ------------------------------------------------------------------------------------------------------

    def value(self) -> tuple[Expression, str]:
        chance = self.chance
        events = [event for event in self.events if not event.negated and event.type.attributes]
        single = [event for event in events if not event.many and event.numbers]
        numeric = [e for e in self.events if e.numbers]
        roll = chance.random()
        if roll < 0.15 and single:
            event = chance.choice(single)
            number = chance.choice(event.numbers)
            return Operation("*", Reference(event.name, number), Constant(2)), f"{event.name}.?{number} * 2"
        if roll < 0.35 and numeric:
            event, function = chance.choice(numeric), chance.choice(("COUNT", "SUM", "AVG", "MIN", "MAX"))
            number = chance.choice(event.numbers)
            position, shown = self.position()
            return _aggregate(function, event, number, position), f"{function}({event.name}.?{number}) {shown}"
        if roll < 0.9 and events:
            event = chance.choice(events)
            attribute = chance.choice(event.type.attributes).name
            return Reference(event.name, attribute), f"{event.name}.?{attribute}"
        return Constant(7), "7"


def _aggregate(function: str, event: Occurrence, number: str, position: Position) -> Aggregate:
    name: AggregateName = function  # type: ignore[assignment]
    return Aggregate(name, event.type.name, number, event.all_constraints(), position)


def _written(part: object) -> str:
    if isinstance(part, int):
        return f"dotr_id{part}"
    return part if isinstance(part, str) else str(part)
