"""The types of expressions: which go together, and what they make."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.algebra.terms import call
from lasing.languages.cql.syntax import Type
from lasing.logic.terms import Term, Variable
from lasing.logic.values import UNBOUND

NUMBERS: tuple[Type, ...] = ("BIGINT", "DOUBLE")
OPEN: tuple[Type, ...] = ("NULL", "UNKNOWN")
"""Types that fit everywhere."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A term that refers to columns, its type, and whether it can be NULL."""

    term: Term
    type: Type
    nullable: bool = True


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

    @property
    def typed(self) -> Typed:
        return Typed(self.column, self.type, self.nullable)


NULL = Typed(call("given", UNBOUND), "NULL")
UNKNOWN = Typed(call("given", UNBOUND), "UNKNOWN")


def common(*types: Type) -> Type | None:
    """The type that holds values of all these types; None if there is none.

    >>> common("BIGINT", "DOUBLE"), common("NULL", "VARCHAR"), common("VARCHAR", "BIGINT")
    ('DOUBLE', 'VARCHAR', None)
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
            found = "DOUBLE"
        else:
            return None
    return found


def fits(given: Type, *wanted: Type) -> bool:
    """Whether a value of one type can be used where others are wanted.

    >>> fits("BIGINT", "DOUBLE"), fits("DOUBLE", "BIGINT"), fits("NULL", "BIGINT")
    (True, False, True)
    """
    return given in OPEN or given in wanted or (given == "BIGINT" and "DOUBLE" in wanted)
