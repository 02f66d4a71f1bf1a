"""A mistake in a query, found while it is read or translated."""

from __future__ import annotations

from lasing.errors import Diagnostic, SourceText
from lasing.languages.rspql.prologue import prefixes
from lasing.languages.rspql.tokens import Token, tokens


class Mistake(Exception):  # noqa: N818 - it becomes a finding
    """What is wrong, what to do about it, and where: at an offset, at a line and column, or near a text."""

    def __init__(
        self,
        message: str,
        note: str = "",
        near: str = "",
        at: int = -1,
        line_column: tuple[int, int] | None = None,
        code: str = "E702",
    ) -> None:
        super().__init__(message)
        self.message, self.note, self.near, self.at, self.line_column, self.code = (
            message, note, near, at, line_column, code,
        )  # fmt: skip

    def diagnostic(self, source: SourceText) -> Diagnostic:
        """The finding, at its place in the text."""
        offset, length = self._offset(source.text), len(self.near)
        if offset < 0 and self.near and (token := written(self.near, source.text)) is not None:
            offset, length = token.offset, len(token.text)
        place = None if offset < 0 else source.place(offset, max(length, 1))
        return Diagnostic(self.code, self.message, place, self.note)

    def _offset(self, text: str) -> int:
        if self.at >= 0:
            return min(self.at, max(len(text) - 1, 0))
        if self.line_column is not None:
            line, column = self.line_column
            start = 0
            for _ in range(line - 1):
                start = text.find("\n", start) + 1
            return min(start + column - 1, max(len(text) - 1, 0))
        return text.find(self.near) if self.near else -1


def written(iri: str, text: str) -> Token | None:
    """Where a text first has an IRI in its short form, such as `f:bar`."""
    known = prefixes(text)
    for token in tokens(text):
        prefix, colon, local = token.text.partition(":")
        if token.kind == "word" and colon and prefix in known and known[prefix] + local == iri:
            return token
    return None
