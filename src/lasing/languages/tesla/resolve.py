"""From what texts say to a program: the types of all events, and the length of a time point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lasing.languages.tesla.clock import period_and_moment, timer_mistakes
from lasing.languages.tesla.mistakes import Mistake
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
                message = f"the event {event.name} is declared twice, with other attributes"
                found.append((number, Mistake(message, event.offset, len(event.name), code="E712")))
            found += [(number, mistake) for mistake in _twice(event)]
    for text in texts:
        for token in text.assigned:
            defined = any(rule.defines.name == token.text for rule in rules)
            if not defined and token.text not in inputs:
                inputs[token.text] = EventType(token.text, tuple(_used(token.text, rules)), token.offset)
    defined_first: dict[str, EventType] = {}
    for number, text in enumerate(texts):
        for rule in text.rules:
            known = defined_first.setdefault(rule.defines.name, inputs.get(rule.defines.name, rule.defines))
            if [a.name for a in known.attributes] != [a.name for a in rule.defines.attributes]:
                names = ", ".join(a.name for a in known.attributes)
                message = f"{rule.defines.name} has other attributes elsewhere: {names}"
                found.append((number, Mistake(message, rule.defines.offset, len(rule.defines.name), code="E712")))
            found += [(number, mistake) for mistake in _twice(rule.defines)]
    tick, wrong = _tick(texts)
    return TeslaProgram(tuple(inputs.values()), rules, tick), [*found, *wrong]


def _twice(event: EventType) -> Iterator[Mistake]:
    seen: set[str] = set()
    for attribute in event.attributes:
        if attribute.name in seen:
            message = f"{event.name} has two attributes {attribute.name}"
            yield Mistake(message, attribute.offset, len(attribute.name), code="E712")
        seen.add(attribute.name)


def _used(type_: str, rules: Sequence[TeslaRule]) -> Iterator[Attribute]:
    """The attributes of a type that rules mention, each once."""
    mentioned = (name for rule in rules for name in rule.attributes_of(type_))
    return (Attribute(name) for name in dict.fromkeys(mentioned))


def _tick(texts: Sequence[Text]) -> tuple[int, Found]:
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
