"""Whether a program is separable: no event has two intervals that overlap or touch.

Shift a stream by a time point, and add it to itself: the intervals of all events are shifted and added too. So a
program in which anything happens is separable only for some streams. Attributes that are declared as `key` promise what
is needed: an event comes at most once for each value of its key. Then an event of a rule has at most one interval, if
the values in its head say which events its interval comes from.

    event order(id key, amount), paid(id key).
    settled(I) <- order(I, A) SEQ paid(I).          I says which order and which payment
    any        <- order(I, A) SEQ paid(I).          may have several intervals: another I gives another one

What is found separable is separable, for all streams that keep the promise. The rest may still be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lasing.events.mistakes import Mistake
from lasing.languages.etalis.syntax import (
    Absence,
    Binary,
    EtalisProgram,
    Event,
    EventRule,
    Limited,
    Pattern,
    Repetition,
    Where,
    written_out,
)
from lasing.logic.formulas import Compare
from lasing.logic.terms import Term, Variable, variables_of


def overlaps(program: EtalisProgram) -> dict[str, Mistake]:
    """For each event of a rule that may have intervals that overlap or touch, the reason, and its place.

    >>> from lasing.languages.etalis.reader import read
    >>> from lasing.languages.etalis.resolve import resolved
    >>> found = lambda text: {name: why.message for name, why in overlaps(resolved([read(text)])[0]).items()}
    >>> found("event p(id key, x), q(id key). e(I, X) <- p(I, X) SEQ q(I). f(X) <- e(I, X).")
    {'f': 'another I gives f(X) another interval'}
    """
    analysis = _Analysis(program)
    return {name: why for name in program.defined() if (why := analysis.of(name)) is not None}


@dataclass(slots=True)
class _Analysis:
    program: EtalisProgram
    open: set[str] = field(default_factory=set)
    """The events that are looked at."""
    _found: dict[str, Mistake | None] = field(default_factory=dict)

    def of(self, name: str) -> Mistake | None:
        """Why an event may have several intervals; None if it has at most one."""
        if name not in self._found:
            rules = [rule for rule in self.program.rules if rule.head.name == name]
            head = rules[-1].head
            self.open.add(name)
            if len(rules) > 1:
                self._found[name] = _because(f"{name} has several rules", head)
            else:
                self._found[name] = next(_Rule(self, rules[0]).reasons(rules[0].pattern), None)
            self.open.remove(name)
        return self._found[name]


@dataclass(slots=True)
class _Rule:
    analysis: _Analysis
    rule: EventRule
    known: set[Term] = field(default_factory=set)
    """The variables whose values the head determines."""

    def __post_init__(self) -> None:
        self.known = {term for term in self.rule.head.args if isinstance(term, Variable)}
        before = -1
        while len(self.known) > before:
            before = len(self.known)
            for part in _always(self.rule.pattern):
                if isinstance(part, Event) and self._missing(part) is None:
                    self.known.update(term for term in part.args if isinstance(term, Variable))
                elif isinstance(part, Where):
                    self._assign(part)

    def _assign(self, where: Where) -> None:
        for condition in where.conditions:
            if isinstance(condition, Compare) and condition.operator == "=":
                for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
                    if isinstance(one, Variable) and self._determined(other):
                        self.known.add(one)

    def _determined(self, term: Term) -> bool:
        return all(variable in self.known for variable in variables_of(term))

    def _missing(self, event: Event) -> Term | None:
        """The argument that must be determined before it is clear which event it is; None if there is none."""
        keys = self.analysis.program.keys.get(event.name, ())
        if event.name in self.analysis.program.defined():
            keys = tuple(range(len(event.args)))
        elif not keys:
            return Variable("_")
        return next((event.args[i] for i in keys if not self._determined(event.args[i])), None)

    def reasons(self, pattern: Pattern) -> Iterator[Mistake]:
        """Why a pattern may have several intervals for the same values in the head."""
        match pattern:
            case Event():
                yield from self._event(pattern)
            case Repetition():
                yield from self.reasons(written_out(pattern))
            case Limited() | Where():
                yield from self.reasons(pattern.pattern)
            case Absence():
                yield _because("the separable encoding has no NOT", pattern)
            case Binary("OR"):
                yield _because("each side of OR gives intervals", pattern)
            case Binary("EQUALS", left, right):
                one, other = list(self.reasons(left)), list(self.reasons(right))
                if one and other:
                    yield one[0]
            case Binary("STARTS" | "FINISHES" | "DURING", _, right):
                yield from self.reasons(right)
            case Binary(_, left, right):
                yield from self.reasons(left)
                yield from self.reasons(right)

    def _event(self, event: Event) -> Iterator[Mistake]:
        program = self.analysis.program
        if event.name in self.analysis.open:
            yield _because(f"{event.name} depends on itself", event)
            return
        if event.name in program.defined():
            if self.analysis.of(event.name) is not None:
                yield _because(f"{event.name} may have several intervals", event)
                return
        elif not program.keys.get(event.name):
            note = f"if it does not, declare its key: event {event.name}(… key)." if event.args else ""
            yield _because(f"{event.name} may come again with the same values", event, note)
            return
        missing = self._missing(event)
        if missing is not None:
            (first, *_) = (v for v in variables_of(missing) if v not in self.known)
            which = f"another argument of {event.name}" if first.anonymous else f"another {first}"
            yield _because(f"{which} gives {self._head()} another interval", event)

    def _head(self) -> str:
        head = self.rule.head
        args = ", ".join("…" if not isinstance(term, Variable) else str(term) for term in head.args)
        return f"{head.name}({args})" if args else head.name


def _always(pattern: Pattern) -> Iterator[Pattern]:
    """The parts of a pattern that every match has."""
    match pattern:
        case Repetition():
            yield from _always(written_out(pattern))
        case Limited():
            yield from _always(pattern.pattern)
        case Where():
            yield pattern
            yield from _always(pattern.pattern)
        case Binary(operator, left, right) if operator != "OR":
            yield from _always(left)
            yield from _always(right)
        case Event():
            yield pattern
        case _:
            return


def _because(message: str, place: Event | Absence | Binary, note: str = "") -> Mistake:
    word = place.name if isinstance(place, Event) else "NOT" if isinstance(place, Absence) else place.operator
    return Mistake(message, place.offset, len(word), note, "W218")
