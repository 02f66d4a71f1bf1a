"""Random ETALIS programs, small random streams for them, and the text of a program.

Programs are such that ETALIS says what they mean: variables have values whichever side of an OR happens, an event that
ends a NOT does not depend on what the NOT defines, and limits may be missing. Times and values are few, so that
patterns match. A few facts do not have the declared types.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import assert_never

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from lasing.events.declarations import Attribute, EventType, Length, Type
from lasing.languages.etalis.binding import bound
from lasing.languages.etalis.definition import Interval
from lasing.languages.etalis.syntax import (
    OPERATORS,
    Absence,
    Binary,
    Condition,
    EtalisProgram,
    Event,
    EventRule,
    Limited,
    Operator,
    Pattern,
    Repetition,
    StaticRule,
    Where,
    walk,
)
from lasing.logic.formulas import Atom, Compare, Not
from lasing.logic.terms import Arithmetic, Term, Variable, term_text
from lasing.logic.values import Value

INPUTS = ("p", "q", "r")
DEFINED = ("e", "f", "g")
TYPES: tuple[Type | None, ...] = (None, "int", None, "float", "string")
VALUES: tuple[Value, ...] = (1, 2, 1, "a")
NAMES = ("X", "Y", "Z")
LAST = 12
FACTS = 24
LIMITS = (6, 4, 8, 12, 10, 2, 1, 0)
WEIGHTED: tuple[Operator, ...] = ("SEQ", "AND", "SEQ", "AND", "SEQ", *OPERATORS)
STATICS = (
    StaticRule(Atom("s", (1, 2))),
    StaticRule(Atom("s", (2, "a"))),
    StaticRule(Atom("u", (1,))),
    StaticRule(
        Atom("v", (Variable("X"),)),
        (Atom("s", (Variable("X"), Variable("Y"))), Not(Atom("u", (Variable("Y"),)))),
    ),
    StaticRule(Atom("w", (Variable("X"), Variable("Y"))), (Atom("s", (Variable("X"), Variable("Y"))),)),
    StaticRule(
        Atom("w", (Variable("X"), Variable("Z"))),
        (Atom("w", (Variable("X"), Variable("Y"))), Atom("s", (Variable("Y"), Variable("Z")))),
    ),
)
ARITY = {"s": 2, "u": 1, "v": 1, "w": 2}


@dataclass(frozen=True)
class Example:
    """A program, and facts in the order of time. Some facts are no events."""

    program: EtalisProgram
    stream: tuple[Interval, ...]

    def __str__(self) -> str:
        rows = "".join(f"  {fact.end}: {fact.name}{fact.values}\n" for fact in self.stream)
        return f"{text(self.program)}--- stream\n{rows}"


@st.composite
def examples(draw: DrawFn) -> Example:
    """A program of up to three rules, and a stream of up to 15 time points."""
    program = draw(programs())
    return Example(program, draw(streams(program)))


@st.composite
def keyed_examples(draw: DrawFn) -> Example:
    """A program without NOT whose events have keys, and a stream in which they come once for each key."""
    program = draw(programs())
    rules: list[EventRule] = []
    for rule in program.rules:
        known = {*INPUTS, *(other.head.name for other in rules)} - {rule.head.name}
        if {*_names(rule.pattern)} <= known and not any(isinstance(part, Absence) for part in walk(rule.pattern)):
            rules.append(rule if _rarely(draw, 3) else _with_one_variable(rule))
    keys = {event.name: draw(st.sampled_from(_keys(len(event.attributes)))) for event in program.inputs}
    keys = {name: key for name, key in keys.items() if key}
    return Example(replace(program, rules=tuple(rules), keys=keys), tuple(_once(draw(streams(program)), keys)))


def _keys(size: int) -> tuple[tuple[int, ...], ...]:
    """Some keys of an event: most often all attributes, or the first one."""
    return (tuple(range(size)), (0,), tuple(range(size)), (0,), ())


def _once(stream: tuple[Interval, ...], keys: dict[str, tuple[int, ...]]) -> Iterator[Interval]:
    """The first event for each key."""
    known: set[tuple[Value, ...]] = set()
    for interval in stream:
        key = (interval.name, *(interval.values[i] for i in keys.get(interval.name, ())))
        if interval.name not in keys or key not in known:
            known.add(key)
            yield interval


def _with_one_variable(rule: EventRule) -> EventRule:
    """The rule with X in place of all variables in events, and in the head: it says what the event comes from."""

    def term(old: Term) -> Term:
        match old:
            case Variable("Sum" | "New"):
                return old
            case Variable():
                return Variable("X")
            case Arithmetic():
                return replace(old, operands=tuple(map(term, old.operands)))
            case _:
                return old

    def condition(old: Condition) -> Condition:
        match old:
            case Compare():
                return replace(old, left=term(old.left), right=term(old.right))
            case Not(Atom() as atom):
                return Not(replace(atom, args=tuple(map(term, atom.args))))
            case Not():
                return old
            case _:
                return replace(old, args=tuple(map(term, old.args)))

    def pattern(old: Pattern) -> Pattern:
        match old:
            case Event():
                return replace(old, args=tuple(map(term, old.args)))
            case Repetition():
                return replace(old, event=replace(old.event, args=tuple(map(term, old.event.args))))
            case Binary():
                return replace(old, left=pattern(old.left), right=pattern(old.right))
            case Limited():
                return replace(old, pattern=pattern(old.pattern))
            case Where():
                return replace(old, pattern=pattern(old.pattern), conditions=tuple(map(condition, old.conditions)))
            case Absence():
                return old

    made, x = pattern(rule.pattern), Variable("X")
    args = [x if x in bound(made) else 1 for _ in rule.head.args]
    return EventRule(replace(rule.head, args=tuple(args)), made)


@st.composite
def programs(draw: DrawFn) -> EtalisProgram:
    inputs = tuple(
        EventType(name, tuple(Attribute(f"a{i}", draw(st.sampled_from(TYPES))) for i in range(size)))
        for name, size in zip(INPUTS, draw(st.permutations((1, 1, 2))), strict=True)
    )
    arity = {event.name: len(event.attributes) for event in inputs}
    arity |= {name: draw(st.sampled_from((0, 1, 1, 2))) for name in DEFINED}
    rules = []
    for layer in range(draw(st.integers(1, 3))):
        for _ in range(draw(st.sampled_from((1, 1, 2)))):
            rules.append(_Rule(draw, arity, DEFINED[layer], layer).made())
    known = {rule.head.name for rule in rules}
    usable = [rule for rule in rules if {*_names(rule.pattern)} <= known | {*INPUTS}]
    return EtalisProgram(inputs, tuple(usable), STATICS)


@st.composite
def streams(draw: DrawFn, program: EtalisProgram) -> tuple[Interval, ...]:
    found: set[Interval] = set()
    for _ in range(draw(st.integers(FACTS // 3, FACTS))):
        event = draw(st.sampled_from(program.inputs))
        time = draw(st.integers(0, LAST))
        values = tuple(_value(draw, attribute.type) for attribute in event.attributes)
        found.add(Interval(event.name, values, time, time))
    return tuple(sorted(found, key=lambda i: (i.end, i.name, str(i.values))))


def _value(draw: DrawFn, type_: Type | None) -> Value:
    if type_ is None or _rarely(draw, 15):
        return draw(st.sampled_from(VALUES))
    kinds: dict[Type, tuple[Value, ...]] = {"string": ("a", "b"), "int": (1, 2), "float": (1, 2, 1.5)}
    return draw(st.sampled_from(kinds[type_]))


def _names(pattern: Pattern) -> Iterator[str]:
    match pattern:
        case Event():
            yield pattern.name
        case Repetition():
            yield pattern.event.name
        case Binary():
            yield from (*_names(pattern.left), *_names(pattern.right))
        case Absence():
            yield from (*_names(pattern.absent), *_names(pattern.first), *_names(pattern.last))
        case Limited() | Where():
            yield from _names(pattern.pattern)
        case _:
            assert_never(pattern)


@dataclass
class _Rule:
    """Makes one rule."""

    draw: DrawFn
    arity: dict[str, int]
    head: str
    layer: int
    anonymous: Iterator[int] = field(default_factory=lambda: count(1))

    def made(self) -> EventRule:
        pattern = self.pattern(self.draw(st.sampled_from((1, 2, 1, 2, 3))))
        if not _rarely(self.draw, 4):
            pattern = Limited(pattern, self.length())
        known = sorted(bound(pattern), key=lambda v: v.name)
        known = [variable for variable in known if not variable.anonymous]
        if known and _rarely(self.draw, 3):
            pattern = Where(pattern, tuple(self.condition(known) for _ in range(self.draw(st.integers(1, 2)))))
            known = sorted((v for v in bound(pattern) if not v.anonymous), key=lambda v: v.name)
        values: st.SearchStrategy[Term] = st.sampled_from((*known, *known, 1))
        args: list[Term] = [self.draw(values) for _ in range(self.arity[self.head])]
        if args and isinstance(args[0], Variable) and self.head not in {*_names(pattern)} and _rarely(self.draw, 6):
            args[0] = Arithmetic("+", (args[0], 1))
        return EventRule(Event(self.head, tuple(args)), pattern)

    def length(self) -> Length:
        return Length(self.draw(st.sampled_from(LIMITS)))

    def pattern(self, depth: int) -> Pattern:
        if depth == 0:
            return self.leaf()
        if _rarely(self.draw, 7):
            # the last part is an input or an earlier event: NOT must know all of its intervals
            return Absence(self.pattern(depth - 1), self.pattern(depth - 1), self.leaf(last=True))
        operator = self.draw(st.sampled_from(WEIGHTED))
        made: Pattern = Binary(operator, self.pattern(depth - 1), self.pattern(self.draw(st.integers(0, depth - 1))))
        if _rarely(self.draw, 4):
            made = Limited(made, self.length())
        known = sorted((v for v in bound(made) if not v.anonymous), key=lambda v: v.name)
        if known and _rarely(self.draw, 8):
            made = Where(made, (self.condition(known),))
        return made

    def leaf(self, last: bool = False) -> Pattern:
        defined = DEFINED[: self.layer] if last else DEFINED[: self.layer + 1]
        name = self.draw(st.sampled_from((*INPUTS, *INPUTS, *defined)))
        event = Event(name, tuple(self.argument() for _ in range(self.arity[name])))
        return Repetition(event, self.draw(st.integers(1, 3))) if _rarely(self.draw, 9) else event

    def argument(self) -> Term:
        kind = self.draw(st.integers(0, 9))
        if kind < 5:
            return Variable(f"_#{next(self.anonymous)}")
        return Variable(NAMES[kind % 3]) if kind < 9 else self.draw(st.sampled_from((1, 2)))

    def condition(self, known: list[Variable]) -> Condition:
        one, other = self.draw(st.sampled_from(known)), self.draw(st.sampled_from(known))
        kind = self.draw(st.integers(0, 6))
        match kind:
            case 0:
                return Compare("<", one, Arithmetic("+", (other, 1)))
            case 1:
                return Compare("!=", one, other)
            case 2:
                return Compare("=", Variable("Sum"), Arithmetic("+", (one, 1)))
            case 3:
                return Compare(">=", one, self.draw(st.sampled_from((1, 2))))
            case 4:
                return Atom("v", (one,))
            case 5:
                return Atom("w", (one, Variable("New")))
            case _:
                return Not(Atom("u", (one,)))


def _rarely(draw: DrawFn, times: int) -> bool:
    """True once in some times; never in the simplest example."""
    return draw(st.integers(1, times)) == times


# -- text -------------------------------------------------------------------------------------------------------------


def text(program: EtalisProgram) -> str:
    """A program as text, with lengths in time points."""
    inputs = [f"event {_declared(declared, program.keys.get(declared.name, ()))}." for declared in program.inputs]
    if program.separable:
        inputs.append("encoding separable.")
    rules = [f"{_event(rule.head)} <- {shown(rule.pattern)}." for rule in program.rules]
    statics = [
        str(rule.head) + (f" :- {', '.join(map(_condition, rule.body))}." if rule.body else ".")
        for rule in program.statics
    ]
    return "".join(f"{line}\n" for line in (*inputs, *rules, *statics))


def _declared(declared: EventType, key: tuple[int, ...]) -> str:
    known = (
        (a.name if a.type is None else f"{a.name}: {a.type}") + " key" * (i in key)
        for i, a in enumerate(declared.attributes)
    )
    return f"{declared.name}({', '.join(known)})" if declared.attributes else declared.name


def _event(event: Event) -> str:
    return event.name + (f"({', '.join(map(term_text, event.args))})" if event.args else "")


def shown(pattern: Pattern) -> str:
    """A pattern as text, with all its parentheses."""
    match pattern:
        case Event():
            return _event(pattern)
        case Repetition():
            return f"{_event(pattern.event)}.{pattern.times}"
        case Limited():
            return f"({shown(pattern.pattern)}).{pattern.length.amount}"
        case Where():
            return f"{_inner(pattern.pattern)} WHERE {', '.join(map(_condition, pattern.conditions))}"
        case Absence():
            return f"NOT({shown(pattern.absent)}).[{_inner(pattern.first)}, {_inner(pattern.last)}]"
        case Binary():
            return f"{_inner(pattern.left)} {pattern.operator} {_inner(pattern.right)}"
        case _:
            assert_never(pattern)


def _inner(pattern: Pattern) -> str:
    return f"({shown(pattern)})" if isinstance(pattern, Binary | Where) else shown(pattern)


def _condition(condition: Condition) -> str:
    match condition:
        case Compare():
            return f"{term_text(condition.left)} {condition.operator} {term_text(condition.right)}"
        case Not(Atom() as atom):
            return f"not {atom}"
        case _:
            return str(condition)
