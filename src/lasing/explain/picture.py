"""An explanation as a picture: the branches of its tree as boxes."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.drawing.svg import BAD, BOX, EDGE, INK, SOFT, Drawing, paint, width_of
from lasing.explain.branches import Branch

_LINE = 18
_BOX = 8
_INDENT = 26
_WIDEST = 110
"""The longest line, in letters; longer ones are broken."""

_PAINTS = {
    "box": paint(fill=BOX, stroke=EDGE),
    "line": paint(fill=INK),
    "rule": paint(fill=SOFT),
    "fails": paint(fill=BAD),
    "link": paint(stroke=EDGE),
}


@dataclass(slots=True)
class _Boxes:
    drawing: Drawing
    y: float = 10
    width: float = 0

    def branch(self, branch: Branch, depth: int, above: float | None) -> None:
        """Draw a branch and everything below it."""
        x = 10 + depth * _INDENT
        lines = [(part, "line") for part in _wrapped(branch.line)]
        lines += [(part, "rule") for detail in branch.details for part in _wrapped(detail)]
        if branch.line.startswith("✗"):
            lines = [(text, "fails") for text, _ in lines]
        height = len(lines) * _LINE + _BOX
        width = max(width_of(text) for text, _ in lines) + 2 * _BOX
        middle = self.y + height / 2
        if above is not None:
            self.drawing.curve("link", f"M {x - _INDENT / 2:g} {above:g} V {middle:g} H {x:g}")
        self.drawing.box("box", x, self.y, round(width), height, 5)
        for i, (text, kind) in enumerate(lines):
            self.drawing.text(kind, x + _BOX, self.y + _BOX / 2 + (i + 0.75) * _LINE, text)
        self.width = max(self.width, x + width + 10)
        bottom = self.y + height
        self.y = bottom + 8
        for below in branch.below:
            self.branch(below, depth + 1, bottom)


def picture(*branches: Branch) -> str:
    """Branches as one SVG image, one below the other."""
    boxes = _Boxes(Drawing("lasing-tree", _PAINTS))
    for branch in branches:
        boxes.branch(branch, 0, None)
        boxes.y += 14
    return boxes.drawing.svg(boxes.width, boxes.y, branches[0].line if branches else "")


def _wrapped(text: str) -> list[str]:
    """A line, broken at spaces where it is too long."""
    lines: list[str] = []
    current = ""
    for word in text.split(" "):
        if current and len(current) + 1 + len(word) > _WIDEST:
            lines.append(current)
            current = "    " + word
        else:
            current = f"{current} {word}" if current else word
    return [*lines, current]
