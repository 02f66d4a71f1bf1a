"""What the statements of a text say, before names are resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lasing.logic.functions.sql import decimal_type

Type = Literal["BIGINT", "DECIMAL", "DOUBLE", "VARCHAR", "BOOLEAN", "TIMESTAMP", "INTERVAL", "NULL", "UNKNOWN"]
"""The types of columns and expressions. NULL is that of the literal, and UNKNOWN that of something with a mistake."""

Operator = Literal["ISTREAM", "DSTREAM", "RSTREAM"]


@dataclass(frozen=True, slots=True)
class Digits:
    """How many digits a DECIMAL has at most, and how many of them after the point."""

    precision: int = 18
    scale: int = 3


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time: a number of time points, or, with a unit, of milliseconds."""

    amount: int
    has_unit: bool
    offset: int


@dataclass(frozen=True, slots=True)
class Range:
    """`[RANGE length SLIDE slide]`: the rows of the last time points. Without a length, all rows so far."""

    length: Length | None
    slide: Length | None = None


@dataclass(frozen=True, slots=True)
class Now:
    """`[NOW]`: the rows of the current time point."""


@dataclass(frozen=True, slots=True)
class LastRows:
    """`[PARTITION BY keys ROWS count]`: the last rows, for each value of the keys."""

    count: int
    keys: tuple[tuple[str, int], ...] = ()
    """The names of columns, and where they are."""


Content = Range | Now | LastRows


@dataclass(frozen=True, slots=True)
class StreamWindow:
    """A window in a text."""

    content: Content
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class ColumnDef:
    """A column of a stream or a table."""

    name: str
    type: Type
    not_null: bool
    offset: int
    digits: Digits = Digits()
    """Those of a DECIMAL."""

    @property
    def full_type(self) -> str:
        """Its type, with the digits of a DECIMAL."""
        return full_type(self.type, self.digits)


def full_type(kind: Type, digits: Digits) -> str:
    """A type as `sql_cast` takes it.

    >>> full_type("DECIMAL", Digits(10, 2)), full_type("BIGINT", Digits())
    ('DECIMAL(10,2)', 'BIGINT')
    """
    return decimal_type(digits.precision, digits.scale) if kind == "DECIMAL" else kind


@dataclass(frozen=True, slots=True)
class Declaration:
    """`CREATE STREAM | TABLE name (…)`. Of a stream, `time` is the column that holds the time of a row."""

    name: str
    columns: tuple[ColumnDef, ...]
    stream: bool
    offset: int
    time: ColumnDef | None = None

    @property
    def all_columns(self) -> tuple[ColumnDef, ...]:
        return self.columns if self.time is None else (*self.columns, self.time)


@dataclass(frozen=True, slots=True)
class Query:
    """A query, perhaps under a name: a view, or a stream that an operator makes.

    `sql` is the whole text of the file, in which everything else is blank, so that offsets stay what they are.
    """

    sql: str
    offset: int
    windows: dict[int, StreamWindow]
    """The windows, by the offset at which the name or alias before them ends."""
    operator: Operator | None = None
    name: str | None = None
    columns: tuple[str, ...] = ()
    makes_stream: bool = False


@dataclass(frozen=True, slots=True)
class Insert:
    """`INSERT INTO table VALUES …`, as SQL."""

    sql: str
    offset: int


@dataclass(frozen=True, slots=True)
class TickSetting:
    """`SET TICK = 1 SECOND`: how long a time point is."""

    length: Length


Statement = Declaration | Query | Insert | TickSetting
