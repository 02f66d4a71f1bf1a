"""The syntax of SQL, by sqlglot, and its mistakes in our words."""

from __future__ import annotations

import logging

from sqlglot import exp, parse
from sqlglot.errors import ParseError, TokenError

from lasing.languages.cql.extras import check_extras
from lasing.languages.cql.mistakes import SYNTAX, Mistake

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # what it cannot read well becomes a mistake of ours


def parsed(sql: str, offset: int) -> exp.Expr:
    """The single statement of a text, in which everything else is blank."""
    try:
        found = [one for one in parse(sql, read="duckdb") if one is not None]
    except ParseError as error:
        raise _mistake(error, sql, offset) from None
    except TokenError:
        raise Mistake(SYNTAX, "this is not SQL", offset) from None
    if len(found) != 1:
        raise Mistake(SYNTAX, "a query should be here", offset)
    check_extras(found[0])
    return found[0]


def _mistake(error: ParseError, sql: str, offset: int) -> Mistake:
    first = error.errors[0] if error.errors else {}
    near = str(first.get("highlight") or "").strip()
    line, column = int(first.get("line") or 0), int(first.get("col") or 0)
    place = offset
    if line:
        starts = [0, *(i + 1 for i, letter in enumerate(sql) if letter == "\n")]
        place = starts[min(line, len(starts)) - 1] + max(column - len(near), 0)
    while place > offset and (place >= len(sql) or sql[place].isspace()):
        place -= 1
    said = str(first.get("description") or "").rstrip(".")
    if not near or "Unexpected token" in said:
        message = f"{near} is unexpected here" if near else "the query is not complete"
    elif said.startswith(("Expected", "Expecting", "Required", "Expression")):
        message = f"near {near}: {said[0].lower()}{said[1:]}"
    else:
        message = f"near {near}: this is not SQL"
    return Mistake(SYNTAX, message, place, max(len(near), 1))
