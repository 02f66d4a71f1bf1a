"""INSERT: the rows of tables."""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from lasing.algebra.nodes import UNIT
from lasing.errors import similar
from lasing.languages.cql.catalog import CONVERTED, Catalog, predicate_of
from lasing.languages.cql.expressions import Expressions
from lasing.languages.cql.literals import exact_constant
from lasing.languages.cql.mistakes import NAME, SYNTAX, TYPE, Mistake, Mistakes
from lasing.languages.cql.parsing import parsed
from lasing.languages.cql.places import in_sql, span
from lasing.languages.cql.relations import Translator
from lasing.languages.cql.scope import Source
from lasing.languages.cql.syntax import ColumnDef, Declaration, Insert
from lasing.languages.cql.types import NUMBERS, Typed, fits
from lasing.logic.formulas import Atom
from lasing.logic.functions.sql import cast_of
from lasing.logic.values import UNBOUND, Undefined, Value, is_value


def inserted_rows(insert: Insert, catalog: Catalog, mistakes: Mistakes, now: Typed) -> list[Atom]:
    """The facts of an INSERT."""
    statement = parsed(insert.sql, insert.offset)
    if not isinstance(statement, exp.Insert):
        raise Mistake(SYNTAX, "an INSERT should be here", insert.offset)
    target = statement.this
    names = [column.name for column in target.expressions] if isinstance(target, exp.Schema) else []
    table = target.this if isinstance(target, exp.Schema) else target
    known = catalog.declared.get(table.name.lower())
    if known is None or known.stream:
        if known is not None:
            note = "rows of streams come in, each at its time; INSERT is for tables"
            raise Mistake(NAME, f"{table.name} is a stream", *span(table), note)
        note = similar(table.name, [d.name for d in catalog.declared.values() if not d.stream])
        raise Mistake(NAME, f"there is no table {table.name}", *span(table), note or "CREATE TABLE comes first")
    places = _places(names, known, statement)
    values = statement.expression
    if not isinstance(values, exp.Values):
        raise Mistake(SYNTAX, "INSERT takes VALUES", *span(statement))
    expressions = Translator(catalog, mistakes, now).expressions(Source(UNIT, []))
    rows = []
    for row in values.expressions:
        items = row.expressions if isinstance(row, exp.Tuple) else [row]
        if len(items) != len(places):
            number = f"{len(items)} value{'s'[: len(items) != 1]}"
            mistakes.add(Mistake(TYPE, f"this row has {number} instead of {len(places)}", *span(row)))
            continue
        found: list[Value] = [UNBOUND] * len(known.columns)
        for place, item in zip(places, items, strict=True):
            try:
                found[place] = _value(item, known.columns[place], expressions)
            except Mistake as mistake:
                mistakes.add(mistake)
        for place, column in enumerate(known.columns):
            if column.not_null and place not in places:
                mistakes.add(Mistake(TYPE, f"{column.name} is NOT NULL, and has no value here", *span(row)))
        rows.append(tuple(found))
    return _facts(known, rows, catalog)


def _places(names: list[str], table: Declaration, statement: exp.Expr) -> list[int]:
    if not names:
        return list(range(len(table.columns)))
    columns = [c.name.lower() for c in table.columns]
    for place, name in enumerate(names):
        if name.lower() not in columns:
            note = similar(name, [c.name for c in table.columns])
            raise Mistake(NAME, f"{table.name} has no column {name}", *span(statement.this), note)
        if name.lower() in (other.lower() for other in names[:place]):
            raise Mistake(NAME, f"{name} is there twice", *span(statement.this))
    return [columns.index(name.lower()) for name in names]


def _value(item: exp.Expr, column: ColumnDef, expressions: Expressions) -> Value:
    if item.find(exp.Column, exp.Query) is not None:
        raise Mistake(TYPE, "a row has constants only", *span(item))
    found = expressions._typed(item)
    if found.type == "NULL":
        if column.not_null:
            raise Mistake(TYPE, f"{column.name} is NOT NULL", *span(item))
        return UNBOUND
    if not is_value(found.term):
        raise Mistake(TYPE, "a row has constants only", *span(item))
    value: Value = found.term
    if found.type == "VARCHAR" and column.type in CONVERTED:
        try:
            return cast_of(value, "VARCHAR", column.full_type)
        except Undefined:
            raise Mistake(TYPE, f"{in_sql(item)} is not {column.type}", *span(item)) from None
    if column.type == "DECIMAL" and found.type in NUMBERS:
        exact = exact_constant(item)
        try:
            return cast_of(value if exact is None else exact.term, found.type, column.full_type)  # type: ignore[arg-type]
        except Undefined:
            raise Mistake(TYPE, f"{in_sql(item)} is not {column.full_type}", *span(item)) from None
    if not fits(found.type, column.type):
        raise Mistake(TYPE, f"{column.name} is {column.type}, but this is {found.type}", *span(item))
    return value


def _facts(table: Declaration, rows: list[tuple[Value, ...]], catalog: Catalog) -> list[Atom]:
    """Rows as facts. If some are equal, all have a number, under a predicate of its own."""
    key, builder = table.name.lower(), catalog.builder
    own = predicate_of(table.name)
    known = [a for a in builder.background if a.predicate in (own, catalog.inserted.get(key))]
    before = [a.values[: len(table.columns)] for a in known]
    if key not in catalog.inserted and max(Counter([*before, *rows]).values(), default=0) > 1:
        catalog.inserted[key] = builder.predicate(f"{own}_row")
        builder.background = [a for a in builder.background if a.predicate != own]
        rows, before = [*before, *rows], []
    predicate = catalog.inserted.get(key)
    if predicate is None:
        return [Atom(own, row) for row in rows]
    return [Atom(predicate, (*row, number)) for number, row in enumerate(rows, start=len(before) + 1)]
