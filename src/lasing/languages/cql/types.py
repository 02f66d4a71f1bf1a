"""The types of expressions: which go together, and what they make."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.algebra.terms import call
from lasing.languages.cql.syntax import Digits, Type, full_type
from lasing.logic.functions.sql import cast_of
from lasing.logic.terms import Term, Variable
from lasing.logic.values import UNBOUND, is_value

NUMBERS: tuple[Type, ...] = ("BIGINT", "DECIMAL", "DOUBLE")
"""Each contains the one before it."""

MOST_DIGITS = 38
"""How many digits a DECIMAL can be declared to have."""

OPEN: tuple[Type, ...] = ("NULL", "UNKNOWN")
"""Types that fit everywhere."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A term that refers to columns, its type, and whether it can be NULL."""

    term: Term
    type: Type
    nullable: bool = True
    scale: int = 0
    """How many digits after the point a DECIMAL has."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column that a query can name: `name` or `table.name`."""

    name: str
    column: Variable
    type: Type
    nullable: bool
    table: str | None = None
    shown: bool = True
    """Whether `*` and a name without a table mean it. The two columns that USING joins are not shown; their common
    column is."""
    scale: int = 0
    """How many digits after the point a DECIMAL has."""

    @property
    def typed(self) -> Typed:
        return Typed(self.column, self.type, self.nullable, self.scale)


def column_type(column: Field) -> str:
    """What a column of results holds, for tables with typed columns."""
    match column.type:
        case "BIGINT":
            return "integer"
        case "DOUBLE":
            return "double"
        case "BOOLEAN":
            return "boolean"
        case "TIMESTAMP":
            return "timestamp"
        case "DECIMAL" if column.scale <= MOST_DIGITS:
            return f"decimal({MOST_DIGITS},{column.scale})"
        case "DECIMAL":
            return "double"
    return "text"


NULL = Typed(call("given", UNBOUND), "NULL")
UNKNOWN = Typed(call("given", UNBOUND), "UNKNOWN")


def common(*types: Type) -> Type | None:
    """The type that holds values of all these types; None if there is none.

    >>> common("BIGINT", "DOUBLE"), common("DECIMAL", "BIGINT"), common("NULL", "VARCHAR"), common("VARCHAR", "BIGINT")
    ('DOUBLE', 'DECIMAL', 'VARCHAR', None)
    """
    found: Type = "NULL"
    for one in types:
        if "UNKNOWN" in (one, found):
            found = "UNKNOWN"
        elif found == "NULL" or one == found:
            found = one
        elif one == "NULL":
            continue
        elif one in NUMBERS and found in NUMBERS:
            found = max(one, found, key=NUMBERS.index)
        else:
            return None
    return found


def fits(given: Type, *wanted: Type) -> bool:
    """Whether a value of one type can be used where others are wanted.

    >>> fits("BIGINT", "DOUBLE"), fits("DOUBLE", "BIGINT"), fits("NULL", "BIGINT")
    (True, False, True)
    """
    return given in OPEN or given in wanted or (given in NUMBERS[:-1] and "DOUBLE" in wanted)


def scale_of(*parts: Typed | Field) -> int:
    """The digits after the point of a DECIMAL that holds all of these."""
    return max((part.scale for part in parts if part.type == "DECIMAL"), default=0)


def converted(value: Typed, wanted: Type, scale: int = 0) -> Typed:
    """A number as one of a wider type, in which equal numbers are the same value. Constants are converted at once."""
    if wanted not in ("DECIMAL", "DOUBLE") or value.type not in NUMBERS or value.type == wanted:
        return value
    if wanted == "DOUBLE" and value.type == "BIGINT":
        return Typed(value.term, "DOUBLE", value.nullable)
    kind = full_type(wanted, Digits(MOST_DIGITS, scale))
    if is_value(value.term):
        return Typed(cast_of(value.term, value.type, kind), wanted, False, scale)
    return Typed(call("sql_cast", value.term, value.type, kind), wanted, value.nullable, scale)
