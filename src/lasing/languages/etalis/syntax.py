"""The syntax tree of ETALIS.

    event order(id: string, amount: float), paid(id: string).
    tick 1 min.

    settled(I, A) <- (order(I, A) SEQ paid(I)).10 min WHERE A > 100.
    quiet(I)      <- NOT(paid(_)).[order(I, _), closed].
    large(A)      :- limit(L), A >= L.
    limit(100).

Terms and conditions are those of the logic. Nodes are frozen and compare by meaning; offsets into the text serve
messages only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, assert_never, get_args

from lasing.events.declarations import EventType, Length
from lasing.logic.formulas import Atom, Compare, Not, terms_of
from lasing.logic.terms import Term, Variable, variables_of

Operator = Literal["SEQ", "AND", "PAR", "OR", "EQUALS", "MEETS", "STARTS", "FINISHES", "DURING"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)

Condition = Atom | Compare | Not
"""A comparison, a static atom, or the negation of a static atom."""


@dataclass(frozen=True, slots=True)
class Event:
    """`order(I, A)`: an event that comes in, or that a rule defines."""

    name: str
    args: tuple[Term, ...] = ()
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """`left SEQ right` and the like."""

    operator: Operator
    left: Pattern
    right: Pattern
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Absence:
    """`NOT(absent).[first, last]`: `last` comes after `first`, with no `absent` between them."""

    absent: Pattern
    first: Pattern
    last: Pattern
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Repetition:
    """`order(I, _).3`: three such events, one after the other."""

    event: Event
    times: int
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Limited:
    """`(pattern).10 min`: the pattern takes at most that long."""

    pattern: Pattern
    length: Length
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Where:
    """`pattern WHERE conditions`."""

    pattern: Pattern
    conditions: tuple[Condition, ...]
    offset: int = field(default=-1, compare=False, repr=False)


Pattern = Event | Binary | Absence | Repetition | Limited | Where


@dataclass(frozen=True, slots=True)
class EventRule:
    """`head <- pattern`."""

    head: Event
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class StaticRule:
    """`head :- body`: what holds at all times. Without a body it is a fact."""

    head: Atom
    body: tuple[Condition, ...] = ()
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EtalisProgram:
    """The events that come in, the rules, and the length of a time point in milliseconds; 0 if times are numbers."""

    inputs: tuple[EventType, ...]
    rules: tuple[EventRule, ...]
    statics: tuple[StaticRule, ...] = ()
    tick: int = 0
    separable: bool = False
    """Whether intervals are encoded as in the LARS paper."""
    dated: bool = False
    """Whether results have dates as their start and end."""
    keys: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Which attributes are the key of an event: it comes at most once for each value of them."""

    def points(self, length: Length) -> int:
        """The time points of a length."""
        return length.amount if not length.unit else length.amount * length.unit // self.tick

    def defined(self) -> dict[str, int]:
        """The events that rules define, with their numbers of arguments."""
        return {rule.head.name: len(rule.head.args) for rule in self.rules}


def parts(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns that a pattern directly consists of."""
    match pattern:
        case Event():
            return ()
        case Binary():
            return pattern.left, pattern.right
        case Absence():
            return pattern.absent, pattern.first, pattern.last
        case Repetition():
            return (pattern.event,)
        case Limited() | Where():
            return (pattern.pattern,)
        case _:
            assert_never(pattern)


def walk(pattern: Pattern) -> Iterator[Pattern]:
    """A pattern and all patterns in it, in the order of the text."""
    yield pattern
    for part in parts(pattern):
        yield from walk(part)


def written_out(pattern: Repetition) -> Pattern:
    """A repetition as a sequence. Each `_` is another one.

    >>> written_out(Repetition(Event("p", (Variable("_#1"), 5)), 2))  # doctest: +NORMALIZE_WHITESPACE
    Binary(operator='SEQ', left=Event(name='p', args=(Variable(name='_#1.0'), 5)),
           right=Event(name='p', args=(Variable(name='_#1.1'), 5)))
    """
    copies = [
        replace(pattern.event, args=tuple(_again(term, copy) for term in pattern.event.args))
        for copy in range(pattern.times)
    ]
    made: Pattern = copies[0]
    for event in copies[1:]:
        made = Binary("SEQ", made, event, pattern.offset)
    return made


def _again(term: Term, copy: int) -> Term:
    return Variable(f"{term.name}.{copy}") if isinstance(term, Variable) and term.anonymous else term


def condition_variables(condition: Condition) -> Iterator[Variable]:
    """The variables of a condition."""
    inner = condition.body if isinstance(condition, Not) else condition
    for term in terms_of(inner):
        yield from variables_of(term)


def variables(pattern: Pattern) -> Iterator[Variable]:
    """Every occurrence of a variable in a pattern."""
    for part in walk(pattern):
        match part:
            case Event():
                for term in part.args:
                    yield from variables_of(term)
            case Where():
                for condition in part.conditions:
                    yield from condition_variables(condition)
            case _:
                continue
