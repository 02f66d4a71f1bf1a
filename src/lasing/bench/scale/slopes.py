"""What a curve shows: its slope on logarithmic axes, and the sentence that follows from it.

A slope of 0 means that the cost does not depend on the setting, a slope of 1 that it grows in proportion to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Literal

from lasing.bench.measuring.records import Cell

Points = Sequence[tuple[float, float]]
"""A setting and its cost, in the order of the settings."""

Kind = Literal["falls", "flat", "slow", "less", "proportional", "more"]

SAYS: dict[Kind, str] = {
    "falls": "it falls with {x}",
    "flat": "it does not depend on {x}",
    "slow": "it grows slowly with {x}",
    "less": "it grows with {x}, less than in proportion",
    "proportional": "it grows in proportion to {x}",
    "more": "it grows faster than {x}",
}


def slope(points: Points) -> float:
    """The slope of the line through the logarithms of points, by least squares.

    >>> round(slope([(1, 3), (10, 30), (100, 300)]), 6)
    1.0
    """
    xs, ys = [log(x) for x, _ in points], [log(y) for _, y in points]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    square = sum((x - x_mean) ** 2 for x in xs)
    if not square:
        raise ValueError("a slope needs two different settings")
    return sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / square


def upper_half(points: Points) -> Points:
    """The points in the upper half of the range, on a logarithmic axis.

    >>> upper_half([(1, 5.0), (10, 5.0), (100, 6.0), (1000, 7.0)])
    [(100, 6.0), (1000, 7.0)]
    """
    middle = sqrt(points[0][0] * points[-1][0])
    return [(x, y) for x, y in points if x >= middle * (1 - 1e-9)]


def kind(slope: float) -> Kind:
    """How a cost with this slope grows.

    >>> [kind(s) for s in (-0.3, 0.04, 0.3, 0.6, 1.0, 1.9)]
    ['falls', 'flat', 'slow', 'less', 'proportional', 'more']
    """
    bounds: tuple[tuple[float, Kind], ...] = (
        (-0.1, "falls"),
        (0.1, "flat"),
        (0.5, "slow"),
        (0.8, "less"),
        (1.2, "proportional"),
    )
    return next((name for bound, name in bounds if (slope <= bound if name == "falls" else slope < bound)), "more")


@dataclass(frozen=True)
class Words:
    """The words for an experiment: its setting by name, as in `window`, and in words, as in `the window`.

    `meaning` says what some kinds of slope mean, if the upper half of the curve is of that kind too.
    """

    x: str
    what: str
    cost: str
    meaning: Mapping[Kind, str]


def sentences(cells: Sequence[Cell], words: Words) -> list[str]:
    """A sentence for each line of our engine, and one for each other line that compares it with ours."""
    said = []
    for (contender, output, *rest), line in _lines(cells, words.x).items():
        name = ", ".join(map(str, rest))
        name += " (whole answers)" if output == "answers" else ""
        points = [(x, cell.cost) for x, cell in line if cell.cost is not None and cell.cost > 0]
        if len(points) < 2:
            said.append(f"{name}: too few points of {contender} for a slope.")
        elif contender == "lasing":
            said.append(f"{name}: {_trend(points, words)}.")
        else:
            said.append(f"{name}, {contender}: {_beside(line, points, words)}.")
    return said


def _lines(cells: Sequence[Cell], x: str) -> dict[tuple[int | str, ...], list[tuple[int, Cell]]]:
    """The cells of each contender, output and combination of other settings, in the order of the setting."""
    lines: dict[tuple[int | str, ...], list[tuple[int, Cell]]] = {}
    for cell in cells:
        others = [value for name, value in cell.settings.items() if name != x]
        lines.setdefault((cell.contender, cell.output, *others), []).append((int(cell.settings[x]), cell))
    return {key: sorted(line, key=lambda point: point[0]) for key, line in lines.items()}


def _trend(points: Points, words: Words) -> str:
    (first, least), (last, most) = points[0], points[-1]
    whole, upper = slope(points), upper_half(points)
    text = f"as {words.what} grows from {first:,} to {last:,}, {words.cost} {_moved(most / least)} (slope {whole:.2f}"
    halved = 2 <= len(upper) < len(points)
    above = slope(upper) if halved else whole
    begin = f"from {upper[0][0]:,} on"
    text += f"; {begin} {above:.2f})" if halved else ")"
    least_at, most_at = (extreme(points, key=lambda point: point[1]) for extreme in (min, max))
    bends = kind(whole) == "flat" and most_at[1] >= 2 * least_at[1]
    text += f": it is least at {least_at[0]:,}, most at {most_at[0]:,}" if bends else f": {_says(kind(whole), words)}"
    if bends or kind(above) != kind(whole):
        return f"{text}; {begin} {_says(kind(above), words)}"
    meaning = words.meaning.get(kind(whole))
    return f"{text}: {meaning}" if meaning else text


def _moved(factor: float) -> str:
    """How a cost moved that ends at `factor` times what it was.

    >>> [_moved(factor) for factor in (1.02, 1234.0, 0.25)]
    ['stays as it is', 'grows by a factor of 1,234', 'falls by a factor of 4.0']
    """
    if 0.95 < factor < 1.05:
        return "stays as it is"
    verb, times = ("grows", factor) if factor > 1 else ("falls", 1 / factor)
    return f"{verb} by a factor of {times:,.{0 if times >= 10 else 1}f}"


def _says(found: Kind, words: Words) -> str:
    return SAYS[found].format(x=words.what)


def _beside(line: Sequence[tuple[int, Cell]], points: Points, words: Words) -> str:
    ratios = [(x, cell.ratio) for x, cell in line if cell.ratio is not None]
    text = f"slope {slope(points):.2f}"
    if not ratios:
        return text
    (first, before), (last, after) = ratios[0], ratios[-1]
    return f"{text}; {before:.2g}x our engine at {words.x} {first:,}, {after:.2g}x at {last:,}"
