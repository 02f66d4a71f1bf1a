"""Clauses that the parser knows and this front end does not: each is a mistake, never left aside in silence."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from lasing.languages.cql.mistakes import UNSUPPORTED, Mistake
from lasing.languages.cql.places import span

_QUERY = frozenset(("with_", "order", "limit", "offset"))

_KNOWN: dict[type[exp.Expr], frozenset[str]] = {
    exp.Table: frozenset(("this", "alias", "db", "catalog", "joins")),
    exp.Subquery: frozenset(("this", "alias", "joins")) | _QUERY,
    exp.Join: frozenset(("this", "on", "side", "kind", "using", "method")),
    exp.SetOperation: frozenset(("this", "expression", "distinct")) | _QUERY,
    exp.Values: frozenset(("expressions", "alias")),
    exp.With: frozenset(("expressions", "recursive")),
    exp.CTE: frozenset(("this", "alias", "materialized")),
    exp.Order: frozenset(("expressions",)),
    exp.Ordered: frozenset(("this", "desc", "nulls_first")),
    exp.Limit: frozenset(("expression",)),
    exp.Fetch: frozenset(("count", "direction")),
    exp.Offset: frozenset(("expression",)),
    exp.In: frozenset(("this", "expressions", "query")),
    exp.Cast: frozenset(("this", "to", "safe")),
    exp.Count: frozenset(("this", "expressions", "big_int")),
    exp.Sum: frozenset(("this",)),
    exp.Avg: frozenset(("this",)),
    exp.Min: frozenset(("this", "expressions")),
    exp.Max: frozenset(("this", "expressions")),
    exp.Insert: frozenset(("this", "expression")),
}
"""What may be in some nodes of the parser's tree. All parts of other nodes are looked at where they are translated."""


def check_extras(query: exp.Expr) -> None:
    """Refuse a query that has more than what is translated.

    >>> from sqlglot import parse_one
    >>> check_extras(parse_one("SELECT a FROM t TABLESAMPLE (10 PERCENT)", read="duckdb"))
    Traceback (most recent call last):
    lasing.languages.cql.mistakes.Mistake: SAMPLE is not supported
    """
    for node in query.walk():
        for name, value in _extras(node):
            shown = name.strip("_").upper().replace("_", " ")
            place = span(value) if isinstance(value, exp.Expr) else span(node)
            raise Mistake(UNSUPPORTED, f"{_TITLES.get(name, shown)} is not supported", *place)


_TITLES = {
    "pivots": "PIVOT",
    "joins": "JOIN",
    "when": "AT",
    "alternative": "INSERT OR",
    "conflict": "ON CONFLICT",
    "laterals": "LATERAL",
    "count": "a second argument",
    "max": "a second argument",
    "this": "ORDER BY in an aggregate",
}


def _extras(node: exp.Expr) -> Iterator[tuple[str, object]]:
    known = next((_KNOWN[kind] for kind in type(node).__mro__ if kind in _KNOWN), None)
    for name, value in node.args.items():
        if not value or known is None or name in known:
            continue
        if name != "limit_options":
            yield name, value
        elif value.args.get("percent"):
            yield "LIMIT by PERCENT", value
        elif value.args.get("with_ties"):
            yield "WITH TIES", value
