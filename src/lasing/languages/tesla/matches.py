"""The matches of a rule, and what they use up.

    fire_match(A,T,V) :- smoke(A), (T,V) = #last{U,W : temp(A,W) at U in [4,-1], not used_up(U,A,W) in [3,-1]}.
    used_up(T,A,V) :- fire_match(A,T,V).                           #stream used_up/3.

A match that has no value for an attribute of the result does not fire, and uses nothing up.

What is used up is remembered as a derived stream that patterns read from the next time point on. So events of one time
point, which have no order, cannot take each other's events away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lasing.events.declarations import predicate_of
from lasing.languages.tesla.patterns import Body, BoundEvent
from lasing.languages.tesla.syntax import (
    Aggregate,
    EventType,
    Expression,
    Operation,
    Reference,
    TeslaProgram,
    TeslaRule,
    parts,
)
from lasing.logic.formulas import Atom, Formula, Sometime, TimeWindow, Window
from lasing.logic.program import Rule
from lasing.logic.provenance import Helper
from lasing.logic.terms import NOW, Term, Variable


@dataclass(frozen=True, slots=True)
class Matched:
    """The literals that a pattern matches, the rules that they need, and the streams among those, with arities."""

    body: Body
    literals: tuple[Formula, ...]
    values: dict[str, Term]
    """The values of the attributes of the result that are already known."""
    rules: tuple[Rule, ...]
    streams: dict[str, int]
    background: tuple[Atom, ...]
    """The rows of constants of the rule."""


class Helpers:
    """Names for the predicates that a rule needs beside those of its events."""

    def __init__(self, stem: str, taken: set[str]) -> None:
        self._stem, self._taken = stem, taken
        self._made: dict[str, str] = {}

    def match(self) -> str:
        """The predicate of the matches."""
        return self._name("match")

    def constants(self) -> str:
        """The predicate of the constants in which rules differ."""
        return self._name("constants")

    def consumed(self, type_: str) -> str:
        """The predicate of the events of a type that the rule has used up."""
        return self._name(f"consumed_{predicate_of(type_)}")

    def helpers(self) -> dict[str, Helper]:
        """What these predicates are for."""
        consumed = Helper("context", "consumed")
        purposes = {"constants": Helper("detail"), "match": Helper()}
        return {name: purposes.get(what, consumed) for what, name in self._made.items()}

    def _name(self, what: str) -> str:
        if what not in self._made:
            name, number = f"{self._stem}_{what}", 1
            while name in self._taken:
                number += 1
                name = f"{self._stem}_{what}_{number}"
            self._taken.add(name)
            self._made[what] = name
        return self._made[what]


def matched(
    program: TeslaProgram,
    types: Mapping[str, EventType],
    predicates: Mapping[str, str],
    rule: TeslaRule,
    names: Helpers,
    timed: bool = False,
) -> Matched:
    """The matches of a rule. Raises `Never` if there are none.

    `timed` ones differ if their events have other times. Each makes several atoms, so values are computed before.
    """
    selected = {selection.event.type for selection in rule.selections()}
    used_up = {_type_of(rule, name) for name in rule.consumed} & selected

    def is_used_up(event: BoundEvent) -> Formula | None:
        if event.type.name not in used_up:
            return None
        atom = Atom(names.consumed(event.type.name), (event.moment.time, *event.terms, *body.row))
        return Window(TimeWindow(event.moment.far, -1), Sometime(atom))

    body = Body(program, types, predicates, rule, names.constants() if rule.rows else "", is_used_up, timed)
    body.build()
    table = tuple(Atom(body.table, row) for row in rule.rows)
    computed = (part for a in rule.assignments for part in parts(a.expression))
    if not used_up and not (timed and any(isinstance(part, Operation | Aggregate) for part in computed)):
        return Matched(body, tuple(body.literals), {}, (), {}, table)
    values = {a.attribute: body.valued(a.expression) for a in rule.assignments if not _of_members(a.expression, body)}
    terms = dict.fromkeys((*variables(body), *(v for v in values.values() if isinstance(v, Variable))))
    match = Atom(names.match(), tuple(terms))
    rules = [Rule((match,), tuple(body.literals))]
    streams: dict[str, int] = {}
    for name in rule.consumed:
        event = body.events[name]
        if event.type.name in used_up:
            head = Atom(names.consumed(event.type.name), (event.moment.time, *event.terms, *body.row))
            rules.append(Rule((head,), (match, *body.members.get(name, ()))))
            streams[head.predicate] = len(head.args)
    return Matched(body, (match,), values, tuple(rules), streams, table)


def variables(body: Body) -> Iterator[Variable]:
    """The variables of a match."""
    return _variables(body, [name for name in body.events if name not in body.members])


def identity(body: Body) -> Iterator[Variable]:
    """The variables that tell the matches of one time point apart.

    The first or last event that fits depends on the others. The row comes last, because it is what most matches of
    shared rules differ in.
    """
    chosen = {s.name for s in body.rule.selections() if s.policy in ("first", "last") and s.count == 1}
    return _variables(body, [name for name in body.events if name not in chosen | set(body.members)])


def _variables(body: Body, names: list[str]) -> Iterator[Variable]:
    terms = [term for name in names for term in (body.events[name].moment.time, *body.events[name].terms)]
    found = dict.fromkeys(term for term in (*terms, *body.row) if isinstance(term, Variable))
    return (term for term in found if term != NOW)


def _of_members(expression: Expression, body: Body) -> bool:
    """Whether an expression has a value for each member of an event of which a match holds all."""
    return any(isinstance(part, Reference) and part.event in body.members for part in parts(expression))


def _type_of(rule: TeslaRule, name: str) -> str:
    return next((s.event.type for s in rule.selections() if s.name == name), rule.terminator.type)
