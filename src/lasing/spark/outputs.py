"""Output tables: which columns an output has, their types, and how to convert a table to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lasing.connectors.arrow import has_terms, names_as_they_are
from lasing.connectors.rows import value_of
from lasing.connectors.shown import shown_table
from lasing.connectors.sinks import View
from lasing.connectors.spark_terms import marked
from lasing.errors import fault
from lasing.logic.outputs import column_names, outputs_of
from lasing.logic.program import Output, Program
from lasing.logic.results import shown_columns
from lasing.logic.types import Type, Types
from lasing.logic.values import UNBOUND, mixed_text
from lasing.spark.declared import as_declared, plain_text
from lasing.spark.tables import times_of

LEADING: dict[View, tuple[str, ...]] = {
    "answers": ("time",),
    "changes": ("time", "change"),
    "intervals": ("from", "until"),
}
"""The columns before the arguments. All but `change` are times."""
_RESERVED = {name for leading in LEADING.values() for name in leading}

_ARROW = {
    "integer": pa.int64(),
    "double": pa.float64(),
    "text": pa.string(),
    "mixed": pa.string(),
    "timestamp": pa.timestamp("us", "UTC"),
    "date": pa.date32(),
    "boolean": pa.bool_(),
}
_SPARK = {
    "integer": "bigint",
    "double": "double",
    "text": "string",
    "mixed": "string",
    "timestamp": "timestamp",
    "date": "date",
    "boolean": "boolean",
}


@dataclass(frozen=True, slots=True)
class OutputTable:
    """The table of an output predicate: the names and types of its argument columns."""

    output: Output
    columns: tuple[str, ...]
    types: tuple[Type, ...]

    @property
    def predicate(self) -> str:
        return self.output.predicate

    @property
    def is_query(self) -> bool:
        """Whether it is the result of a query, which may have helper columns and missing values."""
        return self.output.form != "atoms"

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns that a reader sees: all but the helper columns of a query."""
        return self.columns[: len(shown_columns(self.output))]

    @property
    def shown_types(self) -> tuple[str, ...]:
        """What the columns that a reader sees hold: as the query declares, or as follows from the rules."""
        declared = self.output.types or self.types
        return tuple(
            known if not wanted or (wanted == "integer" and known == "double") else wanted
            for wanted, known in zip(declared, self.types, strict=False)
        )

    def schema(self, view: View, dated: bool, whole: bool = False) -> str:
        """The columns as DDL text for Spark; `dated` if times are timestamps, `whole` with helper columns."""
        times = "timestamp" if dated else "bigint"
        leading = [f"`{name}` {'tinyint' if name == 'change' else times}" for name in LEADING[view]]
        columns, types = (self.columns, self.types) if whole else (self.shown, self.shown_types)
        pairs = zip(columns, types, strict=False)
        return ", ".join([*leading, *(f"`{name}` {_SPARK.get(kind, kind)}" for name, kind in pairs)])

    def marked(self, frame: Any) -> Any:
        """A DataFrame of this output, with a mark on the columns that have terms."""
        names = zip(self.shown, self.shown_types, strict=False)
        return marked(frame, [name for name, kind in names if kind == "mixed"])

    def conformed(self, changes: Any) -> Any:
        """An engine's table of changes with the names and types of this output, without the expiry."""
        columns = {"time": changes["time"], "change": changes["change"]}
        plain = names_as_they_are(changes)
        for i, (name, kind) in enumerate(zip(self.columns, self.types, strict=True)):
            given = f"arg{i + 1}"
            marked = has_terms(changes.schema.field(given))
            columns[name] = _terms(changes[given], marked) if kind == "mixed" else _cast(plain[given], kind)
        return pa.table(columns)

    def nothing(self) -> Any:
        """An empty table of changes."""
        types = {"time": pa.int64(), "change": pa.int8()} | dict(
            zip(self.columns, (_ARROW[kind] for kind in self.types), strict=True)
        )
        return pa.schema(list(types.items())).empty_table()

    def finished(self, table: Any, view: View, unit: int | None, whole: bool = False) -> Any:
        """A table in its final form: columns in order, and times as timestamps if a time point is `unit` microseconds
        long; with helper columns only if `whole`."""
        if self.is_query and not whole:
            table = shown_table(table, self.columns, self.output, self._mixed())
        columns = {}
        for name in LEADING[view]:
            columns[name] = table[name] if name == "change" else moments(times_of(table, name), unit)
        if whole:
            return pa.table({**columns, **{name: table[name] for name in self.columns}})
        shown = zip(self.shown, self.types, self.shown_types, strict=False)
        return pa.table({**columns, **{name: as_declared(table[name], known, kind) for name, known, kind in shown}})

    def shown_frame(self, frame: Any) -> Any:
        """What a reader sees of a Spark frame with all columns."""
        from pyspark.sql import functions as f

        if self.output.counted:
            numbers = f.sequence(f.lit(1), f.col(f"`{self.columns[-1]}`").cast("int"))
            frame = frame.withColumn("*copy", f.explode(numbers)).drop("*copy")
        for name in self._mixed() & set(self.shown) if self.is_query else ():
            column = f.col(f"`{name}`")
            frame = frame.withColumn(name, f.when(column != mixed_text(UNBOUND), column))
        for name, known, kind in zip(self.shown, self.types, self.shown_types, strict=False):
            if known != kind:
                column = f.col(f"`{name}`")
                plain = plain_text(column) if known == "mixed" else column
                frame = frame.withColumn(name, plain.cast(_SPARK.get(kind, kind)))
        return frame.drop(*self.columns[len(self.shown) :])

    def _mixed(self) -> set[str]:
        return {name for name, kind in zip(self.columns, self.types, strict=True) if kind == "mixed"}


def moments(points: Any, unit: int | None) -> Any:
    """Time points as an output column."""
    if unit is None:
        return pa.array(points, pa.int64())
    return pa.array(np.asarray(points) * unit, pa.int64()).cast(pa.timestamp("us", "UTC"))


def output_tables(program: Program, types: Types, wanted: Sequence[str] | None = None) -> dict[str, OutputTable]:
    """The tables of a program's outputs: of the wanted ones, or of all."""
    outputs = {output.predicate: output for output in outputs_of(program)}
    known = sorted(outputs)
    for predicate in wanted or ():
        if predicate not in known:
            raise fault("E605", f"the program has no output {predicate}", note=f"it has {', '.join(known) or 'none'}")
    chosen = known if wanted is None else wanted
    return {predicate: _table(program, outputs[predicate], types) for predicate in chosen}


def _table(program: Program, output: Output, types: Types) -> OutputTable:
    known = types.get(output.predicate)
    if known is None:  # shown, but neither derived nor read from anywhere
        known = (None,) * output.arity
    names = column_names(program, output, _RESERVED)
    return OutputTable(output, names, tuple(kind or "text" for kind in known))


def _terms(column: Any, has_terms: bool) -> Any:
    """A column of numbers and names as text that keeps 1 and "1" apart, even if the column has only one kind now."""
    if has_terms:
        return column
    distinct = column.unique()
    words = pa.array([mixed_text(value_of(value)) for value in distinct.to_pylist()], pa.string())
    return words.take(pc.index_in(column, distinct))


def _cast(column: Any, kind: Type) -> Any:
    wanted = _ARROW[kind]
    if column.type == wanted:
        return column
    if not len(column):
        return pa.chunked_array([pa.array([], wanted)])
    if kind == "double" and pa.types.is_integer(column.type):
        return column.cast(wanted, safe=False)
    if kind == "text" and not pa.types.is_string(column.type):
        distinct = column.unique()
        words = pa.array([str(value_of(value)) for value in distinct.to_pylist()], pa.string())
        return words.take(pc.index_in(column, distinct))
    if kind == "timestamp":
        return pc.cast(column, pa.timestamp("us", "UTC"))
    return column.cast(wanted)


def kinds(schema: Mapping[str, str]) -> dict[str, Type]:
    """Spark's column types as types of the language; other types are refused."""
    known: dict[str, Type] = {
        "tinyint": "integer",
        "smallint": "integer",
        "int": "integer",
        "bigint": "integer",
        "float": "double",
        "double": "double",
        "string": "text",
        "timestamp": "timestamp",
        "timestamp_ntz": "timestamp",
        "date": "date",
        "boolean": "boolean",
    }
    found: dict[str, Type] = {}
    for name, kind in schema.items():
        plain = kind.partition("(")[0]
        if plain in ("char", "varchar"):
            found[name] = "text"
        elif plain == "decimal":
            found[name] = "double"
        elif plain in known:
            found[name] = known[plain]
        else:
            raise fault(
                "E604", f"the column {name} is of type {kind}", note="values are numbers, text, dates and times"
            )
    return found
