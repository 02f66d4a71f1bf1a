"""The syntax of SQL, by sqlglot, and its mistakes in our words."""

from __future__ import annotations

import logging
import re

from sqlglot import exp, parse
from sqlglot.errors import ParseError, TokenError

from lasing.languages.cql.extras import check_extras
from lasing.languages.cql.mistakes import SYNTAX, Mistake
from lasing.languages.cql.places import place_calls

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
    place_calls(found[0], sql)
    check_extras(found[0])
    return found[0]


_MISSING = re.compile(r"Required keyword: '\w+' missing for <class '[\w.]*\.(\w+)'>")
_MANY = re.compile(r"number of provided arguments \((\d+)\) is greater than the maximum .* \((\d+)\)")


def _incomplete(kind: str, near: str) -> str:
    """What to say of a construct of the parser that lacks a part."""
    construct = getattr(exp, kind, None)
    if isinstance(construct, type) and issubclass(construct, exp.Func) and near == ")":
        return f"{construct.sql_names()[0]} needs more arguments"
    return f"something is missing after {near}"


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
    missing, many = _MISSING.match(said), _MANY.search(said)
    if not near or "Unexpected token" in said:
        message = f"{near} is unexpected here" if near else "the query is not complete"
    elif missing is not None:
        message = _incomplete(missing[1], near)
    elif said.startswith("Found multiple"):
        message = f"{near} is there twice"
    elif many is not None:
        message = f"this function takes {many[2]} argument{'s'[: many[2] != '1']}, not {many[1]}"
    elif said.startswith(("Expected", "Expecting", "Required", "Expression")):
        message = f"near {near}: {said[0].lower()}{said[1:]}"
    else:
        message = f"near {near}: this is not SQL"
    return Mistake(SYNTAX, message, place, max(len(near), 1))
