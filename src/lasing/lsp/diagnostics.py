"""The findings of `lasing check`, at their places in one text."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.errors import Diagnostic, Place
from lasing.lsp.positions import Span
from lasing.lsp.reading import Reading

MOST_SHOWN = 500
"""How many findings of a text an editor gets; a text with more has one cause, or is no program."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding and the part of the text to underline."""

    diagnostic: Diagnostic
    span: Span
    message: str


def diagnostics(reading: Reading) -> list[Shown]:
    """What to show in the root of a program. A finding in a text that it includes is shown at the `#include` that leads
    there; one without a place at the start of the text."""
    return [_shown(reading, diagnostic) for diagnostic in reading.found[:MOST_SHOWN]]


def _shown(reading: Reading, diagnostic: Diagnostic) -> Shown:
    message = "\n".join(filter(None, (diagnostic.message, diagnostic.note)))
    place = diagnostic.place
    if place is None:
        return Shown(diagnostic, Span(0, 0), message)
    if place.source == reading.root.name:
        return Shown(diagnostic, _span(reading.root.text, place), message)
    span = next((i.span for i in reading.inclusions if place.source in i.names), Span(0, 0))
    return Shown(diagnostic, span, f"{place}: {message}")


def _span(text: str, place: Place) -> Span:
    """The characters that a place underlines, which end with its line."""
    begin = 0
    for _ in range(place.line - 1):
        begin = text.index("\n", begin) + 1
    line_end = text.find("\n", begin)
    line_end = len(text) if line_end < 0 else line_end
    begin = min(begin + place.column - 1, line_end)
    return Span(begin, max(begin, min(begin + place.length, line_end)))
