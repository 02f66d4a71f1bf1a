"""Calls of functions in the tree of the parser: their names and arguments."""

from __future__ import annotations

import re

from sqlglot import exp

_CALLED = re.compile(r"\w+(?=\()")


def name_of(call: exp.Func) -> str:
    """The name of a function, as the parser knows it."""
    return (call.name if isinstance(call, exp.Anonymous) else call.sql_names()[0]).upper()


def name_in_sql(call: exp.Func) -> str:
    """The name of a function, as people write it.

    >>> from sqlglot import parse_one
    >>> call = parse_one("DATE_TRUNC('hour', t)", read="duckdb")
    >>> name_of(call), name_in_sql(call)
    ('TIMESTAMP_TRUNC', 'DATE_TRUNC')
    """
    written = _CALLED.match(call.sql(dialect="duckdb"))
    return name_of(call) if written is None else written[0]


def arguments_of(call: exp.Func) -> list[exp.Expr]:
    """The arguments of a call, in their order."""
    if isinstance(call, exp.Anonymous):
        return list(call.expressions)
    found: list[exp.Expr] = []
    for name in call.arg_types:
        value = call.args.get(name)
        if isinstance(value, list):
            found += [one for one in value if isinstance(one, exp.Expr)]
        elif isinstance(value, exp.Expr):
            found.append(value)
    return found
