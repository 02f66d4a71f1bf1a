"""A mistake in a query, found while it is read, checked or translated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lasing.errors import Diagnostic, SourceText

SYNTAX, NAME, TYPE, WINDOW, GROUPING, UNSUPPORTED, LIBRARY = "E721", "E722", "E723", "E724", "E725", "E726", "E727"
"""A syntax error, an unknown name, a wrong type, a wrong window, a column outside of its group, what SQL has and this
front end has not, and a library that is not installed."""


class Mistake(Exception):  # noqa: N818 - it becomes a finding
    """What is wrong, where, and what to do about it."""

    def __init__(self, code: str, message: str, offset: int, length: int = 1, note: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.offset, self.length, self.note = code, message, offset, length, note

    def diagnostic(self, source: SourceText) -> Diagnostic:
        """The finding, at its place in the text."""
        offset = min(max(self.offset, 0), max(len(source.text) - 1, 0))
        return Diagnostic(self.code, self.message, source.place(offset, max(self.length, 1)), self.note)


@dataclass(slots=True)
class Mistakes:
    """The mistakes of a text, as they are found; each is kept once."""

    found: list[Mistake] = field(default_factory=list)

    def add(self, mistake: Mistake) -> None:
        known = {(other.offset, other.message) for other in self.found}
        if (mistake.offset, mistake.message) not in known:
            self.found.append(mistake)


def no_constants(given: Iterable[str]) -> list[Diagnostic]:
    """The mistakes of somebody who sets constants: SQL has none."""
    note = "SQL has no constants; write the value into the query"
    return [Diagnostic("E114", f"the program has no constant {name}", note=note) for name in given]
