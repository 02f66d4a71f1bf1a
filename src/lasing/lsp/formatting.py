"""The layout of `lasing fmt`, as changes of whole lines that leave the other lines alone."""

from __future__ import annotations

from lasing.errors import LasingError, SourceText
from lasing.languages import format_program
from lasing.lsp.positions import Span


def formatting(source: SourceText, language: str | None = None) -> tuple[Span, str] | None:
    """The part of a text that `lasing fmt` changes, and what takes its place. None if nothing changes, or if the text
    has a mistake that `fmt` refuses: it is among the findings already.

    >>> formatting(SourceText("", "p.\\nq:-p.\\nr.\\n"))
    (Span(begin=3, end=9), 'q :- p.\\n')
    """
    try:
        formatted = format_program(source, language)
    except LasingError:
        return None
    if formatted == source.text:
        return None
    old, new = source.text.splitlines(keepends=True), formatted.splitlines(keepends=True)
    shortest = min(len(old), len(new))
    first = next((i for i in range(shortest) if old[i] != new[i]), shortest)
    last = next((i for i in range(shortest - first) if old[-1 - i] != new[-1 - i]), shortest - first)
    begin = sum(map(len, old[:first]))
    end = begin + sum(map(len, old[first : len(old) - last]))
    return Span(begin, end), "".join(new[first : len(new) - last])
