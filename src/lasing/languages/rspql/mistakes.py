"""A mistake in a query, found while it is translated."""

from __future__ import annotations


class Mistake(Exception):
    """What is wrong, what to do about it, and a text of the query near which it is."""

    def __init__(self, message: str, note: str | None = None, near: str | None = None, code: str = "E401") -> None:
        super().__init__(message)
        self.message, self.note, self.near, self.code = message, note, near, code
