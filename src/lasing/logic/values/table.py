"""All kinds of values, in one table.

Values of different kinds are never equal; equal values are equal in Python. Each value has one canonical text, which
reads back as the same value (see `reading`).

`<`, `<=`, `>` and `>=` go by `magnitude`: a class of comparable values, and the value's place in it. Values of
different classes, and values without a magnitude, do not compare. `order_key` is a total order that agrees with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal, TypeGuard

from lasing.logic.values import datatypes
from lasing.logic.values.blanks import BlankNode
from lasing.logic.values.boxed import Boxed
from lasing.logic.values.constructed import Constructed
from lasing.logic.values.decimals import ExactDecimal
from lasing.logic.values.iris import Iri
from lasing.logic.values.literals import TaggedLiteral, TypedLiteral, numeric
from lasing.logic.values.moments import Duration, Instant, duration_from, instant_from
from lasing.logic.values.texts import text_of_text
from lasing.logic.values.truth import Truth

Value = (
    int
    | float
    | str
    | ExactDecimal
    | Truth
    | Instant
    | Duration
    | Iri
    | BlankNode
    | TaggedLiteral
    | TypedLiteral
    | Constructed
)

Type = Literal["integer", "double", "text", "timestamp", "date", "boolean", "mixed"]
"""The type of a column of values outside lasing. Timestamps, dates and truth values of a table are text in the
language, and come out as what they were. Mixed columns are text in which all values differ, with the mark
`lasing: terms`."""

Coding = Literal["itself", "wide", "name", "term"]
"""How the local engine codes a value: as itself if it is small, otherwise as a wide number; as a wide number; as the
number of its text, which kernels can compare; or as a number for the whole value."""


class Class(IntEnum):
    """Classes of values that compare with one another, in the order of `order_key`; the last has those that do not."""

    NUMBERS = 0
    TEXTS = 1
    TRUTH_VALUES = 2
    INSTANTS = 3
    LOCAL_TIMES = 4  # without a time zone, so not comparable with instants
    DURATIONS = 5
    WITHOUT_MAGNITUDE = 6


Magnitude = tuple[Class, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """Everything about a kind of values: its name in messages, its canonical text, how its values compare and are
    ordered, how the local engine codes them, and what they are in columns, in Arrow and in Spark.
    """

    name: str
    text: Callable[[Any], str]
    magnitude: Callable[[Any], Magnitude | None]
    order: Callable[[Any], Any]
    coding: Coding
    column: Type
    arrow: str
    spark: str

    @property
    def is_number(self) -> bool:
        """Whether arithmetic takes it."""
        return self.column in ("integer", "double")


def _term(name: str, magnitude: Callable[[Any], Magnitude | None], order: Callable[[Any], Any] = str) -> Kind:
    """A kind that crosses every border as its canonical text, in columns that are marked as `lasing: terms`."""
    return Kind(name, str, magnitude, order, "term", "mixed", "string", "string")


def _none(_value: object) -> None:
    return None


def _of_literal(literal: TypedLiteral) -> Magnitude | None:
    number = numeric(literal)
    if number is not None:
        return Class.NUMBERS, number
    match literal.datatype:
        case datatypes.BOOLEAN if literal.lexical in ("0", "1"):
            return Class.TRUTH_VALUES, literal.lexical == "1"
        case datatypes.DATE_TIME:
            found = instant_from(literal.lexical)
            return None if found is None else (Class.INSTANTS if found[0] else Class.LOCAL_TIMES, found[1])
        case datatypes.DAY_TIME_DURATION:
            length = duration_from(literal.lexical)
            return None if length is None else (Class.DURATIONS, length)
        case _:
            return None


KINDS: dict[type, Kind] = {
    int: Kind("number", repr, lambda v: (Class.NUMBERS, v), _none, "itself", "integer", "int64", "bigint"),
    float: Kind("number", repr, lambda v: (Class.NUMBERS, v), _none, "wide", "double", "double", "double"),
    str: Kind("text", text_of_text, lambda v: (Class.TEXTS, v), _none, "name", "text", "string", "string"),
    ExactDecimal: _term("exact decimal", lambda v: (Class.NUMBERS, v.number)),
    Truth: _term("truth value", lambda v: (Class.TRUTH_VALUES, v.holds)),
    Instant: _term("instant", lambda v: (Class.INSTANTS, v.microseconds)),
    Duration: _term("duration", lambda v: (Class.DURATIONS, v.microseconds)),
    Iri: _term("IRI", _none, lambda v: v.iri),
    BlankNode: _term("blank node", _none, lambda v: v.label),
    TaggedLiteral: _term("text in a language", _none, lambda v: (v.lexical, v.language)),
    TypedLiteral: _term("typed literal", _of_literal, lambda v: (v.datatype, v.lexical)),
    Constructed: _term("constructed identifier", _none, lambda v: (v.function, tuple(map(order_key, v.args)))),
}
"""Each kind under its Python class. Their order decides between values that nothing else distinguishes."""

_PLACES = {kind: place for place, kind in enumerate(KINDS)}


def kind_of(value: Value) -> Kind:
    """The kind of a value."""
    return KINDS[type(value)]


def is_value(thing: object) -> TypeGuard[Value]:
    """Whether something is a value, and not a variable or a term to be computed."""
    return type(thing) in KINDS


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether arithmetic takes a value."""
    return type(value) is int or type(value) is float


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is a name or text."""
    return type(value) is str


def is_boxed(value: object) -> TypeGuard[Boxed]:
    """Whether a value is of a kind that has a class of its own."""
    return isinstance(value, Boxed)


def value_text(value: Value) -> str:
    """The canonical text of a value: a name is bare, other text is quoted.

    >>> value_text("x1"), value_text("Two words"), value_text(18.5), value_text(Iri("http://ex.org/a"))
    ('x1', '"Two words"', '18.5', '<http://ex.org/a>')
    """
    return KINDS[type(value)].text(value)


def magnitude(value: Value) -> Magnitude | None:
    """What `<` compares: the value's class, and its place in it; None if it does not compare.

    >>> magnitude(2) == magnitude(TypedLiteral("02", datatypes.INTEGER)), magnitude(Iri("http://ex.org/a"))
    (True, None)
    """
    return KINDS[type(value)].magnitude(value)


def class_of(value: Value) -> Class:
    """Which values a value compares with."""
    found = magnitude(value)
    return Class.WITHOUT_MAGNITUDE if found is None else found[0]


def order_key(value: Value) -> tuple[Class, Any, int, Any]:
    """A key for sorting: numbers by value come first, then texts by code point, then all others.

    >>> sorted(["b", 2, Iri("http://ex.org/a"), Truth(True), 1.5, "a"], key=order_key)
    [1.5, 2, 'a', 'b', Truth(holds=True), Iri(iri='http://ex.org/a')]
    """
    kind, place = KINDS[type(value)], _PLACES[type(value)]
    found = kind.magnitude(value)
    if found is None:
        return Class.WITHOUT_MAGNITUDE, place, 0, kind.order(value)
    return found[0], found[1], place, kind.order(value)


def type_of_value(value: Value) -> Type:
    """What a column of such values is."""
    return KINDS[type(value)].column
