"""Offsets in a text, and the positions of the protocol: lines, and code units of UTF-16 in a line (or as agreed)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

Encoding = Literal["utf-16", "utf-8", "utf-32"]

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text, in characters: where it begins and ends."""

    begin: int
    end: int


class Lines:
    """The lines of a text. They end where the protocol says: at CR, LF or both, and nowhere else.

    >>> lines = Lines("p(\\"🔥\\").\\nq.")
    >>> lines.position(5), lines.offset(0, 6)
    ((0, 6), 5)
    """

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self._text = text
        self._encoding = encoding
        ends = list(_LINE_END.finditer(text))
        self._begins = [0, *(end.end() for end in ends)]
        self._ends = [*(end.start() for end in ends), len(text)]

    def position(self, offset: int) -> tuple[int, int]:
        """The line and the code units before an offset. Inside a line's end, it is the end of the line."""
        line = bisect_right(self._begins, offset) - 1
        part = self._text[self._begins[line] : min(offset, self._ends[line])]
        return line, self._units(part)

    def offset(self, line: int, units: int) -> int:
        """The offset of a position. Beyond a line it is the end of the line, as the protocol says; inside a character,
        its beginning."""
        if line >= len(self._begins):
            return len(self._text)
        begin, end = self._begins[line], self._ends[line]
        if self._text[begin:end].isascii():
            return min(begin + units, end)
        counted = 0
        for offset in range(begin, end):
            counted += self._units(self._text[offset])
            if counted > units:
                return offset
        return end

    def _units(self, part: str) -> int:
        match self._encoding:
            case "utf-16":
                return len(part) + sum(character > "\uffff" for character in part)
            case "utf-8":
                return len(part.encode("utf-8", "surrogatepass"))
            case "utf-32":
                return len(part)
