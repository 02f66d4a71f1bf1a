"""JOIN without a condition: the parser takes it for a comma, and combines all rows."""

from __future__ import annotations

from collections.abc import Sequence

from lasing.languages.cql.mistakes import SYNTAX, Mistake
from lasing.languages.cql.tokens import Token

_WITHOUT = ("CROSS", "NATURAL", "POSITIONAL")
_KINDS = ("LEFT", "RIGHT", "FULL", "INNER", "OUTER", "SEMI", "ANTI", "ASOF", *_WITHOUT)
_ENDS = ("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "QUALIFY", "WINDOW")


def check_joins(query: Sequence[Token]) -> None:
    """Refuse a JOIN that has neither ON nor USING, unless it needs none.

    >>> from lasing.languages.cql.tokens import tokens
    >>> check_joins(tokens("SELECT a FROM s CROSS JOIN t JOIN u ON s.a = u.a"))
    >>> check_joins(tokens("SELECT a FROM s JOIN t WHERE s.a = t.a"))
    Traceback (most recent call last):
    lasing.languages.cql.mistakes.Mistake: JOIN needs ON or USING
    """
    for place, token in enumerate(query):
        if not token.is_word("JOIN"):
            continue
        kind = _kind(query, place)
        if not set(kind) & set(_WITHOUT) and not _has_condition(query[place + 1 :]):
            note = "CROSS JOIN, or a comma, combines all rows"
            message = f"{' '.join((*kind, 'JOIN'))} needs ON or USING"
            raise Mistake(SYNTAX, message, token.offset, len(token.text), note)


def _kind(query: Sequence[Token], place: int) -> list[str]:
    """The words before JOIN that belong to it."""
    first = place
    while first > 0 and query[first - 1].is_word(*_KINDS):
        first -= 1
    return [token.text.upper() for token in query[first:place]]


def _has_condition(rest: Sequence[Token]) -> bool:
    """Whether a JOIN has its condition. In `a JOIN b JOIN c ON x ON y`, the first JOIN has the last one."""
    depth = waiting = 0
    for place, token in enumerate(rest):
        if token.text == "(":
            depth += 1
        elif token.text == ")":
            depth -= 1
            if depth < 0:
                return False
        elif depth == 0 and token.is_word("ON", "USING"):
            if waiting == 0:
                return True
            waiting -= 1
        elif depth == 0 and token.is_word("JOIN"):
            waiting += not set(_kind(rest, place)) & set(_WITHOUT)
        elif depth == 0 and (token.text == "," or token.is_word(*_ENDS)):
            return False
    return False
