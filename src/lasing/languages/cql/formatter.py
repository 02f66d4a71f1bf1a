"""The layout of SQL."""

from __future__ import annotations

from lasing.errors import SourceText


def format_sql(source: SourceText) -> str:
    """A text in the layout of this language."""
    return source.text
