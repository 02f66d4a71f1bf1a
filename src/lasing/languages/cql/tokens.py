"""The tokens of SQL: enough to tell strings, quoted names and comments from what surrounds them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lasing.languages.cql.mistakes import SYNTAX, Mistake

Kind = Literal["word", "name", "string", "number", "sign", "comment"]

_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?\*/)
      | (?P<string>'(?:[^']|'')*')
      | (?P<name>"(?:[^"]|"")*")
      | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)
      | (?P<word>[^\W\d]\w*)
      | (?P<sign><>|<=|>=|!=|::|\|\||//|\S)""",
    re.VERBOSE | re.DOTALL,
)
_OPEN = {"'": "a text", '"': "a quoted name", "/*": "a comment"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text, and where it is."""

    kind: Kind
    text: str
    offset: int

    @property
    def end(self) -> int:
        return self.offset + len(self.text)

    def is_word(self, *words: str) -> bool:
        """Whether it is one of these keywords, in any case."""
        return self.kind == "word" and self.text.upper() in words

    @property
    def named(self) -> str | None:
        """The name that it is, if it is one: quotes are not part of a name."""
        if self.kind == "name":
            return self.text[1:-1].replace('""', '"')
        return self.text if self.kind == "word" else None


def tokens(text: str, comments: bool = False) -> list[Token]:
    """The tokens of a text; with comments only on demand.

    >>> [token.text for token in tokens("SELECT 'it''s' -- [no window]")]
    ['SELECT', "'it''s'"]
    """
    found = []
    for match in _TOKEN.finditer(text):
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        if kind == "sign":
            begins = text[match.start() : match.start() + 2]
            opened = next((what for mark, what in _OPEN.items() if begins.startswith(mark)), None)
            if opened is not None:
                raise Mistake(SYNTAX, f"{opened} is not closed", match.start())
        if kind != "comment" or comments:
            found.append(Token(kind, match.group(), match.start()))
    return found
