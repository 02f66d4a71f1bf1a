"""From text to the syntax tree: the notation of the paper, and that of the system.

    define Fire = [dotr_id1 a :Fire ; :in ?room]             Assign 1 => Smoke, 2 => Temp, 3 => Fire
    from Smoke = [SELECT ?room WHERE {…}]                    Define Fire := { dotr_id1 a :Fire . dotr_id1 :in ?room . }
    and last Temp = [SELECT ?r ?v WHERE {…                   From Smoke := [SELECT ?room WHERE {…}]
        FILTER(?v > 60 && ?r = Smoke.?room)}]                and last Temp := [SELECT ?r ?v WHERE {…}](?v > 60)
        within 5 min from Smoke                                  within 300000 from Smoke
    with Fire.?room = Smoke.?room                            With Temp.?r := Smoke.?room
    consuming Temp                                           Where (string)?room := Smoke.?room
                                                             Consuming Temp;

Keywords can be written in any case, and the notations mixed. `with` gives a variable of the result a value or, for an
event of the pattern, demands that two variables are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import get_args

from lasing.errors import similar
from lasing.events.mistakes import Mistake
from lasing.languages.dotr.cursor import Cursor, split
from lasing.languages.dotr.filters import Cut, cut_comparisons
from lasing.languages.dotr.syntax import DotrRule, DotrText, EventQuery
from lasing.languages.dotr.terms import comparison, constraints, expression, skip_type
from lasing.languages.rspql.tokens import Token, tokens
from lasing.languages.tesla.syntax import (
    TIMER,
    Aggregate,
    Assignment,
    Attribute,
    Clause,
    Constraint,
    Description,
    EventType,
    Expression,
    Length,
    Negation,
    Operation,
    Policy,
    Position,
    Reference,
    Selection,
    TeslaRule,
)

_POLICIES: dict[str, Policy] = {policy: policy for policy in get_args(Policy)}
_CLOSING = {"[": "]", "{": "}"}


def read(text: str, mistakes: list[Mistake], named: dict[str, int]) -> DotrText:
    """What a text says. `mistakes` gets what is wrong; after one, reading goes on with the next rule.

    `named` counts the queries that have events of a name, in all texts of a program.
    """
    reader = _Reader(split(text), len(text.rstrip()), text=text, named=named)
    reader.read_all(mistakes)
    return DotrText(tuple(reader.queries.values()), tuple(reader.rules), reader.tick)


@dataclass(slots=True)
class _Event:
    """An event of a pattern: its type, and how it compares with others."""

    type: str
    constraints: list[Constraint]
    hidden: bool = False
    """Whether it has variables that its query does not select."""


Both = tuple[_Event, _Event]
"""An event as it is, and with comparisons with constants taken out of its query."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a pattern: an event with its place, a name unless it is negated, and how it is selected."""

    event: Both
    offset: int
    name: str
    position: Position | None = None
    policy: Policy | None = None
    count: int = 1
    start: int = -1


@dataclass(slots=True)
class _Reader(Cursor):
    text: str = ""
    named: dict[str, int] = field(default_factory=dict)
    prologue: str = ""
    queries: dict[tuple[str, str, str], EventQuery] = field(default_factory=dict)
    """The queries by the names of their events, their prefixes and their texts."""
    rules: list[DotrRule] = field(default_factory=list)
    tick: Length | None = None
    events: dict[str, Both] = field(default_factory=dict)
    """The events of the rule that is being read, by name, in the order of the pattern."""

    def read_all(self, mistakes: list[Mistake]) -> None:
        while not self.ended():
            try:
                self._statement()
            except Mistake as mistake:
                mistakes.append(mistake)
                while not self.ended() and not self.token.is_word("DEFINE", "ASSIGN"):
                    self.i += 1

    # -- statements ---------------------------------------------------------------------------------------------------

    def _statement(self) -> None:
        if self.token.is_word("PREFIX", "BASE"):
            self._prefix()
        elif self.token.is_word("DEFINE"):
            self._rule()
        elif self.word("ASSIGN"):
            self._assign()
        elif self.word("TICK"):
            self.tick = self.length()
        elif not self.mark(";"):
            raise self.expected("PREFIX, tick, Assign or define")

    def _prefix(self) -> None:
        start = self.next()
        if start.is_word("PREFIX"):
            name = self.next()
            if not name.text.endswith(":"):
                raise Mistake(f"expected a prefix such as ex:, but found {name.text}", name.offset, len(name.text))
            iri = self.next()
        else:
            name, iri = start, self.next()
        if iri.kind != "iri":
            raise Mistake(f"expected an IRI, but found {iri.text}", iri.offset, len(iri.text))
        self.prefixes = {**self.prefixes, name.text.removesuffix(":"): iri.text[1:-1]}
        self.prologue += f"{self.text[start.offset : self.read[self.i - 1].end]}\n"

    def _assign(self) -> None:
        """`Assign 1 => Smoke, 2 => Temp`: the numbers of events, which mean nothing here."""
        while True:
            if self.token.kind != "number":
                raise self.expected("a number, as in Assign 1 => Smoke")
            self.i += 1
            self.need("=")
            self.need(">")
            self.name("the name of an event")
            if not self.mark(","):
                return

    def _rule(self) -> None:
        define = self.next()
        self.events = {}
        name = self.name("a name for the result")
        template, template_offset = self._block()
        if not list(tokens(template)):
            note = f"write {name.text} = [dotr_id1 a :{name.text} ; …]"
            raise Mistake(f"the graph of {name.text} has no triples", name.offset, len(name.text), note)
        shown = [token.text[1:] for token in tokens(template) if token.kind == "variable"]
        if not self.word("FROM", "WHEN"):
            raise self.expected("from")
        parts = [self._terminator()]
        while self.word("AND"):
            parts.append(self._clause())
        values: list[Assignment] = []
        while self.word("WITH"):
            values += self._with(name.text, parts)
        if self.word("WHERE"):
            values += self._where()
        used_up: list[Token] = []
        if self.word("CONSUMING"):
            used_up.append(self.name("the name of an event"))
            while self.mark(","):
                used_up.append(self.name("the name of an event"))
        consumed = tuple(token.text for token in used_up)
        if not self.ended() and self.token.text != ";" and not self.token.is_word("DEFINE", "ASSIGN", "PREFIX"):
            raise self.expected("and, with, consuming, or ; at the end of the rule")
        attributes = tuple(Attribute(variable, None, name.offset) for variable in dict.fromkeys(shown))
        defines = EventType(name.text, attributes, name.offset)

        def pattern(opened: bool) -> TeslaRule:
            first, *others = parts
            assigned = tuple(replace(v, expression=self._resolved(v.expression, opened)) for v in values)
            clauses = tuple(self._made(part, opened) for part in others)
            terminator = self._described(first, opened)
            return TeslaRule(
                defines, terminator, first.name, clauses, assigned, consumed,
                offset=define.offset, consumed_at=tuple(token.offset for token in used_up),
            )  # fmt: skip

        plain = pattern(False)
        opened = plain if _loses(parts, consumed) or any(plain.aggregates()) else pattern(True)
        self.rules.append(DotrRule(plain, opened, template, self.prologue, define.offset, template_offset))

    def _made(self, part: _Part, opened: bool) -> Clause:
        described = self._described(part, opened)
        assert part.position is not None
        if part.policy is None:
            return Negation(described, part.position, part.start)
        return Selection(part.policy, part.count, described, part.name, part.position, part.start)

    def _described(self, part: _Part, opened: bool) -> Description:
        event = part.event[opened]
        found = (replace(c, expression=self._resolved(c.expression, opened)) for c in event.constraints)
        return Description(event.type, tuple(found), part.offset)

    def _resolved(self, part: Expression, opened: bool) -> Expression:
        """An expression whose aggregates range over the events that a name has in this rule, with its comparisons."""
        match part:
            case Operation(operator, left, right):
                return Operation(operator, self._resolved(left, opened), self._resolved(right, opened))
            case Aggregate(_, name) if name in self.events:
                event = self.events[name][opened]
                return replace(part, type=event.type, constraints=(*event.constraints, *part.constraints))
            case _:
                return part

    # -- patterns -----------------------------------------------------------------------------------------------------

    def _terminator(self) -> _Part:
        if self.token.text == TIMER:
            timer = self.next()
            event = _Event(TIMER, list(self._timer()))
            self.events[TIMER] = (event, event)
            return _Part((event, event), timer.offset, TIMER)
        token, name, event_ = self._event()
        return _Part(event_, token.offset, name)

    def _timer(self) -> Iterator[Constraint]:
        """`(hour = 8, minute = 0)`."""
        self.need("(")
        while True:
            unit = self.name("hour, minute or second")
            yield Constraint(unit.text, comparison(self), expression(self), unit.offset)
            if not self.mark(","):
                break
        self.need(")")

    def _clause(self) -> _Part:
        start = self.token.offset
        if self.word("NOT"):
            token, name, event = self._event()
            return _Part(event, token.offset, name, self.position(), start=start)
        count = self._count() if self.token.kind == "number" else 1
        policy = _POLICIES.get(self.token.text.lower())
        if policy is None or (count > 1 and policy not in ("first", "last")):
            raise self.expected("first or last" if count > 1 else "each, first, last, all or not")
        self.i += 1
        token, name, event = self._event()
        return _Part(event, token.offset, name, self.position(), policy, count, start)

    def _count(self) -> int:
        number = self.next()
        if not number.text.isdigit() or int(number.text) == 0 or not self.mark("-"):
            raise Mistake(f"{number.text} is not a number of events", number.offset, len(number.text), "write 2-last")
        return int(number.text)

    def _event(self) -> tuple[Token, str, Both]:
        """`Smoke = [SELECT …](?v > 5) as S`, or the name of a result or of an event that already has a query."""
        token = self.name("an event, such as Smoke = [SELECT …]")
        queried = self.token.text in ("=", ":")
        if queried:
            block, offset = self._block()
            made = [
                self._queried(token, cut_comparisons(block, offset, self.prefixes, o), offset) for o in (False, True)
            ]
        else:
            known = self.events.get(token.text, (_Event(token.text, []), _Event(token.text, [])))
            made = [replace(event, constraints=[*event.constraints]) for event in known]
        both = made[0], made[1]
        if self.token.text == "(":
            found = list(constraints(self))
            for event in both:
                event.constraints += found
        name = self.name("a name for the event").text if self.word("AS") else token.text
        if queried and name in self.events:
            note = f"give one of them another name: {token.text} = […] as Other"
            raise Mistake(f"two events are named {name}", token.offset, len(token.text), note, "E712")
        self.events.setdefault(name, both)
        return token, name, both

    def _queried(self, name: Token, cut: Cut, offset: int) -> _Event:
        """An event that a query finds. The same query makes events of the same type, also in other rules."""
        same = (name.text, self.prologue, " ".join(cut.sparql.split()))
        if same not in self.queries:
            number = self.named[name.text] = self.named.get(name.text, 0) + 1
            type_ = name.text if number == 1 else f"{name.text}_{number}"
            self.queries[same] = EventQuery(
                type_, cut.sparql, cut.variables, self.prologue, cut.hidden, cut.checked, offset
            )
        return _Event(self.queries[same].type, cut.constraints, bool(cut.hidden))

    def _block(self) -> tuple[str, int]:
        """`= […]` or `:= {…}`: what is between the brackets, and where it begins."""
        self.equals()
        opening = self.token
        if opening.text not in _CLOSING:
            raise self.expected("[ or {")
        self.i += 1
        depth = [_CLOSING[opening.text]]
        while depth:
            if self.ended():
                raise Mistake(f"this {opening.text} is never closed", opening.offset)
            token = self.next()
            if token.text in _CLOSING and token.kind == "mark":
                depth.append(_CLOSING[token.text])
            elif token.text == depth[-1] and token.kind == "mark":
                depth.pop()
        return self.text[opening.end : self.read[self.i - 1].offset], opening.end

    # -- values -------------------------------------------------------------------------------------------------------

    def _with(self, result: str, parts: list[_Part]) -> Iterator[Assignment]:
        """`Fire.?room = Smoke.?room`: a value of the result, or a constraint on an event of the pattern."""
        if not self.is_reference():
            raise self.expected(f"a variable, such as {result}.?room")
        while self.is_reference():
            name, variable = self.next(), self.read[self.i + 1]
            self.i += 2
            self.equals()
            value = expression(self)
            if name.text == result:
                yield Assignment(variable.text[1:], value, name.offset)
            else:
                self._demand(name, variable.text[1:], value, [part.name for part in parts])
            if not self.mark(",") and not (self.token.text == ";" and self._goes_on()):
                return

    def _goes_on(self) -> bool:
        """Whether a semicolon separates two values, as some texts have it, and does not end the rule."""
        self.i += 1
        if self.is_reference():
            return True
        self.i -= 1
        return False

    def _demand(self, name: Token, variable: str, value: Expression, order: list[str]) -> None:
        """Add a constraint that two variables are equal to the later one of their events."""
        if name.text not in self.events:
            note = " ".join(filter(None, (similar(name.text, self.events), f"events are {', '.join(self.events)}")))
            raise Mistake(f"there is no event {name.text} in this rule", name.offset, len(name.text), note, "E712")
        target, attribute = name.text, variable
        if isinstance(value, Reference) and value.event in order and order.index(value.event) > order.index(target):
            target, attribute, value = value.event, value.attribute, Reference(target, attribute, name.offset)
        for event in self.events[target]:
            event.constraints.append(Constraint(attribute, "=", value, name.offset))

    def _where(self) -> Iterator[Assignment]:
        """`(string)?room := Smoke.?room`: a value of the result."""
        while True:
            skip_type(self)
            if self.token.kind != "variable":
                raise self.expected("a variable of the result")
            variable = self.next()
            self.equals()
            yield Assignment(variable.text[1:], expression(self), variable.offset)
            if not self.mark(","):
                return


def _loses(parts: list[_Part], consumed: tuple[str, ...]) -> bool:
    """Whether a pattern would mean something else if variables that queries do not select were attributes: if a number
    of events that differ only in these are selected, or some of them used up."""
    return any(part.event[True].hidden and (part.count > 1 or part.name in consumed) for part in parts)
