"""N-Triples with a time on each line, after the object: before the full stop, or after it.

    <http://ex.org/s1> <http://ex.org/celsius> "21.5"^^xsd:decimal 17 .
    <http://ex.org/s1> <http://ex.org/celsius> "21.5"^^xsd:decimal . 2026-01-31T08:00:00Z

A time is a whole number, an ISO 8601 date and time, or a literal of either. Lines in a row with the same time are one
graph. Blank lines and comments may be anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pyoxigraph import RdfFormat

from lasing.connectors.files import OnBytesRead, lines
from lasing.connectors.rdf.blanks import Blanks, scope_of
from lasing.connectors.rdf.clock import Clock
from lasing.connectors.rdf.files import parsed
from lasing.connectors.rdf.terms import value_of_term
from lasing.errors import Place, fault
from lasing.logic.values import Value

_IRI, _BLANK = r"<[^<>\s]*>", r"_:[^\s<>\"]*[^\s<>\".]"
_TEXT = r'"(?:[^"\\]|\\.)*+"'
_LITERAL = rf"{_TEXT}(?:@[A-Za-z0-9\-]+|\^\^{_IRI})?"
_TIME = rf"{_LITERAL}|[-+\w:.]*\w"
_LINE = re.compile(
    rf"\s*(?P<s>{_IRI}|{_BLANK})\s*(?P<p>{_IRI})\s*(?P<o>{_IRI}|{_BLANK}|{_LITERAL})"
    rf"(?:\s+(?P<before>{_TIME})\s*\.|\s*\.\s*(?P<after>{_TIME}))\s*(?:\#.*)?\Z"
)
_NOTE = "a line is a triple and its time: <http://ex.org/s> <http://ex.org/p> <http://ex.org/o> 2026-01-31T08:00:00Z ."
_MOST_VALUES = 1 << 20


def stamped_lines(
    path: Path, clock: Clock, progress: OnBytesRead | None = None
) -> Iterator[tuple[int, Value, Value, Value]]:
    """The triples of a file, each after its time point."""
    reader = _Terms(clock.name)
    graph, blank, written, point = 0, Blanks(""), None, 0
    scope = scope_of(clock.name)
    for number, line in lines(path, progress):
        found = _LINE.match(line)
        if found is None:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            raise fault("E501", "this is not a triple with a time", Place(clock.name, number, 1, line), _note(line))
        subject, predicate, value, before, after = found.groups()
        stamp = before or after
        if stamp != written:
            place = Place(clock.name, number, 1 + found.start("before" if before else "after"), line, len(stamp))
            point = clock.point(reader(stamp, number, blank) if stamp.startswith('"') else stamp, place)
            graph, written = graph + 1, stamp
            blank = Blanks(f"{scope}g{graph}")
        s, p, o = (reader(text, number, blank) for text in (subject, predicate, value))
        yield point, s, p, o


def _note(line: str) -> str:
    return f"{_NOTE}\nN-Triples without times are background: --data FILE" if line.rstrip().endswith(".") else _NOTE


class _Terms:
    """The values of terms, by their text. Each distinct one is parsed once, by the parser of whole files."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._known: dict[str, Value] = {}

    def __call__(self, text: str, line: int, blank: Blanks) -> Value:
        value = self._known.get(text)
        if value is None:
            if text.startswith("_:"):
                return blank(text[2:])
            (quad,) = parsed(f"_:s <x:p> {text} .", RdfFormat.N_TRIPLES, self._name, line)
            value = value_of_term(quad.object)
            if len(self._known) >= _MOST_VALUES:
                self._known.clear()
            self._known[text] = value
        return value
