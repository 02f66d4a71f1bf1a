"""From text to the syntax tree: the notation of the paper, and that of the system.

    define Fire = [dotr_id1 a :Fire ; :in ?room]             Define Fire := { dotr_id1 a :Fire ; :in ?room }
    from Smoke = [SELECT ?room WHERE {…}]                    From Smoke := { SELECT ?room WHERE {…} }
    and last Temp = [SELECT ?r WHERE {…                      and last Temp := { SELECT ?r WHERE {…} }
        FILTER(?r = Smoke.?room)}] within 5 min from Smoke       within 5 min from Smoke
    with Fire.?room = Smoke.?room                            With Temp.?r := Smoke.?room Where ?room := Smoke.?room
    consuming Temp                                           Consuming Temp;

Keywords can be written in any case, and the notations mixed. `with` gives a variable of the result a value or, for an
event of the pattern, demands that two variables are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import get_args

from lasing.errors import similar
from lasing.languages.dotr.filters import Cut, cut_comparisons
from lasing.languages.dotr.syntax import DotrRule, DotrText, EventQuery
from lasing.languages.dotr.terms import expression, is_reference
from lasing.languages.rspql.tokens import Token, tokens
from lasing.languages.tesla.mistakes import Mistake
from lasing.languages.tesla.syntax import (
    Assignment,
    Attribute,
    Between,
    Clause,
    Constraint,
    Description,
    EventType,
    Expression,
    Length,
    Negation,
    Policy,
    Position,
    Selection,
    TeslaRule,
    Within,
)
from lasing.timeline.durations import duration

_POLICIES: dict[str, Policy] = {policy: policy for policy in get_args(Policy)}
_CLOSING = {"[": "]", "{": "}"}


def read(text: str, mistakes: list[Mistake]) -> DotrText:
    """What a text says. `mistakes` gets what is wrong; after one, reading goes on with the next rule."""
    reader = _Reader(text, list(tokens(text)))
    reader.read_all(mistakes)
    return DotrText(reader.prologue, tuple(reader.queries.values()), tuple(reader.rules), reader.tick)


@dataclass(frozen=True, slots=True)
class _Event:
    """An event of a pattern: its type, and how it compares with others."""

    type: str
    constraints: list[Constraint]


@dataclass(slots=True)
class _Reader:
    text: str
    read: list[Token]
    prologue: str = ""
    queries: dict[tuple[str, str], EventQuery] = field(default_factory=dict)
    """The queries by the names of their events and their texts."""
    named: dict[str, int] = field(default_factory=dict)
    """How many queries have events of this name."""
    rules: list[DotrRule] = field(default_factory=list)
    prefixes: dict[str, str] = field(default_factory=dict)
    tick: Length | None = None
    i: int = 0
    events: dict[str, tuple[_Event, _Event]] = field(default_factory=dict)
    """The events of the rule that is being read, by name: as they are, and without comparisons with constants."""

    def read_all(self, mistakes: list[Mistake]) -> None:
        while not self._ended():
            try:
                self._statement()
            except Mistake as mistake:
                mistakes.append(mistake)
                while not self._ended() and not self.token.is_word("DEFINE"):
                    self.i += 1

    # -- statements ---------------------------------------------------------------------------------------------------

    def _statement(self) -> None:
        if self.token.is_word("PREFIX", "BASE"):
            self._prefix()
        elif self.token.is_word("DEFINE"):
            self._rule()
        elif self.token.is_word("TICK"):
            self.i += 1
            self.tick = self._length()
        elif self.token.text != ";":
            raise self._expected("PREFIX, tick or define")
        else:
            self.i += 1

    def _prefix(self) -> None:
        start = self._next()
        if start.is_word("PREFIX"):
            name, iri = self._next(), self._next()
            if iri.kind != "iri":
                raise Mistake(f"expected an IRI, but found {iri.text}", iri.offset, len(iri.text))
            self.prefixes[name.text.removesuffix(":")] = iri.text[1:-1]
        else:
            self._next()
        self.prologue += f"{self.text[start.offset : self.read[self.i - 1].end]}\n"

    def _rule(self) -> None:
        define = self._next()
        self.events = {}
        name = self._name("a name for the result")
        template = self._block()
        shown = [token.text[1:] for token in tokens(template) if token.kind == "variable"]
        if not self.token.is_word("FROM", "WHEN"):
            raise self._expected("from")
        self.i += 1
        terminator = self._event()
        clauses: list[Clause] = []
        while self._word("AND"):
            clauses.append(self._clause())
        values: list[Assignment] = []
        while self._word("WITH"):
            values += self._with(name.text)
        if self._word("WHERE"):
            values += self._where()
        consumed: list[str] = []
        if self._word("CONSUMING"):
            consumed.append(self._name("the name of an event").text)
            while self._mark(","):
                consumed.append(self._name("the name of an event").text)
        attributes = tuple(Attribute(variable, None, name.offset) for variable in dict.fromkeys(shown))
        defines = EventType(name.text, attributes, name.offset)
        patterns = [
            TeslaRule(
                defines,
                self._described(terminator, opening),
                terminator.type,
                tuple(replace(clause, event=self._described(clause.event, opening)) for clause in clauses),
                tuple(values),
                tuple(consumed),
                offset=define.offset,
            )
            for opening in (False, True)
        ]
        plain, opened = patterns
        self.rules.append(DotrRule(plain, opened, template, define.offset))

    def _described(self, event: Description, opened: bool) -> Description:
        """An event of the pattern, with its type and constraints."""
        if event.type not in self.events:
            return event
        known = self.events[event.type][opened]
        return Description(known.type, tuple(known.constraints), event.offset)

    # -- patterns -----------------------------------------------------------------------------------------------------

    def _clause(self) -> Clause:
        start = self.token.offset
        if self._word("NOT"):
            event = self._event()
            return Negation(event, self._position(), start)
        count = 1
        if self.token.kind == "number":
            count = self._count()
        policy = _POLICIES.get(self.token.text.lower())
        if policy is None:
            raise self._expected("each, first, last, all or not")
        self.i += 1
        event = self._event()
        return Selection(policy, count, event, event.type, self._position(), start)

    def _count(self) -> int:
        number = self._next()
        if not number.text.isdigit() or int(number.text) == 0 or not self._mark("-"):
            raise Mistake(f"{number.text} is not a number of events", number.offset, len(number.text), "write 2-last")
        return int(number.text)

    def _event(self) -> Description:
        """`Smoke = [SELECT …]`, or the name of a result."""
        name = self._name("an event, such as Smoke = [SELECT …]")
        if self.token.text not in ("=", ":"):
            return Description(name.text, (), name.offset)
        start = self.i
        block = self._block()
        inside = self.read[start : self.i]
        offset = next(token.offset for token in inside if token.text in _CLOSING) + 1
        if name.text in self.events:
            raise Mistake(f"two events are named {name.text}", name.offset, len(name.text), code="E712")
        made = [self._queried(name, cut_comparisons(block, offset, self.prefixes, opened)) for opened in (False, True)]
        self.events[name.text] = (made[0], made[1])
        return Description(name.text, (), name.offset)

    def _queried(self, name: Token, cut: Cut) -> _Event:
        """An event that a query finds. The same query makes events of the same type, also in other rules."""
        same = (name.text, " ".join(cut.sparql.split()))
        if same not in self.queries:
            number = self.named[name.text] = self.named.get(name.text, 0) + 1
            type_ = name.text if number == 1 else f"{name.text}_{number}"
            self.queries[same] = EventQuery(type_, cut.sparql, cut.variables, name.offset)
        return _Event(self.queries[same].type, cut.constraints)

    def _position(self) -> Position:
        start = self.token.offset
        if self._word("WITHIN"):
            length = self._length()
            if not self._word("FROM"):
                raise self._expected("from")
            return Within(length, self._name("the name of an event").text, start)
        if self._word("BETWEEN"):
            one = self._name("the name of an event").text
            if not self._word("AND"):
                raise self._expected("and")
            return Between(one, self._name("the name of an event").text, start)
        raise self._expected("within 5 min from …, or between … and …")

    def _length(self) -> Length:
        number = self._next()
        words = number.text
        if number.kind == "number" and duration(f"{number.text}{self.token.text}") and self.token.kind == "word":
            words = f"{number.text}{self._next().text}"
            self._mark(".")  # the paper writes 5 min.
        found = duration(words)
        if found is None:
            raise Mistake(f"{words} is not a length of time", number.offset, len(words), "write 5 min, or 30s")
        return Length(found, 1, number.offset)

    def _block(self) -> str:
        """`= […]` or `:= {…}`: what is between the brackets."""
        self._equals()
        opening = self._next()
        if opening.text not in _CLOSING:
            self.i -= 1
            raise self._expected("[ or {")
        depth = [_CLOSING[opening.text]]
        while depth:
            token = self._next()
            if token.text in _CLOSING and token.kind == "mark":
                depth.append(_CLOSING[token.text])
            elif token.text == depth[-1] and token.kind == "mark":
                depth.pop()
        return self.text[opening.end : self.read[self.i - 1].offset]

    # -- values -------------------------------------------------------------------------------------------------------

    def _with(self, result: str) -> Iterator[Assignment]:
        """`Fire.?room = Smoke.?room`: a value of the result, or a constraint on an event of the pattern."""
        while is_reference(self.read, self.i):
            name, variable = self.read[self.i], self.read[self.i + 2]
            self.i += 3
            self._equals()
            value, self.i = expression(self.read, self.i, self.prefixes)
            if name.text == result:
                yield Assignment(variable.text[1:], value, name.offset)
            else:
                self._demand(name, variable, value)
            self._mark(",")
            self._mark(";")

    def _demand(self, name: Token, variable: Token, value: Expression) -> None:
        if name.text not in self.events:
            known = ", ".join(self.events)
            note = " ".join(filter(None, (similar(name.text, self.events), f"events are {known}")))
            raise Mistake(f"there is no event {name.text} in this rule", name.offset, len(name.text), note, "E712")
        for event in self.events[name.text]:
            event.constraints.append(Constraint(variable.text[1:], "=", value, name.offset))

    def _where(self) -> Iterator[Assignment]:
        """`?room := Smoke.?room`: a value of the result."""
        while not self._ended() and self.token.kind == "variable":
            variable = self._next()
            self._equals()
            value, self.i = expression(self.read, self.i, self.prefixes)
            yield Assignment(variable.text[1:], value, variable.offset)
            self._mark(",")

    def _equals(self) -> None:
        if self.token.text == ":":  # `:=` is two tokens
            self.i += 1
        if not self._mark("="):
            raise self._expected("=")

    # -- tokens -------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.read[self.i] if self.i < len(self.read) else Token("mark", "", len(self.text.rstrip()))

    def _ended(self) -> bool:
        return self.i >= len(self.read)

    def _next(self) -> Token:
        if self._ended():
            raise Mistake("the text ends in the middle of a rule", max(len(self.text.rstrip()) - 1, 0))
        self.i += 1
        return self.read[self.i - 1]

    def _word(self, word: str) -> bool:
        if self.token.is_word(word):
            self.i += 1
            return True
        return False

    def _mark(self, mark: str) -> bool:
        if self.token.kind == "mark" and self.token.text == mark and not self._ended():
            self.i += 1
            return True
        return False

    def _name(self, what: str) -> Token:
        token = self.token
        if token.kind != "word" or not token.text.replace("_", "").isalnum():
            raise self._expected(what)
        return self._next()

    def _expected(self, what: str) -> Mistake:
        found = "the text ends" if self._ended() else f"found {self.token.text}"
        return Mistake(f"expected {what}, but {found}", self.token.offset, len(self.token.text))
