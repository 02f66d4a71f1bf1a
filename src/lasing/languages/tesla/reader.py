"""From text to the syntax tree: the notation of the papers, and that of T-Rex, which has capitals.

    event Temp(room: string, value: float);              Assign 10 => Temp, 11 => Smoke
    define Fire(room: string)                            Define Fire(room: string)
    from Smoke() as S                                    From Smoke([string] room => $r)
    and last Temp(room = S.room) within 5 min from S     and last Temp([string] room = $r) within 300000 from Smoke
    with room = S.room                                   Where room := $r;

Keywords can be written in any case. What follows `Define` with a capital counts its lengths in milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import get_args

from lasing.errors import similar
from lasing.events.declarations import NAMES_OF_TYPES
from lasing.events.mistakes import Mistake
from lasing.events.tokens import Cursor, Token, number_of
from lasing.languages.tesla.syntax import (
    AGGREGATES,
    TYPES,
    Aggregate,
    AggregateName,
    Assignment,
    Attribute,
    Between,
    Clause,
    Constant,
    Constraint,
    Description,
    EventType,
    Expression,
    Length,
    Negation,
    Operation,
    Parameter,
    Policy,
    Position,
    Reference,
    Selection,
    TeslaRule,
    Type,
    Within,
)
from lasing.languages.tesla.tokens import tokens
from lasing.logic.functions import Comparison
from lasing.logic.values import Truth
from lasing.timeline.durations import MILLISECONDS

STATEMENTS = ("define", "event", "tick", "assign")
_CLAUSES = ("and", "with", "where", "consuming", *STATEMENTS)
_POLICIES: dict[str, Policy] = {policy: policy for policy in get_args(Policy)}
_COMPARISONS: dict[str, Comparison] = {
    "=": "=", "==": "=", "=>": "=", ":=": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
_DEEPEST = 50
_MOST_OPERATORS = 100


@dataclass(slots=True)
class Text:
    """What a text says: declarations of events, rules, and perhaps the length of a time point in milliseconds."""

    events: list[EventType] = field(default_factory=list)
    assigned: list[Token] = field(default_factory=list)
    """The names of events that `Assign` lists; their attributes are those that the rules mention."""
    typed: list[tuple[str, Attribute]] = field(default_factory=list)
    """The types that `[float] value > 45` gives to attributes, by the type of the event."""
    rules: list[TeslaRule] = field(default_factory=list)
    tick: Length | None = None
    mistakes: list[Mistake] = field(default_factory=list)


def read(text: str) -> Text:
    """What a text says, and all its mistakes: after one, reading goes on with the next statement."""
    found = Text()
    try:
        reader = _Reader(tokens(text), found=found)
    except Mistake as mistake:
        found.mistakes.append(mistake)
        return found
    while reader.token.kind != "end":
        try:
            reader.statement()
        except Mistake as mistake:
            found.mistakes.append(mistake)
            reader.skip()
    return found


@dataclass(slots=True)
class _Reader(Cursor):
    found: Text = field(default_factory=Text)
    depth: int = 0
    operators: int = 0
    """How many operators the expression has that is being read."""
    milliseconds: bool = False
    """Whether lengths without a unit are in milliseconds."""

    # -- statements ---------------------------------------------------------------------------------------------------

    def statement(self) -> None:
        """Read one statement."""
        match self.token.keyword:
            case "define":
                self._rule()
            case "event":
                self.i += 1
                self.found.events += self.several(self._event_type)
            case "assign":
                self.i += 1
                self.found.assigned += self.several(self._assigned)
            case "tick":
                self.i += 1
                self.found.tick = self._length()
            case _:
                raise self.expected("define, event, tick or Assign")
        if not self.accept(";") and self.token.kind != "end" and self.token.keyword not in STATEMENTS:
            raise self.expected("; or another statement")

    def skip(self) -> None:
        """Go on after the statement that has a mistake."""
        self.depth = 0
        while self.token.kind != "end":
            self.i += 1
            if self.read[self.i - 1].text == ";" or self.token.keyword in ("define", "assign"):
                return

    def _assigned(self) -> Token:
        if self.token.kind != "number":
            raise self.expected("a number, as in Assign 10 => Temp")
        self.i += 1
        self.mark("=>")
        return self._word("the name of an event")

    def _event_type(self) -> EventType:
        name = self._word("the name of an event")
        self.mark("(")
        attributes = [] if self.token.text == ")" else self.several(self._attribute)
        self.mark(")")
        return EventType(name.text, tuple(attributes), name.offset)

    def _attribute(self) -> Attribute:
        name = self._word("the name of an attribute")
        return Attribute(name.text, self._type() if self.accept(":") else None, name.offset)

    def _type(self) -> Type:
        token = self._word("a type")
        if token.keyword not in NAMES_OF_TYPES:
            note = "; ".join(filter(None, (similar(token.keyword, NAMES_OF_TYPES), f"types are {', '.join(TYPES)}")))
            raise Mistake(f"there is no type {token.text}", token.offset, len(token.text), note)
        return NAMES_OF_TYPES[token.keyword]

    def _rule(self) -> None:
        define = self.next()
        self.milliseconds = define.text == "Define"
        defines = self._event_type()
        if self.token.keyword not in ("from", "when"):
            raise self.expected("from")
        self.i += 1
        terminator = self._description()
        name = self._alias(terminator.type)
        clauses: list[Clause] = []
        while self.token.keyword == "and":
            self.i += 1
            clauses.append(self._clause())
        assignments: list[Assignment] = []
        if self.token.keyword in ("with", "where"):
            self.i += 1
            assignments = self.several(lambda: self._assignment(defines))
        consumed: list[Token] = []
        if self.token.keyword == "consuming":
            self.i += 1
            consumed = self.several(lambda: self._word("the name of an event"))
        rule = TeslaRule(
            defines,
            terminator,
            name,
            tuple(clauses),
            tuple(assignments),
            tuple(token.text for token in consumed),
            offset=define.offset,
            consumed_at=tuple(token.offset for token in consumed),
        )
        self.found.rules.append(rule)

    # -- patterns -----------------------------------------------------------------------------------------------------

    def _clause(self) -> Clause:
        start = self.token.offset
        if self.token.keyword == "not":
            self.i += 1
            event = self._description()
            return Negation(event, self._position(), start)
        count = 1
        if self.token.kind == "number":
            count = self._count()
        token = self.next()
        policy = _POLICIES.get(token.keyword)
        if policy is None:
            self.back(token)
            raise self.expected("each, first, last, all or not", similar(token.keyword, (*_POLICIES, "not")))
        event = self._description()
        name = self._alias(event.type)
        return Selection(policy, count, event, name, self._position(), start)

    def _count(self) -> int:
        """The number in `2-last`."""
        number = self.next()
        self.mark("-")
        if self.token.keyword not in ("first", "last"):
            raise self.expected("first or last")
        if not number.text.isdigit() or int(number.text) == 0:
            raise Mistake(f"{number.text} is not a number of events", number.offset, len(number.text))
        return int(number.text)

    def _description(self) -> Description:
        name = self._word("an event, such as Temp(value > 45)")
        return Description(name.text, self._constraints(name.text), name.offset)

    def _constraints(self, event: str) -> tuple[Constraint, ...]:
        self.mark("(")
        constraints = [] if self.token.text == ")" else self.several(lambda: self._constraint(event))
        self.mark(")")
        return tuple(constraints)

    def _constraint(self, event: str) -> Constraint:
        type_: Type | None = None
        if self.accept("["):
            type_ = self._type()
            self.mark("]")
        name = self._word("an attribute")
        if type_ is not None:
            self.found.typed.append((event, Attribute(name.text, type_, name.offset)))
        token = self.next()
        comparison = _COMPARISONS.get(token.text)
        if comparison is None:
            self.back(token)
            raise self.expected("a comparison: = != < <= > >=")
        return Constraint(name.text, comparison, self._expression(), name.offset)

    def _alias(self, otherwise: str) -> str:
        if self.token.keyword != "as":
            return otherwise
        self.i += 1
        return self._word("a name for the event").text

    def _position(self) -> Position:
        start = self.token.offset
        if self.token.keyword == "within":
            self.i += 1
            length = self._length()
            self.keyword("from")
            return Within(length, self._word("the name of an event").text, start)
        if self.token.keyword == "between":
            self.i += 1
            one = self._word("the name of an event").text
            self.keyword("and")
            return Between(one, self._word("the name of an event").text, start)
        raise self.expected("within 5 min from …, or between … and …")

    def _length(self) -> Length:
        number = self.next()
        if number.kind != "number" or not number.text.isdigit():
            self.back(number)
            raise self.expected("a length such as 5 min")
        unit = 1 if self.milliseconds else 0
        token = self.token
        if token.keyword in MILLISECONDS:
            unit = MILLISECONDS[token.keyword]
            self.i += 1
            self.accept(".")  # the papers write 5 min.
        elif token.kind == "word" and token.keyword != "from" and token.keyword not in _CLAUSES:
            units = "ms, s, min, h and d"
            raise Mistake(f"there is no unit {token.text}", token.offset, len(token.text), f"units are {units}")
        if int(number.text) == 0:
            raise Mistake("a length is longer than nothing", number.offset, len(number.text))
        return Length(int(number.text), unit, number.offset)

    def _assignment(self, defines: EventType) -> Assignment:
        name = self._word("an attribute of the result")
        if name.text == defines.name and self.accept("."):
            name = self._word("an attribute of the result")
        if self.token.text not in ("=", ":="):
            raise self.expected("=")
        self.i += 1
        return Assignment(name.text, self._expression(), name.offset)

    # -- expressions --------------------------------------------------------------------------------------------------

    def _expression(self) -> Expression:
        if self.depth == 0:
            self.operators = 0
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Mistake(f"nested more than {_DEEPEST} levels deep", self.token.offset)
        left = self._product()
        while self.token.text in ("+", "-") and self.token.kind == "mark":
            operator = self._operator()
            left = Operation("+" if operator == "+" else "-", left, self._product())
        self.depth -= 1
        return left

    def _product(self) -> Expression:
        left = self._factor()
        while self.token.text in ("*", "/") and self.token.kind == "mark":
            operator = self._operator()
            left = Operation("*" if operator == "*" else "/", left, self._factor())
        return left

    def _operator(self) -> str:
        """Take an operator of an expression, which can have only so many."""
        token = self.next()
        self.operators += 1
        if self.operators > _MOST_OPERATORS:
            raise Mistake(f"more than {_MOST_OPERATORS} operators in one expression", token.offset)
        return token.text

    def _factor(self) -> Expression:
        if self.token.kind == "mark" and self.token.text == "-":
            return self._negative()
        token = self.next()
        if token.kind == "number":
            return Constant(number_of(token), token.offset)
        if token.kind == "string":
            return Constant(token.content, token.offset)
        if token.kind == "parameter":
            return Parameter(token.text[1:], token.offset)
        if token.text == "(":
            inner = self._expression()
            self.mark(")")
            return inner
        if token.kind != "word":
            self.back(token)
            raise self.expected("a value")
        if token.text.upper() in AGGREGATES and self.token.text == "(":
            return self._aggregate(token)
        if self.token.text == "(" and self.token.kind == "mark":
            note = similar(token.text.upper(), AGGREGATES) or f"aggregates are {', '.join(AGGREGATES)}"
            raise Mistake(f"there is no aggregate {token.text}", token.offset, len(token.text), note)
        if token.keyword in ("true", "false") and self.token.text != ".":
            return Constant(Truth(token.keyword == "true"), token.offset)
        if self.accept("."):
            return Reference(token.text, self._word("an attribute").text, token.offset)
        return Reference(None, token.text, token.offset)

    def _negative(self) -> Expression:
        offset = self.token.offset
        self._operator()
        inner = self._factor()
        if isinstance(inner, Constant) and isinstance(inner.value, int | float):
            return Constant(-inner.value, offset)
        return Operation("-", Constant(0, offset), inner)

    def _aggregate(self, name: Token) -> Aggregate:
        function: AggregateName = next(known for known in AGGREGATES if known == name.text.upper())
        self.mark("(")
        event = self._word("the type of some events")
        attribute = self._word("an attribute").text if self.accept(".") else None
        constraints = self._constraints(event.text) if self.token.text == "(" else ()
        self.mark(")")
        if attribute is None and function != "COUNT":
            note = f"write {function}({event.text}.attribute) within …"
            raise Mistake(f"{function} needs an attribute", event.offset, len(event.text), note)
        return Aggregate(function, event.text, attribute, constraints, self._position(), name.offset)

    # -- tokens -------------------------------------------------------------------------------------------------------

    def _word(self, what: str) -> Token:
        if self.token.kind != "word" or self.token.keyword in STATEMENTS:
            raise self.expected(what)
        return self.next()
