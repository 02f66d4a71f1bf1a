"""The encoding of the LARS paper (Example 10): an event holds at every time point of its intervals.

    z <- x SEQ y    z_holds at T :- x_run(S1,E1), y_run(S2,E2), E1 < S2, time_point at T in [*], S1 <= T, T <= E2.
                    z_begins(S)  :- z_holds at S in [*], P = S - 1, not z_holds at P in [*].
                    z_ends(E)    :- z_holds at E in [*], N = E + 1, not z_holds at N in [*].
                    z_gap(S,E)   :- z_begins(S), z_ends(E), z_begins(M), S < M, M <= E.
                    z_run(S,E)   :- z_begins(S), z_ends(E), S <= E, not z_gap(S,E).
                    z(S,E)       :- z_run(S,E), E = #now.

An interval is a maximal run, so intervals of one event that overlap or touch become one. Where there are none, the
results are those of the explicit encoding. Events that come in are time points in both. All of the past is evaluated at
each time point, and NOT and events that depend on themselves have no such encoding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lasing.algebra.terms import call
from lasing.events.declarations import predicate_of
from lasing.events.mistakes import Mistake
from lasing.languages.etalis.intervals import Body, Intervals, When
from lasing.languages.etalis.syntax import Absence, EtalisProgram, Event, EventRule, walk
from lasing.logic.formulas import At, Atom, Compare, Formula, Not, TimeWindow, Window
from lasing.logic.program import Rule
from lasing.logic.terms import NOW, Term, Variable

ALL = TimeWindow(None)
_NOT_ENCODED = "E735"


@dataclass(slots=True)
class Names:
    """The predicates of the encoding."""

    taken: set[str]
    made: dict[str, str] = field(default_factory=dict)

    def of(self, event: str, what: str) -> str:
        """A predicate that says something about an event."""
        wanted = f"{predicate_of(event)}_{what}" if event else what
        if wanted not in self.made:
            name = wanted
            while name in self.taken:
                name += "_"
            self.taken.add(name)
            self.made[wanted] = name
        return self.made[wanted]

    @property
    def time_point(self) -> Atom:
        """The background atom that holds at every time point."""
        return Atom(self.of("", "time_point"))


@dataclass(slots=True)
class Runs(Intervals):
    """Makes bodies in which defined events are maximal runs."""

    names: Names = field(default_factory=lambda: Names(set()))

    def bodies(self) -> list[Body]:
        """The bodies of all matches up to now, whenever they end."""
        return self.alternatives(self.rule.pattern, When("upto", None, None))

    def _complex(self, event: Event, when: When, window: TimeWindow) -> Body:  # noqa: ARG002 - a run is not windowed
        start, end = self.fresh("S"), self.fresh("E")
        return Body((Atom(self.names.of(event.name, "run"), (*event.args, start, end)),), (start,), (end,))

    def rules_of(self) -> Iterator[Rule]:
        """The rules by which the head holds at the time points of its intervals."""
        for body in self.bodies():
            start, first = self._named(body.start, "S")
            end, last = self._named(body.end, "E")
            time = self.fresh("T")
            head = At(time, Atom(self.names.of(self.rule.head.name, "holds"), self.rule.head.args))
            between = Window(ALL, At(time, self.names.time_point))
            times = (Compare("<=", start, time), Compare("<=", time, end))
            yield Rule((head,), (*body.distinct(), *first, *last, between, *times))


def runs(name: str, arity: int, names: Names, shown: Callable[[Term], Term]) -> Iterator[Rule]:
    """The rules for the maximal runs of an event, and for its result, which has times as they are shown."""
    args = tuple(Variable(f"X{i + 1}") for i in range(arity))
    start, end, middle = Variable("S"), Variable("E"), Variable("M")
    before, after = Variable("P"), Variable("N")

    def holds(time: Variable) -> Formula:
        return Window(ALL, At(time, Atom(names.of(name, "holds"), args)))

    def begins(time: Variable) -> Atom:
        return Atom(names.of(name, "begins"), (*args, time))

    ends = Atom(names.of(name, "ends"), (*args, end))
    gap = Atom(names.of(name, "gap"), (*args, start, end))
    run = Atom(names.of(name, "run"), (*args, start, end))
    yield Rule((begins(start),), (holds(start), Compare("=", before, call("-", start, 1)), Not(holds(before))))
    yield Rule((ends,), (holds(end), Compare("=", after, call("+", end, 1)), Not(holds(after))))
    inside = (Compare("<", start, middle), Compare("<=", middle, end))
    yield Rule((gap,), (begins(start), ends, begins(middle), *inside))
    yield Rule((run,), (begins(start), ends, Compare("<=", start, end), Not(gap)))
    yield Rule((Atom(predicate_of(name), (*args, shown(start), shown(end))),), (run, Compare("=", end, NOW)))


def not_separable(program: EtalisProgram, rule: EventRule) -> Iterator[Mistake]:
    """What the encoding cannot express in a rule."""
    for part in walk(rule.pattern):
        if isinstance(part, Absence):
            note = "leave out: encoding separable."
            yield Mistake("the separable encoding has no NOT", part.offset, 3, note, _NOT_ENCODED)
    if rule.head.name in _needed(program, rule.head.name):
        message = f"{rule.head.name} depends on itself, which the separable encoding cannot express"
        note = "leave out: encoding separable."
        yield Mistake(message, rule.head.offset, len(rule.head.name), note, _NOT_ENCODED)


def merged(rule: EventRule, reason: Mistake | None) -> Mistake:
    """The warning that intervals of an event may become one; without a reason for that, what the encoding costs."""
    name = rule.head.name
    if reason is None:
        message = f"unbounded state: the separable encoding evaluates all of the past for {name} at each time point"
        return Mistake(message, rule.head.offset, len(name), "leave out: encoding separable.", "W217")
    message = f"{name} may not be separable: {reason.message}"
    note = f"intervals of {name} that overlap or touch become one; all of the past is evaluated at each time point"
    note = "; ".join(filter(None, (reason.note, note)))
    return Mistake(message, reason.offset, reason.length, note, "W218")


def _needed(program: EtalisProgram, name: str) -> set[str]:
    """The events that an event is made of, directly or not."""
    found: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        for rule in program.rules:
            if rule.head.name == current:
                names = {part.name for part in walk(rule.pattern) if isinstance(part, Event)}
                todo += names - found
                found |= names
    return found
