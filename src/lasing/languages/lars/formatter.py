"""One way to lay out a program. Only white space changes: tokens and comments stay as they are, in their order.

A statement takes one line; if it is too long, or has comments inside, each literal takes its own. A single blank line
between statements is kept. Formatting a formatted program changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lasing.errors import LasingError, SourceText
from lasing.languages.lars.tokens import Tokens, after_statement, tokenize
from lasing.languages.lars.weak_constraints import OPTIMISATIONS

WIDTH = 100
_INDENT = "    "
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_WORDS = frozenset(("NAME", "VARIABLE", "NUMBER", "STRING", "LITERAL", "IRI", "PREFIXED", "BLANK", "#now"))
_ENDS_OPERAND = _WORDS | _CLOSE


@dataclass(slots=True)
class _Piece:
    """A part of a statement that stays on one line, with its comments: those before it, and those at its end."""

    tokens: list[int] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def format_text(source: SourceText) -> str:
    """The text, laid out. Raises a `LasingError` if it is not made of tokens."""
    tokens, mistakes = tokenize(source, comments=True, prefixes=None)
    if mistakes:
        raise LasingError(mistakes)
    return "".join(f"{line}\n" for line in _lines(tokens)).lstrip("\n")


def _lines(tokens: Tokens) -> Iterator[str]:
    i, end = 0, tokens.kinds.index("END")
    while i < end:
        if _blank_line_before(tokens, i):
            yield ""
        if tokens.kinds[i] == "COMMENT":
            yield from _comment_lines(tokens.texts[i])
            i += 1
            continue
        stop = after_statement(tokens.kinds, i)
        statement = _statement(tokens, i, stop)
        i = stop
        while i < end and tokens.kinds[i] == "COMMENT" and _same_line(tokens, i - 1, i):
            statement[-1] += f"  {tokens.texts[i].rstrip()}"
            i += 1
        yield from statement


def _statement(tokens: Tokens, start: int, stop: int) -> list[str]:
    """The lines of a statement: laid out, or unchanged if its comments are in unusual places."""
    laid_out = _laid_out(tokens, start, stop)
    if laid_out is not None and _same_tokens("\n".join(laid_out), tokens, start, stop):
        return laid_out
    end = tokens.offsets[stop - 1] + len(tokens.texts[stop - 1])
    return [line.rstrip() for line in tokens.source.text[tokens.offsets[start] : end].split("\n")]


def _laid_out(tokens: Tokens, start: int, stop: int) -> list[str] | None:
    """The statement on one line, or one literal per line; None if there is a comment inside a literal."""
    pieces = list(_pieces(tokens, start, stop))
    first = tokens.texts[start]
    whole = " ".join(_text(tokens, piece.tokens, first) for piece in pieces)
    if len(whole) <= WIDTH and not any(piece.before or piece.after for piece in pieces):
        return [whole]
    lines: list[str] = []
    for number, piece in enumerate(pieces):
        indent = _INDENT if number else ""
        if any("\n" in comment for comment in (*piece.before, *piece.after)):
            return None
        lines += [f"{indent}{comment.rstrip()}" for comment in piece.before]
        lines.append("  ".join([f"{indent}{_text(tokens, piece.tokens, first)}", *(c.rstrip() for c in piece.after)]))
    return lines


def _pieces(tokens: Tokens, start: int, stop: int) -> Iterator[_Piece]:
    """Split a statement after `:-` and after the commas between literals, or the elements of `#minimize`.

    A comment on the line of such a comma ends its piece; one on a line of its own begins the next.
    """
    piece, depth, split = _Piece(), 0, False
    listed = tokens.texts[start] in OPTIMISATIONS
    for i in range(start, stop):
        kind = tokens.kinds[i]
        if kind == "COMMENT":
            if split and not _same_line(tokens, i - 1, i):
                yield piece
                piece, split = _Piece(), False
            (piece.after if piece.tokens else piece.before).append(tokens.texts[i])
            continue
        if split:
            yield piece
            piece, split = _Piece(), False
        piece.tokens.append(i)
        depth += (kind in _OPEN) - (kind in _CLOSE)
        split = (depth == 0 and kind in (":-", ":~", ",")) or (listed and depth == 1 and kind == ";")
    yield piece


def _same_tokens(text: str, tokens: Tokens, start: int, stop: int) -> bool:
    """Whether a text has exactly these tokens and comments."""
    again, mistakes = tokenize(SourceText("formatted", text), comments=True, prefixes=None)
    wanted = [(k, t.rstrip()) for k, t in zip(tokens.kinds[start:stop], tokens.texts[start:stop], strict=True)]
    return not mistakes and [(k, t.rstrip()) for k, t in zip(again.kinds, again.texts, strict=True)][:-2] == wanted


def _text(tokens: Tokens, indices: list[int], first: str) -> str:
    """Tokens on one line; `first` is the first word of their statement."""
    parts: list[str] = []
    depth: list[str] = []
    before = ""
    for position, i in enumerate(indices):
        kind = tokens.kinds[i]
        if kind in _CLOSE and depth:
            depth.pop()
        if position:
            before = tokens.kinds[indices[position - 1]]
            earlier = tokens.kinds[indices[position - 2]] if position > 1 else ""
            if _space(earlier, before, kind, depth[-1] if depth else "", first):
                parts.append(" ")
        parts.append(tokens.texts[i])
        if kind in _OPEN:
            depth.append("penalty" if before == "." else kind)
    return "".join(parts)


def _space(earlier: str, before: str, kind: str, inside: str, first: str) -> bool:
    """Whether to put a space between two tokens; `earlier` is the one before them."""
    if kind in (",", ".", "..", *_CLOSE) or before in ("..", "#", "@", *_OPEN):
        return False
    if kind == "[":
        return before != "⊞"
    if kind == "(":
        return before not in ("NAME", "IRI", "PREFIXED")
    if kind == "{":
        return before != "DIRECTIVE"
    if before == ",":
        return not (inside == "[" and kind in ("+", "-"))
    if kind == ":" and first == "#prefix":
        return False
    if "/" in (before, kind) and first in ("#show", "#input", "#stream"):
        return False
    if kind == "@" and first in (":~", *OPTIMISATIONS) and before in (*_WORDS, ")"):
        return earlier == "@"  # two of them before a formula, or else one between a weight and its level
    sign_before = before in ("-", "+") and earlier not in _ENDS_OPERAND
    return not sign_before


def _blank_line_before(tokens: Tokens, i: int) -> bool:
    if i == 0:
        return False
    begin = tokens.offsets[i - 1] + len(tokens.texts[i - 1])
    return tokens.source.text.count("\n", begin, tokens.offsets[i]) > 1


def _same_line(tokens: Tokens, i: int, j: int) -> bool:
    return "\n" not in tokens.source.text[tokens.offsets[i] + len(tokens.texts[i]) : tokens.offsets[j]]


def _comment_lines(comment: str) -> list[str]:
    return [line.rstrip() for line in comment.split("\n")]
