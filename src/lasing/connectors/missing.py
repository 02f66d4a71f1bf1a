"""Missing values: empty cells of CSV, `null` in JSON lines, nulls in Parquet and data frames, None in rows.

There is one rule for all ways in. A row that lacks a value is no fact: it is left out, counted, and reported (W206). Or
a missing value is an error, or stands for another value: `missing="error"`, `missing=0`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lasing.connectors.rows import value_of
from lasing.errors import Diagnostic, fault
from lasing.logic.values import Boxed, Value, is_text

SKIP, ERROR = "skip", "error"

Missing = Value
"""What a missing value means: `skip`, `error`, or the value to take instead."""


@dataclass(slots=True)
class Gaps:
    """What missing values mean in a run, and how many rows were left out, by the name of the table and the column."""

    rule: Missing = ERROR
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if not isinstance(self.rule, int | float | str | Boxed):
            note = "missing= takes 'skip', 'error', or a value to take instead, such as 0"
            raise fault("E510", f"{self.rule!r} does not say what a missing value means", note=note)
        self.rule = value_of(self.rule, what="the value for missing ones")

    @property
    def skips(self) -> bool:
        return self.rule == SKIP

    @property
    def filler(self) -> Value | None:
        """The value to take for missing ones, if there is one."""
        return None if self.rule in (SKIP, ERROR) else self.rule

    def warnings(self) -> list[Diagnostic]:
        """What was left out, as warnings."""
        return [left_out(count, table, column) for (table, column), count in sorted(self.left_out.items())]


def left_out(count: int, table: str, column: str) -> Diagnostic:
    """The warning about rows that were left out since they lack a value."""
    rows = f"{count:,} row{'s'[: count != 1]} of {table}"
    note = "to stop there, --missing error; to take a value instead, --missing VALUE (in Python: missing=…)"
    return Diagnostic("W206", f"{rows} left out: no value in the column {column}", note=note)


def without_gaps(facts: Sequence[tuple[Any, ...]], gaps: Gaps) -> list[tuple[Any, ...]]:
    """Facts such as ("temp", "s1", 70), without those that lack a value."""
    kept = []
    for fact in facts:
        lacks = next((i for i, value in enumerate(fact) if value is None and i), None)
        if lacks is None:
            kept.append(fact)
        else:
            gaps.left_out[f"the facts of {fact[0]}", f"argument {lacks}"] += 1
    return kept


def present(table: Any, columns: Sequence[str], gaps: Gaps, name: str) -> Any:
    """An Arrow table or batch without the rows that lack a value in some column, or with a value put in.

    It stays as it is where missing values are errors: whoever reads them says so.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    lacking = [column for column in columns if table[column].null_count]
    if not lacking or gaps.rule == ERROR:
        return table
    if gaps.skips:
        kept = None
        for column in lacking:
            valid = table[column].is_valid()
            lost = pc.invert(valid) if kept is None else pc.and_(kept, pc.invert(valid))
            if count := pc.sum(lost).as_py():
                gaps.left_out[name, column] += count
            kept = valid if kept is None else pc.and_(kept, valid)
        return table.filter(kept)
    for column in lacking:
        values = table[column]
        kind = values.type
        try:
            text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
            number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
            if not (text if is_text(gaps.rule) else number):
                raise TypeError
            filled = pc.fill_null(values, pa.scalar(gaps.rule, kind))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            message = f"{gaps.rule!r} cannot stand for a missing {kind} in the column {column} of {name}"
            raise fault("E506", message, note="name a value of the column's type") from None
        table = table.set_column(table.schema.get_field_index(column), column, filled)
    return table
