"""One way to lay out rules: a statement a line, operators in capitals; a long rule has its pattern in lines of its own.

Nothing but white space and the case of keywords changes. Comments stay with their statement: those inside it go before
it. Blank lines between statements stay, one at a time. Formatting a formatted text changes nothing.
"""

from __future__ import annotations

import re

from lasing.errors import LasingError, SourceText
from lasing.events.mistakes import Mistake
from lasing.events.tokens import Token
from lasing.languages.etalis.syntax import OPERATORS
from lasing.languages.etalis.tokens import KEYWORDS, tokens

WIDTH = 100
_CAPITALS = frozenset((*(operator.lower() for operator in OPERATORS), "where"))
_COMMENT = re.compile(r"%[^\n]*|/\*(?s:.*?)\*/")
_TIGHT_BEFORE = frozenset((")", ",", ".", ":", "]"))
_TIGHT_AFTER = frozenset(("(", "["))


def format_rules(source: SourceText) -> str:
    """The text, laid out. Raises `LasingError` if it cannot be read."""
    try:
        read = tokens(source.text)
    except Mistake as mistake:
        mistake.code = "E731"
        raise LasingError([mistake.diagnostic(source)]) from None
    lines: list[str] = []
    statement: list[Token] = []
    comments: list[str] = []
    at = 0
    for i, token in enumerate(read):
        gap = source.text[at : token.offset]
        if statement:
            comments += _COMMENT.findall(gap)
        else:
            _between(gap, lines)
        at = token.offset + len(token.text)
        if token.kind == "end":
            break
        statement.append(token)
        if _ends(read, i):
            lines += [*comments, *_laid_out(statement)]
            statement, comments = [], []
    if statement:
        lines += [*comments, *_laid_out(statement)]
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) + "\n"


def _between(gap: str, lines: list[str]) -> None:
    """Add the comments and blank lines between two statements."""
    end = 0
    for found in _COMMENT.finditer(gap):
        before = gap[end : found.start()]
        if "\n" not in before and lines and end == 0:
            lines[-1] += f"  {found.group().rstrip()}"
        else:
            if before.count("\n") > 1 and lines:
                lines.append("")
            lines.append(found.group().rstrip())
        end = found.end()
    if gap[end:].count("\n") > 1 and lines:
        lines.append("")


def _ends(read: list[Token], i: int) -> bool:
    """Whether a token is the full stop at the end of a statement."""
    token, after = read[i], read[i + 1]
    return token.text == "." and token.kind == "mark" and not _joins(token, after)


def _joins(token: Token, after: Token) -> bool:
    """Whether a full stop belongs to `p.3`, `(…).5 min` or `NOT(p).[q, r]`."""
    number = after.kind == "number" and after.offset == token.offset + 1
    return number or (after.kind == "mark" and after.text == "[")


def _laid_out(statement: list[Token]) -> list[str]:
    """The lines of a statement."""
    pieces: list[list[int]] = [[]]
    depth = 0
    for i, token in enumerate(statement):
        if depth == 0 and token.keyword == "where":
            pieces.append([])
        pieces[-1].append(i)
        if depth == 0 and token.kind == "mark" and token.text in ("<-", "←", ":-"):
            pieces.append([])
        if token.kind == "mark":
            depth += token.text in ("(", "[")
            depth -= token.text in (")", "]")
    texts = [_line(statement, piece) for piece in pieces if piece]
    whole = " ".join(texts)
    if len(whole) <= WIDTH or len(texts) == 1:
        return [whole]
    return [texts[0], *(f"    {text}" for text in texts[1:])]


def _line(statement: list[Token], piece: list[int]) -> str:
    line = ""
    for i in piece:
        if line and not _tight(statement, i):
            line += " "
        line += _spelling(statement, i)
    return line


def _spelling(statement: list[Token], i: int) -> str:
    token = statement[i]
    following = statement[i + 1].text if i + 1 < len(statement) else ""
    if token.keyword in _CAPITALS or (token.keyword == "not" and following == "(" and _in_pattern(statement, i)):
        return token.text.upper()
    return token.keyword if token.keyword in KEYWORDS else token.text


def _in_pattern(statement: list[Token], i: int) -> bool:
    """Whether a `not` excludes events: it is in a pattern, and not in a condition after WHERE."""
    depth = 0
    for token in reversed(statement[:i]):
        depth += token.text in (")", "]")
        depth -= token.text in ("(", "[")
        if depth <= 0 and token.keyword == "where":
            return False
        if token.text in ("<-", "←"):
            return True
    return False


def _tight(statement: list[Token], i: int) -> bool:
    """Whether there is no blank before a token."""
    before, token = statement[i - 1], statement[i]
    if token.kind == "mark" and token.text in _TIGHT_BEFORE:
        return True
    if before.kind == "mark" and before.text in _TIGHT_AFTER:
        return True
    if before.text == "." and before.kind == "mark":
        return True
    if token.text == "(" and token.kind == "mark":
        name = before.kind == "word" and before.keyword not in KEYWORDS
        return name or (before.keyword == "not" and _in_pattern(statement, i - 1))
    return before.text == "-" and before.kind == "mark" and _is_sign(statement, i - 1)


def _is_sign(statement: list[Token], i: int) -> bool:
    """Whether a minus has no left side."""
    before = statement[i - 1] if i else None
    return before is None or before.keyword in KEYWORDS or (before.kind == "mark" and before.text not in (")", "]"))
