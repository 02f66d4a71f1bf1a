"""From what texts say to a program: which events come in, how long a time point is, and whether names fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lasing.errors import similar
from lasing.events.declarations import TRUTH_VALUE, Attribute, EventType, Length
from lasing.events.mistakes import Mistake
from lasing.events.tokens import Token
from lasing.languages.etalis.reader import Text
from lasing.languages.etalis.syntax import (
    Condition,
    EtalisProgram,
    Event,
    EventRule,
    Limited,
    StaticRule,
    Where,
    walk,
)
from lasing.logic.formulas import Atom, Compare, Not

Found = list[tuple[int, Mistake]]
"""Mistakes, each with the number of its text."""

NAMES, LENGTHS = "E732", "E736"


def resolved(texts: Sequence[Text]) -> tuple[EtalisProgram, Found]:
    """The program of some texts, and the mistakes in its declarations and names."""
    rules = tuple(rule for text in texts for rule in text.rules)
    statics = tuple(rule for text in texts for rule in text.statics)
    declared: dict[str, EventType] = {}
    for event in (event for text in texts for event in text.events):
        declared.setdefault(event.name, event)
    names = _Names(declared, {rule.head.name for rule in rules}, {rule.head.predicate for rule in statics})
    found: Found = []
    for number, text in enumerate(texts):
        found += [(number, mistake) for mistake in _declared_twice(text, names)]
        for rule in text.rules:
            found += [(number, mistake) for mistake in names.rule(rule)]
        for static in text.statics:
            found += [(number, mistake) for mistake in names.static_rule(static)]
    tick, wrong = _tick_of(texts)
    separable = False
    for number, text in enumerate(texts):
        if text.encoding is not None:
            separable = text.encoding.text == "separable"
            if text.encoding.text not in ("separable", "explicit"):
                note = similar(text.encoding.text, ("separable", "explicit")) or "encodings are explicit and separable"
                message = f"there is no encoding {text.encoding.text}"
                wrong.append((number, Mistake(message, text.encoding.offset, len(text.encoding.text), note, NAMES)))
    dated = False
    for number, text in enumerate(texts):
        if text.times is not None:
            dated = text.times.text == "dates"
            wrong += [(number, mistake) for mistake in _wrong_times(text.times, tick)]
    inputs = declared or names.inferred
    keys: dict[str, tuple[int, ...]] = {}
    for text in reversed(texts):
        keys |= text.keys
    return EtalisProgram(tuple(inputs.values()), rules, statics, tick, separable, dated, keys), [*found, *wrong]


def _wrong_times(times: Token, tick: int) -> Iterator[Mistake]:
    """What is wrong with how results show times."""
    if times.text not in ("dates", "numbers"):
        note = similar(times.text, ("dates", "numbers")) or "times are dates or numbers"
        yield Mistake(f"results cannot show times as {times.text}", times.offset, len(times.text), note, NAMES)
    elif times.text == "dates" and not tick:
        note = "say how long a time point is: tick 1 s."
        yield Mistake("times are plain numbers, which have no dates", times.offset, len(times.text), note, LENGTHS)


def _declared_twice(text: Text, names: _Names) -> Iterator[Mistake]:
    for event in text.events:
        if names.declared[event.name] is not event:
            yield Mistake(f"{event.name} is declared twice", event.offset, len(event.name), code=NAMES)
        if event.name in names.defined | names.statics:
            what = "rules define it" if event.name in names.defined else "it is a static atom"
            message = f"{event.name} cannot come in: {what}"
            yield Mistake(message, event.offset, len(event.name), "give one of them another name", NAMES)
        seen: set[str] = set()
        for attribute in event.attributes:
            if attribute.name in seen:
                message = f"{event.name} has two attributes {attribute.name}"
                yield Mistake(message, attribute.offset, len(attribute.name), code=NAMES)
            seen.add(attribute.name)


@dataclass(slots=True)
class _Names:
    """What names mean. Without declarations, events that no rule defines come in."""

    declared: dict[str, EventType]
    defined: set[str]
    statics: set[str]
    inferred: dict[str, EventType] = field(default_factory=dict)
    arity: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arity = {name: len(event.attributes) for name, event in self.declared.items()}

    def rule(self, rule: EventRule) -> Iterator[Mistake]:
        head = rule.head
        if head.name in self.statics:
            message = f"{head.name} is both an event and a static atom"
            yield Mistake(message, head.offset, len(head.name), "give one of them another name", NAMES)
        if head.name in self.defined and head.name not in self.declared:
            yield from self._arity(head.name, len(head.args), head.offset)
        for part in walk(rule.pattern):
            if isinstance(part, Event):
                yield from self._event(part)
            elif isinstance(part, Where):
                for condition in part.conditions:
                    yield from self._condition(condition)

    def static_rule(self, rule: StaticRule) -> Iterator[Mistake]:
        head = rule.head
        if head.predicate == TRUTH_VALUE:
            note = "give it another name"
            yield Mistake(f"{head.predicate} has a meaning of its own", head.offset, len(head.predicate), note, NAMES)
        yield from self._arity(head.predicate, len(head.args), head.offset)
        for condition in rule.body:
            yield from self._condition(condition)

    def _event(self, event: Event) -> Iterator[Mistake]:
        if event.name in self.statics:
            note = f"ask for it in a condition: WHERE {event.name}(…)"
            yield Mistake(f"{event.name} is a static atom, not an event", event.offset, len(event.name), note, NAMES)
            return
        if event.name not in self.defined and event.name not in self.declared:
            if self.declared:
                known = similar(event.name, (*self.declared, *self.defined))
                note = " ".join(filter(None, (known, f"declare it: event {event.name}(…).")))
                yield Mistake(f"the event {event.name} is not declared", event.offset, len(event.name), note, NAMES)
                return
            attributes = tuple(Attribute(f"arg{i}") for i in range(len(event.args)))
            self.inferred.setdefault(event.name, EventType(event.name, attributes, event.offset))
        yield from self._arity(event.name, len(event.args), event.offset)

    def _condition(self, condition: Condition) -> Iterator[Mistake]:
        if isinstance(condition, Compare):
            return
        atom = condition.body if isinstance(condition, Not) else condition
        assert isinstance(atom, Atom)
        if atom.predicate not in self.statics:
            note = similar(atom.predicate, self.statics) or f"give it facts or rules: {atom.predicate}(…)."
            if atom.predicate in self.defined | self.declared.keys() | self.inferred.keys():
                note = f"an event belongs in the pattern: AND {atom.predicate}(…)"
            message = f"there is no static atom {atom.predicate}"
            yield Mistake(message, atom.offset, len(atom.predicate), note, NAMES)
            return
        yield from self._arity(atom.predicate, len(atom.args), atom.offset)

    def _arity(self, name: str, number: int, offset: int) -> Iterator[Mistake]:
        known = self.arity.setdefault(name, number)
        if known != number:
            message = f"{name} has {_arguments(number)} here, but {known} elsewhere"
            if name in self.declared:
                attributes = ", ".join(attribute.name for attribute in self.declared[name].attributes)
                message = (
                    f"{name} has {_arguments(number)} here, but {known} in its declaration: {attributes or 'none'}"
                )
            yield Mistake(message, offset, len(name), code=NAMES)


def _arguments(number: int) -> str:
    return f"{number} argument{'s'[: number != 1]}"


def _tick_of(texts: Sequence[Text]) -> tuple[int, Found]:
    """The length of a time point in milliseconds: the one that is given, or a second, or a millisecond if need be."""
    lengths = [(number, length) for number, text in enumerate(texts) for length in _lengths(text)]
    given = [(number, text.tick) for number, text in enumerate(texts) if text.tick is not None]
    found: Found = []
    for number, length in given:
        if length.amount == 0 or not length.unit:
            message = "a time point needs a length with a unit"
            found.append((number, Mistake(message, length.offset, 1, "write tick 1 s.", LENGTHS)))
    if found:
        return 0, found
    if given:
        tick = given[0][1].amount * given[0][1].unit
    elif any(length.unit for _, length in lengths):
        tick = 1000 if all(length.unit >= 1000 for _, length in lengths if length.unit) else 1
    else:
        return 0, []
    for number, length in lengths:
        if length.unit and length.amount * length.unit % tick:
            message = f"this is not a whole number of time points of {tick} ms"
            found.append((number, Mistake(message, length.offset, len(str(length.amount)), code=LENGTHS)))
        elif not length.unit and not given:
            note = "write a unit, such as 5 min, or say how long a time point is: tick 1 s."
            message = "this length has no unit, but others have one"
            found.append((number, Mistake(message, length.offset, len(str(length.amount)), note, LENGTHS)))
    return tick, found


def _lengths(text: Text) -> Iterator[Length]:
    for rule in text.rules:
        yield from (part.length for part in walk(rule.pattern) if isinstance(part, Limited))
