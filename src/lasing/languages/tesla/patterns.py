"""From a rule of TESLA to the body of a rule: events become literals, in the order of the pattern.

Smoke(area = $a)                                      smoke(A)
each Temp(room = $a) within 5 from Smoke              temp(A,V) at T in [4,-1]
last Temp(room = $a) within 5 from Smoke              (T,V) = #last{U,W : temp(A,W) at U in [4,-1]}
not Rain(area = $a) between Temp and Smoke            #count{U : rain(A) at U in [3,-1], U > T} = 0
AVG(Temp.value(room = $a)) within 5 from Smoke        N = #avg{W,U : temp(A,W) at U in [4,-1]}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from lasing.algebra.terms import call
from lasing.events.declarations import fits, has_type, tests
from lasing.events.mistakes import Mistake
from lasing.languages.tesla.clock import is_time
from lasing.languages.tesla.positions import TERMINATOR, Moment, order, placed
from lasing.languages.tesla.syntax import (
    TIMER,
    Aggregate,
    Between,
    Constant,
    Constraint,
    EventType,
    Expression,
    Negation,
    Operation,
    Parameter,
    Position,
    Reference,
    Selection,
    TeslaProgram,
    TeslaRule,
    Type,
    Within,
    anchors,
    parts,
    shared_constant,
)
from lasing.logic.formulas import Aggregate as Braces
from lasing.logic.formulas import At, Atom, Compare, Formula, Not, Select, Sometime, Window, variables_in
from lasing.logic.functions import AggregateFunction, Comparison
from lasing.logic.terms import NOW, Arithmetic, Term, Variable
from lasing.logic.values import is_value

OWN = ""
"""The name of the event that is being described."""

_FUNCTIONS: dict[str, AggregateFunction] = {"AVG": "avg", "SUM": "sum", "MIN": "min", "MAX": "max", "COUNT": "count"}


class Never(Exception):  # noqa: N818 - it ends the translation of one rule
    """The rule can never fire: an event would have to lie in an interval without time points."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position = position

    @property
    def caution(self) -> Mistake:
        """The warning that says so."""
        match self.position:
            case Within():
                word, note = "within", "intervals are open at both ends: within 1 from X has no time point"
            case Between(one, other):
                word, note = "between", "intervals are open at both ends"
                if one == other:
                    note = f"it is between {one} and itself"
        message = f"this rule never fires: no time lies in the interval of this {word}"
        return Mistake(message, self.position.offset, len(word), note, "W102")


@dataclass(frozen=True, slots=True)
class BoundEvent:
    """An event of a match: its type, its time, and a term for each attribute."""

    type: EventType
    moment: Moment
    terms: tuple[Term, ...]

    def variables(self) -> tuple[Variable, ...]:
        return tuple(term for term in self.terms if isinstance(term, Variable))


@dataclass(slots=True)
class Body:
    """The body of a rule while it is being made, with what its parts can refer to."""

    program: TeslaProgram
    types: Mapping[str, EventType]
    predicates: Mapping[str, str]
    rule: TeslaRule
    table: str = ""
    """The predicate of the rows of constants, if the rule has some."""
    used_up: Callable[[BoundEvent], Formula | None] = lambda _: None
    """The literal that a rule has used up an event; None if it uses up none of that type."""
    timed: bool = False
    """Whether events that differ only in their times are different matches."""
    row: tuple[Variable, ...] = ()
    """A row of constants."""
    literals: list[Formula] = field(default_factory=list)
    events: dict[str, BoundEvent] = field(default_factory=dict)
    parameters: dict[str, Term] = field(default_factory=dict)
    members: dict[str, list[Formula]] = field(default_factory=dict)
    """The literals for each member of an event of which the match holds all."""
    _names: set[str] = field(default_factory=set)
    _tested: dict[Variable, Type] = field(default_factory=dict)

    def build(self) -> Body:
        """Add the literals of the whole pattern."""
        rule = self.rule
        if rule.rows:
            self.row = tuple(self.new_variable("Constant", str(number)) for number in range(len(rule.rows[0])))
            self.parameters |= {shared_constant(number): variable for number, variable in enumerate(self.row)}
        if rule.terminator.type == TIMER:
            self.literals.append(is_time(rule.terminator, self.program.tick))
            self.events[rule.name] = BoundEvent(EventType(TIMER, ()), TERMINATOR, ())
        else:
            event, found = self._event(rule.terminator.type, rule.terminator.constraints, TERMINATOR, rule.name)
            self.literals += [self._atom(event), *found]
            self.events[rule.name] = event
        if rule.rows:
            self.literals.insert(1, Atom(self.table, self.row))
        attached = self._attached()
        for negation in attached.get(rule.name, ()):
            self.literals += self._none(negation)
        for selection in rule.selections():
            self._select(selection, attached.get(selection.name, []))
        return self

    # -- events -------------------------------------------------------------------------------------------------------

    def _event(
        self, type_name: str, constraints: tuple[Constraint, ...], moment: Moment, name: str
    ) -> tuple[BoundEvent, list[Formula]]:
        """An event that is being described, and the literals of its constraints. Gives values to parameters."""
        type_ = self.types[type_name]
        same = self._same(type_, constraints)
        terms = tuple(
            same[attribute.name][1] if attribute.name in same else self.new_variable(name or type_name, attribute.name)
            for attribute in type_.attributes
        )
        event = BoundEvent(type_, moment, terms)
        outer = dict(self.events)
        self.events |= {OWN: event} | ({name: event} if name else {})
        literals = [test for term, a in zip(terms, type_.attributes, strict=True) for test in self._tests(term, a.type)]
        for number, constraint in enumerate(constraints):
            if constraint.attribute in same and same[constraint.attribute][0] == number:
                continue
            term = terms[type_.index(constraint.attribute)]
            expression = constraint.expression
            if isinstance(expression, Parameter) and expression.name not in self.parameters:
                self.parameters[expression.name] = term
                continue
            value = self.term(expression, literals)
            literals.append(Compare(constraint.comparison, term, value))
        self.events = outer
        return event, literals

    def _tests(self, term: Term, type_: Type | None) -> list[Formula]:
        """The tests that a term has values of a type, unless that is already known."""
        if type_ is None:
            return []
        if is_value(term):  # a constant: an event with 1.5 for an int is no event
            return [] if has_type(term, type_) else tests(term, type_)
        if not isinstance(term, Variable):
            return []
        if term in self.row:
            column = self.row.index(term)
            return [] if all(has_type(row[column], type_) for row in self.rule.rows) else tests(term, type_)
        if term in self._tested and fits(self._tested[term], type_):
            return []
        self._tested[term] = type_
        return tests(term, type_)

    def _same(self, type_: EventType, constraints: tuple[Constraint, ...]) -> dict[str, tuple[int, Term]]:
        """The attributes that are equal to something known: by the number of their constraint, and the term."""
        found: dict[str, tuple[int, Term]] = {}
        for number, constraint in enumerate(constraints):
            if constraint.comparison == "=" and constraint.attribute not in found:
                declared = type_.attributes[type_.index(constraint.attribute)].type
                match constraint.expression:
                    case Constant(value) if has_type(value, declared):
                        found[constraint.attribute] = (number, value)
                    case Parameter(name) if name in self.parameters:
                        found[constraint.attribute] = (number, self.parameters[name])
                    case Reference(str() as event, attribute) if event in self.events:
                        known = self.events[event]
                        found[constraint.attribute] = (number, known.terms[known.type.index(attribute)])
                    case _:
                        continue
        return found

    def _atom(self, event: BoundEvent) -> Atom:
        return Atom(self.predicates[event.type.name], event.terms)

    def _past(self, event: BoundEvent, timed: bool = True) -> Formula:
        """The literal that an event has happened in its window."""
        atom = self._atom(event)
        return Window(event.moment.window, At(event.moment.time, atom) if timed else Sometime(atom))

    # -- selections ---------------------------------------------------------------------------------------------------

    def _select(self, selection: Selection, negations: list[Negation]) -> None:
        """Add an event of the past. Selection comes after constraints, consumption and negations."""
        known = dict(self.parameters)
        candidate, condition, local = self._candidate(selection, negations)
        match selection.policy:
            case "each":
                if self._without_time(selection, candidate, condition):
                    condition[0] = self._past(candidate, timed=False)
                    candidate = replace(candidate, moment=replace(candidate.moment, time=NOW))
                self.literals += condition
                self.events[selection.name] = candidate
            case "all":
                self.members[selection.name] = condition
                self.parameters = known  # each of the events has its own
                self.events[selection.name] = candidate
                self.literals.append(_count(candidate, condition, local, ">", 0))
            case "first" | "last":
                fresh = {
                    variable: self.new_variable(variable.name)
                    for variable in candidate.variables()
                    if variable in local
                }
                time = self.new_variable(selection.name, "time")
                event = BoundEvent(
                    candidate.type,
                    replace(candidate.moment, time=time),
                    tuple(_renamed(term, fresh) for term in candidate.terms),
                )
                inner = (candidate.moment.time, *fresh)
                outer = (time, *fresh.values())
                select = Select(selection.policy, selection.count, outer, inner, tuple(condition), frozenset(local))
                self.literals.append(select)
                self.events[selection.name] = event
                self.parameters = {name: _renamed(term, fresh) for name, term in self.parameters.items()}
                self._tested |= {fresh[v]: t for v, t in self._tested.items() if v in fresh}
            case _:
                assert_never(selection.policy)

    def _candidate(
        self, selection: Selection, negations: list[Negation]
    ) -> tuple[BoundEvent, list[Formula], set[Variable]]:
        """An event that a selection can pick, the literals that it fits, and the variables in them that are new."""
        before = set(self._names)
        moment = self._placed(selection.position, selection.name)
        if moment is None:
            raise Never(selection.position)
        event, literals = self._event(selection.event.type, selection.event.constraints, moment, selection.name)
        condition = [self._past(event), *self._order(selection.position, moment.time), *literals]
        used = self.used_up(event)
        if used is not None:
            condition.append(Not(used))
        local = {Variable(name) for name in self._names - before} - self._inside(condition)
        outer = self.events.get(selection.name)
        self.events[selection.name] = event
        for negation in negations:
            condition += self._none(negation)
        if outer is None:
            del self.events[selection.name]
        return event, condition, local

    @staticmethod
    def _inside(condition: list[Formula]) -> set[Variable]:
        """The variables that belong to braces of their own."""
        return {variable for literal in condition if isinstance(literal, Braces) for variable in literal.local}

    def _without_time(self, selection: Selection, event: BoundEvent, condition: list[Formula]) -> bool:
        """Whether nothing depends on when exactly an event has happened."""
        if self.timed or selection.name in self.rule.consumed:
            return False
        used: set[Term] = {variable for literal in condition[1:] for variable in variables_in(literal)}
        return event.moment.time not in used and all(
            selection.name not in anchors(position) for position in self.rule.positions()
        )

    # -- negations and aggregates -------------------------------------------------------------------------------------

    def _attached(self) -> dict[str, list[Negation]]:
        """The negations by the event that they filter: the last one that they refer to."""
        names = [self.rule.name, *(selection.name for selection in self.rule.selections())]
        binders: dict[str, str] = {}
        described = [(self.rule.name, self.rule.terminator), *((s.name, s.event) for s in self.rule.selections())]
        for name, event in described:
            for constraint in event.constraints:
                if isinstance(constraint.expression, Parameter):
                    binders.setdefault(constraint.expression.name, name)
        found: dict[str, list[Negation]] = {}
        for clause in self.rule.clauses:
            if isinstance(clause, Negation):
                used = {*anchors(clause.position), *_mentioned(clause.event.constraints, binders)}
                found.setdefault(max(used, key=names.index), []).append(clause)
        return found

    def _none(self, negation: Negation) -> list[Formula]:
        """The literals that no event fits a negation."""
        event, condition, local = self._gathered(negation.event.type, negation.event.constraints, negation.position)
        if event is None:
            return []
        if len(condition) == 1:
            some = tuple(Variable(f"_#{i}") if term in local else term for i, term in enumerate(event.terms, start=1))
            return [Not(self._past(replace(event, terms=some), timed=False))]
        return [_count(event, condition, local, "=", 0)]

    def _gathered(
        self, type_name: str, constraints: tuple[Constraint, ...], position: Position
    ) -> tuple[BoundEvent | None, list[Formula], set[Variable]]:
        """An event of those that fit, the literals for it, and its variables; no event if none can fit."""
        before, known, tested = set(self._names), dict(self.parameters), dict(self._tested)
        moment = self._placed(position, type_name)
        if moment is None:
            return None, [], set()
        event, literals = self._event(type_name, constraints, moment, OWN)
        self.parameters, self._tested = known, tested
        condition = [self._past(event), *self._order(position, moment.time), *literals]
        local = {Variable(name) for name in self._names - before} - self._inside(condition)
        return event, condition, local

    def _aggregate(self, aggregate: Aggregate) -> tuple[Term, list[Formula]]:
        """The value of an aggregate, and the literals that give it."""
        event, condition, local = self._gathered(aggregate.type, aggregate.constraints, aggregate.position)
        if event is None:
            if aggregate.function == "COUNT":
                return 0, []
            raise Never(aggregate.position)
        result = self.new_variable(aggregate.function, aggregate.attribute or aggregate.type)
        tuples: tuple[Term, ...] = (event.moment.time, *event.variables())
        if aggregate.function != "COUNT":
            assert aggregate.attribute is not None
            tuples = (event.terms[event.type.index(aggregate.attribute)], *tuples)
        found = Braces(_FUNCTIONS[aggregate.function], tuples, tuple(condition), "=", result, frozenset(local))
        some = [_count(event, condition, local, ">", 0)] if aggregate.function == "SUM" else []
        return result, [found, *some]

    # -- terms --------------------------------------------------------------------------------------------------------

    def term(self, expression: Expression, literals: list[Formula]) -> Term:
        """The term of an expression; `literals` gets those that aggregates need."""
        match expression:
            case Constant(value):
                return value
            case Parameter(name):
                return self.parameters[name]
            case Reference(event, attribute):
                known = self.events[OWN if event is None else event]
                return known.terms[known.type.index(attribute)]
            case Operation(operator, left, right):
                return call(operator, self.term(left, literals), self.term(right, literals))
            case Aggregate():
                result, needed = self._aggregate(expression)
                literals += needed
                return result
            case _:
                assert_never(expression)

    def valued(self, expression: Expression) -> Term:
        """The value of an expression, as a variable or a constant: the body holds only if there is one."""
        value = self.term(expression, self.literals)
        if not isinstance(value, Arithmetic):
            return value
        variable = self.new_variable("Value")
        self.literals.append(Compare("=", variable, value))
        return variable

    def _placed(self, position: Position, name: str) -> Moment | None:
        moments = {name: event.moment for name, event in self.events.items()}
        return placed(position, self.new_variable(name, "time"), moments, self.program)

    def _order(self, position: Position, time: Term) -> list[Formula]:
        return order(position, time, {name: event.moment for name, event in self.events.items()}, self.program)

    def new_variable(self, *words: str) -> Variable:
        """A new variable, named after what it holds."""
        stem = "_".join(words)
        stem = stem[0].upper() + stem[1:]
        name, number = stem, 1
        while name in self._names:
            number += 1
            name = f"{stem}_{number}"
        self._names.add(name)
        return Variable(name)


def _count(
    event: BoundEvent, condition: list[Formula], local: set[Variable], comparison: Comparison, bound: int
) -> Braces:
    terms = (event.moment.time, *(term for term in event.variables() if term in local))
    return Braces("count", terms, tuple(condition), comparison, bound, frozenset(local))


def _renamed(term: Term, names: Mapping[Variable, Variable]) -> Term:
    return names.get(term, term) if isinstance(term, Variable) else term


def _mentioned(constraints: tuple[Constraint, ...], binders: Mapping[str, str]) -> Iterator[str]:
    """The names of the events that constraints refer to, also by parameters."""
    for constraint in constraints:
        for part in parts(constraint.expression):
            match part:
                case Reference(str() as event):
                    yield event
                case Parameter(name) if name in binders:
                    yield binders[name]
                case Aggregate():
                    yield from anchors(part.position)
                    yield from _mentioned(part.constraints, binders)
                case _:
                    continue
