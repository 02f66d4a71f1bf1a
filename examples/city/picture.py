"""One picture of a day in the city: a lane for each district, with its jams, its rain and its broken sensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.dates as mdates
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

Minutes = npt.NDArray[np.datetime64]
Counts = npt.NDArray[np.int64]

# Colours by Okabe and Ito, which colour-blind readers can distinguish; shapes differ as well.
JAM, RAIN, SILENT, STUCK, UNEXPLAINED = "#D55E00", "#0072B2", "#222222", "#CC79A7", "#009E73"
INK, FAINT, STRIPE = "#333333", "#8A8A8A", "#F6F5F2"

# A lane, from its bottom to its top: rain, the curve of the jams, a line for stuck sensors, a line for silent ones.
PITCH = 1.3
LANE_BOTTOM = -0.24
RAIN_BOTTOM, RAIN_TOP = -0.2, -0.04
CURVE_TOP = 0.7
STUCK_LINE, SILENT_LINE = 0.77, 0.95

# Inches.
WIDTH, LANE, HEADER, FOOTER, LEFT, RIGHT = 16.0, 0.54, 1.45, 0.65, 1.3, 1.2

TAILS_NAMED = 6


@dataclass(frozen=True, slots=True)
class Tail:
    """The longest tail of a district: at its longest, it reached from this minute to that."""

    district: str
    junction: str
    length: int
    begins: np.datetime64
    ends: np.datetime64


def picture(results: Mapping[str, pa.Table], rain: pa.Table, path: Path) -> None:
    """Draw the intervals of each shown predicate, and the rain, to a PNG file."""
    jams = jams_by_district(results, rain)
    if not jams.curves:
        raise ValueError("there is nothing to draw: no results, and no rain")
    lanes = lanes_in_the_order_of_rain(list(jams.curves), rain)
    with mpl.rc_context({"font.family": "DejaVu Sans", "font.size": 10, "text.color": INK}):
        # A Figure by itself, without pyplot, needs no display and leaves no global state behind.
        height = HEADER + LANE * len(lanes) + FOOTER
        figure = Figure(figsize=(WIDTH, height), dpi=100, facecolor="white")
        axes = figure.add_axes(
            (LEFT / WIDTH, FOOTER / height, (WIDTH - LEFT - RIGHT) / WIDTH, LANE * len(lanes) / height)
        )
        draw_frame(axes, lanes, jams)
        for district, floor in lanes.items():
            draw_curve(axes, jams, district, floor)
        draw_rain(axes, lanes, rain)
        draw_faults(axes, lanes, results["silent"], SILENT_LINE, SILENT, "x")
        draw_faults(axes, lanes, results["stuck"], STUCK_LINE, STUCK, "s")
        draw_unexplained(axes, lanes, results["unexplained"], jams)
        name_tails(axes, lanes, results["tail"], jams)
        draw_titles(figure, axes, results, jams)
        figure.savefig(path, format="png")


# What there is to draw.


@dataclass(frozen=True, slots=True)
class Jams:
    """How many junctions are jammed, for each minute and district."""

    minutes: Minutes
    curves: dict[str, Counts]

    @property
    def highest(self) -> int:
        return max(1, *(int(curve.max()) for curve in self.curves.values()))

    def height(self, counts: Counts) -> npt.NDArray[np.float64]:
        """How high above the floor of a lane numbers of jams are drawn: all lanes have the same scale."""
        heights: npt.NDArray[np.float64] = CURVE_TOP * counts / self.highest
        return heights

    def index(self, instants: Minutes) -> Counts:
        """The places of instants among the minutes."""
        places: Counts = (instants - self.minutes[0]).astype(np.int64)
        return places


def jams_by_district(results: Mapping[str, pa.Table], rain: pa.Table) -> Jams:
    """Count the jams of every district that occurs in the data, over all minutes from the first to the last."""
    instants = [minutes_of(table, column) for table in results.values() for column in ("from", "until")]
    instants.append(minutes_of(rain, "ts"))
    known = np.concatenate(instants)
    if not len(known):
        return Jams(known, {})
    # Whole hours: results begin only with the first jam, and the day began before.
    start = known.min().astype("datetime64[h]").astype("datetime64[m]")
    end = known.max().astype("datetime64[h]").astype("datetime64[m]") + np.timedelta64(60, "m")
    minutes = np.arange(start, end)
    names = {name for table in results.values() for name in table["District"].to_pylist()}
    names |= set(rain["district"].to_pylist())
    jam = results["jam"]
    district = np.array(jam["District"].to_pylist(), dtype=object)
    begins = (minutes_of(jam, "from") - start).astype(np.int64)
    ends = (minutes_of(jam, "until") - start).astype(np.int64)
    curves = {}
    for name in sorted(names):
        steps = np.zeros(len(minutes) + 1, dtype=np.int64)
        np.add.at(steps, begins[district == name], 1)
        np.add.at(steps, ends[district == name] + 1, -1)
        curves[name] = steps.cumsum()[:-1]
    return Jams(minutes, curves)


def minutes_of(table: pa.Table, column: str) -> Minutes:
    instants: Minutes = table[column].to_numpy().astype("datetime64[m]")
    return instants


def lanes_in_the_order_of_rain(districts: list[str], rain: pa.Table) -> dict[str, float]:
    """The floor of each district's lane: from the top, in the order in which the first rain reaches them."""
    first_rain: dict[str, np.datetime64] = {}
    for district, ts in zip(rain["district"].to_pylist(), minutes_of(rain, "ts"), strict=True):
        first_rain[district] = min(first_rain.get(district, ts), ts)
    never = np.datetime64("9999-01-01", "m")
    ordered = sorted(districts, key=lambda district: (first_rain.get(district, never), district))
    return {district: PITCH * (len(ordered) - 1 - number) for number, district in enumerate(ordered)}


def longest_tails(tails: pa.Table) -> list[Tail]:
    """The longest tail of each district, longest first, and not all of them."""
    columns = (tails["District"].to_pylist(), tails["Junction"].to_pylist(), tails["Length"].to_pylist())
    rows = zip(*columns, minutes_of(tails, "from"), minutes_of(tails, "until"), strict=True)
    longest: dict[str, Tail] = {}
    for tail in sorted((Tail(*row) for row in rows), key=lambda tail: (-tail.length, tail.begins, tail.junction)):
        longest.setdefault(tail.district, tail)
    return list(longest.values())[:TAILS_NAMED]


# How it is drawn.


def draw_frame(axes: Axes, lanes: dict[str, float], jams: Jams) -> None:
    """Lanes and hours."""
    for number, floor in enumerate(lanes.values()):
        if number % 2 == 0:
            axes.axhspan(floor + LANE_BOTTOM, floor + LANE_BOTTOM + PITCH, color=STRIPE, lw=0, zorder=0)
        axes.axhline(floor, color="#D5D2CB", lw=0.6, zorder=1)
    axes.set_xlim(jams.minutes[0], jams.minutes[-1] + np.timedelta64(1, "m"))
    axes.set_ylim(LANE_BOTTOM, max(lanes.values()) + LANE_BOTTOM + PITCH)
    axes.set_yticks([floor + CURVE_TOP / 2 for floor in lanes.values()], [readable(d) for d in lanes], fontsize=11)
    axes.tick_params(length=0, colors=INK)
    axes.xaxis.set_major_locator(mdates.AutoDateLocator(minticks=5, maxticks=12))  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(mdates.DateFormatter("%H:%M"))  # type: ignore[no-untyped-call]
    axes.grid(axis="x", color="#DAD7D0", lw=0.7)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw_curve(axes: Axes, jams: Jams, district: str, floor: float) -> None:
    """The number of jammed junctions, and at the right the hours that they add up to."""
    curve = jams.curves[district]
    # Each count holds until the next minute, and the last one until the end of the day.
    edges = np.append(jams.minutes, jams.minutes[-1] + np.timedelta64(1, "m"))
    top = floor + jams.height(np.append(curve, curve[-1]))
    axes.fill_between(edges, floor, top, step="post", color=JAM, alpha=0.8, lw=0, zorder=3)
    axes.annotate(
        f"{curve.sum() / 60:.0f}",
        (1, floor + CURVE_TOP / 2),
        xycoords=("axes fraction", "data"),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        color=JAM,
        fontsize=10,
    )


def draw_rain(axes: Axes, lanes: dict[str, float], rain: pa.Table) -> None:
    """A band under the curve, darker where it rains harder; a report covers its five minutes."""
    if not len(rain):
        return
    millimetres = rain["millimetres"].to_numpy()
    axes.bar(
        minutes_of(rain, "ts"),
        RAIN_TOP - RAIN_BOTTOM,
        width=np.timedelta64(5, "m"),
        bottom=[lanes[district] + RAIN_BOTTOM for district in rain["district"].to_pylist()],
        align="edge",
        color=[to_rgba(RAIN, 0.2 + 0.7 * strength) for strength in millimetres / millimetres.max()],
        lw=0,
        zorder=2,
    )


def draw_faults(axes: Axes, lanes: dict[str, float], faults: pa.Table, line: float, colour: str, marker: str) -> None:
    """A line for as long as the sensor is known to be broken, with a mark where it was found."""
    for district, begins, ends in zip(
        faults["District"].to_pylist(), minutes_of(faults, "from"), minutes_of(faults, "until"), strict=True
    ):
        height = lanes[district] + line
        axes.plot([begins, ends], [height, height], color=colour, lw=1.6, solid_capstyle="butt", zorder=4)
        axes.plot([begins], [height], color=colour, marker=marker, ms=5, mew=1.5, zorder=5)


def draw_unexplained(axes: Axes, lanes: dict[str, float], unexplained: pa.Table, jams: Jams) -> None:
    """A mark on the curve where a jam without a known cause was found."""
    begins = minutes_of(unexplained, "from")
    for district, ts, place in zip(unexplained["District"].to_pylist(), begins, jams.index(begins), strict=True):
        height = lanes[district] + jams.height(jams.curves[district][place])
        axes.plot([ts], [height], marker="v", ms=7, color=UNEXPLAINED, mec="white", mew=0.8, zorder=6)


def name_tails(axes: Axes, lanes: dict[str, float], tails: pa.Table, jams: Jams) -> None:
    """The longest tails in words, beside their peak, on the side where they cover less."""
    day = len(jams.minutes)
    width, gap = int(0.14 * day), int(0.006 * day)
    for tail in longest_tails(tails):
        curve = jams.curves[tail.district]
        begins, ends = jams.index(np.array([tail.begins, tail.ends])).tolist()
        low = curve < curve[begins : ends + 1].max() / 3
        left = begins - int(low[begins::-1].argmax()) - gap
        right = ends + int(low[ends:].argmax()) + gap
        on_the_left = left >= width
        on_the_right = right + width <= day
        if on_the_left and on_the_right:
            on_the_right = curve[right : right + width].max() <= curve[left - width : left].max()
        axes.annotate(
            f"{tail.length} junctions behind {tail.junction}",
            (jams.minutes[right if on_the_right else left], lanes[tail.district] + 0.42),
            ha="left" if on_the_right else "right",
            va="center",
            fontsize=9.5,
            fontweight="bold",
            color="#7A3300",
            zorder=7,
            path_effects=[withStroke(linewidth=3, foreground="white")],
        )


def draw_titles(figure: Figure, axes: Axes, results: Mapping[str, pa.Table], jams: Jams) -> None:
    """What the picture shows, and what its symbols mean."""
    left, inch = LEFT / WIDTH, 1 / figure.get_figheight()
    day = jams.minutes[0].astype(object)
    total = np.sum(list(jams.curves.values()), axis=0)
    worst = jams.minutes[int(total.argmax())].astype(object)
    title = f"The city on {day:%A}, {day.day} {day:%B %Y}"
    story = (
        f"Jammed junctions, district by district. The peak was at {worst:%H:%M}, with {total.max()} jams; "
        f"{len(results['unexplained'])} jams of the day have no known cause."
    )
    figure.text(left, 1 - 0.42 * inch, title, fontsize=20, fontweight="bold", va="center")
    figure.text(left, 1 - 0.78 * inch, story, fontsize=12, va="center", color="#555555")
    signs: list[Any] = [
        Patch(color=JAM, alpha=0.8, lw=0, label=f"jammed junctions (the highest peak is {jams.highest})"),
        Patch(color=RAIN, alpha=0.6, lw=0, label="rain"),
        Line2D([], [], color=UNEXPLAINED, marker="v", ms=8, lw=0, mec="white", label="jam without a known cause"),
        Line2D([], [], color=SILENT, marker="x", ms=6, mew=1.5, lw=1.6, label="silent sensor"),
        Line2D([], [], color=STUCK, marker="s", ms=5, lw=1.6, label="stuck sensor"),
    ]
    place = left - 0.007, 1 - 1.15 * inch
    figure.legend(handles=signs, loc="center left", bbox_to_anchor=place, ncols=5, frameon=False, fontsize=11)
    figure.text(left, 0.2 * inch, "Time of day, UTC. Districts in the order in which rain reaches them.", color=FAINT)
    axes.annotate(
        "junction-\nhours in jams",
        (1, 1),
        xycoords="axes fraction",
        xytext=(8, 5),
        textcoords="offset points",
        color=JAM,
    )


def readable(name: str) -> str:
    return name.replace("_", " ").capitalize()
