"""FROM: streams, tables, views and queries, and how they are joined."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from lasing.algebra.nodes import Condition, Exists, Extend, Filter, Join, Node, OptionalJoin, Project, Union, columns_of
from lasing.algebra.terms import TRUE, call
from lasing.languages.cql.mistakes import NAME, SYNTAX, TYPE, UNSUPPORTED, Mistake
from lasing.languages.cql.places import end_of, in_sql, span
from lasing.languages.cql.scope import Source
from lasing.languages.cql.types import Field, common, converted, scale_of
from lasing.logic.terms import Term, variables_of

if TYPE_CHECKING:
    from lasing.languages.cql.relations import Translator


def joined_source(translator: Translator, first: exp.Expr, joins: list[exp.Expr], outer: Source | None) -> Source:
    """The rows of a FROM clause. A comma binds less than JOIN."""
    parts = [_one(translator, first, outer)]
    for join in joins:
        assert isinstance(join, exp.Join)
        if _is_comma(join):
            parts.append(_one(translator, join.this, outer))
            _check_names([name for part in parts[:-1] for name in part.tables()], parts[-1], join)
        else:
            parts[-1] = _joined(translator, parts[-1], join, outer)
    whole = parts[0]
    for part in parts[1:]:
        fields, deferred = [*whole.fields, *part.fields], [*whole.deferred, *part.deferred]
        whole = Source(Join(whole.node, part.node), fields, outer, deferred=deferred)
    return whole


def _is_comma(join: exp.Join) -> bool:
    return not any(join.args.get(part) for part in ("side", "kind", "method", "on", "using"))


def _check_names(known: list[str], right: Source, join: exp.Join) -> None:
    """Two tables of one FROM have different names."""
    twice = next((t for t in right.tables() if t.lower() in [name.lower() for name in known]), None)
    if twice is not None:
        raise Mistake(
            NAME, f"{twice} is joined twice", *span(join.this), f"give one of them another name: {twice} AS …"
        )


def _one(translator: Translator, item: exp.Expr, outer: Source | None) -> Source:
    """One item of FROM."""
    match item:
        case exp.Table():
            source = _named(translator, item, outer)
        case exp.Subquery():
            source = _derived(translator, item, outer)
        case exp.Paren():
            return _one(translator, item.this, outer)
        case _:
            shown = "LATERAL" if isinstance(item, exp.Lateral) else in_sql(item)
            raise Mistake(UNSUPPORTED, f"{shown} cannot be read from", *span(item))
    for join in item.args.get("joins") or []:
        source = _joined(translator, source, join, outer)
    return source


def _named(translator: Translator, table: exp.Table, outer: Source | None) -> Source:
    if not isinstance(table.this, exp.Identifier):
        raise Mistake(UNSUPPORTED, f"{in_sql(table)} cannot be read from", *span(table))
    if table.args.get("db"):
        raise Mistake(
            NAME, f"there is no stream, table or view {in_sql(table)}", *span(table), "names have no schema here"
        )
    ends = [end_of(table.this)]
    alias = table.args.get("alias")
    if alias is not None and alias.this is not None:
        ends.append(end_of(alias.this))
    window = next((translator.windows[end] for end in ends if end in translator.windows), None)
    translator.used.update(end for end in ends if end in translator.windows)
    name = table.name
    node, fields = translator.catalog.source(name, table.alias or name, window, span(table.this)[0], translator.local)
    if alias is not None and alias.columns:
        fields = _with_names(fields, alias)
    return Source(node, fields, outer)


def _derived(translator: Translator, item: exp.Subquery, outer: Source | None) -> Source:
    """A query in FROM. It sees nothing of the queries around it."""
    inner = item.this
    if isinstance(inner, exp.Table):  # parentheses around a join
        return _one(translator, inner, outer)
    relation = translator.query(inner)
    alias = item.args.get("alias")
    name = item.alias or None
    fields = [replace(f, table=name, shown=True) for f in relation.fields]
    node: Node = Project(relation.node, tuple(dict.fromkeys(f.column for f in fields)))
    if alias is not None and alias.columns:
        fields = _with_names(fields, alias)
    return Source(node, fields, outer)


def _with_names(fields: list[Field], alias: exp.Expr) -> list[Field]:
    names = [column.name for column in alias.args.get("columns") or []]
    if len(names) > len(fields):
        raise Mistake(NAME, f"there are {len(names)} names for {len(fields)} columns", *span(alias))
    return [*(replace(f, name=n) for f, n in zip(fields, names, strict=False)), *fields[len(names) :]]


def _joined(translator: Translator, left: Source, join: exp.Join, outer: Source | None) -> Source:
    side, kind, method = (str(join.args.get(part) or "").upper() for part in ("side", "kind", "method"))
    if (
        kind not in ("", "INNER", "OUTER", "CROSS")
        or method not in ("", "NATURAL")
        or side not in ("", "LEFT", "RIGHT", "FULL")
    ):
        shown = " ".join(part for part in (method, side, kind) if part)
        raise Mistake(UNSUPPORTED, f"{shown} JOIN is not supported", *span(join))
    right = _one(translator, join.this, outer)
    _check_names(left.tables(), right, join)
    deferred = [*left.deferred, *right.deferred]
    both = Source(Join(left.node, right.node), [*left.fields, *right.fields], outer, deferred=deferred)
    if (left.deferred and side in ("RIGHT", "FULL")) or (right.deferred and side in ("LEFT", "FULL")):
        message = f"no ON inside of a {side} JOIN can name a column of the query around it"
        raise Mistake(UNSUPPORTED, message, *span(join))
    names = [identifier.name for identifier in join.args.get("using") or []]
    if method == "NATURAL":
        ours = {f.name.lower(): f.name for f in left.fields if f.shown}
        names = [ours[f.name.lower()] for f in right.fields if f.shown and f.name.lower() in ours]
        if not names:
            raise Mistake(NAME, "NATURAL JOIN needs a column that both sides have", *span(join), "or write CROSS JOIN")
    on = join.args.get("on")
    if side and on is None and not names and method != "NATURAL":
        raise Mistake(SYNTAX, f"{side} JOIN needs ON or USING", *span(join))
    merged: list[tuple[Field, Field]] = []
    condition = Condition(TRUE)
    if names:
        merged = [_pair(name, left, right, join) for name in names]
        tests = [_same(one, other) for one, other in merged]
        condition = Condition(tests[0] if len(tests) == 1 else call("all_of", *tests))
    elif on is not None:
        before = both.node
        condition = translator.expressions(both).condition(on)
        if side and (both.node is not before or condition.exists):
            raise Mistake(UNSUPPORTED, f"a query in the ON of a {side} JOIN is not supported", *span(on))
        if any(map(both.is_outside, variables_of(condition.term))):
            if side:
                message = f"the ON of a {side} JOIN cannot name a column of the query around it"
                raise Mistake(UNSUPPORTED, message, *span(on))
            both.deferred.append(condition)
            condition = Condition(TRUE)
    both.node = _node(both.node, left.node, right.node, side, condition, translator)
    nulls = [f if side not in ("RIGHT", "FULL") else replace(f, nullable=True) for f in left.fields]
    more = [f if side not in ("LEFT", "FULL") else replace(f, nullable=True) for f in right.fields]
    both.fields = [*nulls, *more]
    if merged:
        _merge(both, merged, side, translator)
    return both


def _pair(name: str, left: Source, right: Source, join: exp.Join) -> tuple[Field, Field]:
    one = left.find(name, None, *span(join))
    other = right.find(name, None, *span(join))
    if common(one.type, other.type) is None:
        raise Mistake(TYPE, f"{name} is {one.type} on one side and {other.type} on the other", *span(join))
    return one, other


def _same(one: Field, other: Field) -> Term:
    return call("same", *_alike(one, other))


def _alike(one: Field, other: Field) -> list[Term]:
    """The values of two columns, as values of one type."""
    kind, scale = common(one.type, other.type), scale_of(one, other)
    assert kind is not None, "they have a common type"
    return [converted(side.typed, kind, scale).term for side in (one, other)]


def _node(both: Node, left: Node, right: Node, side: str, condition: Condition, translator: Translator) -> Node:
    match side:
        case "LEFT":
            return OptionalJoin(left, right, condition)
        case "RIGHT":
            columns = (*columns_of(left), *columns_of(right))
            return Project(OptionalJoin(right, left, condition), columns)
        case "FULL":
            left, right = translator.materialized(left, "left"), translator.materialized(right, "right")
            marker = translator.fresh("Exists")
            alone = Filter(right, Condition(call("opposite", marker), (Exists(Filter(left, condition), marker),)))
            columns = (*columns_of(left), *columns_of(right))
            return Union((OptionalJoin(left, right, condition), Project(alone, columns)))
    return both if condition.term == TRUE else Filter(both, condition)


def _merge(both: Source, merged: list[tuple[Field, Field]], side: str, translator: Translator) -> None:
    """The columns of USING: one for each pair, before all others."""
    new: list[Field] = []
    hidden = {f.column for pair in merged for f in pair}
    for one, other in merged:
        kind = common(one.type, other.type)
        assert kind is not None
        column, nullable = (other.column, other.nullable) if side == "RIGHT" else (one.column, one.nullable)
        sides = _alike(one, other)
        term = call("coalesce", *sides) if side == "FULL" else sides[side == "RIGHT"]
        if term != column:
            column = translator.fresh(one.name)
            both.node = Extend(both.node, column, Condition(term))
        nullable = one.nullable or other.nullable if side == "FULL" else nullable
        new.append(Field(one.name, column, kind, nullable, scale=scale_of(one, other)))
    both.fields = [*new, *(replace(f, shown=False) if f.column in hidden else f for f in both.fields)]
