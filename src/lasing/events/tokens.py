"""Tokens of event patterns, and a cursor that reads them from left to right."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from lasing.events.mistakes import Mistake
from lasing.logic.values import Undefined, Value
from lasing.logic.values.numbers import number_from

Kind = Literal["word", "number", "parameter", "variable", "string", "mark", "end"]

_ESCAPES = {"\\n": "\n", '\\"': '"', "\\'": "'", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\.")

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text, and where it is."""

    kind: Kind
    text: str
    offset: int

    @property
    def keyword(self) -> str:
        """The word in lower case; nothing if it is no word."""
        return self.text.lower() if self.kind == "word" else ""

    @property
    def content(self) -> str:
        """What a string means."""
        return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], self.text[1:-1])


def split(text: str, pattern: re.Pattern[str], bad: Callable[[str, int], Mistake]) -> list[Token]:
    """The tokens of a text, without blanks and comments; the last one is the end.

    The groups of the pattern are kinds of tokens, and `skipped` and `bad`.
    """
    read: list[Token] = []
    for found in pattern.finditer(text):
        kind = found.lastgroup
        if kind == "bad":
            raise bad(text, found.start())
        if kind != "skipped":
            read.append(Token(kind, found.group(), found.start()))  # type: ignore[arg-type]
    read.append(Token("end", "", len(text.rstrip())))
    return read


def bad_character(text: str, offset: int) -> Mistake:
    """The mistake of a character that begins no token."""
    if text[offset] in "\"'":
        note = f"close it with {text[offset]} in the same line; its escapes are \\{text[offset]} \\\\ \\n"
        return Mistake("this text is never closed, or has an unknown escape", offset, note=note)
    if text[offset].isdigit():
        end = re.compile(r"[\w.]+").match(text, offset)
        word = end.group() if end else text[offset]
        note = "separate a number from its unit: 5 min"
        return Mistake(f"{word} is neither a number nor a name", offset, len(word), note)
    return Mistake(f"unexpected character {text[offset]}", offset)


@dataclass(slots=True)
class Cursor:
    """Tokens, and which of them comes next."""

    read: list[Token]
    i: int = 0

    @property
    def token(self) -> Token:
        return self.read[self.i]

    def next(self) -> Token:
        """Take a token."""
        token = self.token
        if token.kind != "end":
            self.i += 1
        return token

    def back(self, token: Token) -> None:
        """Put back a token that was just taken; the end was not."""
        self.i -= token.kind != "end"

    def several(self, item: Callable[[], Item]) -> list[Item]:
        """Read one or more items with commas between them."""
        found = [item()]
        while self.accept(","):
            found.append(item())
        return found

    def accept(self, mark: str) -> bool:
        """Take a mark if it comes next."""
        if self.token.kind == "mark" and self.token.text == mark:
            self.i += 1
            return True
        return False

    def mark(self, mark: str) -> None:
        """Take a mark that must come next."""
        if not self.accept(mark):
            raise self.expected(mark)

    def keyword(self, word: str) -> None:
        """Take a keyword that must come next."""
        if self.token.keyword != word:
            raise self.expected(word)
        self.i += 1

    def expected(self, what: str, note: str = "") -> Mistake:
        """The mistake that something else comes next."""
        token = self.token
        found = "the text ends" if token.kind == "end" else f"found {token.text}"
        return Mistake(f"expected {what}, but {found}", token.offset, len(token.text), note)


def number_of(token: Token) -> Value:
    """The value of a number."""
    try:
        return number_from(token.text)
    except (Undefined, ValueError):
        raise Mistake(f"{token.text} does not fit into 64 bits", token.offset, len(token.text)) from None
