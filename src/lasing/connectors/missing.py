"""Missing values: empty cells of CSV, `null` in JSON lines, nulls in Parquet and data frames, None in rows.

One rule applies to all inputs. A row that lacks a value is not a fact: it is left out, counted, and reported (W206).
With `missing="error"` it is an error, and any other value, such as `missing=0`, replaces the missing one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.rows import is_missing, value_of
from lasing.errors import Diagnostic, fault
from lasing.logic.values import UNBOUND, Boxed, Value, is_text, mixed_text

SKIP, ERROR = "skip", "error"

Missing = Value
"""What a missing value means: `skip`, `error`, or the value to use instead."""


def rule_of(rule: Missing, nulls: bool) -> Missing:
    """What missing values mean in a program in which they may be values of their own: they are, unless they are
    errors or are replaced."""
    return UNBOUND if nulls and rule == SKIP else rule


@dataclass(slots=True)
class Gaps:
    """What missing values mean in a run, and how many rows were left out, by table and column."""

    rule: Missing = ERROR
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    bad: BadRows = field(default_factory=BadRows)
    """What rows mean that cannot be read at all."""
    filled: int = 0
    """How many facts given as tuples got a value for a missing one."""

    def __post_init__(self) -> None:
        if not isinstance(self.rule, int | float | str | Boxed):
            note = "missing= takes 'skip', 'error', or a value to use instead, such as 0"
            raise fault("E510", f"{self.rule!r} does not say what a missing value means", note=note)
        self.rule = value_of(self.rule, what="the value for missing ones")

    @property
    def skips(self) -> bool:
        return self.rule == SKIP

    @property
    def filler(self) -> Value | None:
        """The value that replaces missing ones, if there is one."""
        return None if self.rule in (SKIP, ERROR) else self.rule

    def warnings(self) -> list[Diagnostic]:
        """What was left out, as warnings."""
        return warnings_of(self.left_out)


_TO_CHOOSE = "to stop there, --missing error; to use a value instead, --missing VALUE (in Python: missing=…)"


def warnings_of(left_out: Mapping[tuple[str, str], int], note: str = _TO_CHOOSE) -> list[Diagnostic]:
    """Warnings about rows that were left out because they lack a value, by table and column."""
    found = []
    for (table, column), count in sorted(left_out.items()):
        rows = f"{count:,} row{'s'[: count != 1]} of {table}"
        found.append(Diagnostic("W206", f"{rows} left out: no value in the column {column}", note=note))
    return found


def without_gaps(facts: Sequence[tuple[Any, ...]], gaps: Gaps) -> list[tuple[Any, ...]]:
    """Facts such as ("temp", "s1", 70), without those that lack a value."""
    kept = []
    for fact in facts:
        lacks = next((i for i, value in enumerate(fact) if i and is_missing(value)), None)
        if lacks is None:
            kept.append(fact)
        elif gaps.filler is not None:
            kept.append(tuple(gaps.filler if i and is_missing(value) else value for i, value in enumerate(fact)))
            gaps.filled += 1
        else:
            gaps.left_out[f"the facts of {fact[0]}", f"argument {lacks}"] += 1
    return kept


def present(
    table: Any,
    columns: Sequence[str],
    gaps: Gaps,
    name: str,
    time: str | None = None,
    shown: Mapping[str, str] | None = None,
) -> Any:
    """An Arrow table or batch without the rows that lack a value in some column, or with a value filled in.

    It stays as it is if missing values are errors: the reader of the values reports them. A missing time is not filled
    in; it is an error too. `shown` has the names under which the user knows columns, if they differ.
    """
    import pyarrow.compute as pc

    from lasing.connectors.arrow import AS_TERMS, has_terms

    lacking = [column for column in columns if table[column].null_count]
    if not lacking or gaps.rule == ERROR:
        return table
    names = shown or {}
    if gaps.skips:
        kept = None
        for column in lacking:
            valid = table[column].is_valid()
            lost = pc.invert(valid) if kept is None else pc.and_(kept, pc.invert(valid))
            if count := pc.sum(lost).as_py():
                gaps.left_out[name, names.get(column, column)] += count
            kept = valid if kept is None else pc.and_(kept, valid)
        return table.filter(kept)
    for column in lacking:
        if column != time:
            place = table.schema.get_field_index(column)
            known, field = table[column], table.schema.field(place)
            if has_terms(field):
                table = table.set_column(place, field, pc.fill_null(known, mixed_text(gaps.rule)))
            elif isinstance(gaps.rule, Boxed):
                texts = as_terms(known, gaps.rule)
                table = table.set_column(place, field.with_type(texts.type).with_metadata(AS_TERMS), texts)
            else:
                table = table.set_column(place, column, _filled(known, gaps.rule, names.get(column, column), name))
    return table


def as_terms(column: Any, missing: Value, decimals_as_text: bool = False) -> Any:
    """An Arrow column of any type as texts that represent values of any kind, with a value for missing ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
    things = encoded.dictionary.to_pylist()
    if decimals_as_text:
        things = [str(thing) if isinstance(thing, Decimal) else thing for thing in things]
    texts = pa.array([mixed_text(value_of(thing)) for thing in things], pa.string()).take(encoded.indices)
    return pc.fill_null(texts, mixed_text(missing))


def _filled(values: Any, filler: Missing, column: str, name: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    try:
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        if not (text if is_text(filler) else number):
            raise TypeError
        if pa.types.is_integer(kind) and not pa.types.is_uint64(kind):  # 300 may replace a missing number of 8 bits
            values, kind = values.cast(pa.int64()), pa.int64()
        return pc.fill_null(values, pa.scalar(filler, kind))
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        message = f"{filler!r} cannot replace a missing {kind} in the column {column} of {name}"
        raise fault("E506", message, note="name a value of the column's type") from None
