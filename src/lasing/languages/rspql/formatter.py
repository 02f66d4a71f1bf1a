"""One way to lay out a query: keywords in upper case, a clause or a triple a line, two spaces for each brace.

Nothing but white space and the case of keywords changes; comments stay where they are. Formatting a formatted query
changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from lasing.errors import SourceText
from lasing.languages.rspql.keywords import CALLED, CLAUSES, PATTERNS, PROLOGUE, spelling
from lasing.languages.rspql.tokens import Kind, Token, tokens

_INDENT = "  "
_WORDS = frozenset(("iri", "string", "variable", "number", "word", "blank"))
_OPERATORS = frozenset(("=", "!=", "<", ">", "<=", ">=", "&&", "||"))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A token or a comment, and how it was set apart from what is before it."""

    kind: Kind | Literal["comment"]
    text: str
    spaced: bool
    lines: int

    @property
    def keyword(self) -> str:
        """The word in upper case if it may be a keyword; else nothing."""
        return self.text.upper() if self.kind == "word" and ":" not in self.text else ""


def format_query(source: SourceText) -> str:
    """The query, laid out. A text with something unusual that the layout would change stays as it is."""
    pieces = list(_pieces(source.text))
    laid_out = _Layout().text(pieces)
    return laid_out if _essence(_pieces(laid_out)) == _essence(pieces) else source.text


def _essence(pieces: Iterator[_Piece] | list[_Piece]) -> list[str]:
    return [piece.text.rstrip() for piece in pieces]


def _pieces(text: str) -> Iterator[_Piece]:
    at, before = 0, ""
    for token in _split(text):
        yield from _comments(text[at : token.offset])
        gap = text[at : token.offset].rpartition("\n")
        after_comment = "#" in text[at : token.offset]
        named = before in ("QUERY", "STREAM")  # REGISTER QUERY name AS
        word = token.text if token.kind != "word" or named else spelling(token.text)
        lines = _last_lines(text[at : token.offset]) if after_comment else text.count("\n", at, token.offset)
        yield _Piece(token.kind, word, bool(gap[1] or gap[2]), lines)
        at, before = token.end, word
    yield from _comments(text[at:])


def _split(text: str) -> Iterator[Token]:
    """The tokens; the full stop after a number or a blank node is one of its own."""
    for token in tokens(text):
        stem = token.text.rstrip(".") if token.kind in ("number", "blank") else token.text
        yield Token(token.kind, stem, token.offset)
        for i in range(len(stem), len(token.text)):
            yield Token("mark", ".", token.offset + i)


def _comments(gap: str) -> Iterator[_Piece]:
    """The comments between two tokens."""
    lines = gap.split("\n")
    empty = 0
    for number, line in enumerate(lines):
        if comment := line.strip():
            yield _Piece("comment", comment, True, empty + (number > 0))
            empty = 0
        elif number:
            empty += 1


def _last_lines(gap: str) -> int:
    """The number of line ends after the last comment."""
    return gap[gap.rindex("#") :].count("\n")


@dataclass(slots=True)
class _Frame:
    """What is open: the query itself, a block of patterns, the rows of VALUES, parentheses or brackets."""

    kind: Literal["query", "block", "rows", "(", "["]
    indent: int
    deeper: int = 0
    """How much deeper the next line is: it continues a triple."""
    test: bool = False
    """Whether the next parentheses to close end a FILTER or a BIND."""
    leads: bool = True
    """Whether a brace that comes next belongs to what is on the line."""
    by_row: bool = False
    """Whether the rows of VALUES take a line each."""


@dataclass(slots=True)
class _Layout:
    lines: list[str] = field(default_factory=list)
    line: str = ""
    frames: list[_Frame] = field(default_factory=lambda: [_Frame("query", 0)])
    pending: bool = False
    """Whether the next token begins a line."""
    values: Literal["", "VALUES", "("] = ""
    """Whether the next brace opens the rows of VALUES, and whether these are in parentheses."""
    prologue: bool = False
    before: _Piece | None = None

    def text(self, pieces: list[_Piece]) -> str:
        for piece in pieces:
            if piece.kind == "comment":
                self._comment(piece)
            else:
                self._token(piece)
        self._break()
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def _top(self) -> _Frame:
        return self.frames[-1]

    def _break(self) -> None:
        if self.line.strip():
            self.lines.append(self.line.rstrip())
        self.line, self.pending = "", False

    def _blank(self) -> None:
        if self.lines and self.lines[-1] and not self.lines[-1].endswith("{"):
            self.lines.append("")

    def _comment(self, piece: _Piece) -> None:
        if piece.lines == 0 and (self.line.strip() or self.lines):
            if self.line.strip():
                self.line += f"  {piece.text}"
            else:
                self.lines[-1] += f"  {piece.text}"
            self._break()
            return
        self._break()
        if piece.lines > 1:
            self._blank()
        self.lines.append(f"{_INDENT * (self._top.indent + self._top.deeper)}{piece.text}")

    def _token(self, piece: _Piece) -> None:
        top, word = self._top, piece.keyword
        if piece.text in ("}", ")", "]") and len(self.frames) > 1:
            self._close(piece)
            return
        outside = top.kind in ("query", "block")
        if outside and self._begins_line(word):
            self._break()
            top.deeper = 0
            top.leads = True
            top.test = word in ("FILTER", "BIND")
            if self.prologue and word not in PROLOGUE:
                self._blank()
            self.prologue = word in PROLOGUE
            self.values = "VALUES" if word == "VALUES" else ""
        elif outside and piece.text == "{" and top.kind == "block" and not top.leads:
            self._break()
            top.deeper = 0
        elif self.pending and piece.text not in (".", ";", ",") and word != "UNION":
            self._break()
        if top.by_row and piece.text == "(":
            self._break()
        self._put(piece)
        if piece.text in ("{", "(", "["):
            self._open(piece.text)
        elif outside:
            self._after(piece, word)

    def _begins_line(self, word: str) -> bool:
        return word in CLAUSES or (self._top.kind == "block" and word in PATTERNS)

    def _after(self, piece: _Piece, word: str) -> None:
        """What a token outside of parentheses means for the lines after it."""
        top = self._top
        if top.kind == "block" and not word and piece.text not in (".", ";", ","):
            top.leads = top.leads and self._named_pattern()
        if word == "UNION":
            self.pending, top.leads = False, True
        if top.kind != "block":
            return
        if piece.text == ".":
            self.pending, top.deeper, top.leads = True, 0, True
        elif piece.text in (";", ","):
            self.pending, top.deeper = True, 1 if piece.text == ";" else 2

    def _named_pattern(self) -> bool:
        """Whether the line began with a word such as GRAPH, so that what follows is its name."""
        return self.line.split()[0].upper() in CLAUSES | PATTERNS if self.line.split() else False

    def _open(self, bracket: str) -> None:
        indent = self._top.indent
        if bracket != "{":
            if bracket == "(" and self.values:
                self.values = "("
            self.frames.append(_Frame("(" if bracket == "(" else "[", indent))
        elif self.values:
            self.frames.append(_Frame("rows", indent + 1, by_row=self.values == "("))
            self.values = ""
        else:
            self.frames.append(_Frame("block", indent + 1))
            self.pending = True

    def _close(self, piece: _Piece) -> None:
        closed = self.frames.pop()
        top = self._top
        if closed.kind == "block" or (closed.kind == "rows" and closed.by_row):
            self._break()
            if self.lines and not self.lines[-1]:
                self.lines.pop()
            top.deeper = 0
            self.line = _INDENT * top.indent
            self.before = None
        self._put(piece)
        if piece.text == "}":
            self.pending = top.kind in ("query", "block")
            top.leads = True
        elif top.kind == "block" and top.test and closed.kind == "(":
            self.pending, top.test, top.leads = True, False, True

    def _put(self, piece: _Piece) -> None:
        top = self._top
        if not self.line:
            if piece.lines > 1 and top.kind in ("query", "block"):
                self._blank()
            self.line = _INDENT * (top.indent + top.deeper)
        elif self.line.strip() and self._space(piece):
            self.line += " "
        self.line += piece.text
        self.before = piece

    def _space(self, piece: _Piece) -> bool:
        before, inside = self.before, self._top.kind
        if before is None:
            return True
        if piece.text == "," or before.text == "(" or piece.text == ")":
            return False
        if before.text in (",", ";", "{", "}") or piece.text in ("{", "}", ";"):
            return True
        if before.text == ")" and (piece.kind in _WORDS or piece.text == "("):
            return True
        if piece.text == "*" and before.keyword in ("SELECT", "DISTINCT", "REDUCED", "DESCRIBE"):
            return True
        if piece.text == ".":
            return inside in ("query", "block", "[")
        if piece.text == "(" and before.kind == "word":
            known = before.keyword if before.text != "a" else ""
            return before.keyword not in CALLED if known else piece.spaced
        if inside == "(" and (piece.text in _OPERATORS or before.text in _OPERATORS):
            return True
        if before.kind in _WORDS and piece.kind in _WORDS:
            return not (before.kind == "string" and piece.text.startswith("@"))
        return piece.spaced
