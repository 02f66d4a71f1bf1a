"""What can be wrong with a rule whose names are known: variables without values, constants of wrong types, cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from lasing.events.declarations import EventType, has_type
from lasing.events.mistakes import Mistake
from lasing.languages.etalis.binding import NOTHING, Bound, assigned, both, bound
from lasing.languages.etalis.levels import completing, levels, static_levels
from lasing.languages.etalis.syntax import (
    Absence,
    Binary,
    Condition,
    EtalisProgram,
    Event,
    EventRule,
    Limited,
    Pattern,
    Repetition,
    StaticRule,
    Where,
    condition_variables,
    parts,
    variables,
    walk,
)
from lasing.logic.formulas import Not
from lasing.logic.terms import Arithmetic, Variable, variables_of
from lasing.logic.values import value_text

VALUES, TYPES, CYCLES = "E733", "E734", "E735"


def mistakes_of(rule: EventRule, inputs: Mapping[str, EventType]) -> Iterator[Mistake]:
    """The mistakes of a rule for an event."""
    known = bound(rule.pattern)
    for term in rule.head.args:
        for variable in variables_of(term):
            if variable.anonymous:
                note = "only a pattern can leave a value open"
                yield Mistake("_ has no value in a head", variable.offset, 1, note, VALUES)
            elif variable not in known:
                yield _unbound(variable, rule.pattern)
    yield from _pattern(rule.pattern, NOTHING)
    yield from _shared(rule.pattern, NOTHING, Counter((*variables(rule.pattern), *variables(rule.head))))
    for part in walk(rule.pattern):
        if isinstance(part, Event) and part.name in inputs:
            yield from _constants(part, inputs[part.name])


def static_mistakes(rule: StaticRule) -> Iterator[Mistake]:
    """The mistakes of a static rule."""
    known = assigned(rule.body, NOTHING)
    for term in rule.head.args:
        for variable in variables_of(term):
            if variable not in known:
                note = "give it one in a static atom of the body" if rule.body else "facts have no variables"
                yield Mistake(f"{variable} has no value", variable.offset, len(str(variable)), note, VALUES)
    yield from _conditions(rule.body, known)


def cycles(program: EtalisProgram, rule: EventRule) -> Iterator[Mistake]:
    """The mistake that an event must know its own intervals before NOT can exclude some."""
    found = levels(program.rules)
    if found[rule.head.name] <= len(found):
        return
    below = (name for name, excludes in completing(rule.pattern) if excludes and found.get(name, 0) > len(found))
    if name := next(below, None):
        message = f"{rule.head.name} depends on which intervals of {name} NOT excludes, and {name} on {rule.head.name}"
        if name == rule.head.name:
            message = f"{name} depends on which of its own intervals NOT excludes"
        note = "an event that ends a NOT pattern must not need what the pattern defines"
        yield Mistake(message, rule.head.offset, len(rule.head.name), note, CYCLES)


def static_cycles(program: EtalisProgram, rule: StaticRule) -> Iterator[Mistake]:
    """The mistake that a static predicate depends on its own negation."""
    found = static_levels(program.statics)
    name = rule.head.predicate
    if found[name] > len(found) and any(isinstance(condition, Not) for condition in rule.body):
        yield Mistake(f"{name} depends on its own negation", rule.offset, len(name), code=CYCLES)


def _pattern(pattern: Pattern, given: Bound) -> Iterator[Mistake]:
    match pattern:
        case Event():
            known = given | bound(pattern)
            for term in pattern.args:
                if isinstance(term, Arithmetic):
                    yield from (_unbound(v, pattern) for v in variables_of(term) if v not in known)
        case Repetition():
            yield from _pattern(pattern.event, given)
        case Limited():
            yield from _pattern(pattern.pattern, given)
        case Binary("OR", left, right):
            yield from _pattern(left, given)
            yield from _pattern(right, given)
        case Binary(_, left, right):
            yield from _pattern(left, given | bound(right, given | bound(left, given)))
            yield from _pattern(right, given | bound(left, given | bound(right, given)))
        case Absence():
            around = both(pattern.first, pattern.last)
            for part in (pattern.first, pattern.last, pattern.absent):
                yield from _pattern(part, around)
        case Where():
            inner = given | bound(pattern.pattern, given)
            known = inner | assigned(pattern.conditions, inner)
            yield from _conditions(pattern.conditions, known)
            yield from _pattern(pattern.pattern, known)


def _shared(pattern: Pattern, given: Bound, uses: Counter[Variable]) -> Iterator[Mistake]:
    """Variables of what NOT excludes that other parts use, but that need not have a value there."""
    match pattern:
        case Absence():
            around = both(pattern.first, pattern.last)
            inside = Counter(variables(pattern.absent))
            for variable in sorted(bound(pattern.absent) - given - around, key=lambda v: v.name):
                if uses[variable] > inside[variable]:
                    place = next(v for v in variables(pattern.absent) if v == variable)
                    note = "give it another name, or use it in the other events of NOT"
                    message = f"{variable} is local to this NOT, but other parts of the rule use it"
                    yield Mistake(message, place.offset, len(str(variable)), note, VALUES)
            for part in parts(pattern):
                yield from _shared(part, around, uses)  # what is excluded sees nothing else
        case Binary("OR"):
            yield from _shared(pattern.left, given, uses)
            yield from _shared(pattern.right, given, uses)
        case Binary(_, left, right):
            yield from _shared(left, given | bound(right, given), uses)
            yield from _shared(right, given | bound(left, given), uses)
        case Where():
            inner = given | bound(pattern.pattern, given)
            yield from _shared(pattern.pattern, inner | assigned(pattern.conditions, inner), uses)
        case _:
            for part in parts(pattern):
                yield from _shared(part, given, uses)


def _conditions(conditions: tuple[Condition, ...], known: Bound) -> Iterator[Mistake]:
    for condition in conditions:
        negated = isinstance(condition, Not)
        for variable in condition_variables(condition):
            if variable not in known and not (variable.anonymous and negated):
                yield _unbound(variable, None)


def _unbound(variable: Variable, pattern: Pattern | None) -> Mistake:
    note = "give it one as an argument of an event, or with ="
    if pattern is not None and any(isinstance(part, Binary) and part.operator == "OR" for part in walk(pattern)):
        note = "both sides of OR must give it one"
    elif pattern is not None and any(isinstance(part, Absence) for part in walk(pattern)):
        note = "the event that NOT excludes gives no values"
    return Mistake(f"{variable} has no value", variable.offset, len(str(variable)), note, VALUES)


def _constants(event: Event, declared: EventType) -> Iterator[Mistake]:
    for term, attribute in zip(event.args, declared.attributes, strict=False):
        if isinstance(term, str | int | float) and not has_type(term, attribute.type):
            message = f"{event.name}.{attribute.name} is of type {attribute.type}, and never {value_text(term)}"
            yield Mistake(message, event.offset, len(event.name), code=TYPES)
