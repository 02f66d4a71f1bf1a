"""From text to the syntax tree: the notation of the papers, and that of T-Rex, which has capitals.

    event Temp(room: string, value: float);              Assign 10 => Temp, 11 => Smoke
    define Fire(room: string)                            Define Fire(room: string)
    from Smoke() as S                                    From Smoke([string] room => $r)
    and last Temp(room = S.room) within 5 min from S     and last Temp([string] room = $r) within 300000 from Smoke
    with room = S.room                                   Where room := $r;

Keywords can be written in any case. What follows `Define` with a capital counts its lengths in milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, get_args

from lasing.errors import similar
from lasing.languages.tesla.mistakes import Mistake
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
from lasing.languages.tesla.tokens import Token, tokens
from lasing.logic.functions import Comparison
from lasing.logic.values import Truth, Undefined, Value
from lasing.logic.values.numbers import number_from
from lasing.timeline.durations import MILLISECONDS

STATEMENTS = ("define", "event", "tick", "assign")
_CLAUSES = ("and", "with", "where", "consuming", *STATEMENTS)
_POLICIES: dict[str, Policy] = {policy: policy for policy in get_args(Policy)}
_COMPARISONS: dict[str, Comparison] = {
    "=": "=", "==": "=", "=>": "=", ":=": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
_TYPES: dict[str, Type] = {
    **{name: name for name in TYPES}, "text": "string", "integer": "int", "double": "float", "number": "float",
    "boolean": "bool",
}  # fmt: skip
_DEEPEST = 50

Item = TypeVar("Item")


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
        reader = _Reader(tokens(text), found)
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
class _Reader:
    read: list[Token]
    found: Text
    i: int = 0
    depth: int = 0
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
                self.found.events += self._several(self._event_type)
            case "assign":
                self.i += 1
                self.found.assigned += self._several(self._assigned)
            case "tick":
                self.i += 1
                self.found.tick = self._length()
            case _:
                raise self._expected("define, event, tick or Assign")
        if not self._accept(";") and self.token.kind != "end" and self.token.keyword not in STATEMENTS:
            raise self._expected("; or another statement")

    def skip(self) -> None:
        """Go on after the statement that has a mistake."""
        self.depth = 0
        while self.token.kind != "end":
            self.i += 1
            if self.read[self.i - 1].text == ";" or self.token.keyword in ("define", "assign"):
                return

    def _assigned(self) -> Token:
        if self.token.kind != "number":
            raise self._expected("a number, as in Assign 10 => Temp")
        self.i += 1
        self._mark("=>")
        return self._word("the name of an event")

    def _event_type(self) -> EventType:
        name = self._word("the name of an event")
        self._mark("(")
        attributes = [] if self.token.text == ")" else self._several(self._attribute)
        self._mark(")")
        return EventType(name.text, tuple(attributes), name.offset)

    def _attribute(self) -> Attribute:
        name = self._word("the name of an attribute")
        return Attribute(name.text, self._type() if self._accept(":") else None, name.offset)

    def _type(self) -> Type:
        token = self._word("a type")
        if token.keyword not in _TYPES:
            note = "; ".join(filter(None, (similar(token.keyword, _TYPES), f"types are {', '.join(TYPES)}")))
            raise Mistake(f"there is no type {token.text}", token.offset, len(token.text), note)
        return _TYPES[token.keyword]

    def _rule(self) -> None:
        define = self._next()
        self.milliseconds = define.text == "Define"
        defines = self._event_type()
        if self.token.keyword not in ("from", "when"):
            raise self._expected("from")
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
            assignments = self._several(lambda: self._assignment(defines))
        consumed: list[Token] = []
        if self.token.keyword == "consuming":
            self.i += 1
            consumed = self._several(lambda: self._word("the name of an event"))
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
        token = self._next()
        policy = _POLICIES.get(token.keyword)
        if policy is None:
            self.i -= 1
            raise self._expected("each, first, last, all or not")
        event = self._description()
        name = self._alias(event.type)
        return Selection(policy, count, event, name, self._position(), start)

    def _count(self) -> int:
        """The number in `2-last`."""
        number = self._next()
        self._mark("-")
        if self.token.keyword not in ("first", "last"):
            raise self._expected("first or last")
        if not number.text.isdigit() or int(number.text) == 0:
            raise Mistake(f"{number.text} is not a number of events", number.offset, len(number.text))
        return int(number.text)

    def _description(self) -> Description:
        name = self._word("an event, such as Temp(value > 45)")
        return Description(name.text, self._constraints(name.text), name.offset)

    def _constraints(self, event: str) -> tuple[Constraint, ...]:
        self._mark("(")
        constraints = [] if self.token.text == ")" else self._several(lambda: self._constraint(event))
        self._mark(")")
        return tuple(constraints)

    def _constraint(self, event: str) -> Constraint:
        type_: Type | None = None
        if self._accept("["):
            type_ = self._type()
            self._mark("]")
        name = self._word("an attribute")
        if type_ is not None:
            self.found.typed.append((event, Attribute(name.text, type_, name.offset)))
        token = self._next()
        comparison = _COMPARISONS.get(token.text)
        if comparison is None:
            self.i -= 1
            raise self._expected("a comparison: = != < <= > >=")
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
            self._keyword("from")
            return Within(length, self._word("the name of an event").text, start)
        if self.token.keyword == "between":
            self.i += 1
            one = self._word("the name of an event").text
            self._keyword("and")
            return Between(one, self._word("the name of an event").text, start)
        raise self._expected("within 5 min from …, or between … and …")

    def _length(self) -> Length:
        number = self._next()
        if number.kind != "number" or not number.text.isdigit():
            self.i -= 1
            raise self._expected("a length such as 5 min")
        unit = 1 if self.milliseconds else 0
        token = self.token
        if token.keyword in MILLISECONDS:
            unit = MILLISECONDS[token.keyword]
            self.i += 1
            self._accept(".")  # the papers write 5 min.
        elif token.kind == "word" and token.keyword != "from" and token.keyword not in _CLAUSES:
            units = "ms, s, min, h and d"
            raise Mistake(f"there is no unit {token.text}", token.offset, len(token.text), f"units are {units}")
        if int(number.text) == 0:
            raise Mistake("a length is longer than nothing", number.offset, len(number.text))
        return Length(int(number.text), unit, number.offset)

    def _assignment(self, defines: EventType) -> Assignment:
        name = self._word("an attribute of the result")
        if name.text == defines.name and self._accept("."):
            name = self._word("an attribute of the result")
        if self.token.text not in ("=", ":="):
            raise self._expected("=")
        self.i += 1
        return Assignment(name.text, self._expression(), name.offset)

    # -- expressions --------------------------------------------------------------------------------------------------

    def _expression(self) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Mistake(f"nested more than {_DEEPEST} levels deep", self.token.offset)
        left = self._product()
        while self.token.text in ("+", "-") and self.token.kind == "mark":
            operator = self._next().text
            left = Operation("+" if operator == "+" else "-", left, self._product())
        self.depth -= 1
        return left

    def _product(self) -> Expression:
        left = self._factor()
        while self.token.text in ("*", "/") and self.token.kind == "mark":
            operator = self._next().text
            left = Operation("*" if operator == "*" else "/", left, self._factor())
        return left

    def _factor(self) -> Expression:
        token = self._next()
        if token.kind == "number":
            return Constant(_number(token), token.offset)
        if token.kind == "string":
            return Constant(token.content, token.offset)
        if token.kind == "parameter":
            return Parameter(token.text[1:], token.offset)
        if token.text == "(":
            inner = self._expression()
            self._mark(")")
            return inner
        if token.text == "-":
            inner = self._factor()
            if isinstance(inner, Constant) and isinstance(inner.value, int | float):
                return Constant(-inner.value, token.offset)
            return Operation("-", Constant(0, token.offset), inner)
        if token.kind != "word":
            self.i -= 1
            raise self._expected("a value")
        if token.text.upper() in AGGREGATES and self.token.text == "(":
            return self._aggregate(token)
        if token.keyword in ("true", "false") and self.token.text != ".":
            return Constant(Truth(token.keyword == "true"), token.offset)
        if self._accept("."):
            return Reference(token.text, self._word("an attribute").text, token.offset)
        return Reference(None, token.text, token.offset)

    def _aggregate(self, name: Token) -> Aggregate:
        function: AggregateName = next(known for known in AGGREGATES if known == name.text.upper())
        self._mark("(")
        event = self._word("the type of some events")
        attribute = self._word("an attribute").text if self._accept(".") else None
        constraints = self._constraints(event.text) if self.token.text == "(" else ()
        self._mark(")")
        if attribute is None and function != "COUNT":
            note = f"write {function}({event.text}.attribute) within …"
            raise Mistake(f"{function} needs an attribute", event.offset, len(event.text), note)
        return Aggregate(function, event.text, attribute, constraints, self._position(), name.offset)

    # -- tokens -------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.read[self.i]

    def _next(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.i += 1
        return token

    def _several(self, item: Callable[[], Item]) -> list[Item]:
        found = [item()]
        while self._accept(","):
            found.append(item())
        return found

    def _accept(self, mark: str) -> bool:
        if self.token.kind == "mark" and self.token.text == mark:
            self.i += 1
            return True
        return False

    def _mark(self, mark: str) -> None:
        if not self._accept(mark):
            raise self._expected(mark)

    def _keyword(self, word: str) -> None:
        if self.token.keyword != word:
            raise self._expected(word)
        self.i += 1

    def _word(self, what: str) -> Token:
        if self.token.kind != "word" or self.token.keyword in STATEMENTS:
            raise self._expected(what)
        return self._next()

    def _expected(self, what: str) -> Mistake:
        token = self.token
        found = "the text ends" if token.kind == "end" else f"found {token.text}"
        return Mistake(f"expected {what}, but {found}", token.offset, len(token.text))


def _number(token: Token) -> Value:
    try:
        return number_from(token.text)
    except (Undefined, ValueError):
        raise Mistake(f"{token.text} does not fit into 64 bits", token.offset, len(token.text)) from None
