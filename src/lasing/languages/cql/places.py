"""Where the parts of a query are in its text."""

from __future__ import annotations

from sqlglot import exp


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
