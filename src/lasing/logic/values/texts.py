"""Names and texts: Python's `str`. A name is the text of its letters, so `x1` and `"x1"` are one value."""

from __future__ import annotations

import re

NAME = r"[^\W\d_A-Z]\w*"
STRING = r'"[^"\\\n]*+(?:\\["\\n][^"\\\n]*+)*+"'  # possessive: a long text must not be remembered letter by letter

RESERVED = frozenset(("not", "in", "at", "always", "and", "or", "div", "mod"))

_NAME = re.compile(rf"{NAME}\Z")
_ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n"}


def is_name(word: str) -> bool:
    """Whether a word can be written bare, as the name of a constant or predicate.

    >>> is_name("tram_7"), is_name("Tram"), is_name("not")
    (True, False, False)
    """
    return _NAME.match(word) is not None and word not in RESERVED and not word[0].isupper()


def is_unicode(text: str) -> bool:
    """Whether a string is Unicode text: a lone surrogate is not a character, and UTF-8 has no bytes for it."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_of_text(text: str) -> str:
    """Bare if it is a name, otherwise quoted.

    >>> text_of_text("x1"), text_of_text("Two words")
    ('x1', '"Two words"')
    """
    return text if is_name(text) else quoted(text)


def quoted(text: str) -> str:
    """A text in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def unescape(quoted: str) -> str:
    """The text of a quoted string.

    >>> unescape(chr(34) + "two words" + chr(34))
    'two words'
    """
    body = quoted[1:-1]
    return re.sub(r'\\["\\n]', lambda m: _ESCAPES[m[0]], body) if "\\" in body else body
