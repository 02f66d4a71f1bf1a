"""The text of values, read back.

`value_from_text` reads canonical text, and the text of mixed columns, where names that cannot be mistaken for other
values have no quotes. `read_value` reads a value at some place of a longer text.
"""

from __future__ import annotations

import re

from lasing.logic.values.blanks import BLANK, BlankNode
from lasing.logic.values.constructed import DEEPEST, Constructed
from lasing.logic.values.datatypes import XSD
from lasing.logic.values.iris import IRI, Iri
from lasing.logic.values.literals import LANGUAGE, TaggedLiteral, literal
from lasing.logic.values.numbers import NUMBER, number_from
from lasing.logic.values.table import Value, is_text, value_text
from lasing.logic.values.texts import NAME, STRING, is_name, unescape

_VALUE = re.compile(
    rf"(?P<constructed>new\(\s*)|(?P<name>{NAME})|(?P<number>-?\s*{NUMBER})"
    rf"|(?P<string>{STRING})(?:(?P<language>{LANGUAGE})|\^\^(?P<datatype>{IRI}|xsd:\w+))?|(?P<iri>{IRI})|(?P<blank>{BLANK})"
)
_TERM = re.compile(rf"(?:{IRI}|{BLANK}|{STRING}(?:{LANGUAGE}|\^\^(?:{IRI}|xsd:\w+)))\Z")
_NUMBER = re.compile(rf"-?{NUMBER}\Z")
_BETWEEN = re.compile(r"\s*([,)])\s*")


class NotAValue(Exception):  # noqa: N818 -- not an error by itself: readers say what they expected
    """There is no value at this place of the text."""

    def __init__(self, offset: int, expected: str) -> None:
        super().__init__(expected)
        self.offset = offset
        self.expected = expected


def read_value(text: str, position: int = 0, depth: int = 0) -> tuple[Value, int]:
    """The value at a place of a text, and where it ends; raises `Undefined` for a number beyond 64 bits.

    >>> read_value('p("chat"@en)', 2)
    (TaggedLiteral(lexical='chat', language='en'), 11)
    """
    found = _VALUE.match(text, position)
    if found is None:
        raise NotAValue(position, 'a constant: a name, a number, "text" or <iri>')
    match found.lastgroup:
        case "constructed":
            return _read_constructed(text, found.end(), depth + 1)
        case "number":
            return number_from("".join(found[0].split())), found.end()
        case "string":
            return unescape(found["string"]), found.end()
        case "language":
            return TaggedLiteral(unescape(found["string"]), found["language"][1:]), found.end()
        case "datatype":
            named = found["datatype"]
            datatype = named[1:-1] if named.startswith("<") else f"{XSD}{named.removeprefix('xsd:')}"
            return literal(unescape(found["string"]), datatype), found.end()
        case "iri":
            return Iri(found[0][1:-1]), found.end()
        case "blank":
            return BlankNode(found[0][2:]), found.end()
    if not is_name(found[0]):
        raise NotAValue(position, "a name that starts with a lower-case letter and is not a reserved word")
    return found[0], found.end()


def _read_constructed(text: str, position: int, depth: int) -> tuple[Value, int]:
    """The rest of an identifier, after the opening parenthesis."""
    parts: list[Value] = []
    separator = ","
    if depth > DEEPEST:
        raise NotAValue(position, f"an identifier that is nested at most {DEEPEST} deep")
    while separator == ",":
        value, position = read_value(text, position, depth)
        parts.append(value)
        found = _BETWEEN.match(text, position)
        if found is None:
            raise NotAValue(position, "a comma or a closing parenthesis")
        separator = found[1]
        position = found.end() if separator == "," else found.end(1)
    function, *args = parts
    if not is_text(function):
        raise NotAValue(position, "the name of what new(…) makes, such as new(room,1)")
    return Constructed(function, tuple(args)), position


def value_from_text(text: str) -> Value:
    """The value that `value_text` or `mixed_text` has written.

    >>> [value_from_text(value_text(value)) for value in ("x1", "A b", -7, 2.5, "70")]
    ['x1', 'A b', -7, 2.5, '70']
    """
    if not text or not looks_like_another(text):
        return text
    if _NUMBER.match(text):
        return number_from(text)
    try:
        value, end = read_value(text)
    except NotAValue:
        return text
    return value if end == len(text) else text


def looks_like_another(text: str) -> bool:
    """Whether a text, written without quotes, would be read as a value of another kind, or as quoted text.

    >>> [looks_like_another(text) for text in ("a b", "7", "<http://ex.org/a>", "<b>", "new(a)", '"')]
    [False, True, True, False, True, True]
    """
    return text.startswith('"') or _NUMBER.match(text) is not None or looks_like_term(text)


def looks_like_term(text: str) -> bool:
    """Whether a text reads as a value that is neither a number nor a name nor quoted text."""
    first = text[:1]
    if first in ("<", "_", '"'):
        return _TERM.match(text) is not None
    return first == "n" and text.startswith("new(") and text.endswith(")")


def mixed_text(value: Value) -> str:
    """The text of a value among values of other kinds: text is quoted only where it looks like another value.

    >>> [mixed_text(value) for value in (1, "1", "Two words", 18.5)]
    ['1', '"1"', 'Two words', '18.5']
    """
    if not is_text(value):
        return value_text(value)
    return _quoted(value) if looks_like_another(value) else value


def _quoted(text: str) -> str:
    written = value_text(text)
    return written if written.startswith('"') else f'"{written}"'
