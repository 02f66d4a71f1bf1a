"""SVG: shapes and text, each of a kind, and a paint for each kind, on light pages and on dark ones.

Pictures are light unless the reader prefers dark; paper, and programs that know no media queries, get the light one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from unicodedata import east_asian_width

FONT = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
"""All letters have the same width, so that a text can be measured without a font."""

_LETTER = 0.61
"""The width of a letter, in units of the font's size."""
_NO_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot have, not even escaped."""


@dataclass(frozen=True, slots=True)
class Paint:
    """How a kind is painted: properties of SVG, each with its value on light pages and on dark ones; and others."""

    colours: Mapping[str, tuple[str, str]]
    others: str = ""


def paint(fill: tuple[str, str] | None = None, stroke: tuple[str, str] | None = None, others: str = "") -> Paint:
    """A paint with these colours; without a fill or a stroke, there is none.

    >>> paint(fill=("#fff", "#000")).colours
    {'fill': ('#fff', '#000')}
    """
    colours = {name: colour for name, colour in (("fill", fill), ("stroke", stroke)) if colour is not None}
    return Paint(colours, others if fill is not None else f"fill: none; {others}".strip())


# The colours that pictures share: on light pages, and on dark ones.
PAGE = "#ffffff", "#0d1117"
INK = "#1f2328", "#e6edf3"
SOFT = "#57606a", "#9da7b3"
EDGE = "#8c959f", "#768390"
FAINT = "#e4e7eb", "#252b33"
BOX = "#f6f8fa", "#1c2128"
BAD = "#a40e26", "#ff938a"
BLUE = "#0b5cad", "#6cb6ff"
ORANGE = "#b35900", "#f0a35e"
VIOLET = "#6639ba", "#c49bff"


@dataclass(slots=True)
class Drawing:
    """A picture in the making. Its name keeps its paints apart from those of other pictures on the same page."""

    name: str
    paints: Mapping[str, Paint]
    parts: list[str] = field(default_factory=list)

    def box(
        self, kind: str, x: float, y: float, width: float, height: float, round_: float = 0, hint: str = ""
    ) -> None:
        """A rectangle; a hint is shown where the pointer rests on it."""
        corners = f' rx="{_number(round_)}"' if round_ else ""
        size = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
        self._shape("rect", f'class="{kind}" {size}{corners}', hint)

    def dot(self, kind: str, x: float, y: float, radius: float, hint: str = "") -> None:
        """A disc."""
        self._shape("circle", f'class="{kind}" cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"', hint)

    def line(self, kind: str, *points: tuple[float, float], hint: str = "") -> None:
        """A line from point to point."""
        path = " L ".join(f"{_number(x)} {_number(y)}" for x, y in points)
        self._shape("path", f'class="{kind}" d="M {path}"', hint)

    def curve(self, kind: str, path: str, hint: str = "") -> None:
        """A path, in SVG's notation."""
        self._shape("path", f'class="{kind}" d="{path}"', hint)

    def text(self, kind: str, x: float, y: float, text: str, anchor: str = "start", hint: str = "") -> None:
        """A line of text, whose blanks are kept. It begins, has its middle, or ends at x."""
        where = f'class="{kind}" x="{_number(x)}" y="{_number(y)}"'
        aligned = "" if anchor == "start" else f' text-anchor="{anchor}"'
        title = f"<title>{clean(hint)}</title>" if hint else ""
        self.parts.append(f'<text {where}{aligned} xml:space="preserve">{title}{clean(text)}</text>')

    def svg(self, width: float, height: float, title: str) -> str:
        """The whole picture. The title is what a screen reader says."""
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        said = clean(title)
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" class="{self.name}" {size} role="img" aria-label="{said}">'
        lines = [opening, f"<title>{said}</title>", f"<style>{self._style()}</style>", *self.parts, "</svg>"]
        return "\n".join(lines) + "\n"

    def _shape(self, tag: str, attributes: str, hint: str) -> None:
        self.parts.append(
            f"<{tag} {attributes}><title>{clean(hint)}</title></{tag}>" if hint else f"<{tag} {attributes}/>"
        )

    def _style(self) -> str:
        lines = [f"\n    .{self.name} {{ font: 13px {FONT}; max-width: 100%; height: auto; }}"]
        for kind, one in self.paints.items():
            lines.append(self._rule(kind, ((name, light) for name, (light, _) in one.colours.items()), one.others))
        lines.append("    @media screen and (prefers-color-scheme: dark) {")
        for kind, one in self.paints.items():
            if one.colours:
                lines.append("  " + self._rule(kind, ((name, dark) for name, (_, dark) in one.colours.items())))
        return "\n".join([*lines, "    }", "  "])

    def _rule(self, kind: str, colours: Iterable[tuple[str, str]], others: str = "") -> str:
        properties = "".join(f" {name}: {colour};" for name, colour in colours)
        return f"    .{self.name} .{kind} {{{properties}{f' {others}' if others else ''} }}"


def clean(text: str) -> str:
    """A text as SVG and HTML can have it: escaped, and without characters that they cannot have.

    >>> clean("a<b> & \\x00")
    'a&lt;b&gt; &amp; \ufffd'
    """
    return escape(_NO_CHARACTER.sub("\ufffd", text))


def width_of(text: str, size: float = 13) -> float:
    """About how wide a text is, in pixels: letters of East Asian scripts count twice.

    >>> round(width_of("abc", 10), 1), round(width_of("日本", 10), 1)
    (18.3, 24.4)
    """
    wide = 0 if text.isascii() else sum(east_asian_width(letter) in "WF" for letter in text)
    return (len(text) + wide) * _LETTER * size


def shortened(text: str, most: int) -> str:
    """A text with at most so many letters; what is left out is an ellipsis.

    >>> shortened("temperature", 6), shortened("temp", 6)
    ('tempe…', 'temp')
    """
    return text if len(text) <= most else f"{text[: max(most - 1, 1)]}…"


def _number(number: float) -> str:
    """A number with at most one decimal, so that pictures are small and do not differ in rounding."""
    return f"{round(number, 1):g}" if abs(number) < 100_000 else f"{number:.0f}"
