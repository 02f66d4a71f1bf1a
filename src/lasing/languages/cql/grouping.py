"""GROUP BY and aggregates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from lasing.algebra.nodes import Aggregated, AggregateName, Columns, Group, Node
from lasing.algebra.terms import FALSE, call
from lasing.languages.cql.calls import name_in_sql
from lasing.languages.cql.expressions import Expressions, canonical
from lasing.languages.cql.functions import AGGREGATES
from lasing.languages.cql.mistakes import GROUPING, NAME, SYNTAX, TYPE, UNSUPPORTED, Mistake
from lasing.languages.cql.places import in_sql, span
from lasing.languages.cql.scope import Source
from lasing.languages.cql.syntax import Type
from lasing.languages.cql.types import NULL, NUMBERS, Typed, fits
from lasing.logic.terms import Term, Variable

if TYPE_CHECKING:
    from lasing.languages.cql.relations import Translator

FUNCTIONS: dict[type[exp.Expr], AggregateName] = {
    exp.Count: "count", exp.Sum: "plain_sum", exp.Avg: "plain_avg", exp.Min: "plain_min", exp.Max: "plain_max",
    exp.LogicalAnd: "plain_min", exp.LogicalOr: "plain_max",
}  # fmt: skip
"""FALSE is less than TRUE."""


def aggregates_in(expression: exp.Expr) -> Iterator[exp.Expr]:
    """The aggregates of an expression, with their FILTER, but not those of queries inside of it."""
    if isinstance(expression, exp.Filter) or (
        isinstance(expression, exp.AggFunc) and not isinstance(expression.parent, exp.Window)
    ):
        yield expression
        return
    for part in expression.iter_expressions():
        if not isinstance(part, exp.Query | exp.Subquery):
            yield from aggregates_in(part)


def has_aggregates(expression: exp.Expr) -> bool:
    """Whether an expression, or the SELECT, HAVING or ORDER BY of a query, has aggregates."""
    if not isinstance(expression, exp.Select):
        return any(True for _ in aggregates_in(expression))
    return any(True for part in _parts(expression) for _ in aggregates_in(part))


def _parts(query: exp.Select) -> list[exp.Expr]:
    clauses = [query.args.get("having"), query.args.get("order")]
    return [*query.expressions, *(clause for clause in clauses if clause is not None)]


def grouped(
    translator: Translator, query: exp.Select, source: Source, captured: Columns, context: Node | None
) -> tuple[Source, dict[str, Typed]]:
    """The groups of a query as rows, and the columns of its keys and aggregates, by the text of the expressions."""
    expressions = translator.expressions(source)
    known: dict[str, Typed] = {}
    keys: list[Variable] = list(captured)
    for item in keys_of(query, source):
        try:
            found = expressions.column(item, "Key")
            assert isinstance(found.term, Variable)
            known[canonical(item, source)] = found
            keys.append(found.term)
        except Mistake as mistake:
            translator.mistakes.add(mistake)
    wanted: list[Aggregated] = []
    for part in _parts(query):
        for aggregate in aggregates_in(part):
            text = canonical(aggregate, source)
            if text not in known:
                try:
                    made, known[text] = _aggregated(aggregate, expressions)
                    wanted.append(made)
                except Mistake as mistake:
                    translator.mistakes.add(mistake)
                    known[text] = Typed(NULL.term, "UNKNOWN")
    whole = query.args.get("group") is None
    node = Group(source.node, tuple(dict.fromkeys(keys)), tuple(wanted), context if whole and captured else None)
    return Source(node, source.fields, source.outer), known


def keys_of(query: exp.Select, source: Source) -> list[exp.Expr]:
    """The expressions of GROUP BY: a number is that of a selected column, and so is a name that no column has."""
    clause = query.args.get("group")
    if clause is None:
        return []
    if clause.args.get("all"):
        if any(isinstance(one, exp.Star) or one.find(exp.Star) for one in query.expressions if not has_aggregates(one)):
            raise Mistake(GROUPING, "* cannot be selected from groups", *span(query), "name the columns")
        plain = (one.this if isinstance(one, exp.Alias) else one for one in query.expressions)
        return [one for one in plain if not has_aggregates(one)]
    for extra in ("grouping_sets", "rollup", "cube", "totals"):
        if clause.args.get(extra):
            raise Mistake(UNSUPPORTED, f"GROUP BY {extra.upper().replace('_', ' ')} is not supported", *span(clause))
    if not clause.expressions:
        raise Mistake(SYNTAX, "GROUP BY names no columns", *span(clause))
    found = []
    for item in clause.expressions:
        if isinstance(item, exp.Rollup | exp.Cube | exp.GroupingSets):
            raise Mistake(UNSUPPORTED, f"{in_sql(item)} is not supported in GROUP BY", *span(item))
        if isinstance(item, exp.Literal) and not item.is_string:
            place = int(item.this) if item.this.isdecimal() else 0
            if not 1 <= place <= len(query.expressions):
                raise Mistake(NAME, f"there is no column {item.this} to group by", *span(item))
            chosen = query.expressions[place - 1]
            found.append(chosen.this if isinstance(chosen, exp.Alias) else chosen)
            continue
        named = next((e for e in query.expressions if isinstance(e, exp.Alias) and _is_name(item, e.alias)), None)
        if named is not None and not has_aggregates(named.this) and not source.has(named.alias):
            found.append(named.this)
        else:
            found.append(item)
    for item in found:
        if has_aggregates(item):
            raise Mistake(GROUPING, "GROUP BY cannot have aggregates", *span(item))
    return found


def _is_name(item: exp.Expr, name: str) -> bool:
    return isinstance(item, exp.Column) and not item.table and item.name.lower() == name.lower()


def _aggregated(aggregate: exp.Expr, expressions: Expressions) -> tuple[Aggregated, Typed]:
    """An aggregate over the rows of a group, and its column."""
    condition: Term | None = None
    call_ = aggregate
    if isinstance(aggregate, exp.Filter):
        call_ = aggregate.this
        condition = expressions.boolean_column(aggregate.expression.this, "Filter").term
    function = FUNCTIONS.get(type(call_))
    name = name_in_sql(call_) if isinstance(call_, exp.Func) else in_sql(call_)
    if function is None:
        raise Mistake(UNSUPPORTED, f"{name} is not supported", *span(call_), f"aggregates are {', '.join(AGGREGATES)}")
    column = expressions.fresh(type(call_).__name__)
    argument, distinct = call_.this, False
    if isinstance(argument, exp.Distinct):
        distinct = True
        if len(argument.expressions) != 1:
            raise Mistake(UNSUPPORTED, "DISTINCT of several values is not supported", *span(call_))
        argument = argument.expressions[0]
        if isinstance(argument, exp.Star):
            raise Mistake(
                UNSUPPORTED, "DISTINCT * is not supported", *span(call_), "count the rows of SELECT DISTINCT *"
            )
    if call_.args.get("expressions"):
        raise Mistake(TYPE, f"{name} takes one argument", *span(call_))
    if function == "count" and (argument is None or isinstance(argument, exp.Star)):
        term = None if condition is None else _if(condition, 1)
        return Aggregated("count", column, term), Typed(column, "BIGINT", False)
    if argument is None or isinstance(argument, exp.Star):
        raise Mistake(TYPE, f"{name} takes one argument", *span(call_))
    _check_own(call_, argument, expressions.source)
    is_of_truth = isinstance(call_, exp.LogicalAnd | exp.LogicalOr)
    value = expressions.boolean_column(argument, "Value") if is_of_truth else expressions.column(argument, "Value")
    if function in ("plain_sum", "plain_avg") and not fits(value.type, *NUMBERS):
        raise Mistake(TYPE, f"this is {value.type}, but a number is needed", *span(argument))
    kind: Type = value.type
    if function == "count":
        kind = "BIGINT"
    elif function == "plain_avg":
        kind = "DOUBLE"
    elif kind == "NULL":
        kind = "BIGINT"
    counted = value.term if condition is None else _if(condition, value.term)
    result = Typed(column, kind, function != "count", value.scale)
    if function == "plain_avg" and value.type == "DECIMAL":
        result = Typed(call("sql_cast", column, "DECIMAL", "DOUBLE"), "DOUBLE")
    return Aggregated(function, column, counted, distinct), result


def _check_own(aggregate: exp.Expr, argument: exp.Expr, source: Source) -> None:
    """Refuse an aggregate of columns that are all outside: in SQL it is one of the query around."""
    if argument.find(exp.Query) is not None:
        return
    named = [source.find(c.name, c.table or None, *span(c)).column for c in argument.find_all(exp.Column)]
    if named and all(map(source.is_outside, named)):
        message = f"{in_sql(aggregate)} is an aggregate of the query around this one"
        raise Mistake(GROUPING, message, *span(aggregate), "name a column of this query, or write COUNT(*)")


def _if(condition: Term, value: Term) -> Term:
    return call("if", call("coalesce", call("truth", condition), FALSE), value, NULL.term)
