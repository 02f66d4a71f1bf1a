"""Programs with a mark, `‸`, at the place that a test asks about."""

from __future__ import annotations

from pathlib import Path

from lasing.errors import SourceText
from lasing.lsp.navigation import Found
from lasing.lsp.reading import Reading, read

MARK = "‸"


def marked(text: str, path: Path | None = None, opened: dict[Path, str] | None = None) -> tuple[Reading, int, int]:
    """A program without its mark, the number of its text, and the offset of the mark."""
    offset = text.index(MARK)
    reading = read(SourceText("main.lars" if path is None else str(path), text.replace(MARK, ""), path), opened or {})
    return reading, reading.source_number(reading.root), offset


def parts(reading: Reading, found: list[Found]) -> list[str]:
    """Parts of texts, each with what is before it on its line."""
    shown = []
    for number, span in found:
        text = reading.program.sources[number].text
        begin = text.rfind("\n", 0, span.begin) + 1
        shown.append(f"{text[begin : span.begin]}[{text[span.begin : span.end]}]")
    return shown
