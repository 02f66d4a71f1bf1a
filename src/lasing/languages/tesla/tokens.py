"""Tokens of TESLA."""

from __future__ import annotations

import re

from lasing.events.mistakes import Mistake
from lasing.events.tokens import Token, bad_character, split

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


def tokens(text: str) -> list[Token]:
    """The tokens of a text, without blanks and comments; the last one is the end.

    >>> [token.text for token in tokens("last Temp(room = $a) // newest")]
    ['last', 'Temp', '(', 'room', '=', '$a', ')', '']
    """
    return split(text, _TOKEN, _bad)


def _bad(text: str, offset: int) -> Mistake:
    if text[offset] == "$":
        return Mistake("a parameter needs a name", offset, note="write $ and a name, such as $room")
    return bad_character(text, offset)
