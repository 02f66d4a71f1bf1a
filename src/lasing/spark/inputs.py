"""DataFrames as streams of facts: which predicate a frame is about, and what its columns mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import Any

from lasing.connectors.missing import ERROR, SKIP, Gaps, Missing
from lasing.connectors.spark_rows import ARRIVAL, BAD, file_arrival, padded, quoted
from lasing.connectors.spark_terms import marked_columns
from lasing.errors import fault, similar
from lasing.logic.facts import facts_of
from lasing.logic.program import Program
from lasing.logic.types import Type
from lasing.logic.values import is_name, mixed_text
from lasing.spark.bad_rows import SCHEMA, Describe, bad_column, corrupt_column
from lasing.spark.outputs import kinds
from lasing.spark.terms import canonical_rows

_SPECIFICATION = re.compile(r"\s*([^\s(]+)\s*(?:\(\s*(.*?)\s*\))?\s*")
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_DATED = ("timestamp", "timestamp_ntz", "date")


@dataclass(frozen=True)
class Input:
    """A DataFrame as a stream of one predicate."""

    predicate: str
    frame: Any
    time: str
    columns: tuple[str, ...]
    types: tuple[Type, ...]
    dated: bool
    """Whether times are timestamps rather than time points."""
    order: tuple[str, ...] = ()
    """The columns that give the order in which the rows of a stream arrived."""
    missing: Missing = SKIP
    """What a missing value means."""
    corrupt: str | None = None
    """The column in which Spark keeps rows that it cannot parse."""
    nulls: frozenset[int] = frozenset()
    """The arguments, counted from 1, in which a missing value is a value of its own. The `Packer` makes terms of them,
    so they may hold values of any kind."""
    texts: frozenset[int] = frozenset()
    """Those of `nulls` in which a decimal is a text with all its digits."""

    @property
    def terms(self) -> frozenset[int]:
        """The arguments that have terms, counted from 1."""
        return frozenset(i for i, kind in enumerate(self.types, 1) if kind == "mixed")

    @property
    def packed_terms(self) -> frozenset[int]:
        """The arguments that have terms in the facts that shards get."""
        return self.terms | self.nulls

    @property
    def packed_types(self) -> tuple[Type, ...]:
        """The types of the arguments of the facts that shards get."""
        return tuple("mixed" if i in self.nulls else kind for i, kind in enumerate(self.types, 1))

    @property
    def streaming(self) -> bool:
        return bool(self.frame.isStreaming)

    def rows(self) -> Any:
        """The time and the arguments, in order. For a history, rows that lack a value are left out, or the value is
        filled in. The `Packer` handles missing values of a stream, and those that cannot be filled in."""
        from pyspark.sql import functions as f

        rows, gaps = self.all_rows(), Gaps(self.missing)
        if self.streaming or gaps.rule == ERROR:
            return rows
        if gaps.skips:
            return rows.where(reduce(and_, (f.col(part).isNotNull() for part in self.needed)))
        assert gaps.filler is not None
        kinds = ("text",) if isinstance(gaps.filler, str) else ("double", "integer")[: 1 + isinstance(gaps.filler, int)]
        fillers = {**dict.fromkeys(kinds, gaps.filler), "mixed": mixed_text(gaps.filler)}
        fits = {f"arg{i + 1}": fillers[kind] for i, kind in enumerate(self.types) if kind in fillers}
        filled = {name: f.coalesce(name, f.lit(value)) for name, value in fits.items()}
        return rows.withColumns(filled) if filled else rows

    def comparable_rows(self) -> Any:
        """The `rows` of a history in a form that Spark can compare: equal terms have equal texts."""
        rows = self.rows()
        names = {i: self.columns[i - 1] for i in self.terms}
        return rows.mapInArrow(canonical_rows(names), rows.schema) if names else rows

    @property
    def parts(self) -> dict[str, str]:
        """The columns of `rows` that must have a value, with their names in the DataFrame."""
        return {"time": self.time, **{f"arg{i + 1}": name for i, name in enumerate(self.columns)}}

    @property
    def needed(self) -> dict[str, str]:
        """Those of `parts` without which a row is no fact."""
        return {part: name for part, name in self.parts.items() if part not in {f"arg{i}" for i in self.nulls}}

    def all_rows(self) -> Any:
        """The time and the arguments of all rows, with decimals as doubles. For a stream, also when the rows arrived,
        if that is known."""
        from pyspark.sql import functions as f

        taken = [f.col(quoted(self.time)).alias("time")]
        for i, (name, kind) in enumerate(zip(self.columns, self.types, strict=True)):
            column = f.col(quoted(name))
            plain = kind == "double" and i + 1 not in self.texts
            taken.append((column.cast("double") if plain else column).alias(f"arg{i + 1}"))
        bad = self._bad()
        if not self.streaming:
            frame = self.frame if bad is None else self.frame.where(bad.isNull())
            return frame.select(*taken)
        if self.order:
            taken.append(_in_order(self.frame, self.order).alias(ARRIVAL))
        elif ARRIVAL in self.frame.columns:
            taken.append(f.col(ARRIVAL))
        elif (arrival := file_arrival(self.frame)) is not None:
            taken.append(arrival)
        return self.frame.select(*taken, *([] if bad is None else [bad]))

    def _bad(self) -> Any | None:
        """What is wrong with a row, as a column; None if all rows are good, as far as Spark knows."""
        from pyspark.sql import functions as f

        if BAD in self.frame.columns:
            return f.col(BAD)
        return None if self.corrupt is None else bad_column(self.frame, self.corrupt)

    def bad_rows(self, describe: Describe) -> Any | None:
        """The bad rows of a history, as a DataFrame; None if there can be none."""
        bad = self._bad()
        if bad is None:
            return None
        texts = self.frame.select(bad).where(f"`{BAD}` IS NOT NULL")
        return texts.mapInArrow(describe, SCHEMA)


def _in_order(frame: Any, columns: Sequence[str]) -> Any:
    """A text that sorts in the order of some columns."""
    from pyspark.sql import functions as f

    kinds = dict(frame.dtypes)
    texts = []
    for name in columns:
        column = f.col(quoted(name))
        if kinds[name] in ("timestamp", "timestamp_ntz"):
            column = f.unix_micros(column.cast("timestamp"))
        texts.append(column if kinds[name] == "string" else padded(column.cast("bigint")))
    return f.concat_ws(" ", *texts)


def specification(text: str) -> tuple[str, tuple[str, ...] | None]:
    """A predicate, and the columns of its arguments if the text names them.

    >>> specification("temp"), specification("temp(sensor, celsius)")
    (('temp', None), ('temp', ('sensor', 'celsius')))
    """
    found = _SPECIFICATION.fullmatch(text)
    if found is None or not is_name(found[1]):
        note = "such as: temp, for all columns in order, or: temp(sensor, celsius)"
        raise fault("E604", f"{text!r} does not say what a DataFrame is about", note=note)
    if found[2] is None:
        return found[1], None
    return found[1], tuple(part.strip() for part in found[2].split(",")) if found[2] else ()


Terms = bool | str | Sequence[str]
"""The columns that have terms; True for all columns of text."""

Order = str | Sequence[str] | Mapping[str, str | Sequence[str]]
"""The column or columns that give the order of arrival, for all inputs or by predicate."""


def for_input(given: Any, predicate: str, default: Any = None) -> Any:
    """The value of an option that is given for all inputs, or by predicate."""
    return given.get(predicate, default) if isinstance(given, Mapping) else given


def inputs_of(
    program: Program,
    frames: Mapping[str, Any],
    time: str | Mapping[str, str],
    order: Order | None = None,
    missing: Missing | Mapping[str, Missing] = SKIP,
    terms: Terms | Mapping[str, Terms] = False,
) -> list[Input]:
    """The inputs, each checked against the program and its own columns."""
    found = []
    for text, frame in frames.items():
        given = _with_terms(_input(program, text, frame, time, order), terms)
        found.append(_with_nulls(replace(given, missing=for_input(missing, given.predicate, SKIP)), program))
    twice = next((i.predicate for n, i in enumerate(found) if i.predicate in [j.predicate for j in found[:n]]), None)
    if twice is not None:
        raise fault("E604", f"there are two inputs for {twice}", note="union the DataFrames")
    if len({i.dated for i in found}) > 1:
        named = ", ".join(f"{i.predicate}: {'timestamps' if i.dated else 'numbers'}" for i in found)
        raise fault("E604", f"the inputs have two kinds of times ({named})", note="use timestamps or numbers in all")
    if len({i.streaming for i in found}) > 1:
        raise fault("E604", "some inputs are streams and some are not", note="pass tables as background=")
    if found and found[0].dated and program.tick is None:
        note = "add a tick to the program, such as: #tick 1 sec."
        raise fault("E503", "times are timestamps, but the program does not say how long a time point is", note=note)
    return found


def _input(program: Program, text: str, frame: Any, time: str | Mapping[str, str], order: Order | None) -> Input:
    predicate, named = specification(text)
    if named is None:
        named = program.argument_names().get(predicate)
    facts = facts_of(program)
    arity = facts.arity
    if (predicate not in arity and not facts.counts_all_facts) or not program.takes(predicate):
        arity = {known: number for known, number in arity.items() if program.takes(known)}
        note = similar(predicate, arity) or f"it has {', '.join(sorted(arity)) or 'no predicates'}"
        raise fault("E604", f"the program does not use {predicate}", note=note)
    if not hasattr(frame, "isStreaming"):
        raise fault("E604", f"a {type(frame).__name__} is not a Spark DataFrame", note="see spark.createDataFrame")
    schema = dict(frame.dtypes)
    declared = program.named_inputs().get(predicate)
    when = for_input(time, predicate, "time")
    if when == "time" and declared is not None and declared.time is not None:
        when = declared.time
    given = for_input(order, predicate)
    by = () if given is None else (given,) if isinstance(given, str) else tuple(given)
    corrupt = corrupt_column(frame)
    others = (when, ARRIVAL, BAD, *by, *([] if corrupt is None else [corrupt]))
    columns = tuple(name for name in schema if name not in others) if named is None else named
    for name in (when, *columns, *by):
        if name not in schema:
            note = similar(name, schema) or f"it has {', '.join(schema)}"
            if name == when:
                note += "\nname the time column: time=…"
            raise fault("E604", f"the DataFrame of {predicate} has no column {name}", note=note)
    if predicate in arity and arity[predicate] != len(columns):
        note = f"name the columns that are its arguments: {predicate}({', '.join(columns) or '…'})"
        message = f"{predicate} has {arity[predicate]} arguments, but the DataFrame has {len(columns)} columns for them"
        raise fault("E604", f"{message}: {', '.join(columns) or 'none'}", note=note)
    if schema[when] not in (*_WHOLE, *_DATED):
        note = f'cast it first: .withColumn("{when}", to_timestamp("{when}"))'
        raise fault("E604", f"the column {when} of {predicate} has type {schema[when]}, which is not a time", note=note)
    for name in by:
        if schema[name] not in (*_WHOLE, "string", "timestamp", "timestamp_ntz"):
            note = "rows are ordered by whole numbers, text or timestamps"
            raise fault("E604", f"the column {name} of {predicate} is of type {schema[name]}", note=note)
    types = kinds({name: schema[name] for name in columns})
    made = Input(predicate, frame, when, columns, tuple(types[n] for n in columns), schema[when] in _DATED, by)
    return replace(made, corrupt=corrupt if corrupt not in columns else None)


def _with_nulls(given: Input, program: Program) -> Input:
    """The input with the columns in which a missing value is a value of its own, if it may be one in the program."""
    declared = program.named_inputs().get(given.predicate)
    if not program.nulls or given.missing != SKIP or declared is None:
        return given
    numbered = [(i, name) for i, name in enumerate(given.columns, 1) if i not in given.terms]
    decimals = {i for i, name in numbered if name in declared.texts and given.types[i - 1] == "double"}
    nulls = {i for i, name in numbered if name not in declared.required} | decimals
    return replace(given, nulls=frozenset(nulls), texts=frozenset(decimals))


def _with_terms(given: Input, terms: Terms | Mapping[str, Terms]) -> Input:
    """The input with the columns that have terms: those that are marked, and those that the user names."""
    named = for_input(terms, given.predicate, False)
    names = (named,) if isinstance(named, str) else () if isinstance(named, bool) else tuple(named)
    known = dict(zip(given.columns, given.types, strict=True))
    for name in names:
        if isinstance(terms, Mapping) and name not in known:
            note = similar(name, known) or f"its arguments are {', '.join(known)}"
            raise fault("E604", f"{given.predicate} has no column {name}, which is said to have terms", note=note)
        if known.get(name, "text") != "text":
            note = "terms are in columns of text"
            raise fault("E604", f"the column {name} of {given.predicate} has terms, but is no text", note=note)
    marked = marked_columns(given.frame).union(given.columns if named is True else names)
    types: list[Type] = ["mixed" if n in marked and kind == "text" else kind for n, kind in known.items()]
    return replace(given, types=tuple(types))
