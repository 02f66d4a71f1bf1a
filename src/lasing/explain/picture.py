"""An explanation as a picture: the branches of its tree as boxes."""

from __future__ import annotations

from dataclasses import dataclass, field

from lasing.drawing.svg import BAD, BLUE, BOX, EDGE, INK, ORANGE, PAGE, SOFT, Drawing, paint, width_of
from lasing.explain.branches import Branch, Kind

_LINE = 18
_BOX = 8
_INDENT = 26
_WIDEST = 110
"""The longest line, in letters; longer ones are broken."""
_WITH = "  with "
"""What is between a rule and the values of its variables: a good place to break a long line."""

_PAINTS = {
    "page": paint(fill=PAGE),
    "box": paint(fill=BOX, stroke=EDGE),
    "derived": paint(fill=BOX, stroke=ORANGE),
    "data": paint(fill=BOX, stroke=BLUE),
    "background": paint(fill=BOX, stroke=EDGE),
    "absent": paint(fill=BOX, stroke=EDGE, others="stroke-dasharray: 4 3"),
    "key": paint(fill=SOFT, others="font-size: 11px"),
    "line": paint(fill=INK),
    "rule": paint(fill=SOFT),
    "fails": paint(fill=BAD),
    "link": paint(stroke=EDGE),
}


_KEY: dict[Kind, str] = {"derived": "derived", "data": "data", "absent": "not there"}


@dataclass(slots=True)
class _Boxes:
    drawing: Drawing
    y: float = 10
    width: float = 0
    kinds: set[Kind] = field(default_factory=set)

    def branch(self, branch: Branch, depth: int, above: float | None) -> float:
        """Draw a branch and everything below it; returns the height at which its link ends."""
        x = 10 + depth * _INDENT
        lines = [(part, "line") for part in _wrapped(branch.line)]
        lines += [(part, "rule") for detail in branch.details for part in _wrapped(detail)]
        self.kinds.add(branch.kind)
        if branch.line.startswith("✗"):
            lines = [(text, "fails") for text, _ in lines]
        height = len(lines) * _LINE + _BOX
        width = max(width_of(text) for text, _ in lines) + 2 * _BOX
        middle = self.y + height / 2
        if above is not None:
            self.drawing.curve("link", f"M {x - _INDENT / 2:g} {above:g} V {middle:g} H {x:g}")
        self.drawing.box(branch.kind or "box", x, self.y, round(width), height, 5)
        for i, (text, kind) in enumerate(lines):
            self.drawing.text(kind, x + _BOX, self.y + _BOX / 2 + (i + 0.75) * _LINE, text)
        self.width = max(self.width, x + width + 10)
        bottom = self.y + height
        self.y = bottom + 8
        for below in branch.below:
            bottom = self.branch(below, depth + 1, bottom)  # the next link goes on where this one ends
        return middle

    def key(self) -> None:
        """What the frames mean, of those that there are."""
        x = 10.0
        for kind in _KEY:
            if kind in self.kinds and len(self.kinds - {"", "background"}) > 1:
                self.drawing.box(kind, x, self.y - 2, 16, 10, 3)
                self.drawing.text("key", x + 22, self.y + 7, _KEY[kind])
                x += 22 + width_of(_KEY[kind], 11) + 18
        if x > 10:
            self.y += 20
            self.width = max(self.width, x)


def picture(*branches: Branch) -> str:
    """Branches as one SVG image, one below the other."""
    boxes = _Boxes(Drawing("lasing-tree", _PAINTS))
    for branch in branches:
        boxes.branch(branch, 0, None)
        boxes.y += 14
    boxes.key()
    page = Drawing("", {})
    page.box("page", 0, 0, round(boxes.width), boxes.y)  # a page of another colour would hide the links and the key
    boxes.drawing.parts.insert(0, page.parts[0])
    return boxes.drawing.svg(boxes.width, boxes.y, branches[0].line if branches else "")


def _wrapped(text: str) -> list[str]:
    """A line, broken at spaces where it is too long."""
    if len(text) > _WIDEST and _WITH in text:
        rule, _, values = text.rpartition(_WITH)
        return [*_wrapped(rule), *_wrapped(f"with {values}")]
    lines: list[str] = []
    current = ""
    for word in text.split(" "):
        if current and len(current) + 1 + len(word) > _WIDEST:
            lines.append(current)
            current = "    " + word
        else:
            current = f"{current} {word}" if current else word
    return [*lines, current]
