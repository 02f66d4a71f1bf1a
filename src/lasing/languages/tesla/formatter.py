"""One way to lay out patterns: a statement a paragraph, a clause a line, `and` below what it extends.

Nothing but white space and the case of keywords changes; comments stay before what follows them. Formatting a formatted
text changes nothing.
"""

from __future__ import annotations

import re

from lasing.errors import LasingError, SourceText
from lasing.events.mistakes import Mistake
from lasing.events.tokens import Token
from lasing.languages.tesla.reader import STATEMENTS
from lasing.languages.tesla.syntax import AGGREGATES
from lasing.languages.tesla.tokens import tokens

_CLAUSES = ("from", "when", "with", "where", "consuming")
_WORDS = (*_CLAUSES, "and", "not", "each", "first", "last", "all", "within", "between", "as")
_TIGHT_BEFORE = frozenset((")", ",", ";", ".", ":", "]"))
_TIGHT_AFTER = frozenset(("(", ".", "["))
_COMMENT = re.compile(r"//[^\n]*|--[^\n]*|/\*(?s:.*?)\*/")


def format_patterns(source: SourceText) -> str:
    """The text, laid out. Raises `LasingError` if it cannot be read."""
    try:
        read = tokens(source.text)
    except Mistake as mistake:
        raise LasingError([mistake.diagnostic(source)]) from None
    lines: list[str] = []
    line = ""
    depth, at, between = 0, 0, False
    before: Token | None = None
    capital = any(token.text == "Define" for token in read)
    for i, token in enumerate(read):
        gap = source.text[at : token.offset]
        comments = _COMMENT.findall(gap)
        same_line = comments and "\n" not in gap[: gap.find(comments[0])] and line
        if same_line:
            line += f"  {comments.pop(0)}"
        starts = depth == 0 and token.keyword in (*STATEMENTS, *_CLAUSES) and not (before and before.keyword == "and")
        starts = starts and not (token.keyword == "from" and _is_length(read, token))
        extends = depth == 0 and token.keyword == "and" and not between
        if starts or extends or comments or same_line or token.kind == "end":
            if line:
                lines.append(line.rstrip())
            if token.keyword in STATEMENTS and lines and _apart(token, read):
                lines.append("")
            indent = "" if token.keyword in STATEMENTS or token.kind == "end" else "     " if extends else ""
            lines += [indent + comment for comment in comments]
            line = indent
        elif before is not None and not _tight(read, i):
            line += " "
        line += _spelling(token, capital, depth)
        depth += token.text in ("(", "[") and token.kind == "mark"
        depth -= token.text in (")", "]") and token.kind == "mark"
        between = token.keyword == "between" or (between and token.keyword != "and")
        at, before = token.offset + len(token.text), token
    return "\n".join(lines).strip("\n") + "\n"


def _is_length(read: list[Token], token: Token) -> bool:
    """Whether a `from` belongs to `within 5 min from`."""
    i = read.index(token)
    return any(other.keyword == "within" for other in read[max(0, i - 4) : i])


def _apart(token: Token, read: list[Token]) -> bool:
    """Whether a statement begins a paragraph: rules do, and what follows them."""
    i = read.index(token)
    previous = next((t.keyword for t in reversed(read[:i]) if t.keyword in STATEMENTS), "")
    return token.keyword == "define" or previous == "define"


def _spelling(token: Token, capital: bool, depth: int) -> str:
    if token.kind != "word":
        return token.text
    if token.text.upper() in AGGREGATES:
        return token.text
    if depth == 0 and token.keyword in (*STATEMENTS, *_WORDS):
        rex = capital and token.keyword in (*_CLAUSES, "define", "assign")
        return token.keyword.capitalize() if rex and token.text[0].isupper() else token.keyword
    return token.text


def _tight(read: list[Token], i: int) -> bool:
    """Whether there is no blank before a token."""
    before, token = read[i - 1], read[i]
    if token.kind == "mark" and token.text in _TIGHT_BEFORE:
        return True
    if before.kind == "mark" and before.text in _TIGHT_AFTER:
        return True
    if token.text == "(":
        return before.kind == "word" and before.keyword not in _WORDS
    if token.text == "-" and read[i + 1].keyword in ("first", "last"):
        return before.kind == "number"  # 2-last
    return (
        before.text == "-" and before.kind == "mark" and (token.keyword in ("first", "last") or _is_sign(read, i - 1))
    )


def _is_sign(read: list[Token], i: int) -> bool:
    """Whether a minus has no left side."""
    before = read[i - 1]
    return before.kind == "mark" and before.text not in (")", "]")
