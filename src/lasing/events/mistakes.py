"""A mistake in a pattern, found while it is read, checked or translated."""

from __future__ import annotations

from collections.abc import Iterable

from lasing.errors import Diagnostic, SourceText


def no_constants(given: Iterable[str]) -> list[Diagnostic]:
    """The mistakes of somebody who sets constants: patterns have none."""
    note = "event patterns have no constants; write the value into the pattern"
    return [Diagnostic("E114", f"the program has no constant {name}", note=note) for name in given]


class Mistake(Exception):  # noqa: N818 - it becomes a finding
    """What is wrong, where, and what to do about it."""

    def __init__(self, message: str, offset: int, length: int = 1, note: str = "", code: str = "E711") -> None:
        super().__init__(message)
        self.message, self.offset, self.length, self.note, self.code = message, offset, length, note, code

    def diagnostic(self, source: SourceText) -> Diagnostic:
        """The finding, at its place in the text."""
        offset = min(self.offset, max(len(source.text) - 1, 0))
        return Diagnostic(self.code, self.message, source.place(offset, max(self.length, 1)), self.note)
