"""One way to lay out DOTR: a clause a line, and queries inside their brackets as queries are laid out.

    define Fire = [dotr_id1 a :Fire ; :at_room ?room]
    from Smoke = [
      SELECT ?room
      WHERE {
        ?s :smoke_in ?room
      }
    ]
    and last Temp = [
      …
    ] within 5 min from Smoke
    with Fire.?room = Smoke.?room

Nothing but white space and the case of keywords changes; comments stay before what follows them. Formatting a formatted
text changes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lasing.errors import SourceText
from lasing.languages.dotr.cursor import is_reference, split
from lasing.languages.rspql.formatter import format_query
from lasing.languages.rspql.tokens import Token

_STATEMENTS = ("PREFIX", "BASE", "TICK", "ASSIGN", "DEFINE")
_CLAUSES = ("FROM", "WHEN", "AND", "WITH", "WHERE", "CONSUMING")
_WORDS = (*_STATEMENTS, *_CLAUSES, "NOT", "EACH", "FIRST", "LAST", "ALL", "WITHIN", "BETWEEN", "AS")
_UPPER = ("PREFIX", "BASE")
_CLOSING = {"[": "]", "{": "}"}
_TIGHT_BEFORE = frozenset((")", ",", ";", "."))
_TIGHT_AFTER = frozenset(("(", "."))
_COMMENT = re.compile(r"#[^\n]*")


def format_dotr(source: SourceText) -> str:
    """The text, laid out. A text with something unusual that the layout would change stays as it is."""
    laid_out = _Layout(source.text, split(source.text)).laid_out()
    return laid_out if _essence(laid_out) == _essence(source.text) else source.text


def _essence(text: str) -> list[tuple[str, bool]]:
    """The words of a text, with references as such, and its comments."""
    read = split(text)
    words = [(token.text.upper() if token.kind == "word" else token.text, is_reference(read, i))
             for i, token in enumerate(read)]  # fmt: skip
    return [*words, *((comment, False) for comment in _comments(text, read))]


def _comments(text: str, read: list[Token]) -> list[str]:
    found, at = [], 0
    for token in [*read, Token("mark", "", len(text))]:
        found += [comment.rstrip() for comment in _COMMENT.findall(text[at : token.offset])]
        at = token.end
    return found


@dataclass(slots=True)
class _Layout:
    text: str
    read: list[Token]
    lines: list[str] = field(default_factory=list)
    line: str = ""
    i: int = 0
    depth: int = 0
    statement: str = ""
    """The keyword of the current statement."""
    length: bool = False
    """Whether `within` was read, so that `from` belongs to it."""
    interval: bool = False
    """Whether `between` was read, so that `and` belongs to it."""

    def laid_out(self) -> str:
        while self.i < len(self.read):
            token = self.read[self.i]
            before = self.read[self.i - 1] if self.i else None
            comments, apart = self._gap(before, token)
            begins = self._begins(token)
            if begins or comments or (apart and before is not None and before.text == ";"):
                self._break()
            if token.is_word(*_STATEMENTS) and begins:
                self._paragraph(token.text.upper())
            self.lines += comments
            if self._is_block(token):
                self._block()
                continue
            if self.line and not self._tight(before, token):
                self.line += " "
            self.line += _spelling(token) if begins or self._is_keyword(token) else token.text
            self._note(token)
            self.i += 1
        self._break()
        end = self.read[-1].end if self.read else 0
        self.lines += [comment.rstrip() for comment in _COMMENT.findall(self.text[end:])]
        return "\n".join(self.lines).strip("\n") + "\n"

    def _gap(self, before: Token | None, token: Token) -> tuple[list[str], bool]:
        """The comments before a token that take lines of their own, and whether it is on another line."""
        gap = self.text[before.end if before else 0 : token.offset]
        comments = [comment.rstrip() for comment in _COMMENT.findall(gap)]
        if comments and before is not None and "\n" not in gap[: gap.index("#")]:
            self.line += f"  {comments.pop(0)}"
            self._break()
        return comments, "\n" in gap

    def _begins(self, token: Token) -> bool:
        """Whether a token begins a line: a statement, or a clause of a rule."""
        if self.depth or not token.is_word(*_STATEMENTS, *_CLAUSES):
            return False
        word = token.text.upper()
        if word == "FROM":
            return not self.length
        if word == "AND":
            return not self.interval
        return True

    def _is_keyword(self, token: Token) -> bool:
        return self.depth == 0 and token.is_word(*_WORDS)

    def _note(self, token: Token) -> None:
        word = token.text.upper() if token.kind == "word" else ""
        self.length = word == "WITHIN" or (self.length and word != "FROM")
        self.interval = word == "BETWEEN" or (self.interval and word != "AND")
        if token.kind == "mark":
            self.depth += (token.text == "(") - (token.text == ")")

    def _paragraph(self, word: str) -> None:
        """An empty line before a rule, and after the prologue."""
        apart = word == "DEFINE" and self.statement != "ASSIGN"
        prologue = {word, self.statement} <= {"PREFIX", "BASE"}
        apart = apart or (word not in (self.statement, "DEFINE") and not prologue)
        if self.lines and self.lines[-1] and apart:
            self.lines.append("")
        self.statement = word

    def _break(self) -> None:
        if self.line.strip():
            self.lines.append(self.line.rstrip())
        self.line = ""

    # -- blocks -------------------------------------------------------------------------------------------------------

    def _is_block(self, token: Token) -> bool:
        before = self.read[self.i - 1] if self.i else None
        return token.text in _CLOSING and token.kind == "mark" and before is not None and before.text == "="

    def _block(self) -> None:
        """Lay out what is between brackets, and go on after them."""
        opening = self.read[self.i]
        depth = [_CLOSING[opening.text]]
        end = self.i
        while depth and end + 1 < len(self.read):
            end += 1
            token = self.read[end]
            if token.kind == "mark" and token.text in _CLOSING:
                depth.append(_CLOSING[token.text])
            elif token.kind == "mark" and token.text == depth[-1]:
                depth.pop()
        closing = self.read[end]
        inner = self.text[opening.end : closing.offset]
        first = self.read[self.i + 1] if self.i + 1 < len(self.read) else closing
        if first.is_word("SELECT"):
            query = format_query(SourceText("query", inner)).rstrip("\n")
            self.lines.append(f"{self.line} {opening.text}")
            self.lines += [f"  {line}".rstrip() for line in query.split("\n")]
            self.line = closing.text
        else:
            blank = " " if opening.text == "{" else ""
            self.line += f" {opening.text}{blank}{_graph(inner, self.read[self.i + 1 : end])}{blank}{closing.text}"
        self.i = end + 1

    def _tight(self, before: Token | None, token: Token) -> bool:
        """Whether there is no blank before a token."""
        if before is None:
            return True
        if before.end == token.offset and (is_reference(self.read, self.i - 1) or is_reference(self.read, self.i - 2)):
            return True
        if token.kind == "mark" and token.text in _TIGHT_BEFORE and token.text != ".":
            return True
        if token.text == ".":
            return before.end == token.offset
        if before.text == "(" or (before.text == ":" and token.text == "="):
            return True
        if token.text == "(":
            named = before.kind == "word" and not before.is_word(*_WORDS)
            return named or before.kind == "variable" or before.text in ("]", "}")
        if before.text == ")" and token.kind == "variable":
            return before.end == token.offset  # (string)?room
        if token.text == ">" and before.text == "=":
            return True
        if "-" in (before.text, token.text):
            return before.end == token.offset
        return before.text == "^^" or token.text == "^^" or token.text.startswith("@")


def _graph(inner: str, read: list[Token]) -> str:
    """The triples of a result: in one line, unless a comment or a long text is among them."""
    if "#" in "".join(_comments(inner, split(inner))) or any("\n" in token.text for token in read):
        return inner.strip()
    return " ".join(inner.split()) if not any(token.kind == "string" for token in read) else inner.strip()


def _spelling(token: Token) -> str:
    """A keyword as it should be: PREFIX in capitals, others in lower case or, as in the system, with a capital."""
    word = token.text.upper()
    if word in _UPPER:
        return word
    capital = token.text[0].isupper() and word in (*_STATEMENTS, *_CLAUSES) and token.text[1:].islower()
    return word.capitalize() if capital else word.lower()
