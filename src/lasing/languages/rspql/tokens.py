"""Tokens of SPARQL and of the streaming clauses around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["iri", "string", "variable", "number", "word", "blank", "mark"]

_TOKEN = re.compile(
    r"""(?P<skipped>\s+|\#[^\n]*)
      |(?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
      |(?P<string>\"\"\"(?:\"{0,2}(?:[^\"\\]|\\.))*\"\"\"|'''(?:'{0,2}(?:[^'\\]|\\.))*'''
                |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      |(?P<variable>[?$][\w·]+)
      |(?P<blank>_:[\w·][\w·.-]*)
      |(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?(?![\w:])|\.\d+(?:[eE][+-]?\d+)?)
      |(?P<word>@?[^\W\d_](?:[\w·.-]|\\[_~.\-!$&'()*+,;=/?\#@%])*(?::(?:[\w·:.-]|%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?\#@%])*)?
              |:(?:[\w·:.-]|%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?\#@%])*
              |\d+[a-zA-Z]+)
      |(?P<mark>&&|\|\||<=|>=|!=|\^\^|.)
    """,
    re.VERBOSE | re.DOTALL,
)

_FINAL_DOTS = re.compile(r"(?<!\\)\.+$")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query's text, and where it is."""

    kind: Kind
    text: str
    offset: int

    @property
    def end(self) -> int:
        return self.offset + len(self.text)

    def is_word(self, *words: str) -> bool:
        """Whether it is one of some keywords, in any case."""
        return self.kind == "word" and self.text.upper() in words


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, without blanks and comments. What is not SPARQL comes as marks.

    >>> [token.text for token in tokens("SELECT ?x { ?x a <http://a#b> } # all")]
    ['SELECT', '?x', '{', '?x', 'a', '<http://a#b>', '}']
    """
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind != "skipped":
            word = found.group()
            if kind in ("word", "blank"):
                word = _FINAL_DOTS.sub("", word)  # a dot at the end of a name ends the triple, unless it is escaped
            yield Token(kind, word, found.start())  # type: ignore[arg-type]
            yield from (Token("mark", ".", found.start() + i) for i in range(len(word), len(found.group())))
