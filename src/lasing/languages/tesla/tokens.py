"""Tokens of TESLA."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lasing.languages.tesla.mistakes import Mistake

Kind = Literal["word", "number", "parameter", "string", "mark", "end"]

_TOKEN = re.compile(
    r"""(?P<skipped>\s+|//[^\n]*|--[^\n]*|/\*(?s:.*?)\*/)
      |(?P<word>[^\W\d]\w*)
      |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))
      |(?P<parameter>\$\w+)
      |(?P<string>"(?:[^"\\\n]|\\["\\n])*"|'(?:[^'\\\n]|\\['\\n])*')
      |(?P<mark>:=|=>|==|<=|>=|!=|<>|[(),;:.=<>+\-*/\[\]])
      |(?P<bad>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_ESCAPES = {"\\n": "\n", '\\"': '"', "\\'": "'", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\.")


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


def tokens(text: str) -> list[Token]:
    """The tokens of a text, without blanks and comments; the last one is the end.

    >>> [token.text for token in tokens("last Temp(room = $a) // newest")]
    ['last', 'Temp', '(', 'room', '=', '$a', ')', '']
    """
    read: list[Token] = []
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind == "bad":
            raise _bad(text, found.start())
        if kind != "skipped":
            read.append(Token(kind, found.group(), found.start()))  # type: ignore[arg-type]
    read.append(Token("end", "", len(text.rstrip())))
    return read


def _bad(text: str, offset: int) -> Mistake:
    if text[offset] in "\"'":
        note = f"close it with {text[offset]} in the same line; its escapes are \\{text[offset]} \\\\ \\n"
        return Mistake("this text is never closed, or has an unknown escape", offset, note=note)
    if text[offset] == "$":
        return Mistake("a parameter needs a name", offset, note="write $ and a name, such as $room")
    if text[offset].isdigit():
        end = re.compile(r"[\w.]+").match(text, offset)
        word = end.group() if end else text[offset]
        note = "separate a number from its unit: 5 min"
        return Mistake(f"{word} is neither a number nor a name", offset, len(word), note)
    return Mistake(f"unexpected character {text[offset]}", offset)
