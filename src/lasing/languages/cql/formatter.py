"""The layout of SQL: keywords in upper case, no spaces at the ends of lines. Where lines end is up to the writer."""

from __future__ import annotations

from lasing.errors import LasingError, SourceText
from lasing.languages.cql.mistakes import Mistake
from lasing.languages.cql.tokens import Token, tokens

KEYWORDS = frozenset((
    "ALL", "AND", "AS", "ASC", "BETWEEN", "BY", "CASE", "CAST", "CREATE", "CROSS", "DESC", "DISTINCT",
    "DSTREAM", "ELSE", "END", "ESCAPE", "EXCEPT", "EXISTS", "FALSE", "FILTER", "FIRST", "FROM", "FULL",
    "GROUP", "HAVING", "IF", "ILIKE", "IN", "INNER", "INSERT", "INTERSECT", "INTERVAL", "INTO", "IS",
    "ISTREAM", "JOIN", "LAST", "LEFT", "LIKE", "LIMIT", "NATURAL", "NOT", "NOW", "NULL", "NULLS", "OFFSET",
    "ON", "OR", "ORDER", "OUTER", "PARTITION", "RANGE", "REPLACE", "RIGHT", "ROWS", "RSTREAM", "SELECT",
    "SET", "SLIDE", "STREAM", "TABLE", "THEN", "TICK", "TIME", "TRUE", "TRY_CAST", "UNBOUNDED", "UNION",
    "USING", "VALUES", "VIEW", "WHEN", "WHERE", "WITH",
))  # fmt: skip


def format_sql(source: SourceText) -> str:
    """A text in the layout of this language; its meaning and its comments stay.

    >>> format_sql(SourceText("q", "select a  from s [now] -- all of it"))
    'SELECT a  FROM s [NOW] -- all of it\\n'
    """
    try:
        found = tokens(source.text, comments=True)
    except Mistake as mistake:
        raise LasingError([mistake.diagnostic(source)]) from None
    parts, at = [], 0
    for number, token in enumerate(found):
        parts += [source.text[at : token.offset], _shown(token, found[number + 1] if number + 1 < len(found) else None)]
        at = token.end
    text = "".join(parts) + source.text[at:]
    lines = [line.rstrip() for line in text.rstrip().split("\n")] if not _has_long_texts(found) else [text.rstrip()]
    return "\n".join(lines) + "\n" if text.strip() else ""


def _shown(token: Token, following: Token | None) -> str:
    """A token; a word before a parenthesis may be a name or a function, and after a point it is a column."""
    word = token.text.upper()
    if token.kind != "word" or word not in KEYWORDS:
        return token.text
    ambiguous = word in (
        "LEFT",
        "RIGHT",
        "REPLACE",
        "TIME",
        "FIRST",
        "LAST",
        "TICK",
        "STREAM",
        "RANGE",
        "NOW",
        "IF",
        "ROWS",
    )
    if ambiguous and following is not None and following.text in ("(", ".", ",", "=") and token.text != word:
        return token.text
    return word


def _has_long_texts(found: list[Token]) -> bool:
    """Whether a text or a name goes over several lines: spaces at the ends of its lines belong to it."""
    return any(token.kind in ("string", "name") and "\n" in token.text for token in found)
