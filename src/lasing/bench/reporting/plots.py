"""Cells as pictures, drawn by matplotlib, which is optional: only `report` imports this module, if it is installed.

A contender has the same colour and marker in all pictures of a run. Our engine is drawn thicker, on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import log10
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from lasing.bench.measuring.records import Cell, Figure
from lasing.bench.reporting.tables import is_ours

T = TypeVar("T")

# Colours by Okabe and Ito, which colour-blind readers can distinguish; markers differ as well.
OURS = "#D55E00"
KNOWN = {"c++": "#222222", "laser": "#0072B2", "clingo": "#CC79A7", "dictionaries": "#009E73", "scratch": "#56B4E9"}
"""Words by which well-known contenders are recognised."""
SPARE = "#E69F00", "#6A3D9A", "#8A8A8A", "#7A5C2E", "#0072B2", "#009E73"
MARKS = "s", "^", "D", "v", "p", "<", ">", "h"
DASHES: tuple[Any, ...] = "-", (0, (6, 2.5)), (0, (2, 2)), (0, (9, 2.5, 2, 2.5))
INK, GRID, EDGE = "#333333", "#E2E0DB", "#BBB8B0"

STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.scale_dashes": False,  # a thick line has the dashes of a thin one
    "svg.fonttype": "none",  # text as text
    "svg.hashsalt": "lasing",  # the same cells give the same file
}

# Inches.
HEIGHT, LEFT, RIGHT, GAP, TOP, PANEL_TITLE, BOTTOM = 3.8, 0.85, 0.2, 0.14, 0.5, 0.22, 0.55
WIDTHS = {1: 5.2, 2: 3.4, 3: 2.7}
"""The width of a panel, by the number of panels; with more of them, less."""
LETTER, LINE = 0.085, 0.15


@dataclass(frozen=True)
class Look:
    """How the lines of a contender are drawn."""

    colour: str
    mark: str
    ours: bool


@dataclass(frozen=True)
class Series:
    """A line of a picture: a contender, and the values of the other settings that distinguish lines."""

    contender: str
    values: tuple[str, ...]

    def label(self) -> str:
        return ", ".join((self.contender, *self.values))


def colours(contenders: Iterable[str]) -> dict[str, Look]:
    """How each contender is drawn: in its own colour, or, if it is not well known, in the next free one.

    >>> looks = colours(["our engine", "C++ loop", "abacus"])
    >>> [look.colour for look in looks.values()]
    ['#D55E00', '#222222', '#E69F00']
    """
    spare, marks = cycle(SPARE), cycle(MARKS)
    looks: dict[str, Look] = {}
    for name in dict.fromkeys(contenders):
        taken = {look.colour for look in looks.values()}
        own = OURS if is_ours(name) else next((c for word, c in KNOWN.items() if word in name.lower()), "")
        if not own or own in taken:
            own = next((colour for colour in SPARE if colour not in taken), "") or next(spare)
        looks[name] = Look(own, "o" if is_ours(name) else next(marks), is_ours(name))
    return looks


def draw(figure: Figure, cells: Sequence[Cell], looks: Mapping[str, Look], folder: Path) -> list[Path]:
    """Draw a figure to an SVG and a PNG file; no file if there is nothing to draw."""
    drawn = [cell for cell in cells if figure.x in cell.settings and _meets(cell, figure.only)]
    if not any(cell.cost for cell in drawn):
        return []
    files = [folder / f"{figure.name}.{form}" for form in ("svg", "png")]
    with mpl.rc_context(STYLE):
        picture = _picture(figure, drawn, looks)
        picture.savefig(files[0], format="svg", metadata={"Date": None, "Creator": None})
        picture.savefig(files[1], format="png", dpi=160, metadata={"Software": None})
    return files


def _picture(figure: Figure, cells: Sequence[Cell], looks: Mapping[str, Look]) -> Picture:
    panels = _distinct(_value(cell, figure.panels) for cell in cells) if figure.panels else [None]
    lines = _lines(figure, cells)
    series = _distinct(_series(cell, lines) for cell in cells if cell.cost)
    variants = {values: number for number, values in enumerate(_distinct(one.values for one in series))}
    wide = WIDTHS.get(len(panels), 2.2)
    inside = len(panels) * wide + (len(panels) - 1) * GAP
    # The width of the legend beside the panels is known only once it is drawn; until then it counts as zero.
    picture = Picture(figsize=(LEFT + inside + RIGHT, HEIGHT), dpi=100, facecolor="white")
    axes = picture.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    xs = _Scale.of([cell.settings[figure.x] for cell in cells], figure.slope)
    slopes: dict[Series, list[str]] = {one: [] for one in series}
    for ax, panel in zip(axes, panels, strict=True):
        here = [cell for cell in cells if panel is None or _value(cell, figure.panels) == panel]
        for one in series:
            points = sorted((c for c in here if _series(c, lines) == one), key=lambda c: xs.place(c.settings[figure.x]))
            aside = (series.index(one) + 0.5) / len(series) - 0.5
            _line(ax, xs, figure.x, points, _style(looks[one.contender], variants[one.values], xs), 0.5 * aside)
            if figure.slope and xs.logarithmic:
                slopes[one].append(_slope(xs, figure.x, [c for c in points if c.cost]))
        _frame(ax, xs, wide)
        if panel is not None:
            ax.set_title(_setting(figure.panels, panel), fontsize=10, color=INK)
    _heights(axes[0], cells)
    axes[0].set_ylabel(figure.y_label)
    handles = [
        Line2D(
            [], [], label=one.label() + _slopes(slopes[one]), **_style(looks[one.contender], variants[one.values], xs)
        )
        for one in sorted(series, key=lambda one: -_height(one, cells, lines))
    ]
    below = max(_label(value, xs, wide).count("\n") for value in xs.values)
    _lay_out(picture, figure, handles, inside, below)
    return picture


# What to draw.


def _meets(cell: Cell, only: Mapping[str, int | str]) -> bool:
    return all(_value(cell, name) == value for name, value in only.items())


def _value(cell: Cell, name: str) -> int | str:
    """A setting of a cell; its output and its contender count as settings too."""
    if name in cell.settings:
        return cell.settings[name]
    return {"output": cell.output, "contender": cell.contender}.get(name, "")


def _lines(figure: Figure, cells: Sequence[Cell]) -> tuple[str, ...]:
    """The settings that distinguish lines of one contender, and the output, if there are both."""
    several = len({cell.output for cell in cells}) > 1
    return (*figure.lines, "output") if several and "output" not in (*figure.lines, figure.panels) else figure.lines


def _series(cell: Cell, lines: tuple[str, ...]) -> Series:
    return Series(cell.contender, tuple(_setting(name, _value(cell, name)) for name in lines if name != "contender"))


def _height(one: Series, cells: Sequence[Cell], lines: tuple[str, ...]) -> float:
    return median(cell.cost for cell in cells if cell.cost and _series(cell, lines) == one)


def _slope(xs: _Scale, x: str, points: Sequence[Cell]) -> str:
    """The exponent with which the cost grows: the slope of the best line through the points, on logarithmic axes."""
    if len(points) < 2:
        return "–"
    where = [log10(xs.place(cell.settings[x])) for cell in points]
    slope = float(np.polyfit(where, [log10(cell.cost or 1) for cell in points], 1)[0])
    return f"{round(slope, 2) + 0:.2f}".replace("-", "−")  # + 0 turns -0 into 0


def _slopes(slopes: Sequence[str]) -> str:
    if not set(slopes) - {"–"}:
        return ""
    return f" (slope{'s' if len(slopes) > 1 else ''} {', '.join(slopes)})"


@dataclass(frozen=True)
class _Scale:
    """The positions of a setting's values on the axis: numbers at themselves, names one after another."""

    values: tuple[int | str, ...]
    named: bool
    logarithmic: bool

    @classmethod
    def of(cls, found: Iterable[int | str], logarithmic: bool) -> _Scale:
        values = _distinct(found)
        if any(isinstance(value, str) for value in values):
            return cls(tuple(values), True, False)
        numbers = sorted(int(value) for value in values)
        wide = numbers[0] > 0 and numbers[-1] >= 40 * numbers[0]
        return cls(tuple(numbers), False, (logarithmic or wide) and numbers[0] > 0)

    def place(self, value: int | str) -> float:
        return float(self.values.index(value)) if self.named else float(value)


# How to draw it.


def _line(ax: Axes, xs: _Scale, x: str, points: Sequence[Cell], style: dict[str, Any], aside: float) -> None:
    """A line with its markers, and a bar from quartile to quartile. A cell that was not measured leaves a gap.

    Names are not joined by lines; their contenders are drawn side by side.
    """
    places = [xs.place(cell.settings[x]) + (aside if xs.named else 0) for cell in points]
    ax.plot(places, [cell.cost or np.nan for cell in points], **style)
    for place, cell in zip(places, points, strict=True):
        if cell.cost and cell.spread:
            ax.plot([place, place], cell.spread, color=style["color"], lw=1.1, zorder=style["zorder"] - 0.5)


def _style(look: Look, variant: int, xs: _Scale) -> dict[str, Any]:
    """A contender has its colour and marker; its lines differ in dashes and in whether markers are filled."""
    hollow = variant % 2 == 1
    return {
        "color": look.colour,
        "alpha": 1 if variant < len(DASHES) else 0.55,
        "marker": look.mark,
        "linestyle": "none" if xs.named else DASHES[variant % len(DASHES)],
        "lw": 2.6 if look.ours else 1.4,
        "ms": 6.5 if look.ours else 5,
        "mec": look.colour if hollow else "white",
        "mfc": "white" if hollow else look.colour,
        "mew": 1.2 if hollow else 0.7,
        "zorder": 5.0 if look.ours else 3.0,
    }


def _frame(ax: Axes, xs: _Scale, width: float) -> None:
    """The axis of the setting, labelled with the measured values for which there is room."""
    if xs.logarithmic:
        ax.set_xscale("log")
    places = [xs.place(value) for value in xs.values]
    labels = [_label(value, xs, width) for value in xs.values]
    ends = [log10(p) if xs.logarithmic else p for p in places]
    extent = (ends[-1] - ends[0]) or 1.0
    kept: list[int] = []
    for number in reversed(range(len(places))):  # from the right, so that the largest has a label
        room = LETTER * (max(len(labels[n]) for n in (number, *kept[-1:])) + 1) / (0.88 * width)
        if xs.named or not kept or (ends[kept[-1]] - ends[number]) / extent >= room:
            kept.append(number)
    ax.xaxis.set_major_locator(FixedLocator([places[number] for number in reversed(kept)]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda _value, at: [labels[n] for n in reversed(kept)][at]))
    ax.xaxis.set_minor_locator(NullLocator())
    if xs.named:
        ax.set_xlim(-0.5, len(places) - 0.5)
    else:
        ax.margins(x=0.06)
    ax.set_yscale("log")
    ax.grid(color=GRID, lw=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, labelsize=9)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(EDGE)


def _heights(ax: Axes, cells: Sequence[Cell]) -> None:
    """The axis of the cost, which all panels share: at least a decade, so that noise does not look like a trend."""
    costs = [bound for cell in cells for bound in (cell.cost or 0, *(cell.spread or ())) if bound > 0]
    low, high = log10(min(costs)) - 0.13, log10(max(costs)) + 0.13
    more = max(0, 1 - (high - low)) / 2
    ax.set_ylim(10 ** (low - more), 10 ** (high + more))
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0,) if high - low > 2.5 else (1.0, 2.0, 5.0), numticks=12))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _at: f"{value:,.10g}"))
    ax.yaxis.set_minor_locator(NullLocator())


def _lay_out(picture: Picture, figure: Figure, handles: Sequence[Line2D], inside: float, below: int) -> None:
    """Lay out the panels, and make room on their right for the legend, from the costliest line to the cheapest.

    `below` is the number of lines that the labels of the lower axis have beyond the first.
    """
    legend = picture.legend(
        handles=handles, loc="center left", frameon=False, fontsize=9.5, handlelength=3.2, labelspacing=0.7
    )
    for text, handle in zip(legend.get_texts(), handles, strict=True):
        text.set_fontweight("bold" if is_ours(str(handle.get_label())) else "normal")
    beside = legend.get_window_extent().width / picture.dpi
    title = picture.text(0, 1, figure.title, fontsize=12.5, fontweight="bold", va="top", ha="left")
    named = LEFT + title.get_window_extent().width / picture.dpi + RIGHT
    wide = max(LEFT + inside + RIGHT + beside, named)
    above, under = TOP + (PANEL_TITLE if figure.panels else 0), BOTTOM + below * LINE
    tall = max(HEIGHT, legend.get_window_extent().height / picture.dpi + TOP) + above + under - TOP - BOTTOM
    picture.set_size_inches(wide, tall)
    title.set_position((LEFT / wide, 1 - 0.15 / tall))
    panels = len(picture.axes)
    picture.subplots_adjust(
        left=LEFT / wide,
        right=(LEFT + inside) / wide,
        bottom=under / tall,
        top=1 - above / tall,
        wspace=GAP / ((inside - GAP * (panels - 1)) / panels),
    )
    legend.set_bbox_to_anchor(((LEFT + inside + RIGHT - 0.1) / wide, (1 - (above - under) / tall) / 2))
    picture.text((LEFT + inside / 2) / wide, 0.12 / tall, figure.x_label, ha="center", va="bottom")


def _label(value: int | str, xs: _Scale, width: float) -> str:
    """A value on the lower axis; a name takes as many lines as it needs."""
    if not xs.named:
        return _short(value)
    return fill(str(value), max(6, int(width / len(xs.values) / LETTER)), break_long_words=False)


def _setting(name: str, value: int | str) -> str:
    """A setting in words: names speak for themselves."""
    return f"{name.replace('_', ' ')} {value:,}" if isinstance(value, int) else value


def _short(value: int | str) -> str:
    """A value on an axis, with thousands and millions abbreviated.

    >>> _short(20), _short(4000), _short(2_500_000), _short("join")
    ('20', '4k', '2.5M', 'join')
    """
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if isinstance(value, int) and value >= unit and value * 10 % unit == 0:
            return f"{value / unit:g}{letter}"
    return str(value)


def _distinct(items: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(items))
