"""From text to the syntax tree.

    event order(id: string key, amount: float).    an event that comes in, once for each id
    tick 1 min.                                    the length of a time point
    e(X) <- (p(X) SEQ q).10 min WHERE X > 3.       a rule that defines an event
    s(X) :- t(X, Y), Y < 3.                        a static rule;  t(1, 2).  a static fact

From the tightest to the loosest: repetitions `p.3` and limits `(…).10 min`; SEQ, EQUALS, MEETS, STARTS, FINISHES and
DURING; AND and PAR; OR; WHERE. Operators of one level go from left to right. Keywords can be written in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lasing.algebra.terms import call
from lasing.errors import similar
from lasing.events.declarations import NAMES_OF_TYPES, TYPES, Attribute, EventType, Length, Type
from lasing.events.mistakes import Mistake
from lasing.events.tokens import Cursor, Token, number_of
from lasing.languages.etalis.syntax import (
    OPERATORS,
    Absence,
    Binary,
    Condition,
    Event,
    EventRule,
    Limited,
    Operator,
    Pattern,
    Repetition,
    StaticRule,
    Where,
)
from lasing.languages.etalis.tokens import KEYWORDS, tokens
from lasing.logic.formulas import Atom, Compare, Not
from lasing.logic.functions import Comparison, calls, functions
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.timeline.durations import MILLISECONDS

DEEPEST = 50
MOST_REPEATED = 100
_LEVELS: tuple[tuple[Operator, ...], ...] = (
    ("OR",),
    ("AND", "PAR"),
    ("SEQ", "EQUALS", "MEETS", "STARTS", "FINISHES", "DURING"),
)
_COMPARISONS: dict[str, Comparison] = {
    "=": "=", "==": "=", "=:=": "=", "is": "=", "!=": "!=", "<>": "!=", "\\=": "!=", "=\\=": "!=",
    "<": "<", "<=": "<=", "=<": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
_SYNTAX = "E731"


@dataclass(slots=True)
class Text:
    """What a text says: declarations of events, rules, and perhaps the length of a time point."""

    events: list[EventType] = field(default_factory=list)
    rules: list[EventRule] = field(default_factory=list)
    statics: list[StaticRule] = field(default_factory=list)
    tick: Length | None = None
    encoding: Token | None = None
    times: Token | None = None
    """How results show when they start and end."""
    keys: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The attributes that are keys of events, by their numbers."""
    mistakes: list[Mistake] = field(default_factory=list)


def read(text: str) -> Text:
    """What a text says, and all its mistakes: after one, reading goes on with the next statement."""
    found = Text()
    try:
        reader = _Reader(tokens(text), found=found)
    except Mistake as mistake:
        mistake.code = _SYNTAX
        found.mistakes.append(mistake)
        return found
    while reader.token.kind != "end":
        try:
            reader.statement()
        except Mistake as mistake:
            mistake.code = _SYNTAX
            found.mistakes.append(mistake)
            reader.skip()
    return found


@dataclass(slots=True)
class _Reader(Cursor):
    found: Text = field(default_factory=Text)
    depth: int = 0
    anonymous: int = 0

    # -- statements ---------------------------------------------------------------------------------------------------

    def statement(self) -> None:
        """Read one statement."""
        following = self.read[self.i + 1] if self.token.kind != "end" else self.token
        match self.token.text, following.kind:
            case "event", "word":
                self.i += 1
                self.found.events += self.several(self._event_type)
            case "tick", "number":
                self.i += 1
                self.found.tick = self._length()
            case "encoding", "word":
                self.i += 1
                self.found.encoding = self.next()
            case "times", "word":
                self.i += 1
                self.found.times = self.next()
            case _:
                self._rule()
        if not self.accept("."):
            mistake = self.expected("a full stop or an operator")
            if self.token.kind in ("word", "variable"):
                hint = similar(self.token.text.upper(), OPERATORS)
                mistake.note = hint or f"operators are {', '.join(OPERATORS)}"
            raise mistake

    def skip(self) -> None:
        """Go on after the statement that has a mistake."""
        self.depth = 0
        while self.token.kind != "end":
            self.i += 1
            if self.read[self.i - 1].text == "." and not self._joined(self.read[self.i - 1]):
                return

    def _rule(self) -> None:
        head = self._event("an event or a static atom")
        if self.accept("<-") or self.accept("←"):
            self.found.rules.append(EventRule(head, self._pattern()))
            return
        body: list[Condition] = []
        if self.accept(":-"):
            body = self.several(self._condition)
        elif self.token.text != ".":
            raise self.expected("<-, :- or a full stop")
        self.found.statics.append(StaticRule(Atom(head.name, head.args, head.offset), tuple(body), head.offset))

    def _event_type(self) -> EventType:
        name = self._name("the name of an event")
        attributes: list[tuple[Attribute, bool]] = []
        if self.accept("("):
            attributes = self.several(self._attribute)
            self.mark(")")
        if keys := tuple(i for i, (_, is_key) in enumerate(attributes) if is_key):
            self.found.keys.setdefault(name.text, keys)
        return EventType(name.text, tuple(attribute for attribute, _ in attributes), name.offset)

    def _attribute(self) -> tuple[Attribute, bool]:
        """An attribute, and whether it is part of the key."""
        if self.token.kind not in ("word", "variable"):
            raise self.expected("the name of an attribute")
        name = self.next()
        attribute = Attribute(name.text, self._type() if self.accept(":") else None, name.offset)
        is_key = self.token.keyword == "key"
        self.i += is_key
        return attribute, is_key

    def _type(self) -> Type:
        token = self._name("a type")
        if token.keyword not in NAMES_OF_TYPES:
            note = "; ".join(filter(None, (similar(token.keyword, NAMES_OF_TYPES), f"types are {', '.join(TYPES)}")))
            raise Mistake(f"there is no type {token.text}", token.offset, len(token.text), note)
        return NAMES_OF_TYPES[token.keyword]

    # -- patterns -----------------------------------------------------------------------------------------------------

    def _pattern(self) -> Pattern:
        pattern = self._level(0)
        while self.token.keyword == "where":
            offset = self.next().offset
            pattern = Where(pattern, tuple(self._conditions()), offset)
        return pattern

    def _level(self, level: int) -> Pattern:
        if level == len(_LEVELS):
            return self._limited()
        left = self._level(level + 1)
        while operator := self._operator(_LEVELS[level]):
            offset = self.next().offset
            left = Binary(operator, left, self._level(level + 1), offset)
        return left

    def _operator(self, known: tuple[Operator, ...]) -> Operator | None:
        return next((operator for operator in known if self.token.keyword == operator.lower()), None)

    def _limited(self) -> Pattern:
        start = self.token
        if start.keyword == "not":
            pattern: Pattern = self._absence()
        elif start.text == "(" and start.kind == "mark":
            pattern = self._inside()
        else:
            return self._repeated()
        while self._joined(self.token):
            self.i += 1
            pattern = Limited(pattern, self._length(), start.offset)
        return pattern

    def _inside(self) -> Pattern:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Mistake(f"nested more than {DEEPEST} levels deep", self.token.offset)
        self.mark("(")
        pattern = self._pattern()
        self.mark(")")
        self.depth -= 1
        return pattern

    def _absence(self) -> Absence:
        offset = self.next().offset
        if self.token.text != "(":
            raise self.expected("NOT(p).[q, r]")
        absent = self._inside()
        self.mark(".")
        self.mark("[")
        first = self._level(0)
        if not self.accept(","):
            raise self.expected("a comma and the event that ends the pattern")
        last = self._level(0)
        self.mark("]")
        return Absence(absent, first, last, offset)

    def _repeated(self) -> Pattern:
        event = self._event("an event")
        if not self._joined(self.token):
            return event
        self.i += 1
        number = self.next()
        if self.token.keyword in MILLISECONDS:
            note = f"a limit needs parentheses: ({event.name}).{number.text} {self.token.text}"
            raise Mistake("a repetition has no unit", self.token.offset, len(self.token.text), note)
        if not number.text.isdigit() or not 0 < int(number.text) <= MOST_REPEATED:
            message = f"an event is repeated 1 to {MOST_REPEATED} times, not {number.text}"
            raise Mistake(message, number.offset, len(number.text))
        return Repetition(event, int(number.text), event.offset)

    def _joined(self, token: Token) -> bool:
        """Whether a full stop belongs to `p.3` or `(…).5 min`, because there is no blank around it."""
        if token.text != "." or token.kind != "mark":
            return False
        i = self.read.index(token, max(self.i - 1, 0))
        return self.read[i + 1].kind == "number" and self.read[i + 1].offset == token.offset + 1

    def _event(self, what: str) -> Event:
        name = self._name(what)
        args: list[Term] = []
        if self.accept("("):
            args = self.several(self._term)
            self.mark(")")
        return Event(name.text, tuple(args), name.offset)

    def _length(self) -> Length:
        number = self.next()
        if number.kind != "number" or not number.text.isdigit():
            self.back(number)
            raise self.expected("a length such as 5 min")
        unit, token = 0, self.token
        if token.keyword in MILLISECONDS:
            unit = MILLISECONDS[token.keyword]
            self.i += 1
        elif token.kind == "word" and token.keyword not in KEYWORDS:
            note = "units are ms, s, min, h and d"
            raise Mistake(f"there is no unit {token.text}", token.offset, len(token.text), note)
        return Length(int(number.text), unit, number.offset)

    # -- conditions and terms -----------------------------------------------------------------------------------------

    def _conditions(self) -> list[Condition]:
        start, i = self.token, self.i
        if start.text == "(" and start.kind == "mark":
            self.i += 1
            try:
                conditions = self.several(self._condition)
                self.mark(")")
            except Mistake:
                self.i = i  # the parenthesis begins a term, as in (X + 1) * 2 > Y
            else:
                if self.token.kind != "mark" or self.token.text in (".", ",", ")", "]"):
                    return conditions
                self.i = i
        return self.several(self._condition)

    def _condition(self) -> Condition:
        if self.token.keyword == "not" or self.token.text == "\\+":
            self.i += 1
            return Not(self._static())
        following = self.read[self.i + 1] if self.token.kind == "word" else self.token
        if self.token.kind == "word" and self.token.text not in calls() and following.text in ("(", ",", ".", ")"):
            return self._static()
        left = self._term()
        token = self.token
        comparison = _COMPARISONS.get(token.keyword or token.text)
        if comparison is None:
            raise self.expected("a comparison: = != < <= > >=")
        self.i += 1
        return Compare(comparison, left, self._term(), token.offset)

    def _static(self) -> Atom:
        event = self._event("a static atom")
        return Atom(event.name, event.args, event.offset)

    def _term(self) -> Term:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Mistake(f"nested more than {DEEPEST} levels deep", self.token.offset)
        term = self._chain(lambda: self._chain(self._factor, ("*", "/", "mod", "div")), ("+", "-"))
        self.depth -= 1
        return term

    def _chain(self, operand: Callable[[], Term], operators: tuple[str, ...]) -> Term:
        left, length = operand(), 0
        while self.token.kind in ("mark", "word") and (self.token.keyword or self.token.text) in operators:
            token = self.next()
            length += 1
            if length > 2 * DEEPEST:
                raise Mistake(f"more than {2 * DEEPEST} operators in one term", token.offset)
            left = _at(call(token.keyword or token.text, left, operand()), token)
        return left

    def _factor(self) -> Term:
        token = self.next()
        match token.kind, token.text:
            case "number", _:
                return number_of(token)
            case "string", _:
                return token.content
            case "variable", "_":
                self.anonymous += 1
                return Variable(f"_#{self.anonymous}", token.offset)
            case "variable", _:
                return Variable(token.text, token.offset)
            case "mark", "(":
                inner = self._term()
                self.mark(")")
                return inner
            case "mark", "-":
                self.depth += 1
                if self.depth > DEEPEST:
                    raise Mistake(f"nested more than {DEEPEST} levels deep", token.offset)
                negated = self._factor()
                self.depth -= 1
                return -negated if isinstance(negated, int | float) else _at(call("-", 0, negated), token)
            case "word", _ if token.keyword not in KEYWORDS:
                if self.token.text == "(" and self.token.kind == "mark":
                    return self._call(token)
                return token.text
            case _:
                self.back(token)
                raise self.expected("a value")

    def _call(self, name: Token) -> Term:
        self.mark("(")
        operands = self.several(self._term)
        self.mark(")")
        if name.text not in calls():
            note = (
                similar(name.text, calls()) or "values are numbers, names and texts; terms such as f(X) are no values"
            )
            raise Mistake(f"there is no function {name.text}", name.offset, len(name.text), note)
        if not any(function.takes(len(operands)) for function in functions(name.text)):
            message = f"{name.text} does not take {len(operands)} argument{'s'[: len(operands) != 1]}"
            raise Mistake(message, name.offset, len(name.text))
        return _at(call(name.text, *operands), name)

    def _name(self, what: str) -> Token:
        if self.token.kind == "variable":
            note = "names begin in lower case; words with a capital are variables"
            raise Mistake(
                f"expected {what}, but found {self.token.text}", self.token.offset, len(self.token.text), note
            )
        if self.token.kind != "word" or self.token.keyword in KEYWORDS:
            mistake = self.expected(what)
            if self.token.keyword in KEYWORDS:
                mistake.note = f"{self.token.text} is a keyword, in any case: give the event another name"
            raise mistake
        return self.next()


def _at(term: Arithmetic, token: Token) -> Arithmetic:
    return Arithmetic(term.operator, term.operands, token.offset, term.depth)
