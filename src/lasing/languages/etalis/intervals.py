"""From patterns to bodies of rules: every event has a start and an end.

    p SEQ q       p at T1 in [n,-1], q at T2 in [0]                 interval T1, T2
    e SEQ q       e(S,E) in [n,-1], q at T in [0]                   interval S, T
    e DURING f    e(S1,E1) in [n,-1], f(S2,E2), S2 < S1, E1 < E2    interval S2, E2
    p AND q       p at T1 in [n], q at T2 in [0]                    interval min(T1,T2), T2
                  p at T1 in [0], q at T2 in [n,-1]                 interval min(T1,T2), T1

A pattern completes when the last of its events does. So a rule has a body for each way to complete *now*; its other
events ended before, or up to now. All events of a pattern lie in its interval, so a limit on that bounds all windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal, assert_never

from lasing.algebra.terms import call
from lasing.events.declarations import EventType, predicate_of, tests
from lasing.languages.etalis.binding import bound
from lasing.languages.etalis.lengths import Lengths, longest
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
    Where,
    variables,
    written_out,
)
from lasing.logic.formulas import At, Atom, Compare, Formula, Not, Sometime, TimeWindow, Window
from lasing.logic.program import Rule
from lasing.logic.terms import Term, Variable

Mode = Literal["now", "before", "upto"]
"""When a pattern ends: now, before now, or at one of the two."""

_MOST_BODIES = 8


@dataclass(frozen=True, slots=True)
class When:
    """When a pattern ends, and how many time points ago it can end and start at the most; None is any number."""

    mode: Mode
    end: int | None
    start: int | None

    def inner(self, mode: Mode) -> When:
        """For a part that ends at any time within the pattern."""
        return When(mode, self.start, self.start)

    def until_now(self) -> When:
        """For a part that ends with the pattern or before it does."""
        return self.inner("upto" if self.mode == "now" else self.mode)


@dataclass(frozen=True, slots=True)
class Body:
    """Literals that a pattern matches. It starts at the least of its starts, and ends at the greatest of its ends."""

    literals: tuple[Formula, ...]
    starts: tuple[Variable, ...]
    ends: tuple[Variable, ...]
    now: frozenset[Variable] = frozenset()
    """Times that are the current one."""
    earlier: frozenset[Variable] = frozenset()
    """Times before now."""
    within: tuple[tuple[Variable, int], ...] = ()
    """How long ago times can be at the most, where a window says so."""

    @property
    def start(self) -> Term:
        return _combined("min", self.starts)

    @property
    def end(self) -> Term:
        return _combined("max", self.ends)

    def also(self, *literals: Formula) -> Body:
        return replace(self, literals=(*self.literals, *literals))

    def distinct(self) -> tuple[Formula, ...]:
        """The literals, each once."""
        return tuple(dict.fromkeys(self.literals))


def joined(left: Body, right: Body, starts: tuple[Variable, ...], ends: tuple[Variable, ...]) -> Body:
    """Two bodies as one."""
    return Body(
        (*left.literals, *right.literals),
        tuple(dict.fromkeys(starts)),
        tuple(dict.fromkeys(ends)),
        left.now | right.now,
        left.earlier | right.earlier,
        (*left.within, *right.within),
    )


@dataclass(slots=True)
class Intervals:
    """Makes the bodies of one rule."""

    program: EtalisProgram
    rule: EventRule
    taken: set[str]
    """The names of predicates that are in use."""
    lengths: Lengths
    predicates: Mapping[str, str] = field(default_factory=dict)
    """The predicates of the intervals of defined events, where these have other names than the events."""
    rules: list[Rule] = field(default_factory=list)
    """The rules of helpers."""
    remembered: set[str] = field(default_factory=set)
    unbounded: list[Event] = field(default_factory=list)
    """Events that can be of any age."""
    _names: set[str] = field(default_factory=set)
    _inputs: dict[str, EventType] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names = {v.name for v in (*variables(self.rule.pattern), *variables(self.rule.head))}
        self._inputs = {event.name: event for event in self.program.inputs}

    def bodies(self) -> list[Body]:
        """A body for each way in which the pattern can complete now; none if it never can."""
        return self.alternatives(self.rule.pattern, When("now", 0, None))

    def alternatives(self, pattern: Pattern, when: When) -> list[Body]:
        """The bodies of a pattern."""
        length = longest(pattern, self.lengths, self.program)
        if when.end is not None and length is not None:
            reach = when.end + length
            when = replace(when, start=reach if when.start is None else min(when.start, reach))
        if when.mode == "before" and (when.end == 0 or when.start == 0):
            return []
        match pattern:
            case Event():
                return [self._event(pattern, when)]
            case Repetition():
                return self.alternatives(written_out(pattern), when)
            case Limited():
                return self._limited(pattern, when)
            case Where():
                found = self.alternatives(pattern.pattern, when)
                return [body.also(*map(static_literal, pattern.conditions)) for body in found]
            case Absence():
                return self._absence(pattern, when)
            case Binary():
                return list(self._binary(pattern, when))
            case _:
                assert_never(pattern)

    # -- events -------------------------------------------------------------------------------------------------------

    def _event(self, event: Event, when: When) -> Body:
        if when.mode != "now" and when.end is None:
            self.unbounded.append(event)
        ahead = -1 if when.mode == "before" else 0
        window = TimeWindow(0) if when.mode == "now" else TimeWindow(when.end, ahead)
        declared = self._inputs.get(event.name)
        if declared is None:
            body = self._complex(event, when, window)
        else:
            time = self.fresh("T")
            args, more = self._typed(event, declared)
            literal = Window(window, At(time, Atom(predicate_of(event.name), args, event.offset)))
            body = Body((literal, *more), (time,), (time,))
        end = body.ends[0]
        return replace(
            body,
            now=frozenset((end,)) if when.mode == "now" else frozenset(),
            earlier=frozenset((end,)) if ahead else frozenset(),
            within=() if when.end is None else ((end, when.end),),
        )

    def _complex(self, event: Event, when: When, window: TimeWindow) -> Body:
        start, end = self.fresh("S"), self.fresh("E")
        predicate = self.predicates.get(event.name, predicate_of(event.name))
        atom = Atom(predicate, (*event.args, start, end), event.offset)
        if when.mode == "now":
            return Body((atom,), (start,), (end,))
        self.remembered.add(event.name)
        return Body((Window(window, Sometime(atom)),), (start,), (end,))

    def _typed(self, event: Event, declared: EventType) -> tuple[tuple[Term, ...], list[Formula]]:
        """The arguments of an event, and the literals that they have the declared types."""
        args: list[Term] = []
        more: list[Formula] = []
        for term, attribute in zip(event.args, declared.attributes, strict=True):
            if attribute.type is None or not isinstance(term, Variable) or term.anonymous:
                if attribute.type is None or isinstance(term, str | int | float):
                    args.append(term)
                    continue
                value = self.fresh("V")
                args.append(value)
                more += tests(value, attribute.type)
                if not isinstance(term, Variable):
                    more.append(Compare("=", value, term))
                continue
            args.append(term)
            more += tests(term, attribute.type)
        return tuple(args), more

    # -- operators ----------------------------------------------------------------------------------------------------

    def _limited(self, limited: Limited, when: When) -> list[Body]:
        length = self.program.points(limited.length)
        return [body.also(*_at_most(body, length)) for body in self.alternatives(limited.pattern, when)]

    def _binary(self, pattern: Binary, when: When) -> Iterator[Body]:
        match pattern.operator:
            case "OR":
                yield from self.alternatives(pattern.left, when)
                yield from self.alternatives(pattern.right, when)
            case "SEQ":
                for left, right in self._pairs(pattern, when.inner("before"), when):
                    yield joined(left, right, left.starts, right.ends).also(*_before(left, right))
            case "AND" | "PAR":
                yield from self._together(pattern, when)
            case "EQUALS":
                for left, right in self._pairs(pattern, when, when):
                    both = joined(left, right, right.starts, right.ends)
                    yield both.also(*_same(left.start, right.start, both), *_same(left.end, right.end, both))
            case "MEETS":
                for left, right in self._pairs(pattern, self._meeting(pattern.right, when), when):
                    both = joined(left, right, left.starts, right.ends)
                    yield both.also(*_same(left.end, right.start, both))
            case "STARTS":
                for left, right in self._pairs(pattern, when.inner("before"), when):
                    both = joined(left, right, right.starts, right.ends)
                    yield both.also(*_same(left.start, right.start, both), *_less(left.end, right.end, both))
            case "FINISHES":
                for left, right in self._pairs(pattern, when, when):
                    both = joined(left, right, right.starts, right.ends)
                    yield both.also(*_same(left.end, right.end, both), Compare("<", right.start, left.start))
            case "DURING":
                for left, right in self._pairs(pattern, when.inner("before"), when):
                    both = joined(left, right, right.starts, right.ends)
                    yield both.also(Compare("<", right.start, left.start), *_less(left.end, right.end, both))
            case _:
                assert_never(pattern.operator)

    def _together(self, pattern: Binary, when: When) -> Iterator[Body]:
        """AND and PAR: the one that ends now can be either of the two, or both."""
        pairs: list[tuple[Body, Body, tuple[Variable, ...]]] = []
        if when.mode == "now":
            for left, right in self._pairs(pattern, when, when.until_now()):
                pairs.append((left, right, left.ends))
            for left, right in self._pairs(pattern, when.inner("before"), when):
                pairs.append((left, right, right.ends))
        else:
            for left, right in self._pairs(pattern, when.inner(when.mode), when.inner(when.mode)):
                pairs.append((left, right, (*left.ends, *right.ends)))
        for left, right, ends in pairs:
            both = joined(left, right, (*left.starts, *right.starts), ends)
            if when.mode == "now" and ends == right.ends:
                both = both.also(*_less(left.end, right.end, both))
            if pattern.operator == "PAR":
                sides = ((s, e) for s in (left.start, right.start) for e in (left.end, right.end))
                both = both.also(*(Compare("<", start, end) for start, end in sides))
            yield both

    def _meeting(self, right: Pattern, when: When) -> When:
        """When the first of two patterns that meet can end: when the second starts."""
        if isinstance(right, Event) and right.name in self._inputs:
            return When(when.mode, when.end, when.start)
        return when.until_now()

    def _pairs(self, pattern: Binary, left: When, right: When) -> Iterator[tuple[Body, Body]]:
        lefts, rights = self.alternatives(pattern.left, left), self.alternatives(pattern.right, right)
        if len(lefts) * len(rights) > _MOST_BODIES:
            if len(lefts) >= len(rights):
                lefts = [self._part(pattern.left, lefts)]
            else:
                rights = [self._part(pattern.right, rights)]
        return product(lefts, rights)

    def _part(self, pattern: Pattern, bodies: list[Body]) -> Body:
        """Many bodies of a part as one, by a helper."""
        outside = list(variables(self.rule.pattern))
        for variable in variables(pattern):
            outside.remove(variable)
        kept = {*outside, *variables(self.rule.head)}
        shared = tuple(sorted(bound(pattern) & kept, key=lambda v: v.name))
        name = self.helper("part")
        start, end = self.fresh("S"), self.fresh("E")
        for body in bodies:
            self.rules.append(Rule((Atom(name, (*shared, body.start, body.end)),), body.distinct()))
        now = frozenset((end,)) if all(set(b.ends) <= b.now for b in bodies) else frozenset[Variable]()
        earlier = frozenset((end,)) if all(set(b.ends) <= b.earlier for b in bodies) else frozenset[Variable]()
        return Body((Atom(name, (*shared, start, end)),), (start,), (end,), now, earlier)

    def _absence(self, pattern: Absence, when: When) -> list[Body]:
        """NOT(p).[q, r]: the intervals of q SEQ r that are none of q SEQ p SEQ r."""
        spoilt = Binary("SEQ", Binary("SEQ", pattern.first, pattern.absent), pattern.last)
        bad = self.alternatives(spoilt, when)
        good = list(self._binary(Binary("SEQ", pattern.first, pattern.last), when))
        if not bad:
            return good
        elsewhere = list(variables(self.rule.pattern))
        for variable in variables(pattern.absent):
            elsewhere.remove(variable)
        kept = {*elsewhere, *variables(self.rule.head)}
        shared = tuple(sorted(bound(spoilt) & kept, key=lambda v: v.name))
        name = self.helper("spoilt")
        for body in bad:
            self.rules.append(Rule((Atom(name, (*shared, body.start, body.end)),), body.distinct()))
        found: list[Body] = []
        for body in good:
            start, first = self._named(body.start, "S")
            end, last = self._named(body.end, "E")
            found.append(body.also(*first, *last, Not(Atom(name, (*shared, start, end)))))
        return found

    def _named(self, term: Term, stem: str) -> tuple[Variable, list[Formula]]:
        """A variable with the value of a term."""
        if isinstance(term, Variable):
            return term, []
        variable = self.fresh(stem)
        return variable, [Compare("=", variable, term)]

    # -- names --------------------------------------------------------------------------------------------------------

    def fresh(self, stem: str) -> Variable:
        """A variable that the rule does not use."""
        number = 1
        while f"{stem}{number}" in self._names:
            number += 1
        self._names.add(f"{stem}{number}")
        return Variable(f"{stem}{number}")

    def helper(self, what: str) -> str:
        """A predicate that the program does not use."""
        stem = f"{predicate_of(self.rule.head.name)}_{what}"
        name, number = stem, 1
        while name in self.taken:
            number += 1
            name = f"{stem}_{number}"
        self.taken.add(name)
        return name


def static_literal(condition: Condition) -> Formula:
    """A condition as a literal of rules."""
    match condition:
        case Atom():
            return replace(condition, predicate=predicate_of(condition.predicate))
        case Not(Atom() as atom):
            return Not(replace(atom, predicate=predicate_of(atom.predicate)))
        case _:
            return condition


def _combined(function: str, times: tuple[Variable, ...]) -> Term:
    made: Term = times[0]
    for time in times[1:]:
        made = call(function, made, time)
    return made


def _before(left: Body, right: Body) -> Iterator[Formula]:
    """The comparisons that one body ends before another starts, as far as windows do not say so."""
    for end in left.ends:
        for start in right.starts:
            if not (end in left.earlier and start in right.now):
                yield Compare("<", end, start)


def _less(one: Term, other: Term, body: Body) -> list[Formula]:
    return [] if one in body.earlier and other in body.now else [Compare("<", one, other)]


def _same(one: Term, other: Term, body: Body) -> list[Formula]:
    return [] if one in body.now and other in body.now else [Compare("=", one, other)]


def _at_most(body: Body, length: int) -> Iterator[Formula]:
    """The comparisons that a body takes at most that long, as far as windows do not say so."""
    reach = dict(body.within)
    for end in body.ends:
        for start in body.starts:
            if not (end in body.now and start in reach and reach[start] <= length):
                yield Compare(">=", start, call("-", end, length))
