"""Where the parts of a query are in its text."""

from __future__ import annotations

import re

from sqlglot import exp

_CALLED = re.compile(r"(\w+)\s*\(\s*(?:DISTINCT\s+|\w+\s+FROM\s+)?$", re.IGNORECASE)
_NO_CALLS = (exp.Binary, exp.Case)  # to the parser, operators are functions too


def place_calls(query: exp.Expr, text: str) -> None:
    """Let calls of functions begin where their names are: the parser only says where their arguments are."""
    for call in reversed(list(query.find_all(exp.Func))):  # those inside of others first
        if "start" in call.meta or isinstance(call, _NO_CALLS):
            continue
        starts = [int(node.meta["start"]) for node in call.walk() if "start" in node.meta]
        name = _CALLED.search(text[: min(starts)]) if starts else None
        if name is not None and not (isinstance(call, exp.Cast) and not name[1].upper().endswith("CAST")):
            call.meta["start"], call.meta["end"] = name.start(1), name.end(1) - 1


def span(expression: exp.Expr) -> tuple[int, int]:
    """The offset and the length of an expression, from the first to the last of its parts that know where they are."""
    places = [node.meta for node in expression.walk() if "start" in node.meta]
    if not places:
        parent = expression.parent
        return (0, 1) if parent is None else span(parent)
    start, end = min(int(p["start"]) for p in places), max(int(p["end"]) for p in places)
    return start, end - start + 1


def end_of(identifier: exp.Expr) -> int:
    """Where a name ends: the offset after its last character."""
    return int(identifier.meta["end"]) + 1 if "end" in identifier.meta else -1


def in_sql(expression: exp.Expr) -> str:
    """An expression as people write it.

    >>> from sqlglot import parse_one
    >>> in_sql(parse_one("x::BLOB", read="duckdb"))
    'CAST(x AS BLOB)'
    """
    return str(expression.sql(dialect="duckdb"))
