"""Tokens of ETALIS."""

from __future__ import annotations

import re

from lasing.events.tokens import Token, bad_character, split

_TOKEN = re.compile(
    r"""(?P<skipped>\s+|%[^\n]*|/\*(?s:.*?)\*/)
      |(?P<variable>[^\W\d]\w*)
      |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))
      |(?P<string>"(?:[^"\\\n]|\\["\\n])*"|'(?:[^'\\\n]|\\['\\n])*')
      |(?P<mark><-|:-|←|=<|<=|>=|!=|<>|\\=|=:=|=\\=|==|\\\+|[(),.=<>+\-*/\[\]:])
      |(?P<bad>.)
    """,
    re.VERBOSE | re.DOTALL,
)
KEYWORDS = frozenset(
    ("seq", "and", "par", "or", "equals", "meets", "starts", "finishes", "during", "not", "where", "is", "mod", "div")
)


def tokens(text: str) -> list[Token]:
    """The tokens of a text, without blanks and comments; the last one is the end.

    Words that begin with a capital or `_` are variables, unless they are keywords.

    >>> [(token.kind, token.text) for token in tokens("e(X) <- p seq q. % later")][:4]
    [('word', 'e'), ('mark', '('), ('variable', 'X'), ('mark', ')')]
    """
    read = split(text, _TOKEN, bad_character)
    return [
        Token("word", token.text, token.offset)
        if token.kind == "variable" and (token.text.lower() in KEYWORDS or not _is_variable(token.text))
        else token
        for token in read
    ]


def _is_variable(word: str) -> bool:
    return word[0] == "_" or word[0].isupper()
