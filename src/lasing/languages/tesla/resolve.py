"""From what texts say to a program: the types of all events, and the length of a time point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lasing.events.declarations import predicate_of
from lasing.events.mistakes import Mistake
from lasing.languages.tesla.clock import period_and_moment, timer_mistakes
from lasing.languages.tesla.reader import Text
from lasing.languages.tesla.syntax import TIMER, Attribute, EventType, TeslaProgram, TeslaRule

Found = list[tuple[int, Mistake]]
"""Mistakes, each with the number of its text."""


def resolved(texts: Sequence[Text]) -> tuple[TeslaProgram, Found]:
    """The program of some texts, and the mistakes in how they fit together."""
    rules = tuple(rule for text in texts for rule in text.rules)
    found: Found = []
    inputs: dict[str, EventType] = {}
    for number, text in enumerate(texts):
        for event in text.events:
            known = inputs.setdefault(event.name, event)
            if known is not event and known.attributes != event.attributes:
                message = f"the event {event.name} is declared twice, with other attributes: {_shown(known)}"
                found.append((number, Mistake(message, event.offset, len(event.name), code="E712")))
            found += [(number, mistake) for mistake in _twice(event)]
    for text in texts:
        for token in text.assigned:
            defined = any(rule.defines.name == token.text for rule in rules)
            if not defined and token.text not in inputs:
                inputs[token.text] = EventType(token.text, tuple(_used(token.text, rules, texts)), token.offset)
    defined_first: dict[str, EventType] = {}
    for number, text in enumerate(texts):
        for rule in text.rules:
            known = defined_first.setdefault(rule.defines.name, inputs.get(rule.defines.name, rule.defines))
            if known.attributes != rule.defines.attributes:
                message = f"{rule.defines.name} has other attributes elsewhere: {_shown(known)}"
                found.append((number, Mistake(message, rule.defines.offset, len(rule.defines.name), code="E712")))
            found += [(number, mistake) for mistake in _twice(rule.defines)]
    declared = [(n, e) for n, text in enumerate(texts) for e in (*text.events, *(r.defines for r in text.rules))]
    found += _same_predicate(declared)
    found += _other_types(texts, {event.name: event for _, event in declared} | inputs)
    tick, wrong = tick_of(texts)
    return TeslaProgram(tuple(inputs.values()), rules, tick), [*found, *wrong]


def _shown(event: EventType) -> str:
    attributes = (a.name if a.type is None else f"{a.name}: {a.type}" for a in event.attributes)
    return f"{event.name}({', '.join(attributes)})"


def _same_predicate(declared: Sequence[tuple[int, EventType]]) -> Iterator[tuple[int, Mistake]]:
    """Events whose facts could not be told apart, because names of predicates begin in lower case."""
    first: dict[str, str] = {}
    for number, event in declared:
        predicate = predicate_of(event.name)
        other = first.setdefault(predicate, event.name)
        if other != event.name:
            message = f"the facts of {event.name} and of {other} both have the predicate {predicate}"
            mistake = Mistake(message, event.offset, len(event.name), "give one of them another name", "E712")
            yield number, mistake


def _twice(event: EventType) -> Iterator[Mistake]:
    seen: set[str] = set()
    for attribute in event.attributes:
        if attribute.name in seen:
            message = f"{event.name} has two attributes {attribute.name}"
            yield Mistake(message, attribute.offset, len(attribute.name), code="E712")
        seen.add(attribute.name)


def _used(type_: str, rules: Sequence[TeslaRule], texts: Sequence[Text]) -> Iterator[Attribute]:
    """The attributes of a type that rules mention, each once, with the first types that they give to them."""
    mentioned = (name for rule in rules for name in rule.attributes_of(type_))
    types = {a.name: a.type for text in reversed(texts) for event, a in reversed(text.typed) if event == type_}
    return (Attribute(name, types.get(name)) for name in dict.fromkeys(mentioned))


def _other_types(texts: Sequence[Text], types: Mapping[str, EventType]) -> Iterator[tuple[int, Mistake]]:
    """The types in patterns, as in `[float] value > 45`, that are not the declared ones."""
    for number, text in enumerate(texts):
        for event, attribute in text.typed:
            known = (
                next((a for a in types[event].attributes if a.name == attribute.name), None) if event in types else None
            )
            if known is not None and known.type not in (None, attribute.type):
                message = f"{event}.{attribute.name} is of type {known.type}, not {attribute.type}"
                yield number, Mistake(message, attribute.offset, len(attribute.name), code="E713")


def tick_of(texts: Sequence[Text]) -> tuple[int, Found]:
    """The length of a time point in milliseconds: the one that is given, or a second, or a millisecond if need be."""
    lengths = [(number, length) for number, text in enumerate(texts) for r in text.rules for length in r.lengths()]
    timers = [
        (number, rule.terminator)
        for number, text in enumerate(texts)
        for rule in text.rules
        if rule.terminator.type == TIMER and not list(timer_mistakes(rule.terminator))
    ]
    given = next((text.tick for text in texts if text.tick is not None), None)
    milliseconds = [length.amount * length.unit for _, length in lengths if length.unit]
    if given is not None:
        tick = given.amount * (given.unit or 1)
    elif not milliseconds and not timers:
        return 0, []
    else:
        written_in_seconds = all(length.unit >= 1000 for _, length in lengths)
        tick = 1000 if written_in_seconds else 1
    found: Found = []
    for number, length in lengths:
        if length.unit and length.amount * length.unit % tick:
            message = f"this is not a whole number of time points of {tick} ms"
            found.append((number, Mistake(message, length.offset, code="E712")))
        elif not length.unit and given is None:
            note = "write a unit, such as 5 min, or say how long a time point is: tick 1 s;"
            found.append(
                (number, Mistake("this length has no unit, but others have one", length.offset, 1, note, "E712"))
            )
    for number, timer in timers:
        if period_and_moment(timer)[0] % tick:
            message = f"a timer needs time points that divide its period: {tick} ms does not"
            found.append((number, Mistake(message, timer.offset, len(timer.type), code="E712")))
    return tick, found
