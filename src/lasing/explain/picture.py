"""An explanation as a picture: the branches of its tree as boxes, in SVG that reads well on paper and in dark mode."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from lasing.explain.tree import Branch

_LETTER = 7.9
"""The width of a letter, in pixels."""
_LINE = 18
_BOX = 8
_INDENT = 26
_WIDEST = 110
"""The longest line, in letters; longer ones are broken."""

_STYLE = """
    svg { font: 13px ui-monospace, Menlo, Consolas, monospace; }
    .box { fill: #f6f8fa; stroke: #8c959f; }
    .line { fill: #1f2328; }
    .rule { fill: #57606a; }
    .fails { fill: #a40e26; }
    .link { stroke: #8c959f; fill: none; }
    @media (prefers-color-scheme: dark) {
      .box { fill: #1c2128; stroke: #768390; }
      .line { fill: #e6edf3; }
      .rule { fill: #909dab; }
      .fails { fill: #ff938a; }
      .link { stroke: #768390; }
    }
"""
"""Light unless the reader prefers dark; programs that know no media queries, and printers, get the light one."""


@dataclass(slots=True)
class _Drawing:
    parts: list[str]
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
        width = max(len(text) for text, _ in lines) * _LETTER + 2 * _BOX
        middle = self.y + height / 2
        if above is not None:
            self.parts.append(f'<path class="link" d="M {x - _INDENT / 2:g} {above:g} V {middle:g} H {x:g}"/>')
        self.parts.append(
            f'<rect class="box" x="{x:g}" y="{self.y:g}" width="{width:.0f}" height="{height:g}" rx="5"/>'
        )
        for i, (text, kind) in enumerate(lines):
            place = f'x="{x + _BOX:g}" y="{self.y + _BOX / 2 + (i + 0.75) * _LINE:g}"'
            self.parts.append(f'<text class="{kind}" {place} xml:space="preserve">{escape(text)}</text>')
        self.width = max(self.width, x + width + 10)
        bottom = self.y + height
        self.y = bottom + 8
        for below in branch.below:
            self.branch(below, depth + 1, bottom)


def picture(*branches: Branch) -> str:
    """Branches as one SVG image, one below the other."""
    drawing = _Drawing([])
    for branch in branches:
        drawing.branch(branch, 0, None)
        drawing.y += 14
    size = f'width="{drawing.width:.0f}" height="{drawing.y:.0f}" viewBox="0 0 {drawing.width:.0f} {drawing.y:.0f}"'
    title = escape(branches[0].line) if branches else ""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}</style>",
        *drawing.parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


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
